//! One assembly: providers, order, listeners; and anew where a plugin leaves in the midst of it (S8, S9).

use std::sync::Arc;

use dsh_kernel::{Audience, Context, Handle, Quiet};

use crate::assembly::PromptAssembly;
use crate::context::AssembleContext;
use crate::error::{Detail, Error};
use crate::events::AssembleEvent;
use crate::journal::Journal;
use crate::registry::PromptRegistry;
use crate::state::{Evaluation, Unfinished};

/// So many times an assembly starts anew before it is given up.
const RESTARTS: u32 = 3;

pub(crate) async fn assemble(handle: &Handle<PromptRegistry>, cx: AssembleContext) -> Result<PromptAssembly, Error> {
    let mut restarts = 0;
    loop {
        let registry = handle.resolve()?;
        let departures = registry.departures();
        let Evaluation { view, unloads, result } = registry.evaluate(&cx);
        let shape = &view.shape;
        let journal = Arc::<Journal>::default();
        let result = match result {
            Ok(state) => Ok(listeners(handle.ctx(), &cx, PromptAssembly::of(state, unloads), &journal).await),
            Err(Unfinished::Failed(error)) => Ok(Err(error)),
            Err(Unfinished::Left(owner)) => Err(owner),
        };
        let is_whole = shape.unloads() == unloads && (registry.departures() == departures || !shape.has_lost_a_part());
        let leaver = match result {
            Err(owner) => Some(owner),
            Ok(result) => {
                // What a listener hands in from another assembly is to be as whole as what it was given.
                let foreign = result.as_ref().ok().filter(|assembly| !assembly.is_of(shape));
                let departed = journal.departed();
                let leaver = departed.or_else(|| foreign.and_then(PromptAssembly::departed));
                if is_whole && leaver.is_none() {
                    return result;
                }
                // A failure that does not count goes here, and it is foreign (K13).
                drop(Quiet::new(result));
                leaver
            }
        };
        if restarts == RESTARTS {
            let leaver = leaver.or_else(|| shape.leaver().cloned());
            return Err(Error::about(Detail::Unsettled { restarts }, leaver, None));
        }
        restarts += 1;
    }
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
    let assembly = ctx.waterfall(event, assembly, audience).await?;
    assembly.check_edits()?;
    Ok(assembly)
}
