//! Plugins: typed ones, and the erased layer that they stand on (K10, K16).

use std::fmt;
use std::future::Future;

use crate::agenda::Agenda;
use crate::clock::BoxFuture;
use crate::context::Context;
use crate::effect::inactive;
use crate::error::{Error, ErrorKind};
use crate::failure::Failure;
use crate::fiber::Fiber;
use crate::fiber::core::FiberKind;
use crate::frames::{self, Frame};
use crate::name::Name;
use crate::service::ServiceSet;
use crate::sync::Arc;
use crate::world::{FiberData, NewFiber};

/// A part that comes and goes: it owns all that it registers in its start.
///
/// ```
/// use dsh_kernel::{Context, Failure, Plugin};
///
/// struct Greeter;
///
/// impl Plugin for Greeter {
///     const NAME: &'static str = "greeter";
///     type Inject = ();
///
///     async fn start(&self, ctx: &Context) -> Result<(), Failure> {
///         ctx.effect("greeting", |fx| {
///             fx.defer(|| println!("goodbye"));
///             Ok(())
///         })?;
///         Ok(())
///     }
/// }
/// ```
pub trait Plugin: Send + Sync + 'static {
    /// The plugin's name: its segment in paths (X3).
    const NAME: &'static str;

    /// The services that it needs, as a tuple: it starts when all are there and unloads when one leaves (K10).
    type Inject: ServiceSet;

    /// The services that it provides, so that missing providers and cycles can be named (K2).
    fn provides(&self) -> Vec<Name> {
        Vec::new()
    }

    /// Whether it may start beside the plugins that the same cause has woken, in place of after them (K10).
    fn independent(&self) -> bool {
        false
    }

    /// Registers what the plugin contributes. Called at each start; what it registers is undone at each unload, and when it
    /// fails.
    fn start(&self, ctx: &Context) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// A plugin whose name and services are known only at run time; typed plugins are made into this (K16).
pub trait DynPlugin: Send + Sync + 'static {
    /// The plugin's name.
    fn name(&self) -> Name;

    /// The services that it needs.
    fn inject(&self) -> Vec<Name>;

    /// The services that it provides.
    fn provides(&self) -> Vec<Name> {
        Vec::new()
    }

    /// As [`Plugin::independent`].
    fn independent(&self) -> bool {
        false
    }

    /// As [`Plugin::start`].
    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>>;
}

struct Typed<P>(P);

impl<P: Plugin> DynPlugin for Typed<P> {
    fn name(&self) -> Name {
        Name::fixed(P::NAME)
    }

    fn inject(&self) -> Vec<Name> {
        P::Inject::names()
    }

    fn provides(&self) -> Vec<Name> {
        self.0.provides()
    }

    fn independent(&self) -> bool {
        self.0.independent()
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move { self.0.start(&ctx).await })
    }
}

impl Context {
    /// Mounts a plugin as a child of this context's owner; it keeps the context's scope tag (K12).
    ///
    /// It starts at once where its services are there, else when they come. A start that does not end at once goes on as a
    /// task: await [`Fiber::ready`].
    ///
    /// # Errors
    ///
    /// `kernel::inactive` where the owner takes no registrations (K8).
    pub fn plugin<P: Plugin>(&self, plugin: P) -> Result<Fiber, Error> {
        self.plugin_dyn(Arc::new(Typed(plugin)))
    }

    /// Mounts a plugin whose name and services are known only at run time (K16).
    ///
    /// # Errors
    ///
    /// As [`Context::plugin`].
    pub fn plugin_dyn(&self, plugin: Arc<dyn DynPlugin>) -> Result<Fiber, Error> {
        let frame = Frame::new(self.shared(), self.core().id, None);
        let declared =
            frames::call(frame, || (plugin.name(), plugin.inject(), plugin.provides(), plugin.independent()));
        frames::settle(self.shared());
        let (name, inject, declares, independent) = match declared {
            Ok(declared) => declared,
            Err(failure) => {
                frames::drop_quietly(plugin);
                let error = Error::build(ErrorKind::StartFailed, "what a plugin says of itself failed");
                return Err(error.owner(self.owner()).failure(failure).into());
            }
        };
        let new = NewFiber { name, kind: FiberKind::Plugin, plugin: Some(plugin), inject, declares, independent };
        let mut agenda = Agenda::new();
        let fiber = self.mount(new, self.scope_key(), &mut agenda)?;
        agenda.drain(self.shared());
        Ok(fiber)
    }

    pub(crate) fn mount(
        &self,
        new: NewFiber,
        tag: Option<crate::ScopeKey>,
        agenda: &mut Agenda,
    ) -> Result<Fiber, Error> {
        let core = self.core();
        let mut world = core.shared.world.lock();
        if !world.fibers.get(core.id).is_some_and(FiberData::accepts) {
            drop(world);
            let refused = inactive(core, &new.name);
            frames::drop_quietly(new);
            return Err(refused);
        }
        let is_scope = matches!(new.kind, FiberKind::Scope);
        let child = world.add_fiber(&core.shared, Some(core), new);
        if let Some(fiber) = world.fibers.get_mut(child.id) {
            fiber.tag = tag;
        }
        if let Some(key) = tag.filter(|_| is_scope) {
            world.scopes.insert(key, child.id);
        }
        world.refresh(child.id, agenda);
        drop(world);
        Ok(Fiber::new(child, tag))
    }
}

impl fmt::Debug for dyn DynPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynPlugin({})", self.name())
    }
}
