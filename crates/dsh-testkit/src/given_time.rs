//! How much of the machine's time this process was given.

use std::fmt;
use std::time::Duration;

/// What all its threads have had until now; nothing where the system does not say.
#[derive(Clone, Copy, Default)]
pub(crate) struct GivenTime {
    /// They ran for so long.
    pub(crate) ran: Duration,
    /// They could have run, and the processors had others to serve.
    pub(crate) was_ready: Duration,
}

impl GivenTime {
    pub(crate) fn now() -> Self {
        let mut sum = Self::default();
        let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return sum };
        for thread in threads.flatten() {
            // A thread may end meanwhile.
            #[expect(clippy::disallowed_methods, reason = "a test that asks the system what it was given")]
            let told = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            let mut nanoseconds = told.split_whitespace().map(|number| number.parse().unwrap_or(0));
            sum.ran += Duration::from_nanos(nanoseconds.next().unwrap_or(0));
            sum.was_ready += Duration::from_nanos(nanoseconds.next().unwrap_or(0));
        }
        sum
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self { ran: self.ran.saturating_sub(before.ran), was_ready: self.was_ready.saturating_sub(before.was_ready) }
    }
}

impl fmt::Display for GivenTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its threads ran for {:?}, and were ready and not let run for {:?}", self.ran, self.was_ready)
    }
}
