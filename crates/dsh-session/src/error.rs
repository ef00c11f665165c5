//! The crate's one error: a kind, a stable code, where, and what would be right. Never a word of the conversation.

use std::fmt;
use std::io;
use std::sync::Arc;

use dsh_kernel::{Failure, Owner, Teardown};

use crate::id::SessionId;

/// An error of sessions: one pointer, cheap to clone.
///
/// Errors of the kernel pass through with their own code: see [`Error::kernel`].
///
/// ```
/// use dsh_session::{ErrorKind, MemoryStore, SessionStore};
///
/// let error = MemoryStore::new().read(&"gone".parse()?).unwrap_err();
/// assert_eq!((error.kind(), error.code()), (ErrorKind::NotFound, "session::not_found"));
/// assert_eq!(error.to_string(), "session `gone`: there is no such session: list the sessions to see which there are");
/// # Ok::<(), dsh_session::Error>(())
/// ```
#[derive(Clone)]
pub struct Error(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    problem: Box<str>,
    help: Box<str>,
    id: Option<SessionId>,
    line: Option<u64>,
    pid: Option<u32>,
    owner: Option<Owner>,
    first_owner: Option<Owner>,
    io: Option<Arc<io::Error>>,
    kernel: Option<dsh_kernel::Error>,
    teardown: Option<Teardown>,
}

/// What went wrong, for matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `session::invalid_id`: no name of a session.
    InvalidId,
    /// `session::not_found`: there is no session of that name.
    NotFound,
    /// `session::exists`: there is one of that name already.
    Exists,
    /// `session::locked`: somebody else writes to it; see [`Error::pid`].
    Locked,
    /// `session::not_a_file`: a link, a folder or something else stands in the session's place.
    NotAFile,
    /// `session::corrupt`: a line is damaged; see [`Error::line`].
    Corrupt,
    /// `session::newer_version`: a later dsh wrote it.
    NewerVersion,
    /// `session::unknown_event`: a record of a type that this version does not have.
    UnknownEvent,
    /// `session::io`: the system refused; see [`Error::io`].
    Io,
    /// `session::broken`: a write failed and could not be taken back; open the session again.
    Broken,
    /// `session::detached`: the session has been left, and takes no events.
    Detached,
    /// `session::already_entered`: somebody has entered it; see [`Error::first_owner`].
    AlreadyEntered,
    /// `session::out_of_place`: an event that cannot come now.
    OutOfPlace,
    /// `session::invalid_message`: a message that would leave a call without its one result, or a result without its call.
    InvalidMessage,
    /// `session::turn_not_ended`: a fork at a turn that is not there or has not ended.
    TurnNotEnded,
    /// `session::not_rebuilt`: what was rebuilt is not what was asked.
    NotRebuilt,
    /// An error of the kernel, with its own code.
    Kernel,
}

impl ErrorKind {
    /// The stable code of this kind; of a kernel's error only `kernel`, since [`Error::code`] has the kernel's own.
    pub const fn code(self) -> &'static str {
        match self {
            Self::InvalidId => "session::invalid_id",
            Self::NotFound => "session::not_found",
            Self::Exists => "session::exists",
            Self::Locked => "session::locked",
            Self::NotAFile => "session::not_a_file",
            Self::Corrupt => "session::corrupt",
            Self::NewerVersion => "session::newer_version",
            Self::UnknownEvent => "session::unknown_event",
            Self::Io => "session::io",
            Self::Broken => "session::broken",
            Self::Detached => "session::detached",
            Self::AlreadyEntered => "session::already_entered",
            Self::OutOfPlace => "session::out_of_place",
            Self::InvalidMessage => "session::invalid_message",
            Self::TurnNotEnded => "session::turn_not_ended",
            Self::NotRebuilt => "session::not_rebuilt",
            Self::Kernel => "kernel",
        }
    }
}

impl Error {
    /// An error of this kind, with what is wrong. A store of one's own makes its errors with this.
    pub fn new(kind: ErrorKind, problem: impl Into<Box<str>>) -> Self {
        Self(Arc::new(Inner {
            kind,
            problem: problem.into(),
            help: Box::default(),
            id: None,
            line: None,
            pid: None,
            owner: None,
            first_owner: None,
            io: None,
            kernel: None,
            teardown: None,
        }))
    }

