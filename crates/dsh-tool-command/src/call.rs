//! One call: the command started, waited for, and what it says made an answer.

use std::sync::Arc;

use dsh_system_prompt::RunContext;
use dsh_tools::{Arguments, ToolContext, ToolFailure, ToolOutput};
use futures_util::future::{Either, select};

use crate::answer;
use crate::process::Running;
use crate::tool::Spec;

/// Runs the command of a call. Dropping the future ends the command as cancelling the call does.
pub(crate) async fn call(spec: Arc<Spec>, arguments: Arguments, cx: ToolContext) -> Result<ToolOutput, ToolFailure> {
    let folder = spec.folder.clone().or_else(|| Some(cx.get::<RunContext>()?.cwd_path()?.to_owned()));
    let mut running = Running::start(Arc::clone(&spec), folder, arguments.text().to_owned().into_bytes());
    let cancelled = cx.cancel().cancelled();
    let ended = match select(&mut running, cancelled).await {
        Either::Left((ended, _)) => ended?,
        Either::Right(((), running)) => {
            running.end();
            // Why it was ended is the caller's to say; here is what it had said by then, if it had been started at all.
            return Ok(running.await.map_or_else(|_not_started| ToolOutput::new([]), answer::so_far));
        }
    };
    answer::of(&spec, ended)
}
