//! Services: typed, under one name, had by handles that never fail to be made (K10).

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

use crate::catalog::{EventInfo, Method, ServiceInfo};
use crate::context::Context;
use crate::effect::Disposer;
use crate::error::{Error, ErrorKind};
use crate::fast_map::{self, FastMap};
use crate::fiber::FiberState;
use crate::fiber::core::FiberKind;
use crate::name::Name;
use crate::quiet::Quiet;
use crate::sync::{Arc, ArcSwap, Numbers};
use crate::world::EffectKind;

/// A type that plugins provide and inject under one name (K10).
///
/// ```
/// use dsh_kernel::{Kernel, Service};
///
/// struct Greetings(&'static str);
///
/// impl Service for Greetings {
///     const NAME: &'static str = "greetings";
///     const DOC: &'static str = "What to say first.";
/// }
///
/// let kernel = Kernel::new();
/// kernel.root().provide(Greetings("hello"))?;
/// assert_eq!(kernel.root().get::<Greetings>().resolve()?.0, "hello");
/// # Ok::<(), dsh_kernel::Error>(())
/// ```
pub trait Service: Send + Sync + 'static {
    /// The one name of the service.
    const NAME: &'static str;

    /// One line on what the service is.
    const DOC: &'static str;

    /// The methods that register something, for the catalog.
    const METHODS: &'static [Method] = &[];

    /// The events that the service emits or dispatches, for the catalog.
    const EVENTS: &'static [EventInfo] = &[];
}

/// The services that a plugin injects: `()`, a [`Service`] type, or a tuple of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a set of services",
    note = "`type Inject` is `()`, a `Service` type, or a tuple of `Service` types"
)]
pub trait ServiceSet {
    /// Their names, in order.
    fn names() -> Vec<Name>;
}

impl ServiceSet for () {
    fn names() -> Vec<Name> {
        Vec::new()
    }
}

impl<S: Service> ServiceSet for S {
    fn names() -> Vec<Name> {
        vec![Name::fixed(S::NAME)]
    }
}

macro_rules! service_set {
    ($($service:ident),+) => {
        impl<$($service: Service),+> ServiceSet for ($($service,)+) {
            fn names() -> Vec<Name> {
                vec![$(Name::fixed($service::NAME)),+]
            }
        }
    };
}

service_set!(A);
service_set!(A, B);
service_set!(A, B, C);
service_set!(A, B, C, D);
service_set!(A, B, C, D, E);
service_set!(A, B, C, D, E, F);
service_set!(A, B, C, D, E, F, G);
service_set!(A, B, C, D, E, F, G, H);

/// One service as it is provided.
pub(crate) struct Provision {
    pub(crate) name: Name,
    /// Quiet each by itself: where several are let go of at once, none keeps the others from it (K13).
    pub(crate) value: Quiet<Arc<dyn Any + Send + Sync>>,
    pub(crate) info: Option<ServiceInfo>,
    /// Among all provisions, which came earlier.
    pub(crate) number: u64,
}

/// The services that a fiber can use, where its handles find them without a lock.
#[derive(Clone)]
pub(crate) struct Reach {
    /// All of them while they are few: looking through them is quicker than looking up.
    few: Vec<Arc<Provision>>,
    /// All of them from then on.
    many: FastMap<Name, Arc<Provision>>,
}

/// So many are few.
const FEW: usize = 8;

impl Default for Reach {
    fn default() -> Self {
        Self { few: Vec::new(), many: fast_map::empty() }
    }
}

