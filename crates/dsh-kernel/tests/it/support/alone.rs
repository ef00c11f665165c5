//! A test that a wrong kernel would abort or deadlock runs in a process of its own, so that it fails alone.

use std::time::Duration;

use super::watchdog::Watchdog;

/// Runs `test` in a process of its own, where it may take ten seconds, and fails if that does not end well.
#[track_caller]
pub(crate) fn alone(test: impl FnOnce()) {
    alone_within(Duration::from_secs(10), test);
}

/// The same, with another limit.
#[track_caller]
pub(crate) fn alone_within(limit: Duration, test: impl FnOnce()) {
    dsh_testkit::alone(|| {
        let watchdog = Watchdog::with_limit(limit);
        test();
        drop(watchdog);
    });
}
