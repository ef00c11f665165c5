//! Where listeners live: per event type one immutable set of lists, replaced on each write and read without a lock.

use std::any::{Any, TypeId};
use std::collections::HashMap;

use foldhash::fast::RandomState;
use rpds::RedBlackTreeMapSync;

use crate::context::Context;
use crate::events::{Audience, Event};
use crate::failure::Failure;
use crate::fast_map::{self, FastMap};
use crate::frames::{self, Frame};
use crate::name::Name;
use crate::owner::Owner;
use crate::quiet::Quiet;
use crate::scope_key::ScopeKey;
use crate::sync::{Arc, ArcSwap, AtomicBool, AtomicU64, Mutex, Ordering};

type Hubs = HashMap<TypeId, Arc<dyn AnyHub>, RandomState>;

/// All hubs of a kernel, by event type.
#[derive(Default)]
pub(crate) struct Events {
    hubs: ArcSwap<Hubs>,
    write: Mutex<()>,
    /// A bit for each event type that has a hub, of 64: the usual question, whether anybody listens to what nobody ever
    /// listened to, is answered by one load.
    known: AtomicU64,
}

impl Events {
    /// The hub of an event type, if anybody has ever listened to it.
    pub(crate) fn hub<E: Event, L: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<Hub<L>>> {
        let hub = self.hubs.load().get(&TypeId::of::<E>()).map(Arc::clone)?;
        Arc::downcast(hub.into_any()).ok()
    }

    pub(crate) fn hub_or_new<E: Event, L: ?Sized + Send + Sync + 'static>(&self) -> Arc<Hub<L>> {
        if let Some(hub) = self.hub::<E, L>() {
            return hub;
        }
        let _write = self.write.lock();
        if let Some(hub) = self.hub::<E, L>() {
            return hub;
        }
        let hub = Arc::new(Hub::<L>::default());
        let mut hubs = Hubs::clone(&self.hubs.load());
        let erased: Arc<dyn AnyHub> = Arc::clone(&hub) as _;
        hubs.insert(TypeId::of::<E>(), erased);
        // Before the hub can be found: whoever finds it and adds a listener is heard. A bit without a hub does no harm.
        self.known.fetch_or(const { bit(E::NAME) }, Ordering::Release);
        self.hubs.store(Arc::new(hubs));
        hub
    }

    /// Whether anybody of the audience listens.
    pub(crate) fn hears<E: Event>(&self, audience: Audience) -> bool {
        self.known.load(Ordering::Acquire) & const { bit(E::NAME) } != 0
            && self.hubs.load().get(&TypeId::of::<E>()).is_some_and(|hub| hub.hears(audience))
    }

    /// Lets go of all listeners.
    pub(crate) fn take(&self) -> impl Sized + use<> {
        self.hubs.swap(Arc::default())
    }
}

/// Which bit stands for the event types of a name. Several may share one.
const fn bit(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let (mut sum, mut index) = (0_u64, 0);
    while index < bytes.len() {
        sum = sum.wrapping_mul(31).wrapping_add(bytes[index] as u64);
        index += 1;
    }
    1 << (sum % 64)
}