impl Reach {
    pub(crate) fn new(provisions: impl IntoIterator<Item = Arc<Provision>>) -> Self {
        let mut reach = Self::default();
        provisions.into_iter().for_each(|provision| reach.insert(provision));
        reach
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Provision>> {
        if self.many.is_empty() {
            self.few.iter().find(|provision| provision.name.as_str() == name)
        } else {
            self.many.get(name)
        }
    }

    /// In order of provision.
    pub(crate) fn in_order(&self) -> Vec<&Arc<Provision>> {
        let mut provisions: Vec<_> = self.few.iter().chain(self.many.values()).collect();
        provisions.sort_by_key(|provision| provision.number);
        provisions
    }

    fn insert(&mut self, provision: Arc<Provision>) {
        self.few.retain(|known| known.name != provision.name);
        if self.many.is_empty() && self.few.len() < FEW {
            self.few.push(provision);
            return;
        }
        for provision in self.few.drain(..).chain([provision]) {
            self.many.insert_mut(provision.name.clone(), provision);
        }
    }

    fn take(&mut self, name: &Name) {
        self.few.retain(|known| known.name != *name);
        self.many.remove_mut(name);
    }

    /// Adds a provision; the caller holds the structural lock, so nobody else writes.
    pub(crate) fn add(reach: &ArcSwap<Self>, provision: Arc<Provision>) {
        let mut next = Self::clone(&reach.load());
        next.insert(provision);
        reach.store(Arc::new(next));
    }

    /// Takes a provision out; what was there goes to `garbage`, to be dropped when the lock is free.
    pub(crate) fn remove(reach: &ArcSwap<Self>, provision: &Arc<Provision>, garbage: &mut Vec<Box<dyn Any + Send>>) {
        let now = reach.load();
        // Another one may have come under the name meanwhile.
        if now.find(provision.name.as_str()).is_some_and(|known| Arc::ptr_eq(known, provision)) {
            let mut next = Self::clone(&now);
            next.take(&provision.name);
            garbage.push(Box::new(reach.swap(Arc::new(next))));
        }
    }
}

/// A service as one context sees it. Making it never fails; [`Handle::resolve`] does, where the service is not in reach.
#[must_use = "a handle does nothing by itself"]
pub struct Handle<S> {
    ctx: Context,
    service: PhantomData<fn() -> S>,
}

impl<S> Handle<S> {
    /// The context that the handle is bound to.
    pub fn ctx(&self) -> &Context {
        &self.ctx
    }
}

impl<S> Clone for Handle<S> {
    fn clone(&self) -> Self {
        Self { ctx: self.ctx.clone(), service: PhantomData }
    }
}

impl<S: Service> Handle<S> {
    /// The service itself.
    ///
    /// # Errors
    ///
    /// `kernel::undeclared_service` where neither the plugin nor an ancestor declares it, `kernel::missing_service` where
    /// nobody provides it now, `kernel::inactive` where the owner does not run, `kernel::service_type` where the service of
    /// that name is of another type.
    pub fn resolve(&self) -> Result<Arc<S>, Error> {
        let value = self.ctx.with_service(S::NAME, Arc::clone)?;
        Arc::downcast(value).map_err(|_other| self.of_another_type())
    }

    /// Calls `code` with the service, and counts no reference: what many threads do at each step should not write to memory
    /// that they share.
    ///
    /// For short use: services that leave while `code` runs are dropped when it returns. For long use, [`resolve`](Self::resolve).
    ///
    /// ```
    /// # use dsh_kernel::{Kernel, Service};
    /// # struct Greetings(&'static str);
    /// # impl Service for Greetings {
    /// #     const NAME: &'static str = "greetings";
    /// #     const DOC: &'static str = "What to say first.";
    /// # }
    /// let kernel = Kernel::new();
    /// kernel.root().provide(Greetings("hello"))?;
    /// let greetings = kernel.root().get::<Greetings>();
    /// assert_eq!(greetings.with(|service| service.0.len())?, 5);
    /// # Ok::<(), dsh_kernel::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`resolve`](Self::resolve).
    pub fn with<R>(&self, code: impl FnOnce(&S) -> R) -> Result<R, Error> {
        let result = self.ctx.with_service(S::NAME, |value| value.downcast_ref().map(code))?;
        result.ok_or_else(|| self.of_another_type())
    }

    #[cold]
    fn of_another_type(&self) -> Error {
        let message =
            format!("the service `{}` is not a `{}`; two services have one name", S::NAME, std::any::type_name::<S>());
        Error::build(ErrorKind::ServiceType, message).owner(self.ctx.owner()).label(Name::fixed(S::NAME)).into()
    }
}

impl<S: Service> fmt::Debug for Handle<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({} for {:?})", S::NAME, self.ctx)
    }
}

fn next_number() -> u64 {
    static NEXT: Numbers = Numbers::from(0);
    NEXT.next()
}

