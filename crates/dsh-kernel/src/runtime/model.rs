//! The async runtime of a model: each task is a thread that loom lets take turns with the others.
//!
//! A thread named `outside` is outside of the runtime (K4). Time stands still, and nothing is aborted.

use std::future::Future;
use std::time::Duration;

use loom::thread;

use crate::clock::{BoxFuture, Clock};

/// In words: what is foreign runs on it too.
const STACK: usize = 1 << 15;

pub(crate) fn available() -> bool {
    thread::current().name() != Some("outside")
}

#[derive(Debug)]
pub(crate) struct TaskHandle;

impl TaskHandle {
    #[expect(clippy::unused_self, reason = "as the runtime's own")]
    pub(crate) fn abort(&self) {
        unreachable!("no model lets a grace pass");
    }
}

pub(crate) fn spawn(future: impl Future<Output = ()> + Send + 'static) -> TaskHandle {
    let task = thread::Builder::new().stack_size(STACK).spawn(|| loom::future::block_on(future));
    drop(task.unwrap_or_else(|error| unreachable!("loom's threads always start: {error}")));
    TaskHandle
}

pub(crate) async fn apart<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    future.await
}

#[derive(Debug, Default)]
pub(crate) struct RuntimeClock(());

impl Clock for RuntimeClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}
