//! Layers: what a registry keeps, once for everyone and once for each scope (K1).

use std::fmt;

use crate::context::Context;
use crate::effect::Disposer;
use crate::error::Error;
use crate::failure::Failure;
use crate::fast_map::{self, FastMap};
use crate::name::Name;
use crate::scope_key::ScopeKey;
use crate::sync::{Arc, ArcSwap, AtomicU64, Guard, Mutex, Ordering};

/// What one layer holds. It is copied when it changes, so its large parts are best shared or persistent.
pub trait Layer: Clone + Default + Send + Sync + 'static {
    /// Whether nothing is registered in it; a scope's empty layer is dropped.
    fn is_empty(&self) -> bool;
}

/// Whether a registration came or went, as [`Layers::effect`] tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Registered {
    /// It is there now.
    Added,
    /// It is gone.
    Removed,
}

/// The layers of one registry: a global one, and one for each scope in which something is registered.
///
/// Readers take a snapshot without a lock; a write copies the layer that it changes and publishes the whole anew.
/// [`Layers::effect`] is the one way to register: it derives the layer and the owner from the same context, installs the
/// undo before it notifies, and rolls back when the notification fails.
///
/// ```
/// use std::sync::Arc;
/// use dsh_kernel::{Failure, Kernel, Layer, Layers};
///
/// #[derive(Clone, Default)]
/// struct Words(Vec<&'static str>);
///
/// impl Layer for Words {
///     fn is_empty(&self) -> bool {
///         self.0.is_empty()
///     }
/// }
///
/// let kernel = Kernel::new();
/// let scope = kernel.root().scope("quiet")?;
/// let layers = Arc::new(Layers::<Words>::new());
/// let insert = |words: &mut Words| {
///     words.0.push("hush");
///     Ok(|words: &mut Words| words.0.clear())
/// };
/// let word = layers.effect(scope.ctx(), "word", insert, |_| Ok(()))?;
/// assert_eq!(layers.load().scope(scope.key()).unwrap().0, ["hush"]);
/// drop(word.dispose());
/// assert!(layers.load().scope(scope.key()).is_none());
/// # Ok::<(), dsh_kernel::Error>(())
/// ```
pub struct Layers<L> {
    snapshot: ArcSwap<Snapshot<L>>,
    write: Mutex<()>,
    generations: AtomicU64,
}

/// The layers as they were at one moment.
pub struct Snapshot<L> {
    global: Arc<L>,
    global_generation: u64,
    scopes: FastMap<ScopeKey, Arc<L>>,
}

impl<L> Snapshot<L> {
    /// The layer for everyone.
    pub fn global(&self) -> &Arc<L> {
        &self.global
    }

    /// The layer of a scope, where something is registered in it.
    pub fn scope(&self, key: ScopeKey) -> Option<&Arc<L>> {
        self.scopes.get(&key)
    }

    /// A number that is another one after each change of the global layer.
    pub fn global_generation(&self) -> u64 {
        self.global_generation
    }

    /// How many scopes have a layer.
    pub fn scope_count(&self) -> usize {
        self.scopes.size()
    }
}

impl<L> Clone for Snapshot<L> {
    fn clone(&self) -> Self {
        Self {
            global: Arc::clone(&self.global),
            global_generation: self.global_generation,
            scopes: self.scopes.clone(),
        }
    }
}

impl<L> fmt::Debug for Snapshot<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot({} scopes)", self.scopes.size())
    }
}

impl<L: Layer> Layers<L> {
    /// A global layer with nothing in it.
    pub fn new() -> Self {
        Self {
            snapshot: ArcSwap::from_pointee(Snapshot {
                global: Arc::new(L::default()),
                global_generation: 0,
                scopes: fast_map::empty(),
            }),
            write: Mutex::new(()),
            generations: AtomicU64::new(1),
        }
    }

    /// The layers as they are now; takes no lock.
    pub fn load(&self) -> Guard<Arc<Snapshot<L>>> {
        self.snapshot.load()
    }

    /// Registers something as an effect of the context's owner, in the context's layer.
    ///
    /// `insert` changes the layer and returns its undo; each is called once. Neither may call out, since both run while the
    /// registry is being written; what they hold is dropped when that is over. `notify` tells of the change, after it is visible and with its undo in place: where it fails on
    /// [`Registered::Added`], the registration is rolled back; on [`Registered::Removed`], the removal stands (S9).
    ///
    /// # Errors
    ///
    /// `kernel::inactive` (K8), or `kernel::body_failed` with the very [`Failure`] of `insert` or `notify`.
    pub fn effect<U>(
        self: &Arc<Self>,
        ctx: &Context,
        label: impl Into<Name>,
        mut insert: impl FnMut(&mut L) -> Result<U, Failure>,
        notify: impl Fn(Registered) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Result<Disposer, Error>
    where
        U: FnMut(&mut L) + Send + 'static,
    {
        let key = ctx.scope_key();
        ctx.effect(label, |fx| {
            let mut undo = self.write(key, &mut insert)?;
            let notify = Arc::new(notify);
            let (layers, notify_removal) = (Arc::clone(self), Arc::clone(&notify));
            fx.defer(move || {
                // The undo cannot fail: it takes out what its own insert put in.
                drop(layers.write(key, &mut |layer: &mut L| {
                    undo(layer);
                    Ok(())
                }));
                notify_removal(Registered::Removed)
            });
            notify(Registered::Added)
        })
    }

    /// Changes one layer and publishes; what the change displaces is dropped after the lock.
    fn write<U>(
        &self,
        key: Option<ScopeKey>,
        change: &mut impl FnMut(&mut L) -> Result<U, Failure>,
    ) -> Result<U, Failure> {
        let write = self.write.lock();
        let mut next = Snapshot::clone(&self.snapshot.load());
        let mut layer = match key {
            None => L::clone(&next.global),
            Some(key) => next.scopes.get(&key).map(|layer| L::clone(layer)).unwrap_or_default(),
        };
        let result = change(&mut layer);
        let displaced = if result.is_ok() {
            match key {
                None => {
                    next.global = Arc::new(layer);
                    next.global_generation = self.generations.fetch_add(1, Ordering::Relaxed);
                }
                Some(key) if layer.is_empty() => {
                    next.scopes.remove_mut(&key);
                }
                Some(key) => next.scopes.insert_mut(key, Arc::new(layer)),
            }
            Some(self.snapshot.swap(Arc::new(next)))
        } else {
            None
        };
        drop(write);
        drop(displaced);
        result
    }
}

impl<L: Layer> Default for Layers<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L> fmt::Debug for Layers<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Layers({:?})", self.snapshot.load())
    }
}