/// A hub of whatever type of listener.
trait AnyHub: Send + Sync {
    fn hears(&self, audience: Audience) -> bool;
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl<L: ?Sized + Send + Sync + 'static> AnyHub for Hub<L> {
    fn hears(&self, audience: Audience) -> bool {
        let lists = self.lists.load();
        match audience {
            Audience::Everyone => !lists.all.is_empty(),
            Audience::Untagged => !lists.untagged.is_empty(),
            Audience::Scope(key) => !lists.untagged.is_empty() || lists.tagged.contains_key(&key),
        }
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// One listener.
pub(crate) struct Listener<L: ?Sized> {
    pub(crate) ctx: Context,
    pub(crate) label: Name,
    /// Cleared on removal: a dispatch that has begun skips it (K11).
    heard: AtomicBool,
    call: Quiet<Box<L>>,
}

impl<L: ?Sized> Listener<L> {
    pub(crate) fn new(ctx: Context, label: Name, call: Box<L>) -> Arc<Self> {
        Arc::new(Self { ctx, label, heard: AtomicBool::new(true), call: Quiet::new(call) })
    }

    /// Calls the listener as code of its owner.
    pub(crate) fn call<R>(&self, code: impl FnOnce(&L) -> R) -> Result<R, Failure> {
        frames::call(self.frame(), || code(&self.call))
    }

    pub(crate) fn frame(&self) -> Frame {
        Frame::new(self.ctx.shared(), self.ctx.core().id, None)
    }

    pub(crate) fn listens(&self) -> bool {
        self.heard.load(Ordering::Acquire)
    }

    pub(crate) fn owner(&self) -> Owner {
        self.ctx.owner()
    }
}

/// A list in order of registration: the key is the place, negative for what was put first.
type List<L> = RedBlackTreeMapSync<i64, Arc<Listener<L>>>;

struct Lists<L: ?Sized> {
    all: List<L>,
    untagged: List<L>,
    tagged: FastMap<ScopeKey, List<L>>,
}

impl<L: ?Sized> Default for Lists<L> {
    fn default() -> Self {
        Self { all: List::new_sync(), untagged: List::new_sync(), tagged: fast_map::empty() }
    }
}

impl<L: ?Sized> Clone for Lists<L> {
    fn clone(&self) -> Self {
        Self { all: self.all.clone(), untagged: self.untagged.clone(), tagged: self.tagged.clone() }
    }
}

pub(crate) struct Hub<L: ?Sized> {
    lists: ArcSwap<Lists<L>>,
    /// The next place at the end, and at the front.
    places: Mutex<(i64, i64)>,
}

impl<L: ?Sized> Default for Hub<L> {
    fn default() -> Self {
        Self { lists: ArcSwap::default(), places: Mutex::new((0, -1)) }
    }
}

/// Where a listener stands among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Last,
    First,
}

impl<L: ?Sized> Hub<L> {
    /// Adds a listener and returns its place.
    pub(crate) fn add(&self, listener: &Arc<Listener<L>>, at: At) -> i64 {
        let mut places = self.places.lock();
        let place = match at {
            At::Last => {
                places.0 += 1;
                places.0
            }
            At::First => {
                places.1 -= 1;
                places.1
            }
        };
        let mut lists = Lists::clone(&self.lists.load());
        lists.all.insert_mut(place, Arc::clone(listener));
        match listener.ctx.scope_key() {
            None => lists.untagged.insert_mut(place, Arc::clone(listener)),
            Some(key) => {
                let mut list = lists.tagged.get(&key).cloned().unwrap_or_else(List::new_sync);
                list.insert_mut(place, Arc::clone(listener));
                lists.tagged.insert_mut(key, list);
            }
        }
        self.lists.store(Arc::new(lists));
        place
    }

    /// Takes a listener out. What was there is returned, to be dropped when no lock is held.
    pub(crate) fn remove(&self, listener: &Listener<L>, place: i64) -> impl Sized + use<L> {
        listener.heard.store(false, Ordering::Release);
        let _places = self.places.lock();
        let mut lists = Lists::clone(&self.lists.load());
        lists.all.remove_mut(&place);
        match listener.ctx.scope_key() {
            None => {
                lists.untagged.remove_mut(&place);
            }
            Some(key) => {
                if let Some(mut list) = lists.tagged.get(&key).cloned() {
                    list.remove_mut(&place);
                    if list.is_empty() {
                        lists.tagged.remove_mut(&key);
                    } else {
                        lists.tagged.insert_mut(key, list);
                    }
                }
            }
        }
        self.lists.swap(Arc::new(lists))
    }

    /// The listeners of a dispatch, as they are at its start; `None` where there are none.
    pub(crate) fn audience(&self, audience: Audience) -> Option<Arc<[Arc<Listener<L>>]>> {
        let lists = self.lists.load();
        let tagged = match audience {
            Audience::Everyone => return list(&lists.all),
            Audience::Untagged => None,
            Audience::Scope(key) => lists.tagged.get(&key),
        };
        match tagged {
            None => list(&lists.untagged),
            Some(tagged) if lists.untagged.is_empty() => list(tagged),
            Some(tagged) => {
                let mut both: Vec<_> = lists.untagged.iter().chain(tagged.iter()).collect();
                both.sort_by_key(|(place, _)| **place);
                Some(both.into_iter().map(|(_, listener)| Arc::clone(listener)).collect())
            }
        }
    }
}

fn list<L: ?Sized>(list: &List<L>) -> Option<Arc<[Arc<Listener<L>>]>> {
    (!list.is_empty()).then(|| list.values().map(Arc::clone).collect())
}
