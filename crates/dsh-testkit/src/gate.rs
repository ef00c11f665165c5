//! A point in foreign code that a test holds and opens.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Something to wait at until the test opens it. Clones are the same gate; once open, it stays open.
///
/// Needs no runtime: whoever polls is woken by [`Gate::open`].
///
/// ```
/// use dsh_testkit::{Gate, block_on};
///
/// let gate = Gate::new();
/// let worker = std::thread::spawn({
///     let gate = gate.clone();
///     move || block_on(gate.wait())
/// });
/// block_on(gate.reached()); // the worker stands at the gate: no sleep needed
/// assert!(!worker.is_finished());
/// gate.open();
/// worker.join().unwrap();
/// ```
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    open: bool,
    reached: bool,
    next: u64,
    /// Who waits for the opening, in order of arrival.
    waiting: Vec<(u64, Waker)>,
    /// Who waits for the first arrival.
    watching: Vec<(u64, Waker)>,
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// A future that ends when the gate is open. It counts as waiting from its first poll.
    pub fn wait(&self) -> Wait {
        Wait(Place { gate: self.clone(), id: None })
    }

    /// A future that ends when somebody has arrived at the gate, that is, has polled a [`Gate::wait`].
    pub fn reached(&self) -> Reached {
        Reached(Place { gate: self.clone(), id: None })
    }

    /// Opens the gate for those who wait, woken in order of arrival, and for those who come later.
    pub fn open(&self) {
        let woken = {
            let mut state = self.lock();
            state.open = true;
            std::mem::take(&mut state.waiting)
        };
        wake(woken);
    }

    /// Whether the gate was opened.
    pub fn is_open(&self) -> bool {
        self.lock().open
    }

    /// How many wait at the closed gate; a dropped future no longer counts.
    ///
    /// ```
    /// use dsh_testkit::{Gate, poll_once};
    ///
    /// let gate = Gate::new();
    /// let mut wait = gate.wait();
    /// assert_eq!(gate.waiting(), 0);
    /// assert!(poll_once(&mut wait).is_pending());
    /// assert_eq!(gate.waiting(), 1);
    /// drop(wait);
    /// assert_eq!(gate.waiting(), 0);
    /// ```
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The future of [`Gate::wait`].
#[derive(Debug)]
#[must_use = "a future does nothing until it is polled"]
pub struct Wait(Place);

/// The future of [`Gate::reached`].
#[derive(Debug)]
#[must_use = "a future does nothing until it is polled"]
pub struct Reached(Place);

/// One future's entry in one of the two lists of a gate; gone with the future.
#[derive(Debug)]
struct Place {
    gate: Gate,
    id: Option<u64>,
}

impl Place {
    fn enter(id: &mut Option<u64>, next: &mut u64, list: &mut Vec<(u64, Waker)>, waker: &Waker) {
        let id = *id.get_or_insert_with(|| {
            *next += 1;
            *next
        });
        match list.iter_mut().find(|(entry, _)| *entry == id) {
            Some((_, kept)) => kept.clone_from(waker),
            None => list.push((id, waker.clone())),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(id) = self.id else { return };
        // The wakers go after the lock: dropping one may run a task's destructor, which may use this gate.
        let _gone: Vec<(u64, Waker)> = {
            let mut state = self.gate.lock();
            let waiting: Vec<_> = state.waiting.extract_if(.., |(entry, _)| *entry == id).collect();
            waiting.into_iter().chain(state.watching.extract_if(.., |(entry, _)| *entry == id)).collect()
        };
    }
}

impl Future for Wait {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let place = &mut self.0;
        let (watching, open) = {
            let mut state = place.gate.lock();
            let State { open, reached, next, waiting, watching } = &mut *state;
            *reached = true;
            if !*open {
                Place::enter(&mut place.id, next, waiting, cx.waker());
            }
            (std::mem::take(watching), *open)
        };
        wake(watching);
        if open { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Future for Reached {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let place = &mut self.0;
        let mut state = place.gate.lock();
        let State { reached, next, watching, .. } = &mut *state;
        if *reached {
            return Poll::Ready(());
        }
        Place::enter(&mut place.id, next, watching, cx.waker());
        Poll::Pending
    }
}

fn wake(list: Vec<(u64, Waker)>) {
    for (_, waker) in list {
        waker.wake();
    }
}
