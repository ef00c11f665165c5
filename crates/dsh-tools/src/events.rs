//! The three events of the registry (T1, T4).

use dsh_kernel::{Emit, Event, Name, Owner, Registered, ScopeKey, Waterfall, WaterfallEvent};
use dsh_llm::{ContentBlock, Message, ToolCall};
use dsh_system_prompt::AssembleContext;

/// What was registered or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// A tool.
    Tool,
    /// A restriction of a scope, which has no name.
    Restriction,
}

/// `tools/change`: a tool or a restriction came or went, perhaps for one scope; every listener hears it (T1).
///
/// A listener that fails on an addition undoes it, and who registered gets the failure; on a removal, the removal stands (S9).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolChange {
    /// What kind.
    pub kind: ChangeKind,
    /// The tool's name; a restriction has none.
    pub name: Option<Name>,
    /// Whose it is.
    pub owner: Owner,
    /// For which scope; `None` for everyone.
    pub scope: Option<ScopeKey>,
    /// Whether it came or went.
    pub change: Registered,
}

impl Event for ToolChange {
    const NAME: &'static str = "tools/change";
    const DOC: &'static str = "A tool or a restriction was registered or removed.";
    type Mode = Emit;
}

/// `tools/pre-execute`: a call whose arguments are checked is about to run; listeners may change its arguments, deny it, or have
/// the host asked (T4). A listener that fails keeps the tool from running.
///
/// ```
/// use dsh_kernel::Kernel;
/// use dsh_tools::{Decision, PreExecuteEvent};
///
/// let kernel = Kernel::new();
/// kernel.root().on_waterfall::<PreExecuteEvent, _>(|mut call, _event, next| async move {
///     if call.call().name == "shell" {
///         call.ask("it runs a command");
///     }
///     next.run(call).await
/// })?;
/// # Ok::<(), dsh_kernel::Error>(())
/// ```
#[derive(Debug)]
pub struct PreExecuteEvent {
    pub(crate) facts: EventFacts,
}

/// `tools/post-execute`: a tool has run; listeners may replace the content of its result, take it back with words for the model,
/// or attach messages (T4). A listener that fails withholds the result.
#[derive(Debug)]
pub struct PostExecuteEvent {
    pub(crate) facts: EventFacts,
}

/// Whose tool is called, and for whom.
#[derive(Clone, Debug)]
pub(crate) struct EventFacts {
    pub(crate) owner: Owner,
    pub(crate) scope: Option<ScopeKey>,
    pub(crate) fields: AssembleContext,
}

macro_rules! facts {
    ($event:ty) => {
        impl $event {
            /// Whose tool it is.
            pub fn owner(&self) -> &Owner {
                &self.facts.owner
            }

            /// The scope that it is called for.
            pub fn scope(&self) -> Option<ScopeKey> {
                self.facts.scope
            }

            /// A field that the caller has added, by its type.
            pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
                self.facts.fields.get()
            }
        }
    };
}

facts!(PreExecuteEvent);
facts!(PostExecuteEvent);

impl Event for PreExecuteEvent {
    const NAME: &'static str = "tools/pre-execute";
    const DOC: &'static str =
        "A call is about to run; listeners may change its arguments, deny it, or have the host asked.";
    type Mode = Waterfall;
}

impl WaterfallEvent for PreExecuteEvent {
    type Value = PreExecute;
}

impl Event for PostExecuteEvent {
    const NAME: &'static str = "tools/post-execute";
    const DOC: &'static str =
        "A tool has run; listeners may replace its result, block it with feedback, or attach messages.";
    type Mode = Waterfall;
}

impl WaterfallEvent for PostExecuteEvent {
    type Value = PostExecute;
}

/// Whether a call may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// It may.
    #[default]
    Allow,
    /// It may not.
    #[non_exhaustive]
    Deny {
        /// For the model.
        reason: String,
    },
    /// The host decides ([`Approver`](crate::Approver)); without one it may not.
    #[non_exhaustive]
    Ask {
        /// For whoever is asked.
        reason: String,
    },
}

/// A call before it runs: what goes through the listeners of [`PreExecuteEvent`].
#[derive(Clone, Debug)]
pub struct PreExecute {
    pub(crate) call: ToolCall,
    pub(crate) decision: Decision,
}

impl PreExecute {
    pub(crate) fn new(call: ToolCall) -> Self {
        Self { call, decision: Decision::Allow }
    }

    /// The call.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Replaces the arguments by other JSON text, which is checked as the first was.
    pub fn set_arguments(&mut self, arguments: impl Into<String>) {
        self.call.arguments = arguments.into();
    }

    /// What is decided so far.
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Has nobody asked about it; a denial stands.
    pub fn allow(&mut self) {
        if let Decision::Ask { .. } = self.decision {
            self.decision = Decision::Allow;
        }
    }

    /// Denies it, whatever was decided before.
    pub fn deny(&mut self, reason: impl Into<String>) {
        self.decision = Decision::Deny { reason: reason.into() };
    }

    /// Has the host asked, unless it is denied already.
    pub fn ask(&mut self, reason: impl Into<String>) {
        if !matches!(self.decision, Decision::Deny { .. }) {
            self.decision = Decision::Ask { reason: reason.into() };
        }
    }
}

/// A result before the model gets it: what goes through the listeners of [`PostExecuteEvent`].
#[derive(Clone, Debug)]
pub struct PostExecute {
    pub(crate) call: ToolCall,
    pub(crate) content: Vec<ContentBlock>,
    pub(crate) code: Option<&'static str>,
    pub(crate) blocked: Option<String>,
    pub(crate) attached: Vec<Message>,
}

impl PostExecute {
    /// The call, as it ran.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// What the model would read, within the limit.
    pub fn content(&self) -> &[ContentBlock] {
        &self.content
    }

    /// Of an error result, its kind.
    pub fn code(&self) -> Option<&'static str> {
        self.code
    }

    /// Whether it is an error result.
    pub fn is_error(&self) -> bool {
        self.code.is_some()
    }

    /// Replaces the content. It stays an error result, or a good one.
    pub fn replace(&mut self, content: impl IntoIterator<Item = ContentBlock>) {
        self.content = content.into_iter().collect();
    }

    /// Takes the result back: the model reads this instead, as an error result (`tools::blocked`). The last word holds.
    pub fn block(&mut self, feedback: impl Into<String>) {
        self.blocked = Some(feedback.into());
    }

    /// What the model is to read instead, where somebody took the result back.
    pub fn blocked(&self) -> Option<&str> {
        self.blocked.as_deref()
    }

    /// Attaches a message, which the model reads after the results of the step. All that are attached to one result together are of
    /// bounded size, as a result is.
    pub fn attach(&mut self, message: Message) {
        self.attached.push(message);
    }

    /// What is attached so far.
    pub fn attached(&self) -> &[Message] {
        &self.attached
    }
}
