//! Tools that do anything, and tell whom they were run for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use dsh_agent::CurrentAgent;
use dsh_kernel::Failure;
use dsh_llm::{Message, NO_PARAMETERS, ToolSchema};
use dsh_testkit::{Dice, Probes};
use dsh_tools::{Tool, ToolContext, ToolFailure};

/// How often each call was run, by session and call, and how many run now.
#[derive(Clone, Default)]
pub(crate) struct Ran(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    runs: HashMap<(String, String), usize>,
    running: usize,
}

/// Counted for as long as it is there.
struct Running(Ran);

impl Ran {
    fn with<R>(&self, look: impl FnOnce(&mut Counts) -> R) -> R {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn begin(&self, cx: &ToolContext) -> Running {
        let session = cx.get::<CurrentAgent>().map(|current| current.agent().id().to_string()).unwrap_or_default();
        self.with(|counts| {
            counts.running += 1;
            *counts.runs.entry((session, cx.call_id().to_owned())).or_default() += 1;
        });
        Running(self.clone())
    }

    /// How often that call was run.
    pub(crate) fn times(&self, session: &str, call: &str) -> usize {
        self.with(|counts| counts.runs.remove(&(session.to_owned(), call.to_owned())).unwrap_or_default())
    }

    /// How many run, and how many calls were run that nobody has asked for.
    pub(crate) fn left(&self) -> (usize, usize) {
        self.with(|counts| (counts.running, counts.runs.len()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.with(|counts| counts.running -= 1);
    }
}

/// A tool of this name, of a kind that is thrown.
pub(crate) fn thrown(name: &'static str, dice: &mut Dice, ran: &Ran, probes: &Probes) -> Tool {
    let schema = ToolSchema::new(name, "Does it.", NO_PARAMETERS).unwrap();
    let (ran, probe, kind, exclusive) = (ran.clone(), probes.probe(), dice.roll(9), dice.one_in(5));
    let tool = Tool::raw(schema, move |_, cx| {
        probe.touch();
        let running = ran.begin(&cx);
        async move {
            let _running = running;
            act(kind, &cx).await
        }
    });
    if exclusive { tool.exclusive() } else { tool }
}

async fn act(kind: u32, cx: &ToolContext) -> Result<&'static str, ToolFailure> {
    let agent = cx.get::<CurrentAgent>().map(CurrentAgent::agent);
    match kind {
        0 => panic!("the tool panics"),
        1 => return Err(ToolFailure::model("try another")),
        2 => return Err(ToolFailure::Host(Failure::msg("broken"))),
        // Until it is told to end, or nobody else has anything to do.
        3 => {
            for _ in 0..200 {
                if cx.cancel().is_cancelled() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        4 => agent.into_iter().for_each(dsh_agent::Agent::cancel),
        5 => agent.into_iter().for_each(|agent| drop(agent.steer(Message::user("And this.")))),
        6 => agent.into_iter().for_each(|agent| drop(agent.inject_message(Message::user("A fact.")))),
        _ => tokio::task::yield_now().await,
    }
    Ok("done")
}
