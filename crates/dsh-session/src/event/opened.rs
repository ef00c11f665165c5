//! The header of a log: its format, its name and where it comes from.

use serde::{Deserialize, Serialize};

use crate::id::SessionId;

/// The version of the format that this crate writes. It reads this one; a newer one is refused.
pub const FORMAT_VERSION: u32 = 1;

/// The first record of a log.
///
/// ```
/// use dsh_session::{Opened, SessionId};
///
/// let opened = Opened::new(SessionId::new(1_760_000_000_000, 7)).agent("main").model("scripted").cwd("/srv/shop");
/// assert_eq!(opened.version, dsh_session::FORMAT_VERSION);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Opened {
    /// The version of the format.
    pub version: u32,
    /// The session's name.
    pub id: SessionId,
    /// The agent whose session it is; empty where nobody said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The model that it began with; a request names its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The working folder that it began in, as text for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The session of the agent that had this one made, to work for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// The session whose turns it begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<Origin>,
}

impl Opened {
    /// The header of a new session.
    pub fn new(id: SessionId) -> Self {
        Self {
            version: FORMAT_VERSION,
            id,
            agent: String::new(),
            model: None,
            cwd: None,
            parent: None,
            forked_from: None,
        }
    }

    /// Whose session it is.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.agent = name.into();
        self
    }

    /// The session of the agent that had it made.
    #[must_use]
    pub fn parent(mut self, id: SessionId) -> Self {
        self.parent = Some(id);
        self
    }

    /// The model that it begins with.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// The working folder that it begins in.
    #[must_use]
    pub fn cwd(mut self, folder: impl Into<String>) -> Self {
        self.cwd = Some(folder.into());
        self
    }
}

/// Where a forked session comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Origin {
    /// The session that was forked.
    pub session: SessionId,
    /// The last of its turns that was taken over; 0 where none was.
    pub turn: u32,
}

impl Origin {
    /// A fork of this session after this turn.
    pub fn new(session: SessionId, turn: u32) -> Self {
        Self { session, turn }
    }
}
