//! Listening: each listener is an effect of its context's owner (K11).

use std::fmt;

use crate::context::Context;
use crate::effect::Disposer;
use crate::error::Error;
use crate::events::hub::{At, Listener};
use crate::events::{
    Emit, EmitListener, Event, ListenerFuture, Next, SerialEvent, SerialListener, WaterfallEvent, WaterfallListener,
};
use crate::failure::Outcome;
use crate::name::Name;
use crate::sync::Arc;
use crate::world::EffectKind;

impl Context {
    /// Listens for an emitted event; a scoped context's listener hears dispatches for its scope, and unfiltered ones (K12).
    ///
    /// # Errors
    ///
    /// `kernel::inactive` where the owner takes no registrations (K8).
    pub fn on<E: Event<Mode = Emit>, T: Outcome>(
        &self,
        listener: impl Fn(&E) -> T + Send + Sync + 'static,
    ) -> Result<Disposer, Error> {
        self.listen_emit(At::Last, listener)
    }

    /// Listens for a serial event: `Some` is an answer, and ends the dispatch.
    ///
    /// # Errors
    ///
    /// As [`Context::on`].
    pub fn on_serial<E: SerialEvent, F: ListenerFuture<Option<E::Answer>>>(
        &self,
        listener: impl Fn(Arc<E>) -> F + Send + Sync + 'static,
    ) -> Result<Disposer, Error> {
        self.listen_serial(At::Last, listener)
    }

    /// Listens for a waterfall: gets the value, may change or replace it, calls `next` at most once, returns the value.
    ///
    /// # Errors
    ///
    /// As [`Context::on`].
    pub fn on_waterfall<E: WaterfallEvent, F: ListenerFuture<E::Value>>(
        &self,
        listener: impl Fn(E::Value, Arc<E>, Next<E>) -> F + Send + Sync + 'static,
    ) -> Result<Disposer, Error> {
        self.listen_waterfall(At::Last, listener)
    }

    /// The same methods, for a listener that is put before all others (K11).
    pub fn prepended(&self) -> Prepended<'_> {
        Prepended { ctx: self }
    }

    fn listen_emit<E: Event<Mode = Emit>, T: Outcome>(
        &self,
        at: At,
        listener: impl Fn(&E) -> T + Send + Sync + 'static,
    ) -> Result<Disposer, Error> {
        let call: Box<EmitListener<E>> = Box::new(move |event| listener(event).into_outcome());
        self.listen::<E, EmitListener<E>>(at, call)
    }

    fn listen_serial<E: SerialEvent, F: ListenerFuture<Option<E::Answer>>>(
        &self,
        at: At,
        listener: impl Fn(Arc<E>) -> F + Send + Sync + 'static,
    ) -> Result<Disposer, Error> {
        let call: Box<SerialListener<E>> = Box::new(move |event| Box::pin(listener(event)));
        self.listen::<E, SerialListener<E>>(at, call)
    }

    fn listen_waterfall<E: WaterfallEvent, F: ListenerFuture<E::Value>>(
        &self,
        at: At,
        listener: impl Fn(E::Value, Arc<E>, Next<E>) -> F + Send + Sync + 'static,
    ) -> Result<Disposer, Error> {
        let call: Box<WaterfallListener<E>> =
            Box::new(move |value, event, next| Box::pin(listener(value, event, next)));
        self.listen::<E, WaterfallListener<E>>(at, call)
    }

    fn listen<E: Event, L: ?Sized + Send + Sync + 'static>(&self, at: At, call: Box<L>) -> Result<Disposer, Error> {
        let label = Name::fixed(E::NAME);
        let listener = Listener::new(self.clone(), label.clone(), call);
        let hub = self.shared().events.hub_or_new::<E, L>();
        self.own_effect(label, EffectKind::Plain, |fx, _| {
            let place = hub.add(&listener, at);
            fx.defer(move || drop(hub.remove(&listener, place)));
            Ok(())
        })
    }
}

/// Listens before all others; see [`Context::prepended`].
#[must_use = "it listens by its methods"]
pub struct Prepended<'a> {
    ctx: &'a Context,
}

impl Prepended<'_> {
    /// As [`Context::on`].
    ///
    /// # Errors
    ///
    /// As [`Context::on`].
    pub fn on<E: Event<Mode = Emit>, T: Outcome>(
        &self,
        listener: impl Fn(&E) -> T + Send + Sync + 'static,
    ) -> Result<Disposer, Error> {
        self.ctx.listen_emit(At::First, listener)
    }

    /// As [`Context::on_serial`].
    ///
    /// # Errors
    ///
    /// As [`Context::on`].
    pub fn on_serial<E: SerialEvent, F: ListenerFuture<Option<E::Answer>>>(
        &self,
        listener: impl Fn(Arc<E>) -> F + Send + Sync + 'static,
    ) -> Result<Disposer, Error> {
        self.ctx.listen_serial(At::First, listener)
    }

    /// As [`Context::on_waterfall`].
    ///
    /// # Errors
    ///
    /// As [`Context::on`].
    pub fn on_waterfall<E: WaterfallEvent, F: ListenerFuture<E::Value>>(
        &self,
        listener: impl Fn(E::Value, Arc<E>, Next<E>) -> F + Send + Sync + 'static,
    ) -> Result<Disposer, Error> {
        self.ctx.listen_waterfall(At::First, listener)
    }
}

impl fmt::Debug for Prepended<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prepended({:?})", self.ctx)
    }
}
