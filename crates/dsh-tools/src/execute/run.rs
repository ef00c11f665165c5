//! The tool itself: one run as a task of its owner (K14).

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use dsh_kernel::{BoxFuture, Disposer, Failure};

use crate::arguments::Arguments;
use crate::entry::ToolEntry;
use crate::execute::handoff::handoff;
use crate::execute::limits::{Limits, Stop};
use crate::execute_context::ExecuteContext;
use crate::failure::ToolFailure;
use crate::output::ToolOutput;
use crate::tool_context::{CallFacts, ToolContext};

/// What came of a run.
pub(crate) struct Ran {
    /// What the tool answered, if it did: a tool that is asked to end may still say what it has.
    pub(crate) answer: Option<Result<Result<ToolOutput, ToolFailure>, Failure>>,
    /// Why it was asked to end before it had answered.
    pub(crate) stop: Option<Stop>,
}

/// The owner takes no task any more: the tool was not begun.
pub(crate) struct Inactive;

/// Runs a tool to its end: until it has answered, or is gone after it was asked to end.
pub(crate) async fn run(
    entry: Arc<ToolEntry>,
    arguments: Arguments,
    call_id: &str,
    cx: &ExecuteContext,
    limits: &mut Limits,
) -> Result<Ran, Inactive> {
    let time = RunTime::new(&entry, cx);
    let facts = CallFacts {
        call_id: call_id.to_owned(),
        tool: entry.facts.name.clone(),
        scope: cx.scope,
        fields: cx.fields.clone(),
    };
    let (giver, mut taker) = handoff();
    let deadline = time.deadline;
    let (owner, part_of) = (entry.ctx.clone(), cx.part_of.clone());
    let task = owner.spawn(entry.facts.label.clone(), move |cancel| async move {
        let tool_cx = ToolContext::new(facts, cancel.clone(), deadline);
        let called = entry.ctx.call_async(|| (entry.run)(arguments, tool_cx));
        let answer = match part_of {
            // Each poll of the tool is inside of that code too, which waits for it (K8).
            Some(whole) => whole.call_async(|| called).await.and_then(|answer| answer),
            None => called.await,
        };
        // A task that ends by itself after this was asked to end before.
        giver.give((answer, cancel.is_cancelled()));
    });
    let Ok(task) = task else { return Err(Inactive) };
    let mut task = EndOnDrop(Some(task));
    let (mut sleep, mut stop) = (time.sleep, None);
    let given = std::future::poll_fn(|task_cx| {
        if let Poll::Ready(given) = Pin::new(&mut taker).poll(task_cx) {
            return Poll::Ready(given);
        }
        if stop.is_none() {
            let too_long = |(limit, sleep): &mut (Duration, BoxFuture<'static, ()>)| {
                sleep.as_mut().poll(task_cx).is_ready().then_some(Stop::TooLong(*limit))
            };
            let too_long = sleep.as_mut().and_then(too_long);
            stop = limits.poll(task_cx).or(too_long);
            if stop.is_some() {
                task.end();
                // It may have ended at once.
                return Pin::new(&mut taker).poll(task_cx);
            }
        }
        Poll::Pending
    })
    .await;
    task.0 = None;
    Ok(match given {
        Some((answer, was_cancelled)) => {
            Ran { answer: Some(answer), stop: stop.or(if was_cancelled { Some(Stop::Unloaded) } else { None }) }
        }
        // It was aborted after its grace.
        None => Ran { answer: None, stop: Some(stop.unwrap_or(Stop::Unloaded)) },
    })
}

/// How long one run may take.
struct RunTime {
    deadline: Option<Duration>,
    sleep: Option<(Duration, BoxFuture<'static, ()>)>,
}

impl RunTime {
    fn new(entry: &ToolEntry, cx: &ExecuteContext) -> Self {
        let limit = [entry.facts.timeout, cx.timeout].into_iter().flatten().min();
        if limit.is_none() && cx.deadline.is_none() {
            return Self { deadline: None, sleep: None };
        }
        let clock = entry.ctx.clock();
        let until = limit.map(|limit| clock.now().saturating_add(limit));
        Self {
            deadline: [until, cx.deadline].into_iter().flatten().min(),
            sleep: limit.map(|limit| (limit, clock.sleep(limit))),
        }
    }
}

/// Ends the task when whoever waits for it goes away.
struct EndOnDrop(Option<Disposer>);

impl EndOnDrop {
    fn end(&mut self) {
        if let Some(task) = self.0.take() {
            // Its end is seen by what it hands over, or does not.
            drop(task.dispose());
        }
    }
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.end();
    }
}
