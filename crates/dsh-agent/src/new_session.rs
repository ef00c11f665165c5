//! Which session an agent is made with.

use dsh_session::{Session, SessionId};

/// A new session for an agent. Like everything of it, it goes where the agent is not made after all.
///
/// ```
/// use dsh_agent::{AgentOptions, NewSession};
/// use dsh_session::SessionId;
///
/// let (source, parent) = (SessionId::new(0, 1), SessionId::new(0, 2));
/// let options = AgentOptions::new("reviewer").session(NewSession::fork(source, 3).named(SessionId::new(0, 3)).parent(parent));
/// # drop(options);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "an agent has it by `AgentOptions::session`"]
pub struct NewSession {
    pub(crate) id: Option<SessionId>,
    pub(crate) parent: Option<SessionId>,
    /// Whose turns it begins with, and the last of them.
    pub(crate) source: Option<(SessionId, u32)>,
}

impl NewSession {
    /// One without turns.
    pub fn new() -> Self {
        Self::default()
    }

    /// One with the turns of another up to `turn`, which has ended; with none where it is 0. Its header tells of the agent that is made, and
    /// where it comes from.
    pub fn fork(source: SessionId, turn: u32) -> Self {
        Self { source: Some((source, turn)), ..Self::default() }
    }

    /// Its name. Without one, the plugin's source of names makes it ([`Agents::ids`](crate::Agents::ids)).
    pub fn named(mut self, id: SessionId) -> Self {
        self.id = Some(id);
        self
    }

    /// The session of the agent that this one works for, which it notes.
    pub fn parent(mut self, id: SessionId) -> Self {
        self.parent = Some(id);
        self
    }
}

/// The session of an agent that is made: a new one, or one that is open already.
#[derive(Debug)]
pub struct AgentSession(pub(crate) Choice);

#[derive(Debug)]
pub(crate) enum Choice {
    New(NewSession),
    Open(Session),
}

impl From<NewSession> for AgentSession {
    fn from(new: NewSession) -> Self {
        Self(Choice::New(new))
    }
}

/// One that is open, and that nobody has entered.
impl From<Session> for AgentSession {
    fn from(session: Session) -> Self {
        Self(Choice::Open(session))
    }
}
