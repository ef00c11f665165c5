//! A step: the model is asked and answers, and tools are called.

use std::sync::{Arc, Mutex, PoisonError};

use dsh_kernel::{Emit, Event, Serial, SerialEvent, Waterfall, WaterfallEvent};
use dsh_llm::{Message, ModelEvent, ModelRequest, StopReason, ToolCall, ToolResult, ToolSchema, Usage};

use crate::agent::Agent;
use crate::events::{PreStepDecision, StepDecision};

/// `agent/pre-step`: the prompt is rendered and the model is about to be asked. Compaction's place: the first listener that answers
/// decides, and what it appends to the session is in the request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentPreStep {
    /// Whose.
    pub agent: Agent,
    /// Which turn of the session.
    pub turn: u32,
    /// Which step of the turn, from 1.
    pub step: u32,
    /// The rendered prompt.
    pub system: Arc<str>,
    /// The tools that the model is told of.
    pub tools: Arc<[ToolSchema]>,
    charged: Arc<Mutex<Option<Usage>>>,
}

/// `agent/request`: what the model is about to be asked; listeners may change all of it. Where one fails, the step has failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentRequest {
    /// Whose.
    pub agent: Agent,
    /// Which turn of the session.
    pub turn: u32,
    /// Which step of the turn.
    pub step: u32,
}

/// `agent/stream`: a piece of the model's answer, as it comes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentStream {
    /// Whose.
    pub agent: Agent,
    /// Which turn of the session.
    pub turn: u32,
    /// Which step of the turn.
    pub step: u32,
    /// The piece.
    pub event: ModelEvent,
}

/// `agent/step-result`: the model has answered, and no call of its answer has run yet. The first listener that answers decides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentStepResult {
    /// Whose.
    pub agent: Agent,
    /// Which turn of the session.
    pub turn: u32,
    /// Which step of the turn.
    pub step: u32,
    /// The answer.
    pub message: Message,
    /// What it cost, where the provider says.
    pub usage: Option<Usage>,
    /// Why it ended.
    pub stop: Option<StopReason>,
}

/// `agent/tool-call`: a call of the model's answer is about to be executed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentToolCall {
    /// Whose.
    pub agent: Agent,
    /// Which turn of the session.
    pub turn: u32,
    /// Which step of the turn.
    pub step: u32,
    /// The call.
    pub call: ToolCall,
}

/// `agent/tool-result`: a call has its result, in the log too.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgentToolResult {
    /// Whose.
    pub agent: Agent,
    /// Which turn of the session.
    pub turn: u32,
    /// Which step of the turn.
    pub step: u32,
    /// The call.
    pub call: ToolCall,
    /// What the model will read.
    pub result: ToolResult,
    /// Of an error result, its stable code.
    pub code: Option<&'static str>,
    /// Of a failure that the model is told no more of, what it was: for the host.
    pub failure: Option<String>,
}

impl AgentPreStep {
    /// The model is about to be asked with these.
    pub fn new(agent: Agent, turn: u32, step: u32, system: Arc<str>, tools: Arc<[ToolSchema]>) -> Self {
        Self { agent, turn, step, system, tools, charged: Arc::default() }
    }

    /// Adds to what the turn costs: a listener has asked a model on its behalf.
    pub fn charge(&self, usage: Usage) {
        let mut charged = self.charged.lock().unwrap_or_else(PoisonError::into_inner);
        *charged.get_or_insert_default() += usage;
    }

    /// What the listeners have charged until now; for who drives the agent.
    pub fn charged(&self) -> Option<Usage> {
        *self.charged.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AgentRequest {
    /// The model is about to be asked.
    pub fn new(agent: Agent, turn: u32, step: u32) -> Self {
        Self { agent, turn, step }
    }
}

impl AgentStream {
    /// A piece has come.
    pub fn new(agent: Agent, turn: u32, step: u32, event: ModelEvent) -> Self {
        Self { agent, turn, step, event }
    }
}

impl AgentStepResult {
    /// The model has answered this.
    pub fn new(agent: Agent, turn: u32, step: u32, message: Message) -> Self {
        Self { agent, turn, step, message, usage: None, stop: None }
    }

    /// What it cost.
    #[must_use]
    pub fn usage(mut self, usage: Option<Usage>) -> Self {
        self.usage = usage;
        self
    }

    /// Why it ended.
    #[must_use]
    pub fn stop(mut self, stop: Option<StopReason>) -> Self {
        self.stop = stop;
        self
    }
}

impl AgentToolCall {
    /// This call is about to be executed.
    pub fn new(agent: Agent, turn: u32, step: u32, call: ToolCall) -> Self {
        Self { agent, turn, step, call }
    }
}

impl AgentToolResult {
    /// A call has this result.
    pub fn new(agent: Agent, turn: u32, step: u32, call: ToolCall, result: ToolResult) -> Self {
        Self { agent, turn, step, call, result, code: None, failure: None }
    }

    /// Of an error result, its stable code.
    #[must_use]
    pub fn code(mut self, code: Option<&'static str>) -> Self {
        self.code = code;
        self
    }

    /// What a failure was that is the host's.
    #[must_use]
    pub fn failure(mut self, failure: Option<String>) -> Self {
        self.failure = failure;
        self
    }
}

impl Event for AgentPreStep {
    const NAME: &'static str = "agent/pre-step";
    const DOC: &'static str = "The model is about to be asked; a listener may compact the session, or end the turn.";
    type Mode = Serial;
}

impl SerialEvent for AgentPreStep {
    type Answer = PreStepDecision;
}

impl Event for AgentRequest {
    const NAME: &'static str = "agent/request";
    const DOC: &'static str = "A request is about to go to the model; listeners may change it.";
    type Mode = Waterfall;
}

impl WaterfallEvent for AgentRequest {
    type Value = ModelRequest;
}

impl Event for AgentStream {
    const NAME: &'static str = "agent/stream";
    const DOC: &'static str = "A piece of the model's answer has come.";
    type Mode = Emit;
}

impl Event for AgentStepResult {
    const NAME: &'static str = "agent/step-result";
    const DOC: &'static str = "The model has answered; a listener may end the turn, or keep it going with a message.";
    type Mode = Serial;
}

impl SerialEvent for AgentStepResult {
    type Answer = StepDecision;
}

impl Event for AgentToolCall {
    const NAME: &'static str = "agent/tool-call";
    const DOC: &'static str = "A call is about to be executed.";
    type Mode = Emit;
}

impl Event for AgentToolResult {
    const NAME: &'static str = "agent/tool-result";
    const DOC: &'static str = "A call has its result.";
    type Mode = Emit;
}
