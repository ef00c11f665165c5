//! Dispatching, in the three modes (K11). A dispatch runs over the listeners of its start.

use std::fmt;

use crate::clock::BoxFuture;
use crate::context::Context;
use crate::error::{Error, ErrorKind};
use crate::events::hub::{Events, Listener};
use crate::events::{
    Audience, Emit, EmitListener, Event, FiberChanged, SerialEvent, SerialListener, WaterfallEvent, WaterfallListener,
};
use crate::failure::Failure;
use crate::frames::{self, Framed};
use crate::kernel::Shared;
use crate::quiet::Quiet;
use crate::runtime;
use crate::sync::Arc;

impl Context {
    /// Tells every listener of the audience, in order; the first failure is returned after all have heard.
    ///
    /// # Errors
    ///
    /// `kernel::listener_failed`, with the listener's owner and its [`Failure`].
    pub fn emit<E: Event<Mode = Emit>>(&self, event: &E, audience: Audience) -> Result<(), Error> {
        self.shared().unpark_now();
        let Some(hub) = self.shared().events.hub::<E, EmitListener<E>>() else { return Ok(()) };
        let Some(listeners) = hub.audience(audience) else { return Ok(()) };
        let result = tell(&listeners, event);
        frames::settle(self.shared());
        result
    }

    /// Whether anybody of the audience listens, so that an event need not be made where nobody does.
    pub fn hears<E: Event>(&self, audience: Audience) -> bool {
        self.shared().events.hears::<E>(audience)
    }

    /// Asks the listeners of the audience one by one, and returns the first answer.
    ///
    /// # Errors
    ///
    /// `kernel::listener_failed` from the first that fails before one answers.
    pub async fn serial<E: SerialEvent>(&self, event: Arc<E>, audience: Audience) -> Result<Option<E::Answer>, Error> {
        let Some(hub) = self.shared().events.hub::<E, SerialListener<E>>() else { return Ok(None) };
        let Some(listeners) = hub.audience(audience) else { return Ok(None) };
        for listener in listeners.iter().filter(|listener| listener.listens()) {
            let future = listener.call(|listener| listener(Arc::clone(&event)));
            frames::settle(self.shared());
            let answer = match future {
                Ok(future) => Framed::new(self.shared(), listener.frame(), future).await.and_then(|answer| answer),
                Err(failure) => Err(failure),
            };
            match answer {
                Ok(None) => {}
                Ok(Some(answer)) => return Ok(Some(answer)),
                Err(failure) => return Err(listener_failed(listener, failure)),
            }
        }
        Ok(None)
    }

    /// Sends a value through the listeners of the audience, the first registered outermost.
    ///
    /// # Errors
    ///
    /// `kernel::listener_failed` with the owner of the listener that failed first, where no listener round it made good.
    pub async fn waterfall<E: WaterfallEvent>(
        &self,
        event: Arc<E>,
        value: E::Value,
        audience: Audience,
    ) -> Result<E::Value, Error> {
        let Some(hub) = self.shared().events.hub::<E, WaterfallListener<E>>() else { return Ok(value) };
        let Some(listeners) = hub.audience(audience) else { return Ok(value) };
        Next { event, listeners, index: 0, holder: None }.step(value).await
    }
}

impl Events {
    /// Tells the listeners of `kernel/fiber`; a failure is logged (K2).
    pub(crate) fn announce(&self, shared: &Arc<Shared>, change: &FiberChanged) {
        let Some(hub) = self.hub::<FiberChanged, EmitListener<FiberChanged>>() else { return };
        let Some(listeners) = hub.audience(Audience::Everyone) else { return };
        if let Err(error) = tell(&listeners, change) {
            let failure = error.failure().map(Failure::shown);
            tracing::error!(
                owner = error.owner().map(tracing::field::display),
                failure,
                "a listener of kernel/fiber failed"
            );
        }
        frames::settle(shared);
    }
}

