//! What the loop is configured with, for all agents and for one.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use dsh_llm::Model;
use dsh_tools::Approver;

use crate::budget::Budget;
use crate::limits::TurnLimits;

/// How a failed request is tried again: only where the failure is one that may pass, and nothing of the answer had come yet.
///
/// ```
/// use std::time::Duration;
/// use dsh_agent_loop::Retries;
///
/// let retries = Retries::new().times(5).first_wait(Duration::from_secs(1));
/// # drop(retries);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retries {
    pub(crate) times: u32,
    pub(crate) first_wait: Duration,
    pub(crate) longest_wait: Duration,
}

impl Retries {
    /// Two more tries, after half a second and after one; never more than a minute.
    pub fn new() -> Self {
        Self { times: 2, first_wait: Duration::from_millis(500), longest_wait: Duration::from_mins(1) }
    }

    /// How often it is tried again; 0 for never.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = times;
        self
    }

    /// How long to wait before the first time, on the kernel's clock; each time twice as long. What the provider asks for holds
    /// instead.
    #[must_use]
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// The longest wait. Where the provider asks for a longer one, it is not tried again.
    #[must_use]
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// How long to wait before this try, from 1; `None` where there is none.
    pub(crate) fn wait(&self, again: u32, asked: Option<Duration>) -> Option<Duration> {
        if again > self.times {
            return None;
        }
        if let Some(asked) = asked {
            return (asked <= self.longest_wait).then_some(asked);
        }
        let factor = 1_u32.checked_shl(again.saturating_sub(1)).unwrap_or(u32::MAX);
        Some(self.first_wait.saturating_mul(factor).min(self.longest_wait))
    }
}

impl Default for Retries {
    fn default() -> Self {
        Self::new()
    }
}

/// A model with its name, which is asked for once.
#[derive(Clone)]
pub(crate) struct NamedModel {
    pub(crate) name: Arc<str>,
    pub(crate) model: Arc<dyn Model>,
}

impl NamedModel {
    fn new(model: Arc<dyn Model>) -> Self {
        Self { name: model.name().into(), model }
    }
}

/// What the loop is configured with.
///
/// ```
/// use std::sync::Arc;
/// use dsh_agent_loop::{LoopConfig, LoopOptions, TurnLimits};
/// use dsh_llm::ScriptedModel;
///
/// let model = ScriptedModel::parse("[[rules]]\nanswer = \"Good.\"")?;
/// let options = LoopOptions::new().limits(TurnLimits::new().steps(20));
/// let config = LoopConfig::new(Arc::new(model)).options(options);
/// # drop(config);
/// # Ok::<(), dsh_llm::ScriptError>(())
/// ```
#[derive(Clone)]
pub struct LoopConfig {
    model: NamedModel,
    options: LoopOptions,
}

impl LoopConfig {
    /// This model, with the usual limits, and nobody to ask.
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self { model: NamedModel::new(model), options: LoopOptions::new() }
    }

    /// What holds for all agents whose own options say nothing else.
    #[must_use]
    pub fn options(mut self, options: LoopOptions) -> Self {
        self.options = options;
        self
    }

    /// The model of an agent with these options.
    pub(crate) fn model_name<'a>(&'a self, own: Option<&'a LoopOptions>) -> &'a Arc<str> {
        let own = own.and_then(|own| own.model.as_ref());
        &own.or(self.options.model.as_ref()).unwrap_or(&self.model).name
    }

    /// What holds for an agent with these options.
    pub(crate) fn settings(&self, own: Option<&LoopOptions>) -> Settings {
        let of_all = self.options.clone();
        let own = own.cloned().unwrap_or_default();
        Settings {
            model: own.model.or(of_all.model).unwrap_or_else(|| self.model.clone()),
            limits: own.limits.or(of_all.limits).unwrap_or_default(),
            retries: own.retries.or(of_all.retries).unwrap_or_default(),
            max_output_tokens: own.max_output_tokens.or(of_all.max_output_tokens),
            tool_timeout: own.tool_timeout.or(of_all.tool_timeout),
            approver: own.approver.or(of_all.approver),
            above: own.above.or(of_all.above),
        }
    }
}

/// How agents are driven: all of a loop's ([`LoopConfig::options`]), and one agent by a field of its own options, which then goes
/// before.
///
/// ```
/// use dsh_agent::AgentOptions;
/// use dsh_agent_loop::{LoopOptions, TurnLimits};
///
/// let options = AgentOptions::new("reviewer").with(LoopOptions::new().limits(TurnLimits::new().steps(5)));
/// # drop(options);
/// ```
#[derive(Clone, Default)]
pub struct LoopOptions {
    model: Option<NamedModel>,
    limits: Option<TurnLimits>,
    retries: Option<Retries>,
    max_output_tokens: Option<u64>,
    tool_timeout: Option<Duration>,
    approver: Option<Arc<dyn Approver>>,
    above: Option<Budget>,
}

impl LoopOptions {
    /// Nothing yet: for one agent, all as the loop is configured; for a loop, the usual limits, and nobody to ask.
    pub fn new() -> Self {
        Self::default()
    }

    /// The model.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn Model>) -> Self {
        self.model = Some(NamedModel::new(model));
        self
    }

    /// What a turn may not have more of.
    #[must_use]
    pub fn limits(mut self, limits: TurnLimits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// How failed requests are tried again.
    #[must_use]
    pub fn retries(mut self, retries: Retries) -> Self {
        self.retries = Some(retries);
        self
    }

    /// The most tokens of an answer; the provider's own limit where nobody says.
    #[must_use]
    pub fn max_output_tokens(mut self, tokens: u64) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// How long each tool may run, where it does not say so itself.
    #[must_use]
    pub fn tool_timeout(mut self, limit: Duration) -> Self {
        self.tool_timeout = Some(limit);
        self
    }

    /// Who decides where a listener of `tools/pre-execute` asks.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// All that its turns take is taken from this budget too: its limits hold for this agent and all agents under it together.
    #[must_use]
    pub fn under(mut self, budget: Budget) -> Self {
        self.above = Some(budget);
        self
    }
}

/// What holds for one agent.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) model: NamedModel,
    pub(crate) limits: TurnLimits,
    pub(crate) retries: Retries,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) tool_timeout: Option<Duration>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) above: Option<Budget>,
}

impl fmt::Debug for LoopConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoopConfig").field("model", &self.model.name).field("options", &self.options).finish()
    }
}

impl fmt::Debug for LoopOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoopOptions")
            .field("model", &self.model.as_ref().map(|model| &model.name))
            .field("limits", &self.limits)
            .field("retries", &self.retries)
            .finish_non_exhaustive()
    }
}
