//! One assembly: providers, order, listeners; and anew where a plugin leaves in the midst of it (S8, S9).

use std::sync::Arc;

use dsh_kernel::{Audience, Context, Handle, Owner};

use crate::assembly::PromptAssembly;
use crate::context::AssembleContext;
use crate::error::{Detail, Error};
use crate::events::AssembleEvent;
use crate::registry::PromptRegistry;
use crate::state::{Evaluation, State, Unfinished};

/// So many times an assembly starts anew before it is given up.
const RESTARTS: u32 = 3;

pub(crate) async fn assemble(handle: &Handle<PromptRegistry>, cx: AssembleContext) -> Result<PromptAssembly, Error> {
    let mut restarts = 0;
    loop {
        let registry = handle.resolve()?;
        let departures = registry.departures();
        let Evaluation { view, unloads, result } = registry.evaluate(&cx);
        let result = match result {
            Ok(state) => listeners(handle.ctx(), &cx, state).await,
            Err(Unfinished::Failed(error)) => Err(error),
            Err(Unfinished::Left(owner)) => Err(unsettled(Some(&owner), restarts)),
        };
        let settled = view.unloads() == unloads
            && (registry.departures() == departures || !view.has_lost_a_part())
            && result.as_ref().ok().and_then(PromptAssembly::departed_editor).is_none();
        if settled {
            return result;
        }
        if restarts == RESTARTS {
            let left = result.as_ref().ok().and_then(PromptAssembly::departed_editor);
            return Err(unsettled(left.or_else(|| view.leaver()), restarts));
        }
        restarts += 1;
    }
}

/// Sends an assembly through its listeners.
async fn listeners(ctx: &Context, cx: &AssembleContext, state: Arc<State>) -> Result<PromptAssembly, Error> {
    let audience = Audience::from(cx.scope());
    let assembly = PromptAssembly::of(state);
    if !ctx.hears::<AssembleEvent>(audience) {
        return Ok(assembly);
    }
    let event = Arc::new(AssembleEvent::new(cx.clone()));
    let assembly = ctx.waterfall(event, assembly, audience).await?;
    assembly.check_tools()?;
    Ok(assembly)
}

fn unsettled(owner: Option<&Owner>, restarts: u32) -> Error {
    Error::about(Detail::Unsettled { restarts }, owner.cloned(), None)
}
