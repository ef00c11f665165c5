//! Who made a registration: a fiber's place in the tree (X3).

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::fiber::FiberState;
use crate::name::Name;
use crate::sync::{Arc, AtomicU8, AtomicU64, Ordering};

/// A fiber's place in the tree, with its state. It holds nothing alive but the places above it.
pub(crate) struct Place {
    pub(crate) name: Name,
    /// Among live siblings of one name, which: 1 is not shown, 2 is `name#2`.
    pub(crate) ordinal: u32,
    parent: Option<Arc<Place>>,
    state: AtomicU8,
    unloads: AtomicU64,
}

impl Place {
    pub(crate) fn new(name: Name, ordinal: u32, parent: Option<Arc<Place>>, state: FiberState) -> Arc<Self> {
        Arc::new(Self { name, ordinal, parent, state: AtomicU8::new(state as u8), unloads: AtomicU64::new(0) })
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

    /// This place's part of the path.
    pub(crate) fn write_segment(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str(self.name.as_str())?;
        if self.ordinal > 1 {
            write!(f, "#{}", self.ordinal)?;
        }
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // As for the fibers themselves: a loop, not recursion (K6).
        let mut next = self.parent.take();
        while let Some(place) = next {
            next = Arc::into_inner(place).and_then(|mut place| place.parent.take());
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
pub struct Owner(Arc<Place>);

impl Owner {
    pub(crate) fn at(place: &Arc<Place>) -> Self {
        Self(Arc::clone(place))
    }

    /// The name of the fiber alone, without the way to it.
    pub fn name(&self) -> &Name {
        &self.0.name
    }

    /// Whose fiber the fiber is in; `None` for the root.
    ///
    /// ```
    /// # use dsh_kernel::Kernel;
    /// let kernel = Kernel::new();
    /// let outer = kernel.root().scope("reviewer")?;
    /// let inner = outer.ctx().scope("draft")?;
    /// assert_eq!(inner.ctx().owner().parent(), Some(outer.ctx().owner()));
    /// # Ok::<(), dsh_kernel::Error>(())
    /// ```
    pub fn parent(&self) -> Option<Self> {
        self.0.parent.as_ref().map(Self::at)
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

impl Hash for Owner {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut way: Vec<&Place> = Vec::new();
        let mut place = &*self.0;
        while let Some(parent) = &place.parent {
            way.push(place);
            place = parent;
        }
        if way.is_empty() {
            return f.write_str(place.name.as_str());
        }
        for (index, place) in way.iter().rev().enumerate() {
            if index > 0 {
                f.write_str("/")?;
            }
            place.write_segment(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Owner({self})")
    }
}
