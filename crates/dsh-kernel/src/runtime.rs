//! The async runtime underneath: the only module that names it.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::Duration;

use crate::clock::{BoxFuture, Clock};

/// Whether the calling thread is inside a runtime.
pub(crate) fn available() -> bool {
    tokio::runtime::Handle::try_current().is_ok()
}

/// A task that can be aborted; letting go of the handle leaves the task alone.
#[derive(Debug)]
pub(crate) struct TaskHandle(tokio::task::AbortHandle);

impl TaskHandle {
    pub(crate) fn abort(&self) {
        self.0.abort();
    }
}

/// Starts a task; the caller has seen that a runtime is [`available`].
pub(crate) fn spawn(future: impl Future<Output = ()> + Send + 'static) -> TaskHandle {
    TaskHandle(tokio::spawn(future).abort_handle())
}

/// The default clock: the runtime's own, so that a paused runtime pauses the kernel too.
#[derive(Debug, Default)]
pub(crate) struct RuntimeClock {
    origin: OnceLock<tokio::time::Instant>,
}

impl Clock for RuntimeClock {
    fn now(&self) -> Duration {
        let now = tokio::time::Instant::now();
        now.duration_since(*self.origin.get_or_init(|| now))
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        // A runtime without timers panics here: then nothing is ever late, and nothing else is lost.
        match catch_unwind(AssertUnwindSafe(|| tokio::time::sleep(duration))) {
            Ok(sleep) => Box::pin(sleep),
            Err(_) => Box::pin(std::future::pending()),
        }
    }
}
