//! What a command tool is made of.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use dsh_llm::ToolSchema;
use dsh_tools::Tool;

use crate::call;
use crate::error::Error;

/// So much is kept of what a command writes, unless the tool says otherwise: pictures of 5 MB and what stands round them.
const OUTPUT_LIMIT: usize = 8 << 20;

/// So long a command has between being asked to end and being killed, unless the tool says otherwise. The kernel gives a task 5 s to end.
const GRACE: Duration = Duration::from_secs(2);

/// An executable that is a tool.
///
/// # A call
///
/// The command runs in a process group of its own, in the tool's [`folder`](Self::folder), with the tool's
/// [`environment`](Self::environment) and nothing else in it. It reads the arguments as one JSON object on its standard input,
/// which then ends; it may as well leave them unread.
///
/// Ending with status 0, it has answered: with content blocks, where its standard output is one JSON object whose only key is
/// `content`, and that a list of objects which each have a string `type`; with text everywhere else. The blocks are those of
/// [`ContentBlock`](dsh_llm::ContentBlock): `{"type": "text", "text": "…"}`,
/// `{"type": "image", "media_type": "image/png", "data": "…"}`,
/// `{"type": "resource", "uri": "…", "body": {"text": "…"}}`; one that is none of these makes the call fail. Of text, the newline at
/// the end is no part; bytes that are not UTF-8 become U+FFFD.
///
/// Any other status, or a signal, is an error result, with the end of standard error. That the command cannot be started is a
/// failure for the host ([`Error`]).
///
/// # Its end
///
/// When the call is cancelled, its time is over, its plugin unloads or its future is dropped, the whole group gets `TERM`, and
/// after a grace `KILL`. What a command has left running in its group when it ends by itself is ended in the same way, a moment
/// later. A process that leaves the group escapes that; so does what a killed dsh had started, though its standard output is then closed.
/// On systems other than Unix the command itself is killed, and what it started is not.
///
/// ```
/// use dsh_llm::{NO_PARAMETERS, ToolSchema};
/// use dsh_tool_command::{CommandTool, ErrorKind};
///
/// let schema = || ToolSchema::new("now", "Tells the time.", NO_PARAMETERS);
/// assert!(CommandTool::new(schema()?, ["date", "-u"]).is_ok());
/// let error = CommandTool::new(schema()?, [] as [&str; 0]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::EmptyCommand);
/// # Ok::<(), dsh_llm::Error>(())
/// ```
#[derive(Clone)]
pub struct CommandTool {
    schema: ToolSchema,
    spec: Spec,
    exclusive: bool,
    timeout: Option<Duration>,
}

/// What is the same in every call.
#[derive(Clone)]
pub(crate) struct Spec {
    pub(crate) tool: Box<str>,
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) output_limit: usize,
    pub(crate) grace: Duration,
}

impl CommandTool {
    /// A tool of this schema that runs this command: the program and its arguments, a word each. A program without a separator in it
    /// is looked for on the `PATH` of the tool's environment; a path is taken from the tool's folder.
    ///
    /// # Errors
    ///
    /// `command::empty_command` where there is no program; `command::invalid_word` where a word has a zero byte, which no system
    /// hands over.
    pub fn new<W: Into<OsString>>(schema: ToolSchema, command: impl IntoIterator<Item = W>) -> Result<Self, Error> {
        let mut words = command.into_iter().map(Into::into);
        let tool: Box<str> = schema.name().into();
        let program = match words.next() {
            Some(program) if !program.is_empty() => program,
            Some(_) | None => return Err(Error::empty_command(&tool)),
        };
        let arguments: Vec<OsString> = words.collect();
        if std::iter::once(&program).chain(&arguments).any(|word| word.as_encoded_bytes().contains(&0)) {
            return Err(Error::invalid_word(&tool));
        }
        let spec = Spec {
            tool,
            program,
            arguments,
            folder: None,
            environment: Vec::new(),
            output_limit: OUTPUT_LIMIT,
            grace: GRACE,
        };
        Ok(Self { schema, spec, exclusive: false, timeout: None })
    }

    /// The folder that the command runs in. Without it, that of the call's [`RunContext`](dsh_tools::ToolContext::get), if it has
    /// one; else that of this process.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.spec.folder = Some(folder.into());
        self
    }

    /// The environment that the command sees: these variables and no others. This crate reads none itself.
    #[must_use]
    pub fn environment<N: Into<OsString>, V: Into<OsString>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        self.spec.environment = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        self
    }

    /// How long one call may take; the caller's limit holds too.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// No other call of the same step runs while this one does (T5).
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// So many bytes are kept of standard output, 8 MiB unless this is said. What is over is read, so that the command goes on,
    /// counted, and let go.
    #[must_use]
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.spec.output_limit = bytes;
        self
    }

    /// How long the command has to end when it is asked to, before it is killed: 2 s unless this is said. To be of use it is shorter
    /// than the kernel's own grace.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.spec.grace = grace;
        self
    }
}

impl From<CommandTool> for Tool {
    fn from(command: CommandTool) -> Self {
        let spec = Arc::new(command.spec);
        let mut tool = Self::raw(command.schema, move |arguments, cx| call::call(Arc::clone(&spec), arguments, cx));
        if command.exclusive {
            tool = tool.exclusive();
        }
        match command.timeout {
            Some(limit) => tool.timeout(limit),
            None => tool,
        }
    }
}

impl fmt::Debug for CommandTool {
    /// Values of the environment may be secrets, and are not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandTool")
            .field("tool", &self.spec.tool)
            .field("program", &self.spec.program)
            .field("arguments", &self.spec.arguments)
            .field("folder", &self.spec.folder)
            .finish_non_exhaustive()
    }
}