fn tell<E>(listeners: &[Arc<Listener<EmitListener<E>>>], event: &E) -> Result<(), Error> {
    let mut first = Ok(());
    for listener in listeners.iter().filter(|listener| listener.listens()) {
        if let Err(failure) = listener.call(|listener| listener(event)).and_then(|result| result) {
            let failure = Quiet::new(failure);
            if first.is_ok() {
                first = Err(listener_failed(listener, failure.into_inner()));
            }
        }
    }
    first
}

/// So many listeners of one waterfall are polled inside one another; the next ones go on as a task, so that any number of
/// them fits on any stack.
const STACKED: usize = 64;

/// The rest of a waterfall: consumed by the one call that it is good for (K11).
pub struct Next<E: WaterfallEvent> {
    event: Arc<E>,
    listeners: Arc<[Arc<Listener<WaterfallListener<E>>>]>,
    index: usize,
    /// The listener that holds this `next`.
    holder: Option<Arc<Listener<WaterfallListener<E>>>>,
}

impl<E: WaterfallEvent> Next<E> {
    /// Hands the value to the listeners that come after, and returns what comes back.
    ///
    /// # Errors
    ///
    /// A [`Failure`] that holds the `kernel::listener_failed` error of the listener that failed.
    pub async fn run(mut self, mut value: E::Value) -> Result<E::Value, Failure> {
        let Some(holder) = self.holder.take() else { return Ok(self.step(value).await?) };
        let (frame, owner) = (holder.frame(), holder.owner());
        let event = Arc::clone(&self.event);
        frames::call(frame, || event.leaving(&mut value, &owner))?;
        let mut value = self.step(value).await?;
        frames::call(frame, || event.entering(&mut value, &owner))?;
        Ok(value)
    }

    fn step(mut self, value: E::Value) -> BoxFuture<'static, Result<E::Value, Error>> {
        Box::pin(async move {
            while let Some(listener) = self.listeners.get(self.index).map(Arc::clone) {
                self.index += 1;
                if !listener.listens() {
                    continue;
                }
                if self.index.is_multiple_of(STACKED) && runtime::available() {
                    return runtime::apart(self.hand_to(listener, value)).await;
                }
                return self.hand_to(listener, value).await;
            }
            Ok(value)
        })
    }

    async fn hand_to(
        mut self,
        listener: Arc<Listener<WaterfallListener<E>>>,
        mut value: E::Value,
    ) -> Result<E::Value, Error> {
        let (frame, owner, event) = (listener.frame(), listener.owner(), Arc::clone(&self.event));
        self.holder = Some(Arc::clone(&listener));
        let shared = Arc::clone(listener.ctx.shared());
        let called = listener.call(|call| {
            event.entering(&mut value, &owner);
            call(value, Arc::clone(&event), self)
        });
        frames::settle(&shared);
        let result = match called {
            Ok(future) => Framed::new(&shared, frame, future).await.and_then(|result| result),
            Err(failure) => Err(failure),
        };
        let left = result.and_then(|mut value| {
            frames::call(frame, || event.leaving(&mut value, &owner))?;
            Ok(value)
        });
        left.map_err(|failure| listener_failed(&listener, failure))
    }
}

impl<E: WaterfallEvent> fmt::Debug for Next<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Next({} of {})", self.index, self.listeners.len())
    }
}

fn listener_failed<L: ?Sized>(listener: &Listener<L>, failure: Failure) -> Error {
    // An inner listener's failure that comes through an outer one is still the inner one's.
    if let Some(inner) = failure.downcast_ref::<Error>()
        && inner.kind() == ErrorKind::ListenerFailed
    {
        return inner.clone();
    }
    let owner = listener.owner();
    let message = format!("a listener of `{}` of `{owner}` failed", listener.label);
    Error::build(ErrorKind::ListenerFailed, message).owner(owner).label(listener.label.clone()).failure(failure).into()
}
