//! Points at which foreign code waits, so that a test can walk them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dsh_kernel::{BoxFuture, Clock, ManualClock};
use dsh_session::{Listed, MemoryStore, Record, SessionId, SessionStore, SessionWriter};
use dsh_testkit::Gate;

/// Counts the points that are passed, and holds whoever comes to one of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    passed: AtomicUsize,
    hold: Option<usize>,
    gate: Gate,
    held: Mutex<Option<String>>,
}

impl Points {
    /// Holds whoever comes to this point, from 0.
    pub(crate) fn holding(point: usize) -> Self {
        Self(Arc::new(Inner { hold: Some(point), ..Inner::default() }))
    }

    /// A point: others run, and the one to be held waits for [`release`](Self::release).
    pub(crate) async fn pass(&self, label: &str) {
        let number = self.0.passed.fetch_add(1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        if self.0.hold == Some(number) {
            *self.0.held.lock().unwrap() = Some(label.to_owned());
            self.0.gate.wait().await;
        }
    }

    /// Ends when somebody is held.
    pub(crate) async fn reached(&self) {
        self.0.gate.reached().await;
    }

    pub(crate) fn held_at(&self) -> Option<String> {
        self.0.held.lock().unwrap().clone()
    }

    pub(crate) fn release(&self) {
        self.0.gate.open();
    }
}

/// A clock whose short waits are points, and whose long ones never end.
#[derive(Debug)]
pub(crate) struct PointClock {
    pub(crate) points: Points,
    pub(crate) inner: ManualClock,
}

impl Clock for PointClock {
    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        if duration > Duration::from_secs(1) {
            return self.inner.sleep(duration);
        }
        let points = self.points.clone();
        Box::pin(async move { points.pass("sleep").await })
    }
}

/// A store in memory whose flushes are points.
#[derive(Clone, Debug)]
pub(crate) struct PointStore {
    pub(crate) points: Points,
    pub(crate) inner: MemoryStore,
}

struct Writer {
    points: Points,
    inner: Box<dyn SessionWriter>,
}

impl PointStore {
    fn writer(&self, inner: Box<dyn SessionWriter>) -> Box<dyn SessionWriter> {
        Box::new(Writer { points: self.points.clone(), inner })
    }
}

impl SessionStore for PointStore {
    fn create(&self, log: &[Record]) -> Result<Box<dyn SessionWriter>, dsh_session::Error> {
        Ok(self.writer(self.inner.create(log)?))
    }

    fn open(&self, id: &SessionId) -> Result<(dsh_session::Log, Box<dyn SessionWriter>), dsh_session::Error> {
        let (log, inner) = self.inner.open(id)?;
        Ok((log, self.writer(inner)))
    }

    fn read(&self, id: &SessionId) -> Result<dsh_session::Log, dsh_session::Error> {
        self.inner.read(id)
    }

    fn list(&self) -> Result<Vec<Listed>, dsh_session::Error> {
        self.inner.list()
    }

    fn remove(&self, id: &SessionId) -> Result<(), dsh_session::Error> {
        self.inner.remove(id)
    }
}

impl SessionWriter for Writer {
    fn append(&mut self, record: &Record) -> Result<(), dsh_session::Error> {
        self.inner.append(record)
    }

    fn flush(&mut self) -> BoxFuture<'static, Result<(), dsh_session::Error>> {
        let points = self.points.clone();
        let flush = self.inner.flush();
        Box::pin(async move {
            points.pass("flush").await;
            flush.await
        })
    }
}