impl Context {
    /// Provides a service, until the effect ends (K10).
    ///
    /// Its undoing withdraws it from new users at once, frees its name, and ends when its users have unloaded.
    ///
    /// # Errors
    ///
    /// `kernel::duplicate_service`, naming the owner of the first; `kernel::inactive` (K8).
    pub fn provide<S: Service>(&self, service: S) -> Result<Disposer, Error> {
        self.provide_shared(Arc::new(service))
    }

    /// As [`Context::provide`], for a service that its provider keeps using itself.
    ///
    /// # Errors
    ///
    /// As [`Context::provide`].
    pub fn provide_shared<S: Service>(&self, service: Arc<S>) -> Result<Disposer, Error> {
        self.provide_any(Provision {
            name: Name::fixed(S::NAME),
            value: Quiet::new(service),
            info: Some(ServiceInfo::of::<S>()),
            number: next_number(),
        })
    }

    /// Provides a service whose name is known only at run time (K16).
    ///
    /// # Errors
    ///
    /// As [`Context::provide`].
    pub fn provide_dyn(&self, name: impl Into<Name>, value: Arc<dyn Any + Send + Sync>) -> Result<Disposer, Error> {
        self.provide_any(Provision { name: name.into(), value: Quiet::new(value), info: None, number: next_number() })
    }

    fn provide_any(&self, provision: Provision) -> Result<Disposer, Error> {
        let label = provision.name.clone();
        let owner = self.core().id;
        // A refused service is dropped here, when no lock is held.
        let provision = Quiet::new(Arc::new(provision));
        self.own_effect(label, EffectKind::Plain, |fx, agenda| {
            let mut world = self.shared().world.lock();
            let id = world.provide(owner, fx.id(), Arc::clone(&provision))?;
            fx.withdraw(id);
            world.provided(id, agenda);
            Ok(())
        })
    }

    /// A handle to a service, bound to this context.
    pub fn get<S: Service>(&self) -> Handle<S> {
        Handle { ctx: self.clone(), service: PhantomData }
    }

    /// A service by its name (K16).
    ///
    /// # Errors
    ///
    /// As [`Handle::resolve`].
    pub fn get_dyn(&self, name: &str) -> Result<Arc<dyn Any + Send + Sync>, Error> {
        self.with_service(name, Arc::clone)
    }

    /// Looks a service up where this context may use it: what its fiber runs on or provides, then what an ancestor
    /// declares; a scope under the root may use whatever is provided, as the root may (K10).
    fn with_service<R>(&self, name: &str, code: impl FnOnce(&Arc<dyn Any + Send + Sync>) -> R) -> Result<R, Error> {
        let mut core = self.core();
        let mut in_plugin = false;
        loop {
            let may_use = core.kind != FiberKind::Root || !in_plugin;
            if may_use {
                // It may be the last to hold a service that has left meanwhile, whose destructor is foreign.
                let reach = Quiet::new(core.reach.load());
                if let Some(provision) = reach.find(name) {
                    return Ok(code(&provision.value));
                }
            }
            in_plugin |= core.kind == FiberKind::Plugin;
            match core.parent() {
                Some(parent) => core = parent,
                None => return Err(self.no_service(name, in_plugin)),
            }
        }
    }

    #[cold]
    fn no_service(&self, name: &str, in_plugin: bool) -> Error {
        let owner = self.owner();
        let declared = self.shared().world.lock().declares_injection(self.core().id, name);
        let state = self.state();
        let runs = matches!(state, FiberState::Loading | FiberState::Active | FiberState::Unloading);
        let (kind, message) = match (runs, in_plugin && !declared) {
            (false, _) => (ErrorKind::Inactive, format!("`{owner}` is {state} and cannot use the service `{name}`")),
            (true, true) => (
                ErrorKind::UndeclaredService,
                format!(
                    "`{owner}` uses the service `{name}`, which neither it nor a plugin above it injects; \
                     add its type to the plugin's `Inject`"
                ),
            ),
            (true, false) => (
                ErrorKind::MissingService,
                format!("`{owner}` uses the service `{name}`, which nobody provides now; mount its plugin first"),
            ),
        };
        Error::build(kind, message).owner(owner).label(Name::from(name.to_owned())).into()
    }
}
