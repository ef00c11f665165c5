//! On Unix: one thread polls the pipes, a second waits for the process; signals go to the whole group.
//!
//! The process that leads the group is waited for without being reaped, so that the group's number belongs to nobody else as long
//! as signals are sent to it.

#![expect(clippy::disallowed_methods, reason = "a real process is given real time: the kernel's clock may stand still")]

mod live;

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid};

use self::live::Live;
pub(super) use self::live::kill_all;
use super::{Ended, Job};
use crate::kept::{Head, Tail};

/// So long what a command has left running may go on writing.
const LINGER: Duration = Duration::from_millis(100);

/// So long it has to end then, at most.
const LEFT_GRACE: Duration = Duration::from_millis(250);

/// So often a group is looked at that holds no pipe: nothing else tells its end.
const LOOK: Duration = Duration::from_millis(5);

/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// So many times a pipe is read at the end: more than any holds.
const LAST_READS: usize = 64;

/// The end of a pipe whose other end is closed when it is dropped: that asks the command to end.
pub(super) type Stop = PipeWriter;

/// Both ends of the wish that a command ends.
pub(super) fn stop() -> io::Result<(Stop, PipeReader)> {
    let (asked, stop) = io::pipe()?;
    Ok((stop, asked))
}

/// Starts the command and waits for its end, and for that of all that it has started.
pub(super) fn run(mut job: Job, asked: PipeReader) -> io::Result<Ended> {
    if is_closed(&asked) {
        return Err(io::Error::new(io::ErrorKind::Interrupted, "the call was given up before"));
    }
    let (mut child, live) = Live::start(&mut job.command)?;
    match watch(&mut child, live.number()) {
        Ok(exited) => Ok(Watch::new(child, live, job, asked, exited).until_it_has_ended()),
        Err(error) => {
            // Nobody could wait for it.
            live.kill();
            live.loses_its_leader();
            drop(child.wait());
            Err(error)
        }
    }
}

fn is_closed(pipe: &PipeReader) -> bool {
    let mut fds = [PollFd::new(pipe, PollFlags::IN)];
    poll(&mut fds, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// A pipe that is closed when the child has ended, which stays to be reaped.
fn watch(child: &mut Child, pid: Pid) -> io::Result<PipeReader> {
    let pipes = [
        child.stdin.as_ref().map(AsFd::as_fd),
        child.stdout.as_ref().map(AsFd::as_fd),
        child.stderr.as_ref().map(AsFd::as_fd),
    ];
    for pipe in pipes.into_iter().flatten() {
        ioctl_fionbio(pipe, true)?;
    }
    let (exited, until) = io::pipe()?;
    thread::Builder::new().name("dsh-command-wait".to_owned()).spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(pid), options), Err(Errno::INTR)) {}
        drop(until);
    })?;
    Ok(exited)
}

/// How far the end of a command has come.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// It runs.
    Runs,
    /// It has ended, and something still holds its pipes.
    Lingers { until: Instant },
    /// The group was asked to end.
    Asked { until: Instant },
    /// The group was killed.
    Killed,
}

/// A command that is watched.
struct Watch {
    child: Child,
    live: Live,
    grace: Duration,
    /// Open until somebody wants the command to end.
    asked: Option<PipeReader>,
    /// Open until it has ended.
    exited: Option<PipeReader>,
    stdin: Option<OwnedFd>,
    input: Vec<u8>,
    written: usize,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    out: Head,
    err: Tail,
    phase: Phase,
}

/// What is polled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Asked,
    Exited,
    Stdin,
    Stdout,
    Stderr,
}

impl Watch {
    fn new(mut child: Child, live: Live, job: Job, asked: PipeReader, exited: PipeReader) -> Self {
        Self {
            stdin: child.stdin.take().map(Into::into),
            stdout: child.stdout.take().map(Into::into),
            stderr: child.stderr.take().map(Into::into),
            child,
            live,
            grace: job.grace,
            asked: Some(asked),
            exited: Some(exited),
            input: job.input,
            written: 0,
            out: job.stdout,
            err: job.stderr,
            phase: Phase::Runs,
        }
    }

    fn until_it_has_ended(mut self) -> Ended {
        let mut buffer = vec![0; CHUNK];
        while !self.is_over() {
            for source in self.ready() {
                self.serve(source, &mut buffer);
            }
            self.go_on();
        }
        self.read_the_rest(&mut buffer);
        let status = self.end_what_is_left();
        Ended { status, stdout: self.out, stderr: self.err }
    }

    /// Reaps the leader, and ends what is in its group beside it and holds no pipe of it.
    fn end_what_is_left(&mut self) -> io::Result<ExitStatus> {
        self.ask(self.grace.min(LEFT_GRACE));
        if self.phase == Phase::Killed {
            self.live.kill();
        }
        self.live.loses_its_leader();
        let status = self.child.wait();
        // The number is the group's for as long as somebody is in it.
        while let Phase::Asked { until } = self.phase
            && test_kill_process_group(self.live.number()).is_ok()
        {
            if Instant::now() >= until {
                let _gone = kill_process_group(self.live.number(), Signal::KILL);
                break;
            }
            thread::sleep(LOOK);
        }
        status
    }

