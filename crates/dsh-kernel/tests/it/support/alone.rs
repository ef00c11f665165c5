//! A test that a wrong kernel would abort or deadlock runs in a process of its own, so that it fails alone.

use std::process::Command;
use std::time::Duration;

use super::watchdog::Watchdog;

/// Told to the child as one more name of tests, which no test has.
const CHILD: &str = "in-a-process-of-its-own";

/// Runs `test` in a process of its own, where it may take ten seconds, and fails if that does not end well.
#[track_caller]
pub(crate) fn alone(test: impl FnOnce()) {
    alone_within(Duration::from_secs(10), test);
}

/// The same, with another limit.
#[track_caller]
pub(crate) fn alone_within(limit: Duration, test: impl FnOnce()) {
    if std::env::args().any(|argument| argument == CHILD) {
        let watchdog = Watchdog::with_limit(limit);
        test();
        drop(watchdog);
        return;
    }
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let child = Command::new(std::env::current_exe().unwrap())
        .args([&name, CHILD, "--exact", "--nocapture", "--test-threads=1"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    let complained = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{name} alone: {}\n{said}\n{complained}", child.status);
    assert!(said.contains("1 passed"), "{name} is the name of one test:\n{said}");
}
