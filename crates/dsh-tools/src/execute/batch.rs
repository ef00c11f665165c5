//! The calls of one step: side by side, but for exclusive ones (T5).

use std::pin::Pin;

use dsh_llm::ToolCall;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use crate::execute_context::ExecuteContext;
use crate::executed::Executed;
use crate::handle::ToolsHandle;

/// A call on its way, with its place among the calls.
type Placed = Pin<Box<dyn Future<Output = (usize, Executed)> + Send>>;

/// Runs calls in their order: an exclusive one begins when all before it have ended, and those after it when it has.
pub(crate) async fn execute_all(handle: ToolsHandle, calls: Vec<ToolCall>, cx: ExecuteContext) -> Vec<Executed> {
    let limit = handle.registry.with(|registry| registry.config.concurrency).unwrap_or(1);
    let mut done: Vec<(usize, Executed)> = Vec::with_capacity(calls.len());
    let mut running: FuturesUnordered<Placed> = FuturesUnordered::new();
    for (place, call) in calls.into_iter().enumerate() {
        let is_exclusive = || matches!(handle.get(&call.name, cx.scope), Ok(Some(tool)) if tool.is_exclusive());
        // Asked when its turn comes: what an exclusive one before it has registered is seen.
        if is_exclusive() {
            while let Some(one) = running.next().await {
                done.push(one);
            }
            done.push((place, handle.execute(call, cx.clone()).await));
            continue;
        }
        while running.len() >= limit
            && let Some(one) = running.next().await
        {
            done.push(one);
        }
        let execution = handle.execute(call, cx.clone());
        running.push(Box::pin(async move { (place, execution.await) }));
    }
    while let Some(one) = running.next().await {
        done.push(one);
    }
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, executed)| executed).collect()
}
