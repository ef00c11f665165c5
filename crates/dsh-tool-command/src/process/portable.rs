//! Where there are no process groups: the command alone is killed, and threads read its pipes.
//!
//! Tests on Unix run it too, so that it stays whole.

use std::io::{self, Read, Write as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::{Ended, Job};
use crate::kept::{Head, Tail};

/// So often it is looked whether the command has ended.
const LOOK: Duration = Duration::from_millis(20);

/// So long is waited for what the command has left running to close the pipes.
const LINGER: Duration = Duration::from_millis(100);

/// Dropped, it asks the command to end.
#[derive(Debug)]
pub(super) struct Stop(Arc<Wish>);

/// Whether the command is to end.
#[derive(Debug, Default)]
pub(super) struct Wish {
    is_there: Mutex<bool>,
    came: Condvar,
}

impl Drop for Stop {
    fn drop(&mut self) {
        *lock(&self.0.is_there) = true;
        self.0.came.notify_all();
    }
}

/// Nothing: who quits leaves to the system what it has started.
#[cfg(not(unix))]
pub(super) fn kill_all() {}

/// Both ends of the wish that a command ends.
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
pub(super) fn stop() -> io::Result<(Stop, Arc<Wish>)> {
    let wish = Arc::new(Wish::default());
    Ok((Stop(Arc::clone(&wish)), wish))
}

/// Starts the command and waits for its end.
#[expect(clippy::needless_pass_by_value, reason = "on Unix it is consumed")]
pub(super) fn run(mut job: Job, wish: Arc<Wish>) -> io::Result<Ended> {
    if *lock(&wish.is_there) {
        return Err(io::Error::new(io::ErrorKind::Interrupted, "the call was given up before"));
    }
    let mut child = job.command.spawn()?;
    let (out, err) = (Arc::new(Mutex::new(job.stdout)), Arc::new(Mutex::new(job.stderr)));
    let (closed, both) = channel();
    if let Some(mut stdin) = child.stdin.take() {
        let input = std::mem::take(&mut job.input);
        // A command that does not want to know closes the pipe, and the thread ends.
        thread::Builder::new().spawn(move || drop(stdin.write_all(&input)))?;
    }
    if let Some(stdout) = child.stdout.take() {
        read(stdout, Arc::clone(&out), Head::take, closed.clone())?;
    }
    if let Some(stderr) = child.stderr.take() {
        read(stderr, Arc::clone(&err), Tail::take, closed)?;
    }
    let mut is_killed = false;
    let status = loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => break Ok(status),
            Err(error) => break Err(error),
        }
        let wanted = lock(&wish.is_there);
        let (wanted, _) = wish
            .came
            .wait_timeout_while(wanted, LOOK, |wanted| !*wanted || is_killed)
            .unwrap_or_else(PoisonError::into_inner);
        if *wanted && !is_killed {
            is_killed = true;
            drop(wanted);
            drop(child.kill());
        }
    };
    wait_for_both(&both);
    let (out, err) = (std::mem::take(&mut *lock(&out)), std::mem::take(&mut *lock(&err)));
    Ok(Ended { status, stdout: out, stderr: err })
}

fn read<T: Send + 'static>(
    mut pipe: impl Read + Send + 'static,
    kept: Arc<Mutex<T>>,
    take: fn(&mut T, &[u8]),
    closed: Sender<()>,
) -> io::Result<()> {
    thread::Builder::new()
        .spawn(move || {
            let mut buffer = vec![0; 64 << 10];
            loop {
                match pipe.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(bytes) => take(&mut *lock(&kept), buffer.get(..bytes).unwrap_or_default()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
            drop(closed);
        })
        .map(drop)
}

/// Waits until both readers are at the end, or something else holds the pipes for too long.
fn wait_for_both(closed: &Receiver<()>) {
    // Nothing is sent: it ends when both senders are dropped.
    let _closed = closed.recv_timeout(LINGER);
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::super::Job;
    use super::{run, stop};
    use crate::kept::{Head, Tail};

    fn job(script: &str) -> Job {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Job { command, input: b"in".to_vec(), stdout: Head::new(1 << 20), stderr: Tail::new(64), grace: Duration::ZERO }
    }

    #[cfg(unix)]
    #[test]
    fn what_goes_in_comes_out() {
        let (_stop, wish) = stop().unwrap();
        let ended = run(job("cat; echo err >&2; exit 3"), wish).unwrap();
        assert_eq!(ended.status.unwrap().code(), Some(3));
        assert_eq!((ended.stdout.into_bytes(), ended.stderr.into_bytes()), (b"in".to_vec(), b"err\n".to_vec()));
    }

    #[cfg(unix)]
    #[test]
    fn what_nobody_wants_any_more_is_killed() {
        let (wanted, wish) = stop().unwrap();
        let ended = std::thread::scope(|scope| {
            let ended = scope.spawn(move || run(job("exec sleep 600"), wish));
            drop(wanted);
            ended.join().unwrap()
        });
        // Killed, or not even begun.
        assert!(ended.map_or(true, |ended| !ended.status.unwrap().success()));
    }
}
