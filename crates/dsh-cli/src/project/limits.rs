//! How far a turn may go, and when its session is compacted.

use std::sync::Arc;

use dsh_agent_loop::{CompactionConfig, TurnLimits};
use dsh_llm::Model;

use super::{Agent, Project};
use crate::config::Limits;

impl Project {
    /// What the turns of all agents may not have more of.
    pub(crate) fn limits(&self) -> TurnLimits {
        laid(&self.limits, TurnLimits::new())
    }

    /// What those of this agent may not, if that is anything else.
    pub(crate) fn own_limits(&self, agent: &Agent) -> Option<TurnLimits> {
        (agent.limits != Limits::default()).then(|| laid(&agent.limits, self.limits()))
    }

    /// When sessions are compacted, if they are; this model makes the summaries.
    pub(crate) fn compaction(&self, model: Arc<dyn Model>) -> Option<CompactionConfig> {
        let written = self.compaction?;
        let tokens = |tokens: u64| usize::try_from(tokens).unwrap_or(usize::MAX);
        let config = CompactionConfig::with_model(model).over_tokens(tokens(written.over_tokens));
        Some(match written.keep_tokens {
            Some(keep) => config.keep_tokens(tokens(keep)),
            None => config,
        })
    }
}

/// Limits, where they say nothing with what holds otherwise.
fn laid(over: &Limits, mut limits: TurnLimits) -> TurnLimits {
    let Limits { steps, tokens, time, same_calls } = *over;
    if steps.is_some() {
        limits = limits.steps(steps);
    }
    if tokens.is_some() {
        limits = limits.tokens(tokens);
    }
    if time.is_some() {
        limits = limits.time(time);
    }
    if same_calls.is_some() {
        limits = limits.same_calls(same_calls);
    }
    limits
}
