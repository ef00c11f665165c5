//! What is denied to an agent is denied to those that work for it.

use std::sync::Arc;

use dsh_agent::{AgentRegistry, CurrentAgent};
use dsh_kernel::{Context, Failure, Plugin};
use dsh_tools::{PreExecute, PreExecuteEvent};

use super::Project;
use super::subagents::{above, made_as};

/// Listens to `tools/pre-execute`, and denies a call whose tool is denied to an agent that the caller works for, at whatever depth. What
/// is allowed to one agent is allowed to no other.
#[derive(Debug)]
pub(crate) struct HandedDown(pub(crate) Arc<Project>);

impl Plugin for HandedDown {
    const NAME: &'static str = "permissions-above";
    type Inject = (AgentRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let (project, own) = (Arc::clone(&self.0), ctx.clone());
        ctx.prepended().on_waterfall::<PreExecuteEvent, _>(move |call: PreExecute, event, next| {
            let is_denied = event.get::<CurrentAgent>().is_some_and(|current| {
                let above = above(&own, current);
                above.iter().any(|agent| {
                    made_as(&project, agent).is_some_and(|agent| agent.permissions.denies(&call.call().name))
                })
            });
            async move {
                let mut call = next.run(call).await?;
                if is_denied {
                    call.deny("the permissions of an agent that this one works for keep this tool back");
                }
                Ok::<_, Failure>(call)
            }
        })?;
        Ok(())
    }
}
