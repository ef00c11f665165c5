//! Values that record that they are alive.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use crate::Log;

/// Makes [`DropProbe`]s and counts how many of them live. Clones count together.
///
/// ```
/// use dsh_testkit::Probes;
///
/// let probes = Probes::new();
/// let first = probes.probe();
/// let second = first.clone(); // a clone is a live value of its own
/// assert_eq!((probes.made(), probes.balance()), (2, 2));
/// drop((first, second));
/// assert_eq!((probes.made(), probes.balance()), (2, 0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Probes(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    made: AtomicUsize,
    live: AtomicIsize,
}

impl Probes {
    /// A count of zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new live value.
    pub fn probe(&self) -> DropProbe {
        DropProbe::count(&self.0, None)
    }

    /// A new live value that also writes `drop LABEL` to `log` at its end.
    ///
    /// ```
    /// use dsh_testkit::{Log, Probes};
    ///
    /// let (log, probes) = (Log::new(), Probes::new());
    /// drop(probes.logged("section", &log));
    /// log.assert(["drop section"]);
    /// ```
    pub fn logged(&self, label: impl Into<String>, log: &Log) -> DropProbe {
        DropProbe::count(&self.0, Some((label.into().into(), log.clone())))
    }

    /// How many values live now: made less dropped. Zero where nothing leaked.
    pub fn balance(&self) -> isize {
        self.0.live.load(Ordering::SeqCst)
    }

    /// How many values were ever made, so that a test can tell "none leaked" from "none made".
    pub fn made(&self) -> usize {
        self.0.made.load(Ordering::SeqCst)
    }
}

/// A value that counts as alive from its making (or cloning) to its drop. Made by [`Probes::probe`].
pub struct DropProbe {
    counts: Arc<Counts>,
    told: Option<(Arc<str>, Log)>,
}

impl DropProbe {
    fn count(counts: &Arc<Counts>, told: Option<(Arc<str>, Log)>) -> Self {
        counts.made.fetch_add(1, Ordering::SeqCst);
        counts.live.fetch_add(1, Ordering::SeqCst);
        Self { counts: Arc::clone(counts), told }
    }

    /// Does nothing: a closure that calls this owns the probe, however it captures.
    ///
    /// ```
    /// let probes = dsh_testkit::Probes::new();
    /// let probe = probes.probe();
    /// let link = move || probe.touch();
    /// link();
    /// assert_eq!(probes.balance(), 1);
    /// drop(link);
    /// assert_eq!(probes.balance(), 0);
    /// ```
    pub const fn touch(&self) {}
}

impl Clone for DropProbe {
    fn clone(&self) -> Self {
        Self::count(&self.counts, self.told.clone())
    }
}

impl Drop for DropProbe {
    fn drop(&mut self) {
        self.counts.live.fetch_sub(1, Ordering::SeqCst);
        if let Some((label, log)) = &self.told {
            log.push(format!("drop {label}"));
        }
    }
}

impl fmt::Debug for DropProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DropProbe").field(&self.told.as_ref().map(|(label, _)| label)).finish()
    }
}
