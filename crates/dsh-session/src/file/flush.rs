//! The thread that brings files to the disk, so that nobody who serves others waits for it.

use std::fmt;
use std::fs::File;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::Builder;

use rustix::io::Errno;

use crate::error::{Error, ErrorKind};

/// How far a file has come to the disk.
#[derive(Default)]
pub(super) struct Progress {
    /// Counted in writes.
    written: AtomicU64,
    /// Whether the folder has it there, too.
    in_folder: AtomicBool,
    /// A try failed. What was to be written then may be lost, and the system tells that once: a later try that goes well says nothing.
    has_failed: AtomicBool,
}

impl Progress {
    /// Whether the file is on the disk up to this write.
    pub(super) fn has(&self, written: u64) -> bool {
        self.written.load(Ordering::Acquire) >= written
    }

    /// Fails once the file could not be brought to the disk.
    pub(super) fn check(&self) -> Result<(), Error> {
        if !self.has_failed.load(Ordering::Acquire) {
            return Ok(());
        }
        let error = Error::new(ErrorKind::Broken, "its file could not be brought to the disk, so its end may be lost");
        Err(error.with_help("look after the disk, then open the session again and see what its log has"))
    }

    fn sync(&self, file: &File, folder: &File) -> std::io::Result<()> {
        file.sync_all()?;
        if !self.in_folder.load(Ordering::Acquire) {
            match folder.sync_all() {
                // A file system that keeps its folders by other means.
                Err(error) if error.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => {}
                synced => synced?,
            }
            self.in_folder.store(true, Ordering::Release);
        }
        Ok(())
    }
}

/// One thread for all files of a store, begun when it is first needed; it ends when the store and its writers have gone and its work is done.
#[derive(Default)]
pub(super) struct Flusher(Mutex<Option<Sender<Job>>>);

struct Job {
    file: Arc<File>,
    folder: Arc<File>,
    written: u64,
    progress: Arc<Progress>,
    end: Arc<End>,
}

impl Flusher {
    /// Asks for it at once; the future only waits.
    pub(super) fn flush(
        &self,
        file: &Arc<File>,
        folder: &Arc<File>,
        written: u64,
        progress: &Arc<Progress>,
    ) -> Flushed {
        let end = Arc::new(End::default());
        let (file, folder, progress) = (Arc::clone(file), Arc::clone(folder), Arc::clone(progress));
        let job = Job { file, folder, written, progress, end: Arc::clone(&end) };
        // Where no thread can be had, the caller waits.
        if let Some(job) = self.hand_over(job) {
            job.run();
        }
        Flushed(end)
    }

    /// Gives the job to the thread, or back.
    fn hand_over(&self, job: Job) -> Option<Job> {
        let mut sender = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sender.is_none() {
            let (send, jobs) = channel();
            if Builder::new().name("dsh-session".to_owned()).spawn(move || work(&jobs)).is_err() {
                return Some(job);
            }
            *sender = Some(send);
        }
        match sender.as_ref().map(|sender| sender.send(job)) {
            Some(Err(back)) => Some(back.0),
            Some(Ok(())) | None => None,
        }
    }
}

impl fmt::Debug for Flusher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Flusher")
    }
}

fn work(jobs: &Receiver<Job>) {
    while let Ok(job) = jobs.recv() {
        job.run();
    }
}

impl Job {
    fn run(self) {
        let Self { file, folder, written, progress, end } = self;
        let done = progress.check().and_then(|()| {
            let synced = progress.sync(&file, &folder);
            synced.map_err(|error| Error::of_io("its file cannot be brought to the disk", error))
        });
        // The lock on the file goes with the last who has it open: that is never this thread once the end is told.
        drop(file);
        if done.is_ok() {
            progress.written.fetch_max(written, Ordering::AcqRel);
        } else {
            progress.has_failed.store(true, Ordering::Release);
        }
        end.tell(done);
    }
}

/// The end of one flush, and who waits for it.
#[derive(Default)]
struct End(Mutex<Told>);

#[derive(Default)]
struct Told {
    result: Option<Result<(), Error>>,
    waker: Option<Waker>,
}

impl End {
    fn state(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, result: Result<(), Error>) {
        let mut told = self.state();
        told.result = Some(result);
        let waker = told.waker.take();
        drop(told);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Ends when a flush has ended; the flush goes on when this is dropped.
pub(super) struct Flushed(Arc<End>);

impl Future for Flushed {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut told = self.0.state();
        if let Some(result) = &told.result {
            return Poll::Ready(result.clone());
        }
        let displaced = told.waker.replace(cx.waker().clone());
        drop(told);
        drop(displaced);
        Poll::Pending
    }
}
