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
/// use dsh_agent_loop::{LoopConfig, TurnLimits};
/// use dsh_llm::ScriptedModel;
///
/// let model = ScriptedModel::parse("[[rules]]\nanswer = \"Good.\"")?;
/// let config = LoopConfig::new(Arc::new(model)).limits(TurnLimits::new().steps(20));
/// # drop(config);
/// # Ok::<(), dsh_llm::ScriptError>(())
/// ```
#[derive(Clone)]
pub struct LoopConfig {
    model: NamedModel,
    limits: TurnLimits,
    retries: Retries,
    max_output_tokens: Option<u64>,
    tool_timeout: Option<Duration>,
    approver: Option<Arc<dyn Approver>>,
}

impl LoopConfig {
    /// This model, with the usual limits, and nobody to ask.
    pub fn new(model: Arc<dyn Model>) -> Self {
        Self {
            model: NamedModel::new(model),
            limits: TurnLimits::new(),
            retries: Retries::new(),
            max_output_tokens: None,
            tool_timeout: None,
            approver: None,
        }
    }

    /// What a turn may not have more of.
    #[must_use]
    pub fn limits(mut self, limits: TurnLimits) -> Self {
        self.limits = limits;
        self
    }

    /// How failed requests are tried again.
    #[must_use]
    pub fn retries(mut self, retries: Retries) -> Self {
        self.retries = retries;
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

    /// The model of an agent with these options.
    pub(crate) fn model_name<'a>(&'a self, options: Option<&'a LoopOptions>) -> &'a Arc<str> {
        let own = options.and_then(|options| options.model.as_ref());
        &own.unwrap_or(&self.model).name
    }

    /// What holds for an agent with these options.
    pub(crate) fn settings(&self, options: Option<&LoopOptions>) -> Settings {
        let none = LoopOptions::new();
        let own = options.unwrap_or(&none);
        Settings {
            model: own.model.clone().unwrap_or_else(|| self.model.clone()),
            limits: own.limits.clone().unwrap_or_else(|| self.limits.clone()),
            retries: own.retries.clone().unwrap_or_else(|| self.retries.clone()),
            max_output_tokens: own.max_output_tokens.or(self.max_output_tokens),
            tool_timeout: own.tool_timeout.or(self.tool_timeout),
            approver: own.approver.clone().or_else(|| self.approver.clone()),
            above: own.above.clone(),
        }
    }
}

/// What differs for one agent: a field of its options.
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
    /// All as the loop is configured.
    pub fn new() -> Self {
        Self::default()
    }

    /// Another model.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn Model>) -> Self {
        self.model = Some(NamedModel::new(model));
        self
    }

    /// Other limits of its turns.
    #[must_use]
    pub fn limits(mut self, limits: TurnLimits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Other retries.
    #[must_use]
    pub fn retries(mut self, retries: Retries) -> Self {
        self.retries = Some(retries);
        self
    }

    /// Another limit of an answer.
    #[must_use]
    pub fn max_output_tokens(mut self, tokens: u64) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Another limit for its tools.
    #[must_use]
    pub fn tool_timeout(mut self, limit: Duration) -> Self {
        self.tool_timeout = Some(limit);
        self
    }

    /// Somebody else who decides.
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
        f.debug_struct("LoopConfig")
            .field("model", &self.model.name)
            .field("limits", &self.limits)
            .field("retries", &self.retries)
            .finish_non_exhaustive()
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
