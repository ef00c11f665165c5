//! What a fiber's handles share. The world holds the rest, and only while the fiber is not disposed.

use crate::error::Error;
use crate::fiber::FiberState;
use crate::kernel::Shared;
use crate::owner::{Owner, Place};
use crate::service::Reach;
use crate::sync::{Arc, ArcSwap, AtomicBool, Mutex, OnceLock};
use crate::world::{EffectId, FiberId};

pub(crate) struct FiberCore {
    pub(crate) shared: Arc<Shared>,
    pub(crate) id: FiberId,
    pub(crate) place: Arc<Place>,
    pub(crate) kind: FiberKind,
    parent: Option<Arc<FiberCore>>,
    /// The effect that this fiber is in its parent.
    pub(crate) own_effect: Option<EffectId>,
    /// Why the last start failed.
    // Invariant: an error names places and never holds a core, or it would keep itself alive here (K15).
    pub(crate) error: Mutex<Option<Error>>,
    pub(crate) reach: ArcSwap<Reach>,
    pub(crate) disposer_taken: AtomicBool,
    /// How the disposal ended, for whoever asks again (K2).
    pub(crate) ended: OnceLock<Result<(), Error>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FiberKind {
    Root,
    Plugin,
    Scope,
}

/// What a core is made from.
pub(crate) struct NewCore {
    pub(crate) shared: Arc<Shared>,
    pub(crate) id: FiberId,
    pub(crate) place: Arc<Place>,
    pub(crate) kind: FiberKind,
    pub(crate) parent: Option<Arc<FiberCore>>,
    pub(crate) own_effect: Option<EffectId>,
}

impl FiberCore {
    pub(crate) fn new(new: NewCore) -> Arc<Self> {
        Arc::new(Self {
            shared: new.shared,
            id: new.id,
            place: new.place,
            kind: new.kind,
            parent: new.parent,
            own_effect: new.own_effect,
            error: Mutex::new(None),
            reach: ArcSwap::from_pointee(Reach::default()),
            disposer_taken: AtomicBool::new(false),
            ended: OnceLock::new(),
        })
    }

    pub(crate) fn parent(&self) -> Option<&Arc<FiberCore>> {
        self.parent.as_ref()
    }

    pub(crate) fn state(&self) -> FiberState {
        self.place.state()
    }

    pub(crate) fn owner(&self) -> Owner {
        Owner::at(&self.place)
    }

    pub(crate) fn ended(&self) -> Result<(), Error> {
        self.ended.get().cloned().unwrap_or(Ok(()))
    }

    /// A copy of the error, made under the lock and used when it is free.
    pub(crate) fn error(&self) -> Option<Error> {
        self.error.lock().clone()
    }
}

impl Drop for FiberCore {
    fn drop(&mut self) {
        // A chain of 100,000 parents is taken apart by a loop, not by recursion (K6).
        let mut next = self.parent.take();
        while let Some(core) = next {
            next = Arc::into_inner(core).and_then(|mut core| core.parent.take());
        }
    }
}
