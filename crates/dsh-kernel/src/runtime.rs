//! The async runtime underneath: the only module that names it.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::clock::{BoxFuture, Clock};
use crate::sync::{AtomicBool, OnceLock, Ordering};

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

/// Runs a future as a task of its own, which ends with the future that is returned.
pub(crate) async fn apart<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    struct Abort(tokio::task::AbortHandle);

    impl Drop for Abort {
        fn drop(&mut self) {
            self.0.abort();
        }
    }

    let task = tokio::spawn(future);
    let _abort = Abort(task.abort_handle());
    match task.await {
        Ok(output) => output,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // It is aborted only with this future, or when the runtime ends, and then nobody polls this again.
            Err(_) => std::future::pending().await,
        },
    }
}

/// The default clock: the runtime's own, so that a paused runtime pauses the kernel too.
#[derive(Debug, Default)]
pub(crate) struct RuntimeClock {
    origin: OnceLock<tokio::time::Instant>,
    /// The runtime has turned out to have no timers.
    timeless: AtomicBool,
}

impl Clock for RuntimeClock {
    fn now(&self) -> Duration {
        let now = tokio::time::Instant::now();
        now.duration_since(*self.origin.get_or_init(|| now))
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        // A runtime without timers panics here: then nothing is ever late, and nothing else is lost.
        if self.timeless.load(Ordering::Relaxed) {
            return Box::pin(std::future::pending());
        }
        if let Ok(sleep) = catch_unwind(AssertUnwindSafe(|| tokio::time::sleep(duration))) {
            return Box::pin(sleep);
        }
        if !self.timeless.swap(true, Ordering::Relaxed) {
            tracing::warn!("the runtime has no timers: nothing is named as stalled, no task is aborted; enable_time()");
        }
        Box::pin(std::future::pending())
    }
}
