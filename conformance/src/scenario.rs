//! The scenario format as types: what `FORMAT.md` says, field by field.
//!
//! A scenario is read whole before it runs ([`Scenario::read`]) and written back by the generator
//! ([`Scenario::to_json`]). Fields that the format does not name are passed over, as the runner of the npm package
//! passes them over.

mod read;
mod write;

pub(crate) use read::steps_of;

use std::fmt;

use serde_json::Value;

/// One scenario: a configuration and the steps that are taken in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    /// How the prompt registry is configured.
    pub config: Config,
    /// The steps.
    pub steps: Vec<Step>,
}

/// The configuration of the prompt registry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The text of `deployment:persona`.
    pub persona: Option<String>,
    /// The order of tools, with one rest entry where it is right.
    pub tool_order: Option<Vec<String>>,
}

/// One step. `at` is the format's `in`: the context that the step goes through.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Mounts a child plugin; its id is then a context.
    Plugin(Plugin),
    /// Provides a service.
    Provide {
        /// The handle made.
        id: String,
        /// The context.
        at: String,
        /// The name of the service.
        name: String,
    },
    /// Asks for a plugin's state.
    State {
        /// The plugin.
        id: String,
    },
    /// Opens a fresh scope; its id is then a context.
    Scope {
        /// The handle made.
        id: String,
        /// The context.
        at: String,
    },
    /// Makes one effect of the kinds that a composite may hold too (never [`Part::Fail`] or [`Part::Provide`]).
    Part {
        /// The handle made.
        id: String,
        /// The context.
        at: String,
        /// What is registered.
        part: Part,
    },
    /// One effect that collects its parts in order.
    Composite {
        /// The handle made.
        id: String,
        /// The context.
        at: String,
        /// The parts.
        parts: Vec<Part>,
    },
    /// Listens for `system-prompt/change`.
    OnChange {
        /// The handle made.
        id: String,
        /// The context.
        at: String,
        /// The name in the log.
        name: String,
        /// The call, from 1, at which the listener throws.
        throws_on: Option<u64>,
    },
    /// Listens for `system-prompt/assemble`.
    OnAssemble {
        /// The handle made.
        id: String,
        /// The context.
        at: String,
        /// What the listener does.
        actions: Vec<Action>,
    },
    /// Disposes a handle and awaits the teardown.
    Dispose {
        /// The handle.
        id: String,
    },
    /// Disposes a plugin or a scope and awaits.
    Unload {
        /// The plugin or scope.
        id: String,
    },
    /// Assembles; the result is the assembly.
    Assemble {
        /// The scope whose layer is merged in.
        scope: Option<String>,
    },
    /// Assembles and renders; the result is the prompt.
    Render {
        /// The scope whose layer is merged in.
        scope: Option<String>,
    },
    /// Takes the log.
    Log,
}

/// A `plugin` step.
#[derive(Clone, Debug, PartialEq)]
pub struct Plugin {
    /// The plugin's name, its handle and its context.
    pub id: String,
    /// The context that it is mounted on.
    pub at: String,
    /// The services that it waits for, beside the prompt registry.
    pub inject: Vec<String>,
    /// Whether each start logs `start:ID` and each end `stop:ID`.
    pub trace: bool,
    /// What each start registers.
    pub parts: Vec<Part>,
}

/// What a step, a composite or a plugin's start registers.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// An effect that logs its teardown.
    Probe(Probe),
    /// A section.
    Section(Section),
    /// A variable.
    Variable(Variable),
    /// A tool provider.
    Tools(Tools),
    /// A service of that name.
    Provide(String),
    /// The body fails here, with this message.
    Fail(String),
}

/// An effect whose teardown logs and takes time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The name in the log.
    pub name: String,
    /// Milliseconds between `NAME:begin` and `NAME:end`; 0 is a synchronous teardown that logs `NAME`.
    pub ms: u64,
}

/// A section to register.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its order.
    pub order: f64,
    /// Its text.
    pub text: Content,
}

/// A variable to register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, which may be malformed.
    pub name: String,
    /// Its value; nothing is "registered, no value".
    pub value: Option<Content>,
}

/// A text or a value: fixed, made at each assembly, or failing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The same each time.
    Fixed(String),
    /// Made at each assembly: `%scope%` is replaced by the scope's id, or `-`.
    Dynamic(String),
    /// Fails at each assembly with this message.
    Throws(String),
}

/// A tool provider to register.
#[derive(Clone, Debug, PartialEq)]
pub struct Tools {
    /// What it returns.
    pub schemas: Vec<Schema>,
    /// The names known before restriction, where they differ from the schemas' names.
    pub known_names: Option<Vec<String>>,
    /// The message with which it fails instead.
    pub throws: Option<String>,
}

