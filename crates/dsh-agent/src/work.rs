//! What an agent has begun elsewhere: it ends with the agent, and first.

use std::sync::{Mutex, MutexGuard, PoisonError};

use dsh_kernel::{Cancel, Canceller, Context, Failure, Fiber};

/// Where what an agent has begun elsewhere is registered, and how it learns that the agent is cancelled.
pub(crate) struct Work(Mutex<State>);

struct State {
    place: Place,
    canceller: Canceller,
}

enum Place {
    /// Nobody has asked for it.
    None,
    Open(Fiber),
    /// The agent is being undone.
    Closed(Option<Fiber>),
}

/// The agent is being undone.
struct Closed;

impl Work {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(State { place: Place::None, canceller: Canceller::new() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its context, which is made when it is asked for first; `None`, once the agent is being undone.
    pub(crate) fn ctx(&self, scope: &Context) -> Result<Option<Context>, dsh_kernel::Error> {
        if let Some(known) = self.known() {
            return Ok(known.ok());
        }
        // Opened without the lock; of two that do so at once, the second one's goes again.
        let work = scope.scope("work")?;
        let (fiber, ctx) = (work.fiber().clone(), work.ctx().clone());
        let mut state = self.state();
        if matches!(state.place, Place::None) {
            state.place = Place::Open(fiber);
            return Ok(Some(ctx));
        }
        drop(state);
        drop(fiber.dispose());
        Ok(self.known().and_then(Result::ok))
    }

    fn known(&self) -> Option<Result<Context, Closed>> {
        let state = self.state();
        match &state.place {
            Place::None => None,
            Place::Open(fiber) => Some(Ok(fiber.ctx())),
            Place::Closed(_) => Some(Err(Closed)),
        }
    }

    /// Undoes what is registered there, and takes nothing any more. A second call awaits the same end.
    pub(crate) async fn end(&self) -> Result<(), Failure> {
        let fiber = {
            let mut state = self.state();
            let fiber = match &state.place {
                Place::None => None,
                Place::Open(fiber) => Some(fiber.clone()),
                Place::Closed(fiber) => fiber.clone(),
            };
            state.place = Place::Closed(fiber.clone());
            fiber
        };
        match fiber {
            Some(fiber) => Ok(fiber.dispose().await?),
            None => Ok(()),
        }
    }

    /// Fired when the agent is cancelled next.
    pub(crate) fn cancel_token(&self) -> Cancel {
        self.state().canceller.token()
    }

    /// Fires the tokens that were given out.
    pub(crate) fn cancel(&self) {
        let fired = std::mem::take(&mut self.state().canceller);
        fired.cancel();
    }
}
