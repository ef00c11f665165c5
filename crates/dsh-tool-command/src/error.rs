//! The crate's one error: a command that cannot be a tool, or cannot be started.

use std::fmt;
use std::io;

/// Why a command is no tool, or was not started. One pointer wide. What a command that ran answers is no error of this crate: a
/// model reads it.
///
/// In a call it is the failure for the host: [`Executed::failure`](dsh_tools::Executed::failure) hands it back.
///
/// ```
/// let schema = dsh_llm::ToolSchema::new("now", "", "{}")?;
/// let error = dsh_tool_command::CommandTool::new(schema, ["da\0te"]).unwrap_err();
/// assert_eq!(error.code(), "command::invalid_word");
/// assert_eq!(error.tool(), "now");
/// # Ok::<(), dsh_llm::Error>(())
/// ```
pub struct Error(Box<Repr>);

struct Repr {
    kind: ErrorKind,
    tool: Box<str>,
    problem: String,
    help: Option<String>,
    source: Option<io::Error>,
}

/// What went wrong, for matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `command::empty_command`: no program is named.
    EmptyCommand,
    /// `command::invalid_word`: a word has a zero byte.
    InvalidWord,
    /// `command::not_found`: the program, what a script names as its interpreter, or the folder to run in is not there.
    NotFound,
    /// `command::not_executable`: the program is there and may not be run, or is no program.
    NotExecutable,
    /// `command::not_started`: the system refuses for another reason, such as want of memory or of processes.
    NotStarted,
}

impl ErrorKind {
    /// The stable code of this kind.
    pub const fn code(self) -> &'static str {
        match self {
            Self::EmptyCommand => "command::empty_command",
            Self::InvalidWord => "command::invalid_word",
            Self::NotFound => "command::not_found",
            Self::NotExecutable => "command::not_executable",
            Self::NotStarted => "command::not_started",
        }
    }
}

impl Error {
    fn new(kind: ErrorKind, tool: &str, problem: impl Into<String>) -> Self {
        Self(Box::new(Repr { kind, tool: tool.into(), problem: problem.into(), help: None, source: None }))
    }

    pub(crate) fn empty_command(tool: &str) -> Self {
        Self::new(ErrorKind::EmptyCommand, tool, "its command names no program")
            .with_help("give the program and its arguments, a word each")
    }

    pub(crate) fn invalid_word(tool: &str) -> Self {
        Self::new(ErrorKind::InvalidWord, tool, "a word of its command has a zero byte in it")
    }

    /// The system refused to start it, which `problem` explains.
    pub(crate) fn refused(kind: ErrorKind, tool: &str, problem: impl Into<String>, source: io::Error) -> Self {
        let mut error = Self::new(kind, tool, problem);
        error.0.source = Some(source);
        error
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// What went wrong, for matching.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The stable code, such as `command::not_found`.
    pub fn code(&self) -> &'static str {
        self.0.kind.code()
    }

    /// The tool whose command it is.
    pub fn tool(&self) -> &str {
        &self.0.tool
    }

    /// What is wrong, without the tool: a headline that stands behind its name.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// What would be right, where that can be told.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the tool `{}` was not run: {}", self.0.tool, self.0.problem)?;
        if let Some(help) = &self.0.help {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({}: {self})", self.code())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|source| source as _)
    }
}