/// One tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// One action of an assemble listener.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Logs.
    Log(String),
    /// Adds a section at the end.
    PushSection(FixedSection),
    /// Removes the sections of that name.
    DropSection(String),
    /// Sets the text of the sections of that name.
    SetText {
        /// The name.
        name: String,
        /// The text.
        text: String,
    },
    /// Sets a variable, or takes its value away.
    SetVariable {
        /// The name.
        name: String,
        /// The value.
        value: Option<String>,
    },
    /// Adds a tool at the end.
    PushTool(Schema),
    /// Removes the tools of that name.
    DropTool(String),
    /// Works on this assembly from here on, and returns it without delegating.
    Replace(Assembly),
    /// Delegates, then goes on with what came back.
    Next,
    /// Returns without delegating.
    Stop,
    /// Fails with this message.
    Throw(String),
}

/// A section of a written-out assembly.
#[derive(Clone, Debug, PartialEq)]
pub struct FixedSection {
    /// Its name.
    pub name: String,
    /// Its order, which nothing looks at once the assembly is made.
    pub order: f64,
    /// Its text.
    pub text: String,
}

/// A written-out assembly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembly {
    /// The sections in their final order.
    pub sections: Vec<FixedSection>,
    /// The tools in their final order.
    pub tools: Vec<Schema>,
    /// The variables; nothing is "no value".
    pub variables: Vec<(String, Option<String>)>,
}

/// Why a scenario cannot be run at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(String);

impl Malformed {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

impl Step {
    /// The handle that the step makes, where it makes one.
    pub fn makes(&self) -> Option<&str> {
        match self {
            Self::Plugin(plugin) => Some(&plugin.id),
            Self::Provide { id, .. }
            | Self::Scope { id, .. }
            | Self::Part { id, .. }
            | Self::Composite { id, .. }
            | Self::OnChange { id, .. }
            | Self::OnAssemble { id, .. } => Some(id),
            Self::State { .. }
            | Self::Dispose { .. }
            | Self::Unload { .. }
            | Self::Assemble { .. }
            | Self::Render { .. }
            | Self::Log => None,
        }
    }

    /// The context, handle or scope that the step uses, where it uses one.
    pub fn uses(&self) -> Option<&str> {
        match self {
            Self::Plugin(plugin) => Some(&plugin.at),
            Self::Provide { at, .. }
            | Self::Scope { at, .. }
            | Self::Part { at, .. }
            | Self::Composite { at, .. }
            | Self::OnChange { at, .. }
            | Self::OnAssemble { at, .. } => Some(at),
            Self::State { id } | Self::Dispose { id } | Self::Unload { id } => Some(id),
            Self::Assemble { scope } | Self::Render { scope } => scope.as_deref(),
            Self::Log => None,
        }
    }

    /// The name of the operation, as the format writes it.
    pub fn op(&self) -> &'static str {
        match self {
            Self::Plugin(_) => "plugin",
            Self::Provide { .. } => "provide",
            Self::State { .. } => "state",
            Self::Scope { .. } => "scope",
            Self::Part { part, .. } => part.kind(),
            Self::Composite { .. } => "composite",
            Self::OnChange { .. } => "on_change",
            Self::OnAssemble { .. } => "on_assemble",
            Self::Dispose { .. } => "dispose",
            Self::Unload { .. } => "unload",
            Self::Assemble { .. } => "assemble",
            Self::Render { .. } => "render",
            Self::Log => "log",
        }
    }

    /// The parts that the step registers, directly, at each start or in a composite.
    pub fn parts(&self) -> &[Part] {
        match self {
            Self::Plugin(plugin) => &plugin.parts,
            Self::Part { part, .. } => std::slice::from_ref(part),
            Self::Composite { parts, .. } => parts,
            Self::Provide { .. }
            | Self::State { .. }
            | Self::Scope { .. }
            | Self::OnChange { .. }
            | Self::OnAssemble { .. }
            | Self::Dispose { .. }
            | Self::Unload { .. }
            | Self::Assemble { .. }
            | Self::Render { .. }
            | Self::Log => &[],
        }
    }
}

impl Part {
    /// The key under which the format writes the part.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Probe(_) => "probe",
            Self::Section(_) => "section",
            Self::Variable(_) => "variable",
            Self::Tools(_) => "tools",
            Self::Provide(_) => "provide",
            Self::Fail(_) => "fail",
        }
    }
}

impl Action {
    /// The key under which the format writes the action.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Log(_) => "log",
            Self::PushSection(_) => "push_section",
            Self::DropSection(_) => "drop_section",
            Self::SetText { .. } => "set_text",
            Self::SetVariable { .. } => "set_variable",
            Self::PushTool(_) => "push_tool",
            Self::DropTool(_) => "drop_tool",
            Self::Replace(_) => "replace",
            Self::Next => "next",
            Self::Stop => "stop",
            Self::Throw(_) => "throw",
        }
    }
}
