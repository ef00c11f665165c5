//! A command that runs: started and watched by a thread of its own, so that nobody who awaits it is blocked.

#[cfg(any(not(unix), test))]
mod portable;
#[cfg(unix)]
mod unix;

use std::path::PathBuf;
use std::pin::Pin;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::{io, thread};

use futures_channel::oneshot;

#[cfg(not(unix))]
use self::portable as system;
#[cfg(unix)]
use self::unix as system;
use crate::error::{Error, ErrorKind};
use crate::kept::{Head, Tail};
use crate::program;
use crate::tool::Spec;

/// What a command that has ended leaves.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: io::Result<ExitStatus>,
    pub(crate) stdout: Head,
    pub(crate) stderr: Tail,
}

/// What a thread is given to run.
#[derive(Debug)]
struct Job {
    command: Command,
    input: Vec<u8>,
    stdout: Head,
    stderr: Tail,
    grace: std::time::Duration,
}

/// Kills all commands of this process that run, with all that they have started, and has none begin from now on: for a process that is
/// about to end, and has no time to wait for what it has asked to end. Elsewhere than on Unix it does nothing.
///
/// ```
/// dsh_tool_command::kill_all();
/// ```
pub fn kill_all() {
    system::kill_all();
}

/// A command on its way. As a future it is ready when the command and all that it started have ended; dropped, it ends them.
pub(crate) struct Running {
    ended: oneshot::Receiver<Result<Ended, Error>>,
    /// Dropped, it asks the command to end.
    stop: Option<system::Stop>,
    tool: Box<str>,
}

impl Running {
    /// Starts the command of a tool in this folder. What is wrong is told by the future.
    pub(crate) fn start(spec: Arc<Spec>, folder: Option<PathBuf>, input: Vec<u8>) -> Self {
        let (sender, ended) = oneshot::channel();
        let tool = spec.tool.clone();
        let refused = |error: io::Error| {
            let problem = format!("there is no thread or pipe left to run it with: {error}");
            Error::refused(ErrorKind::NotStarted, &tool, problem, error)
        };
        let (stop, asked) = match system::stop() {
            Ok(both) => both,
            Err(error) => {
                // The receiver is there, so it is told.
                drop(sender.send(Err(refused(error))));
                return Self { ended, stop: None, tool };
            }
        };
        let name = "dsh-command".to_owned();
        // The system takes its time to start a program: that, too, is the thread's to wait for.
        let run = move || {
            let job = Job {
                command: command(&spec, folder.as_deref()),
                input,
                stdout: Head::new(spec.output_limit),
                stderr: Tail::new(crate::answer::TAIL),
                grace: spec.grace,
            };
            let ended = system::run(job, asked).map_err(|error| program::refusal(&spec, folder.as_deref(), error));
            // Whoever has gone away wants to know no more.
            drop(sender.send(ended));
        };
        match thread::Builder::new().name(name).spawn(run) {
            Ok(_) => Self { ended, stop: Some(stop), tool },
            Err(error) => {
                let (sender, ended) = oneshot::channel();
                drop(sender.send(Err(refused(error))));
                Self { ended, stop: None, tool }
            }
        }
    }

    /// Asks the command to end; it is awaited as before.
    pub(crate) fn end(&mut self) {
        self.stop = None;
    }
}

impl Future for Running {
    type Output = Result<Ended, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let ended = ready!(Pin::new(&mut self.ended).poll(cx));
        Poll::Ready(ended.unwrap_or_else(|_| {
            let error = io::Error::other("its thread is gone");
            Err(Error::refused(ErrorKind::NotStarted, &self.tool, "nobody knows what became of it", error))
        }))
    }
}

fn command(spec: &Spec, folder: Option<&std::path::Path>) -> Command {
    let mut command = Command::new(program::path(&spec.program, folder));
    command.args(&spec.arguments);
    command.env_clear();
    command.envs(spec.environment.iter().map(|(name, value)| (name, value)));
    if let Some(folder) = folder {
        command.current_dir(folder);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
