//! The groups that run now, for a process that is about to end and can give them no time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

static LIVE: Mutex<Groups> = Mutex::new(Groups { running: Vec::new(), are_killed: false });

struct Groups {
    /// Each led by a process that nobody has reaped, so that its number is nobody else's.
    running: Vec<Pid>,
    /// Whether one that begins is too late.
    are_killed: bool,
}

fn groups() -> MutexGuard<'static, Groups> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A group that runs, until this is dropped: before its leader is reaped.
pub(super) struct Live(Pid);

impl Live {
    pub(super) fn new(group: Pid) -> Self {
        let mut groups = groups();
        groups.running.push(group);
        if groups.are_killed {
            kill(group);
        }
        Self(group)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        groups().running.retain(|group| *group != self.0);
    }
}

/// Kills all that run, and all that begin from now on.
pub(in crate::process) fn kill_all() {
    let mut groups = groups();
    groups.are_killed = true;
    groups.running.iter().copied().for_each(kill);
}

fn kill(group: Pid) {
    // One that is gone need not be killed.
    let _gone = kill_process_group(group, Signal::KILL);
}
