//! One assembly: providers, order, listeners; and anew where a plugin leaves in the midst of it (S8, S9).

use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use dsh_kernel::{Audience, BoxFuture, Context, Handle, Owner, Quiet};

use crate::assembly::PromptAssembly;
use crate::context::AssembleContext;
use crate::error::{Detail, Error};
use crate::events::AssembleEvent;
use crate::journal::Journal;
use crate::registry::{PromptRegistry, Shared};
use crate::state::{Evaluation, Unfinished};

/// So many times an assembly starts anew before it is given up.
const RESTARTS: u32 = 3;

/// An assembly on its way: small, since in the usual case it is ready at the first poll.
pub(crate) enum Assembling<'a> {
    Asked(&'a Handle<PromptRegistry>, AssembleContext),
    /// There is more to do; see [`settle`].
    Settling(BoxFuture<'a, Result<PromptAssembly, Error>>),
    Over,
}

impl Future for Assembling<'_> {
    type Output = Result<PromptAssembly, Error>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        if let Self::Asked(handle, cx) = &mut *self {
            match attempt(handle, cx) {
                Ok(Attempt::Unsettled(unsettled)) => {
                    let future = settle(handle, mem::take(cx), unsettled);
                    *self = Self::Settling(future);
                }
                Ok(Attempt::Whole(assembly)) => return self.over(Ok(assembly)),
                Err(error) => return self.over(Err(error)),
            }
        }
        match &mut *self {
            Self::Settling(future) => {
                let Poll::Ready(result) = future.as_mut().poll(task) else { return Poll::Pending };
                self.over(result)
            }
            Self::Asked(..) | Self::Over => Poll::Pending,
        }
    }
}

impl Assembling<'_> {
    fn over<T>(&mut self, result: T) -> Poll<T> {
        *self = Self::Over;
        Poll::Ready(result)
    }
}

/// What one call of the registry comes to.
enum Attempt {
    /// No listener is to hear of it, and nobody has left: the usual case, in which nothing is awaited.
    Whole(PromptAssembly),
    Unsettled(Unsettled),
}

struct Unsettled {
    evaluation: Evaluation,
    registry: Arc<Shared>,
}

/// Asks the providers, and looks whether that is all.
fn attempt(handle: &Handle<PromptRegistry>, cx: &AssembleContext) -> Result<Attempt, Error> {
    let attempt = handle.with(|registry| {
        let Evaluation { marks, result } = registry.evaluate(cx);
        let is_heard = || handle.ctx().hears::<AssembleEvent>(Audience::from(cx.scope()));
        match result {
            Ok(state) if !is_heard() && marks.still_hold(&state.shape, registry.shared()) => {
                Attempt::Whole(PromptAssembly::of(state, marks.unloads))
            }
            result => {
                let evaluation = Evaluation { marks, result };
                Attempt::Unsettled(Unsettled { evaluation, registry: Arc::clone(registry.shared()) })
            }
        }
    })?;
    Ok(attempt)
}

/// Goes on with an attempt: through the listeners, and anew where somebody has left meanwhile.
fn settle(
    handle: &Handle<PromptRegistry>,
    cx: AssembleContext,
    mut unsettled: Unsettled,
) -> BoxFuture<'_, Result<PromptAssembly, Error>> {
    Box::pin(async move {
        let mut restarts = 0;
        loop {
            let Unsettled { evaluation, registry } = unsettled;
            match finish(handle.ctx(), &cx, evaluation, &registry).await {
                Finished::Whole(result) => return result,
                Finished::Torn { leaver } if restarts == RESTARTS => {
                    return Err(Error::about(Detail::Unsettled { restarts }, leaver, None));
                }
                Finished::Torn { .. } => restarts += 1,
            }
            unsettled = match attempt(handle, &cx)? {
                Attempt::Whole(assembly) => return Ok(assembly),
                Attempt::Unsettled(unsettled) => unsettled,
            };
        }
    })
}

/// How an attempt came out.
enum Finished {
    Whole(Result<PromptAssembly, Error>),
    /// Somebody with a part or a hand in it has left.
    Torn {
        leaver: Option<Owner>,
    },
}

async fn finish(ctx: &Context, cx: &AssembleContext, evaluation: Evaluation, registry: &Shared) -> Finished {
    let Evaluation { marks, result } = evaluation;
    let journal = Arc::<Journal>::default();
    let (shape, result) = match result {
        Ok(state) => {
            let shape = Arc::clone(&state.shape);
            (shape, listeners(ctx, cx, PromptAssembly::of(state, marks.unloads), &journal).await)
        }
        Err((Unfinished::Failed(error), shape)) => (shape, Err(error)),
        Err((Unfinished::Left(leaver), _)) => return Finished::Torn { leaver: Some(leaver) },
    };
    // What a listener hands in from another assembly is to be as whole as what it was given.
    let foreign = result.as_ref().ok().filter(|assembly| !assembly.is_of(&shape));
    let leaver = journal.departed().or_else(|| foreign.and_then(PromptAssembly::departed));
    if leaver.is_none() && marks.still_hold(&shape, registry) {
        return Finished::Whole(result);
    }
    // A failure that does not count goes here, and it is foreign (K13).
    drop(Quiet::new(result));
    Finished::Torn { leaver: leaver.or_else(|| shape.leaver().cloned()) }
}

/// Sends an assembly through its listeners.
async fn listeners(
    ctx: &Context,
    cx: &AssembleContext,
    assembly: PromptAssembly,
    journal: &Arc<Journal>,
) -> Result<PromptAssembly, Error> {
    let audience = Audience::from(cx.scope());
    if !ctx.hears::<AssembleEvent>(audience) {
        return Ok(assembly);
    }
    let event = Arc::new(AssembleEvent::new(cx.clone(), journal));
    let mut assembly = ctx.waterfall(event, assembly, audience).await?;
    assembly.check_edits()?;
    assembly.leave_out_lacking();
    Ok(assembly)
}
