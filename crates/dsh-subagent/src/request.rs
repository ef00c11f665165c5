//! What is asked of a subagent.

use std::fmt;

use dsh_agent::Agent;
use dsh_agent_loop::Budget;
use dsh_kernel::Name;
use dsh_llm::Message;
use dsh_template::Text;
use dsh_tools::ToolFilter;
use serde_json::Value;

use crate::capability::Capability;

/// What is asked of a subagent: a prompt, for whom, and how the child is to be.
///
/// ```
/// use dsh_subagent::SubagentRequest;
/// use dsh_tools::ToolFilter;
/// use serde_json::json;
///
/// let request = SubagentRequest::new("Which of the tests fail, and since when?")
///     .persona("You read logs.")
///     .tools(ToolFilter::new().allow(["read", "find"]))
///     .depth(0)
///     .output_schema(json!({"type": "object", "required": ["failing"]}));
/// # drop(request);
/// ```
#[derive(Clone)]
#[must_use = "it is run by `ctx.subagents().start(provider, request)`"]
pub struct SubagentRequest {
    pub(crate) prompt: Message,
    pub(crate) name: Option<Name>,
    pub(crate) description: Box<str>,
    pub(crate) parent: Option<Agent>,
    pub(crate) budget: Option<Budget>,
    pub(crate) context: bool,
    pub(crate) persona: Option<Text>,
    pub(crate) tools: Option<ToolFilter>,
    pub(crate) depth: Option<u32>,
    pub(crate) output_schema: Option<Value>,
}

impl SubagentRequest {
    /// This prompt, for the agent of the context's scope, if it has one.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self::of(Message::user(prompt))
    }

    /// A prompt of more than text.
    pub fn of(prompt: Message) -> Self {
        Self {
            prompt,
            name: None,
            description: "".into(),
            parent: None,
            budget: None,
            context: false,
            persona: None,
            tools: None,
            depth: None,
            output_schema: None,
        }
    }

    /// What the child is called; otherwise as the provider is.
    pub fn name(mut self, name: impl Into<Name>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What the work is, in a few words for whoever watches: it stands in [`SubagentStart`](crate::SubagentStart).
    pub fn description(mut self, description: impl Into<Box<str>>) -> Self {
        self.description = description.into();
        self
    }

    /// The agent that the child works for: it bounds the child, and ends it when it ends (G3). Without one it is the agent of the scope
    /// of the context that starts it; if that has none, the child works for nobody, and nothing but the global tools bounds it.
    pub fn parent(mut self, parent: &Agent) -> Self {
        self.parent = Some(parent.clone());
        self
    }

    /// What is left of the turn that asks for it: all that the child and those under it take is taken from that too. Without one it is that
    /// of its parent's turn, while one is under way. A tool finds it in its context.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The child is to know what its parent's conversation says until now ([`Capability::Context`]).
    pub fn context(mut self) -> Self {
        self.context = true;
        self
    }

    /// The persona of the child, in place of everybody's: a `deployment:persona` for it alone ([`Capability::Persona`]). A bare string is
    /// a template.
    pub fn persona(mut self, persona: impl Into<Text>) -> Self {
        self.persona = Some(persona.into());
        self
    }

    /// Of the tools that its parent has, which the child may have ([`Capability::ToolFilter`]).
    pub fn tools(mut self, filter: ToolFilter) -> Self {
        self.tools = Some(filter);
        self
    }

    /// How many levels of agents may work under the child, where its parent's own limit leaves as many; 0 for none
    /// ([`Capability::Depth`]).
    pub fn depth(mut self, levels: u32) -> Self {
        self.depth = Some(levels);
        self
    }

    /// The final answer is to be JSON of this schema ([`Capability::OutputSchema`]). An answer that is not is asked for once more, with
    /// what is wrong with it.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// The first of what it asks for that is not among these.
    pub(crate) fn first_unmet(&self, has: impl Fn(Capability) -> bool) -> Option<Capability> {
        let asks = |capability: Capability| match capability {
            Capability::Context => self.context,
            Capability::Persona => self.persona.is_some(),
            Capability::ToolFilter => self.tools.is_some(),
            Capability::Depth => self.depth.is_some(),
            Capability::OutputSchema => self.output_schema.is_some(),
        };
        Capability::ALL.into_iter().find(|capability| asks(*capability) && !has(*capability))
    }
}

/// What was said stays out of it: it may be long, and secret.
impl fmt::Debug for SubagentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubagentRequest")
            .field("name", &self.name)
            .field("parent", &self.parent)
            .field("context", &self.context)
            .field("persona", &self.persona.is_some())
            .field("tools", &self.tools)
            .field("depth", &self.depth)
            .field("output_schema", &self.output_schema.is_some())
            .finish_non_exhaustive()
    }
}
