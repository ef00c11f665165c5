//! What services and events say of themselves, for a catalog made by booting the plugins.

use crate::events::Event;
use crate::kernel::Kernel;
use crate::service::Service;

/// A method of a service, as the catalog lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// Its signature, without `&self`.
    pub signature: &'static str,
    /// One line on what it does.
    pub doc: &'static str,
}

impl Method {
    /// A method with its signature and its docs line.
    pub const fn new(name: &'static str, signature: &'static str, doc: &'static str) -> Self {
        Self { name, signature, doc }
    }
}

/// A service, as the catalog lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceInfo {
    /// Its name.
    pub name: &'static str,
    /// The crate that has it.
    pub crate_name: &'static str,
    /// One line on what it is.
    pub doc: &'static str,
    /// Its methods.
    pub methods: &'static [Method],
    /// Its events.
    pub events: &'static [EventInfo],
}

impl ServiceInfo {
    pub(crate) fn of<S: Service>() -> Self {
        let crate_name = std::any::type_name::<S>().split("::").next().unwrap_or_default();
        Self { name: S::NAME, crate_name, doc: S::DOC, methods: S::METHODS, events: S::EVENTS }
    }
}

/// An event, as the catalog lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventInfo {
    /// Its name.
    pub name: &'static str,
    /// `emit`, `serial` or `waterfall`.
    pub mode: &'static str,
    /// One line on when it comes.
    pub doc: &'static str,
}

impl EventInfo {
    /// What an event type says of itself.
    pub const fn of<E: Event>() -> Self {
        Self { name: E::NAME, mode: <E::Mode as crate::events::EventMode>::NAME, doc: E::DOC }
    }
}

/// The kernel's own register-methods: those of [`Context`](crate::Context).
pub const CONTEXT_METHODS: &[Method] = &[
    Method {
        name: "effect",
        signature: "(label, body: FnOnce(&mut Fx) -> Result<(), Failure>) -> Result<Disposer, Error>",
        doc: "Makes an effect: what the body collects is undone in reverse when it ends.",
    },
    Method {
        name: "effect_async",
        signature: "async (label, body: AsyncFnOnce(&mut Fx) -> Result<(), Failure>) -> Result<Disposer, Error>",
        doc: "Makes an effect with an asynchronous body.",
    },
    Method {
        name: "plugin",
        signature: "(plugin: impl Plugin) -> Result<Fiber, Error>",
        doc: "Mounts a plugin as a child; its fiber gives its disposer.",
    },
    Method {
        name: "plugin_dyn",
        signature: "(plugin: Arc<dyn DynPlugin>) -> Result<Fiber, Error>",
        doc: "Mounts a plugin whose name and services are known only at run time.",
    },
    Method {
        name: "scope",
        signature: "(label) -> Result<Scope, Error>",
        doc: "Opens a scope: a fresh key, and a context whose registrations are for it alone.",
    },
    Method {
        name: "provide",
        signature: "(service: impl Service) -> Result<Disposer, Error>",
        doc: "Provides a service under its one name.",
    },
    Method {
        name: "provide_shared",
        signature: "(service: Arc<impl Service>) -> Result<Disposer, Error>",
        doc: "Provides a service that its provider keeps using itself.",
    },
    Method {
        name: "provide_dyn",
        signature: "(name, value: Arc<dyn Any + Send + Sync>) -> Result<Disposer, Error>",
        doc: "Provides a service whose name is known only at run time.",
    },
    Method {
        name: "on",
        signature: "(listener: Fn(&E) -> impl Outcome) -> Result<Disposer, Error>",
        doc: "Listens for an emitted event.",
    },
    Method {
        name: "on_serial",
        signature: "(listener: Fn(Arc<E>) -> Future<Result<Option<E::Answer>, Failure>>) -> Result<Disposer, Error>",
        doc: "Listens for a serial event; the first answer wins.",
    },
    Method {
        name: "on_waterfall",
        signature: "(listener: Fn(E::Value, Arc<E>, Next<E>) -> Future<Result<E::Value, Failure>>) -> Result<Disposer, Error>",
        doc: "Listens for a waterfall: gets the value and `next`, and returns the value.",
    },
    Method {
        name: "spawn",
        signature: "(label, task: FnOnce(Cancel) -> Future<impl Outcome>) -> Result<Disposer, Error>",
        doc: "Runs a task that is cancelled and awaited on unload.",
    },
];

/// The kernel's own events.
pub const KERNEL_EVENTS: &[EventInfo] = &[EventInfo::of::<crate::events::FiberChanged>()];

impl Kernel {
    /// What the services that are provided now say of themselves, in order of provision.
    ///
    /// Services that are known only by a name at run time have nothing to say.
    pub fn services(&self) -> Vec<ServiceInfo> {
        let root = self.root();
        let reach = root.core().reach.load();
        reach.in_order().into_iter().filter_map(|provision| provision.info).collect()
    }
}
