//! What happens in a session: the events that a log is made of.

mod call;
mod compaction;
mod input;
mod opened;
mod prompt;
mod step;
mod turn;

use serde::{Deserialize, Serialize};

pub use call::{CallEnded, CallStarted};
pub use compaction::{Compacted, Repaired};
pub use input::{Attached, Input, Via};
pub use opened::{FORMAT_VERSION, Opened, Origin};
pub use prompt::Prompt;
pub use step::{Answered, Request, RequestMessages, StepFailed};
pub use turn::{TurnEnd, TurnEnded, TurnLimit, TurnStarted};

/// Something that happened in a session. In JSON an object whose `type` is the variant in snake case.
///
/// Each variant is a type of its own, made by methods, and turns into an event by `From`: so `session.append(Input::new(…))`.
///
/// ```
/// use dsh_llm::Message;
/// use dsh_session::{Input, SessionEvent, Via};
///
/// let event = SessionEvent::from(Input::new(Message::user("Hello"), Via::Prompt));
/// assert_eq!(
///     serde_json::to_string(&event)?,
///     r#"{"type":"input","via":"prompt","message":{"role":"user","content":[{"type":"text","text":"Hello"}]}}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionEvent {
    /// The session begins: the first record, and no other.
    Opened(Opened),
    /// A turn begins; the events up to its [`TurnEnded`](Self::TurnEnded) belong to it.
    TurnStarted(TurnStarted),
    /// Somebody said something to the agent.
    Input(Input),
    /// A system prompt with its tools that requests refer to by hash; once for each that is distinct.
    Prompt(Prompt),
    /// A model is asked.
    Request(Request),
    /// The model has answered.
    Answered(Answered),
    /// A step ended without an answer.
    StepFailed(StepFailed),
    /// A tool is about to run: written before it does.
    CallStarted(CallStarted),
    /// A call has its result.
    CallEnded(CallEnded),
    /// Something other than an input and an answer comes into the conversation.
    Attached(Attached),
    /// A summary takes the place of the oldest part of the conversation.
    Compacted(Compacted),
    /// The turn is over.
    TurnEnded(TurnEnded),
    /// Opening the log repaired it.
    Repaired(Repaired),
}

impl SessionEvent {
    /// The `type` of its JSON.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Opened(_) => "opened",
            Self::TurnStarted(_) => "turn_started",
            Self::Input(_) => "input",
            Self::Prompt(_) => "prompt",
            Self::Request(_) => "request",
            Self::Answered(_) => "answered",
            Self::StepFailed(_) => "step_failed",
            Self::CallStarted(_) => "call_started",
            Self::CallEnded(_) => "call_ended",
            Self::Attached(_) => "attached",
            Self::Compacted(_) => "compacted",
            Self::TurnEnded(_) => "turn_ended",
            Self::Repaired(_) => "repaired",
        }
    }
}

macro_rules! events {
    ($($event:ident),+) => {
        $(impl From<$event> for SessionEvent {
            fn from(event: $event) -> Self {
                Self::$event(event)
            }
        })+
    };
}

events!(
    Opened,
    TurnStarted,
    Input,
    Prompt,
    Request,
    Answered,
    StepFailed,
    CallStarted,
    CallEnded,
    Attached,
    Compacted,
    TurnEnded,
    Repaired
);