    fn is_over(&self) -> bool {
        let is_quiet = self.stdout.is_none() && self.stderr.is_none();
        self.exited.is_none() && (is_quiet || self.phase == Phase::Killed)
    }

    /// Waits until something can be done, or the time of the phase is over.
    fn ready(&self) -> Vec<Source> {
        let open = [
            (Source::Asked, self.asked.as_ref().map(AsFd::as_fd)),
            (Source::Exited, self.exited.as_ref().map(AsFd::as_fd)),
            (Source::Stdin, self.stdin.as_ref().map(AsFd::as_fd)),
            (Source::Stdout, self.stdout.as_ref().map(AsFd::as_fd)),
            (Source::Stderr, self.stderr.as_ref().map(AsFd::as_fd)),
        ];
        let open = || open.into_iter().filter_map(|(source, fd)| Some((source, fd?)));
        let polled = |(source, fd)| {
            PollFd::from_borrowed_fd(fd, if source == Source::Stdin { PollFlags::OUT } else { PollFlags::IN })
        };
        let mut fds: Vec<PollFd<'_>> = open().map(polled).collect();
        let timeout = match self.phase {
            Phase::Lingers { until } | Phase::Asked { until } => {
                Timespec::try_from(until.saturating_duration_since(Instant::now())).ok()
            }
            Phase::Runs | Phase::Killed => None,
        };
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) => {
                let ready = open().zip(&fds).filter(|(_, fd)| !fd.revents().is_empty());
                ready.map(|((source, _), _)| source).collect()
            }
            // A signal of this process; it is polled again.
            Err(_) => Vec::new(),
        }
    }

    fn serve(&mut self, source: Source, buffer: &mut [u8]) {
        match source {
            Source::Asked => {
                self.asked = None;
                self.ask(self.grace);
            }
            Source::Exited => {
                self.exited = None;
                self.stdin = None;
                if self.phase == Phase::Runs {
                    self.phase = Phase::Lingers { until: Instant::now() + LINGER };
                }
            }
            Source::Stdin => self.write_input(),
            Source::Stdout => {
                if self.read_stdout(buffer) == Read::End {
                    self.stdout = None;
                }
            }
            Source::Stderr => {
                if self.read_stderr(buffer) == Read::End {
                    self.stderr = None;
                }
            }
        }
    }

    fn read_stdout(&mut self, buffer: &mut [u8]) -> Read {
        read_once(self.stdout.as_ref(), buffer, |chunk| self.out.take(chunk))
    }

    fn read_stderr(&mut self, buffer: &mut [u8]) -> Read {
        read_once(self.stderr.as_ref(), buffer, |chunk| self.err.take(chunk))
    }

    fn write_input(&mut self) {
        let Some(stdin) = &self.stdin else { return };
        match write(stdin, self.input.get(self.written..).unwrap_or_default()) {
            Ok(bytes) => self.written += bytes,
            Err(Errno::AGAIN | Errno::INTR) => return,
            // The command does not want to know; that is its own affair.
            Err(_) => self.written = self.input.len(),
        }
        if self.written >= self.input.len() {
            self.stdin = None;
        }
    }

    /// Goes on to the next phase when the time of this one is over.
    fn go_on(&mut self) {
        match self.phase {
            Phase::Lingers { until } if Instant::now() >= until => self.ask(self.grace.min(LEFT_GRACE)),
            Phase::Asked { until } if Instant::now() >= until => {
                self.live.kill();
                self.phase = Phase::Killed;
            }
            Phase::Runs | Phase::Lingers { .. } | Phase::Asked { .. } | Phase::Killed => {}
        }
    }

    /// Asks the group to end. One that is stopped has to be woken to hear that.
    fn ask(&mut self, grace: Duration) {
        if matches!(self.phase, Phase::Asked { .. } | Phase::Killed) {
            return;
        }
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
        self.phase = Phase::Asked { until: Instant::now() + grace };
    }

    fn signal(&self, signal: Signal) {
        // Of a group that is gone, and of processes that are another user's by now, there is nothing to be done.
        let _gone = kill_process_group(self.live.number(), signal);
    }

    /// What the command wrote before it ended lies in the pipes, whoever holds them.
    fn read_the_rest(&mut self, buffer: &mut [u8]) {
        let mut left = LAST_READS;
        while left > 0 && self.read_stdout(buffer) == Read::More {
            left -= 1;
        }
        left = LAST_READS;
        while left > 0 && self.read_stderr(buffer) == Read::More {
            left -= 1;
        }
    }
}

/// What reading a pipe came to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Read {
    /// There may be more.
    More,
    /// There is nothing now.
    Nothing,
    /// There will be nothing any more.
    End,
}

fn read_once(pipe: Option<&OwnedFd>, buffer: &mut [u8], mut take: impl FnMut(&[u8])) -> Read {
    let Some(pipe) = pipe else { return Read::End };
    match read(pipe, &mut *buffer) {
        Ok(0) => Read::End,
        Ok(bytes) => {
            take(buffer.get(..bytes).unwrap_or_default());
            Read::More
        }
        Err(Errno::INTR) => Read::More,
        Err(Errno::AGAIN) => Read::Nothing,
        Err(_) => Read::End,
    }
}
