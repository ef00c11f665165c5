//! The groups that run now, for a process that is about to end and can give them no time.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

static LIVE: Groups = Groups::new();

/// So long a start may take that all wait for: a folder may be on a disk that does not answer.
const LONGEST_START: Duration = Duration::from_millis(500);

/// So often it is looked whether all have started.
const LOOK: Duration = Duration::from_millis(1);

struct Groups {
    /// Whether all were killed.
    are_killed: AtomicBool,
    /// Whoever starts a group shares it from before until the group is known: who kills all waits for that, but not for a start that hangs.
    starting: RwLock<()>,
    running: Mutex<Vec<Group>>,
}

#[derive(Clone, Copy)]
struct Group {
    number: Pid,
    /// Whether the process that leads it is still to be reaped: until then the number is nobody else's, and then the group's for as long as
    /// somebody is in it.
    has_leader: bool,
}

impl Group {
    fn kill(self) {
        // One that is gone need not be killed.
        let _gone = kill_process_group(self.number, Signal::KILL);
        if self.has_leader {
            // Should it have left its own group.
            let _gone = kill_process(self.number, Signal::KILL);
        }
    }
}

impl Groups {
    const fn new() -> Self {
        Self { are_killed: AtomicBool::new(false), starting: RwLock::new(()), running: Mutex::new(Vec::new()) }
    }

    fn running(&self) -> MutexGuard<'_, Vec<Group>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a command as the leader of a group of its own; not where all were killed.
    fn start(&self, command: &mut Command) -> io::Result<Child> {
        let _starting = self.starting.read().unwrap_or_else(PoisonError::into_inner);
        if self.are_killed.load(Ordering::SeqCst) {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "the program that it is a tool of is quitting"));
        }
        let child = command.process_group(0).spawn()?;
        let group = Group { number: Pid::from_child(&child), has_leader: true };
        self.running().push(group);
        if self.are_killed.load(Ordering::SeqCst) {
            // Nobody has waited for it.
            group.kill();
        }
        Ok(child)
    }

    fn loses_its_leader(&self, number: Pid) {
        self.running().iter_mut().filter(|group| group.number == number).for_each(|group| group.has_leader = false);
    }

    fn ends(&self, number: Pid) {
        self.running().retain(|group| group.number != number);
    }

    fn kill_all(&self) {
        self.are_killed.store(true, Ordering::SeqCst);
        let begun = Instant::now();
        while matches!(self.starting.try_write(), Err(TryLockError::WouldBlock)) && begun.elapsed() < LONGEST_START {
            thread::sleep(LOOK);
        }
        self.running().iter().copied().for_each(Group::kill);
    }
}

/// A group that runs, until this is dropped.
pub(super) struct Live(Pid);

impl Live {
    /// Starts a command as the leader of a group of its own.
    pub(super) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        let child = LIVE.start(command)?;
        let live = Self(Pid::from_child(&child));
        Ok((child, live))
    }

    pub(super) fn number(&self) -> Pid {
        self.0
    }

    /// Kills it with its leader, which is still to be reaped.
    pub(super) fn kill(&self) {
        Group { number: self.0, has_leader: true }.kill();
    }

    /// The process that leads it is about to be reaped.
    pub(super) fn loses_its_leader(&self) {
        LIVE.loses_its_leader(self.0);
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        LIVE.ends(self.0);
    }
}

/// Kills all that run, and has none begin from now on.
pub(in crate::process) fn kill_all() {
    LIVE.kill_all();
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _};
    use std::process::{Child, Command, Stdio};
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::process::Pid;

    use super::{Group, Groups};

    /// A shell whose output tells when it, and all that it has started, has ended.
    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdout(Stdio::piped());
        command
    }

    fn hears_nobody(child: &mut Child) {
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "");
    }

    #[test]
    fn what_a_group_without_its_leader_has_left_is_killed() {
        let groups = Groups::new();
        let mut child = groups.start(&mut shell("sleep 600 & exit 0")).unwrap();
        groups.loses_its_leader(Pid::from_child(&child));
        assert!(child.wait().unwrap().success());
        groups.kill_all();
        hears_nobody(&mut child);
    }

    #[test]
    fn a_leader_that_is_in_another_group_is_killed() {
        let groups = Groups::new();
        let mut child = shell("exec sleep 600").spawn().unwrap();
        groups.running().push(Group { number: Pid::from_child(&child), has_leader: true });
        groups.kill_all();
        hears_nobody(&mut child);
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn none_begins_too_late_and_one_that_has_ended_is_forgotten() {
        let groups = Groups::new();
        let mut child = groups.start(&mut shell("exit 0")).unwrap();
        assert!(child.wait().unwrap().success());
        groups.ends(Pid::from_child(&child));
        assert!(groups.running().is_empty());
        groups.kill_all();
        assert_eq!(groups.start(&mut shell("exec sleep 600")).unwrap_err().kind(), ErrorKind::Interrupted);
    }

    /// However the start of a command and the end of all meet, none is left.
    #[test]
    fn one_that_is_just_being_started_is_killed_too() {
        for _ in 0..20 {
            let (groups, begun) = (Groups::new(), AtomicBool::new(false));
            let mut children = std::thread::scope(|scope| {
                let starting = scope.spawn(|| {
                    let mut children = Vec::new();
                    while let Ok(child) = groups.start(&mut shell("exec sleep 600")) {
                        begun.store(true, Ordering::SeqCst);
                        children.push(child);
                    }
                    children
                });
                while !begun.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
                groups.kill_all();
                starting.join().unwrap()
            });
            for child in &mut children {
                hears_nobody(child);
                assert!(!child.wait().unwrap().success());
            }
        }
    }
}
