//! The task of one run: from its provider's first poll until nothing of it is left.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use dsh_kernel::{Cancel, Failure};
use dsh_session::TurnLimit;

use crate::events::{SubagentEnd, SubagentStart};
use crate::job::{SubagentJob, last_words};
use crate::registry::{Entry, SubagentRegistry};
use crate::result::{SubagentResult, SubagentStop};
use crate::run::Run;

/// Drives a run to its end. `above` is the token of its parent.
pub(crate) async fn drive(
    mut ending: Ending,
    entry: Arc<Entry>,
    job: SubagentJob,
    task: Cancel,
    above: Option<Cancel>,
) {
    let run = Arc::clone(&ending.run);
    let overdue = job.deadline().map(|at| {
        let clock = ending.registry.ctx.clock();
        clock.sleep(at.saturating_sub(clock.now()))
    });
    let output = job.output().cloned();
    let ended = {
        let mut work = pin!(work(&ending.registry, entry, job));
        let (mut asked, mut task) = (run.asked().cancelled(), task.cancelled());
        let (mut above, mut overdue) = (above.map(|above| above.cancelled()), overdue);
        std::future::poll_fn(|cx| {
            if Pin::new(&mut asked).poll(cx).is_ready() {
                return Poll::Ready(Err(run.why()));
            }
            if Pin::new(&mut task).poll(cx).is_ready() {
                return Poll::Ready(Err(SubagentStop::Disposed));
            }
            if above.as_mut().is_some_and(|above| Pin::new(above).poll(cx).is_ready()) {
                return Poll::Ready(Err(SubagentStop::Cancelled));
            }
            if overdue.as_mut().is_some_and(|overdue| overdue.as_mut().poll(cx).is_ready()) {
                return Poll::Ready(Err(SubagentStop::Limit { which: TurnLimit::Time }));
            }
            work.as_mut().poll(cx).map(Ok)
        })
        .await
        // The provider's future goes here, before what it has made.
    };
    let child = run.child();
    if let Err(error) = run.clear().await {
        tracing::error!(run = %run.id, failure = ending.registry.ctx.shown(&error), "what a subagent's run had made did not go well");
    }
    let mut result = match (ended, child) {
        // One that failed says nothing of what its child has said and cost.
        (Ok(SubagentResult { stop, session: None, .. }), Some((child, from))) if stop != SubagentStop::Completed => {
            SubagentResult { stop, ..last_words(&child, from) }
        }
        (Ok(result), _) => result,
        (Err(stop), Some((child, from))) => SubagentResult { stop, ..last_words(&child, from) },
        (Err(stop), None) => SubagentResult::stopped(stop),
    };
    // Only what has been checked is there as JSON.
    result.value = None;
    if let Some(schema) = output.filter(|_| result.is_completed()) {
        match schema.read(&result.text) {
            Ok(value) => result.value = Some(value),
            Err(violations) => result.stop = SubagentStop::InvalidOutput { violations },
        }
    }
    ending.finish(result);
}

/// What the provider makes of it, as code of its owner.
async fn work(registry: &SubagentRegistry, entry: Arc<Entry>, job: SubagentJob) -> SubagentResult {
    let ctx = entry.ctx.clone();
    match ctx.call_async(move || entry.run(job)).await {
        Ok(Ok(result)) => result,
        Ok(Err(failure)) => {
            let code = code_of(&failure);
            let text = registry.ctx.shown(&failure);
            if code == FAILED {
                tracing::error!(owner = %ctx.owner(), failure = text, "a provider of subagents failed");
            }
            SubagentResult::failed(code, text)
        }
        Err(failure) if failure.panic_message().is_some() => {
            let text = registry.ctx.shown(&failure);
            tracing::error!(owner = %ctx.owner(), failure = text, "a provider of subagents panicked");
            SubagentResult::failed(PANICKED, text)
        }
        Err(_gone) => SubagentResult::stopped(SubagentStop::Disposed),
    }
}

/// The code of a provider's failure that is no error of dsh's.
pub(crate) const FAILED: &str = "subagent::provider_failed";
/// The code of a provider's panic.
pub(crate) const PANICKED: &str = "subagent::provider_panicked";

/// The stable code of a failure, where it is an error of dsh's.
fn code_of(failure: &Failure) -> &'static str {
    let own = failure.downcast_ref::<crate::Error>().map(crate::Error::code);
    let of_agent = || failure.downcast_ref::<dsh_agent::Error>().map(inner_code);
    let of_tools = || failure.downcast_ref::<dsh_tools::Error>().map(dsh_tools::Error::code);
    let of_prompt = || failure.downcast_ref::<dsh_system_prompt::Error>().map(dsh_system_prompt::Error::code);
    let of_session = || failure.downcast_ref::<dsh_session::Error>().map(dsh_session::Error::code);
    let of_kernel = || failure.downcast_ref::<dsh_kernel::Error>().map(dsh_kernel::Error::code);
    own.or_else(of_agent).or_else(of_tools).or_else(of_prompt).or_else(of_session).or_else(of_kernel).unwrap_or(FAILED)
}

/// Of an agent that was not made, what its setup failed with says more than that it failed.
fn inner_code(error: &dsh_agent::Error) -> &'static str {
    match error.failure().map(code_of) {
        Some(inner) if inner != FAILED => inner,
        _ => error.code(),
    }
}

/// Sees to the end of a run, however its task goes.
pub(crate) struct Ending {
    pub(crate) registry: Arc<SubagentRegistry>,
    pub(crate) run: Arc<Run>,
    begun: bool,
    over: bool,
}

impl Ending {
    /// From here on, the run is over when this is dropped.
    pub(crate) fn new(registry: &Arc<SubagentRegistry>, run: &Arc<Run>) -> Self {
        Self { registry: Arc::clone(registry), run: Arc::clone(run), begun: false, over: false }
    }

    /// Tells that it has begun.
    pub(crate) fn begin(&mut self) {
        self.begun = true;
        let Run { id, provider, name, parent, .. } = &*self.run;
        let (provider, name, parent) = (provider.clone(), name.clone(), parent.clone());
        let description = self.run.description.clone();
        self.registry.tell(&SubagentStart { id: *id, provider, parent, name, description }, self.run.parent.as_ref());
    }

    fn finish(&mut self, result: SubagentResult) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        let result = self.run.keep(result);
        self.registry.forget(&self.run);
        if self.begun {
            let Run { id, provider, name, parent, .. } = &*self.run;
            let (provider, name, parent) = (provider.clone(), name.clone(), parent.clone());
            self.registry.tell(&SubagentEnd { id: *id, provider, parent, name, result }, self.run.parent.as_ref());
        }
        self.run.leave();
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if !self.over {
            self.run.begin_clearing();
            let why = self.run.why();
            self.finish(SubagentResult::stopped(why));
        }
    }
}
