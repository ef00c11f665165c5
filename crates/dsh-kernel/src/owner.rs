//! The fiber as its handles see it: place, state, services in reach. Outlives the fiber's entry in the world.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use arc_swap::ArcSwap;

use crate::error::Error;
use crate::fiber::FiberState;
use crate::kernel::Shared;
use crate::name::Name;
use crate::service::Reach;
use crate::sync::{Arc, Mutex};
use crate::world::{EffectId, FiberId};

/// What a fiber's handles share. The world holds the rest, and only while the fiber is not disposed.
pub(crate) struct FiberCore {
    pub(crate) shared: Arc<Shared>,
    pub(crate) id: FiberId,
    pub(crate) name: Name,
    /// Among live siblings of one name, the place: 1 is not shown, 2 is `name#2` (X3).
    pub(crate) ordinal: u32,
    pub(crate) kind: FiberKind,
    parent: Option<Arc<FiberCore>>,
    /// The effect that this fiber is in its parent.
    pub(crate) own_effect: Option<EffectId>,
    state: AtomicU8,
    pub(crate) error: Mutex<Option<Error>>,
    pub(crate) reach: ArcSwap<Reach>,
    pub(crate) disposer_taken: AtomicBool,
    unloads: AtomicU64,
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
    pub(crate) name: Name,
    pub(crate) ordinal: u32,
    pub(crate) kind: FiberKind,
    pub(crate) parent: Option<Arc<FiberCore>>,
    pub(crate) own_effect: Option<EffectId>,
    pub(crate) state: FiberState,
}

impl FiberCore {
    pub(crate) fn new(new: NewCore) -> Arc<Self> {
        Arc::new(Self {
            shared: new.shared,
            id: new.id,
            name: new.name,
            ordinal: new.ordinal,
            kind: new.kind,
            parent: new.parent,
            own_effect: new.own_effect,
            state: AtomicU8::new(new.state as u8),
            error: Mutex::new(None),
            reach: ArcSwap::from_pointee(Reach::default()),
            disposer_taken: AtomicBool::new(false),
            unloads: AtomicU64::new(0),
        })
    }

    pub(crate) fn parent(&self) -> Option<&Arc<FiberCore>> {
        self.parent.as_ref()
    }

    pub(crate) fn state(&self) -> FiberState {
        FiberState::from_u8(self.state.load(Ordering::Acquire))
    }

    pub(crate) fn set_state(&self, state: FiberState) {
        if state == FiberState::Unloading {
            self.unloads.fetch_add(1, Ordering::Release);
        }
        self.state.store(state as u8, Ordering::Release);
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

/// Who made a registration: the fiber whose context it went through.
///
/// Displays as the fiber's path: plugin names and scope labels from the root, joined by `/`; of siblings of one name the
/// second is `name#2` (X3). The root itself is `root`.
///
/// ```
/// # use dsh_kernel::Kernel;
/// let kernel = Kernel::new();
/// let outer = kernel.root().scope("reviewer")?;
/// let inner = outer.ctx().scope("draft")?;
/// assert_eq!(inner.ctx().owner().to_string(), "reviewer/draft");
/// # Ok::<(), dsh_kernel::Error>(())
/// ```
#[derive(Clone)]
pub struct Owner(pub(crate) Arc<FiberCore>);

impl Owner {
    /// The name of the fiber alone, without the way to it.
    pub fn name(&self) -> &Name {
        &self.0.name
    }

    /// How often the fiber has begun to unload: another number means that it left in between, even if it is back.
    pub fn unloads(&self) -> u64 {
        self.0.unloads.load(Ordering::Acquire)
    }

    /// The fiber's state now.
    pub fn state(&self) -> FiberState {
        self.0.state()
    }
}

impl PartialEq for Owner {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Owner {}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut way: Vec<&FiberCore> = Vec::new();
        let mut core = &*self.0;
        while let Some(parent) = core.parent() {
            way.push(core);
            core = parent;
        }
        if way.is_empty() {
            return f.write_str(core.name.as_str());
        }
        for (index, core) in way.iter().rev().enumerate() {
            if index > 0 {
                f.write_str("/")?;
            }
            write_segment(f, core)?;
        }
        Ok(())
    }
}

pub(crate) fn write_segment(f: &mut impl fmt::Write, core: &FiberCore) -> fmt::Result {
    f.write_str(core.name.as_str())?;
    if core.ordinal > 1 {
        write!(f, "#{}", core.ordinal)?;
    }
    Ok(())
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Owner({self})")
    }
}