    /// With what would be right.
    #[must_use]
    pub fn with_help(self, help: impl Into<Box<str>>) -> Self {
        self.with(|inner| inner.help = help.into())
    }

    /// With the session that it is about.
    #[must_use]
    pub fn about(self, id: &SessionId) -> Self {
        self.with(|inner| inner.id = Some(id.clone()))
    }

    /// With the line of the file, from 1.
    #[must_use]
    pub fn at_line(self, line: u64) -> Self {
        self.with(|inner| inner.line = Some(line))
    }

    /// With the process that holds the lock.
    #[must_use]
    pub fn held_by(self, pid: Option<u32>) -> Self {
        self.with(|inner| inner.pid = pid)
    }

    /// What the system refused to do, and its error.
    pub fn of_io(doing: &str, error: impl Into<io::Error>) -> Self {
        let error = error.into();
        let problem = format!("{doing}: {error}");
        Self::new(ErrorKind::Io, problem).with(|inner| inner.io = Some(Arc::new(error)))
    }

    pub(crate) fn owners(self, owner: Owner, first: Owner) -> Self {
        self.with(|inner| (inner.owner, inner.first_owner) = (Some(owner), Some(first)))
    }

    /// The error of a registration: what its body failed with stands in place of the kernel's account of it, and keeps the
    /// rollback's end.
    pub(crate) fn of_effect(error: dsh_kernel::Error) -> Self {
        match error.failure().and_then(Failure::downcast_ref::<Self>) {
            Some(own) if error.kind() == dsh_kernel::ErrorKind::BodyFailed => {
                own.clone().with(|inner| inner.teardown = error.teardown())
            }
            _ => error.into(),
        }
    }

    fn with(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// What went wrong, for matching.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The stable code, such as `session::locked`; for an error of the kernel, the kernel's.
    pub fn code(&self) -> &'static str {
        self.kernel().map_or(self.0.kind.code(), dsh_kernel::Error::code)
    }

    /// What is wrong, without the place: a headline that stands alone.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// What would be right; empty where nobody can say.
    pub fn help(&self) -> &str {
        &self.0.help
    }

    /// The session that it is about.
    pub fn session(&self) -> Option<&SessionId> {
        self.0.id.as_ref()
    }

    /// The line of the session's file, from 1. The record there has the `seq` one less.
    pub fn line(&self) -> Option<u64> {
        self.0.line
    }

    /// The process that holds the lock, where the system tells.
    pub fn pid(&self) -> Option<u32> {
        self.0.pid
    }

    /// Who was refused; of a kernel's error, whom that one names.
    pub fn owner(&self) -> Option<&Owner> {
        self.0.owner.as_ref().or_else(|| self.kernel()?.owner())
    }

    /// Who had entered the session before.
    pub fn first_owner(&self) -> Option<&Owner> {
        self.0.first_owner.as_ref()
    }

    /// The system's error.
    pub fn io(&self) -> Option<&io::Error> {
        self.0.io.as_deref()
    }

    /// The kernel's error, where it is one.
    pub fn kernel(&self) -> Option<&dsh_kernel::Error> {
        self.0.kernel.as_ref()
    }

    /// The end of the rollback, where a registration was rolled back (K7).
    pub fn teardown(&self) -> Option<Teardown> {
        self.0.teardown.clone().or_else(|| self.kernel()?.teardown())
    }
}

impl From<dsh_kernel::Error> for Error {
    fn from(error: dsh_kernel::Error) -> Self {
        Self::new(ErrorKind::Kernel, error.to_string()).with(|inner| inner.kernel = Some(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { id, line, problem, help, pid, first_owner, .. } = &*self.0;
        match (id, line) {
            (Some(id), Some(line)) => write!(f, "session `{id}`, line {line}: ")?,
            (Some(id), None) => write!(f, "session `{id}`: ")?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        f.write_str(problem)?;
        if let Some(pid) = pid {
            write!(f, " (process {pid})")?;
        }
        if let Some(first) = first_owner {
            write!(f, " (by `{first}`)")?;
        }
        if !help.is_empty() {
            write!(f, ": {help}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {self}", self.code())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The texts of both are in this error's text already.
        match (&self.0.kernel, &self.0.io) {
            (Some(kernel), _) => kernel.source(),
            (None, Some(io)) => io.get_ref().and_then(|inner| inner.source()),
            (None, None) => None,
        }
    }
}
