//! The groups that run now, for a process that is about to end and can give them no time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

static LIVE: Mutex<Groups> = Mutex::new(Groups::new());

struct Groups {
    running: Vec<Group>,
    /// Whether one that begins is too late.
    are_killed: bool,
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
        Self { running: Vec::new(), are_killed: false }
    }

    fn begins(&mut self, number: Pid) {
        let group = Group { number, has_leader: true };
        self.running.push(group);
        if self.are_killed {
            group.kill();
        }
    }

    fn loses_its_leader(&mut self, number: Pid) {
        self.running.iter_mut().filter(|group| group.number == number).for_each(|group| group.has_leader = false);
    }

    fn ends(&mut self, number: Pid) {
        self.running.retain(|group| group.number != number);
    }

    fn kill_all(&mut self) {
        self.are_killed = true;
        self.running.iter().copied().for_each(Group::kill);
    }
}

fn groups() -> MutexGuard<'static, Groups> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A group that runs, until this is dropped.
pub(super) struct Live(Pid);

impl Live {
    pub(super) fn new(number: Pid) -> Self {
        groups().begins(number);
        Self(number)
    }

    /// The process that leads it is about to be reaped.
    pub(super) fn loses_its_leader(&self) {
        groups().loses_its_leader(self.0);
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        groups().ends(self.0);
    }
}

/// Kills all that run, and all that begin from now on.
pub(in crate::process) fn kill_all() {
    groups().kill_all();
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command, Stdio};

    use rustix::process::Pid;

    use super::Groups;

    /// A shell whose output tells when it, and all that it has started, has ended.
    fn shell(script: &str, leads: bool) -> Child {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdout(Stdio::piped());
        if leads {
            command.process_group(0);
        }
        command.spawn().unwrap()
    }

    fn hears_nobody(child: &mut Child) {
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "");
    }

    #[test]
    fn what_a_group_without_its_leader_has_left_is_killed() {
        let mut groups = Groups::new();
        let mut child = shell("sleep 600 & exit 0", true);
        let number = Pid::from_child(&child);
        groups.begins(number);
        groups.loses_its_leader(number);
        assert!(child.wait().unwrap().success());
        groups.kill_all();
        hears_nobody(&mut child);
    }

    #[test]
    fn a_leader_that_is_in_another_group_is_killed() {
        let mut groups = Groups::new();
        let mut child = shell("exec sleep 600", false);
        groups.begins(Pid::from_child(&child));
        groups.kill_all();
        hears_nobody(&mut child);
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn one_that_begins_too_late_is_killed_and_one_that_has_ended_is_forgotten() {
        let mut groups = Groups::new();
        groups.kill_all();
        let mut child = shell("exec sleep 600", true);
        let number = Pid::from_child(&child);
        groups.begins(number);
        hears_nobody(&mut child);
        groups.loses_its_leader(number);
        assert!(!child.wait().unwrap().success());
        groups.ends(number);
        assert!(groups.running.is_empty());
    }
}
