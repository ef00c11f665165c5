//! The kernel's monotonic clock, and one that a test moves by hand.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use crate::frames;
use crate::quiet::wake_quietly;
use crate::sync::{Arc, Mutex};

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The monotonic clock that the kernel measures waits with (K9, K14).
///
/// The default reads the async runtime's clock; tests use a [`ManualClock`]. Neither method may call the kernel or panic.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The time since some fixed origin.
    fn now(&self) -> Duration;

    /// Ends when `duration` has passed.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// A clock that moves only when it is told to.
///
/// ```
/// use std::time::Duration;
/// use dsh_kernel::{Clock, ManualClock};
///
/// let clock = ManualClock::new();
/// clock.advance(Duration::from_secs(3));
/// assert_eq!(clock.now(), Duration::from_secs(3));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Arc<Mutex<Manual>>);

#[derive(Debug, Default)]
struct Manual {
    now: Duration,
    /// By the time until which they sleep, and a number of their own.
    sleepers: BTreeMap<(Duration, u64), Waker>,
    sleeps: u64,
}

impl ManualClock {
    /// A clock at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the clock on and wakes whoever slept until then.
    pub fn advance(&self, by: Duration) {
        let due: Vec<Waker> = {
            let mut manual = self.0.lock();
            manual.now = manual.now.saturating_add(by);
            let next = manual.now.saturating_add(Duration::from_nanos(1));
            let later = manual.sleepers.split_off(&(next, 0));
            std::mem::replace(&mut manual.sleepers, later).into_values().collect()
        };
        for waker in due {
            wake_quietly(waker);
        }
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        self.0.lock().now
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let mut manual = self.0.lock();
        manual.sleeps += 1;
        let (until, key) = (manual.now.saturating_add(duration), manual.sleeps);
        Box::pin(Sleep { clock: Arc::clone(&self.0), until, key })
    }
}

struct Sleep {
    clock: Arc<Mutex<Manual>>,
    until: Duration,
    key: u64,
}

impl Drop for Sleep {
    fn drop(&mut self) {
        // The waker goes when the lock is free: to drop it may run foreign code.
        let gone = self.clock.lock().sleepers.remove(&(self.until, self.key));
        frames::drop_quietly(gone);
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<()> {
        let mut manual = self.clock.lock();
        if manual.now >= self.until {
            return Poll::Ready(());
        }
        let displaced = manual.sleepers.insert((self.until, self.key), cx.waker().clone());
        drop(manual);
        frames::drop_quietly(displaced);
        Poll::Pending
    }
}
