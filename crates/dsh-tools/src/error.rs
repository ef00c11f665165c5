//! The crate's one error: a kind, a stable code, who, and what would be right.

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{Failure, Name, Owner, Teardown};
use dsh_system_prompt::TOOL_ORDER_REST;

/// An error of the tool registry: one pointer, cheap to clone. What becomes of a call is no error but a result, with the codes
/// of [`code`](crate::code).
///
/// Errors of the kernel pass through with their own code (`kernel::inactive`, `kernel::undeclared_service`,
/// `kernel::listener_failed`): see [`Error::kernel`].
///
/// ```
/// use dsh_kernel::Kernel;
/// use dsh_system_prompt::{PromptConfig, SystemPrompt};
/// use dsh_tools::{ErrorKind, Tool, ToolFilter, Tools, ToolsConfig, ToolsExt};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let root = kernel.root();
/// root.plugin(SystemPrompt::new(PromptConfig::new()))?.ready().await?;
/// root.plugin(Tools::new(ToolsConfig::new()))?.ready().await?;
/// root.tools().register(Tool::raw(dsh_llm::ToolSchema::new("read", "", "{}")?, |_, _| async { Ok("") }))?;
///
/// let scope = root.scope("agent")?;
/// let error = scope.ctx().tools().restrict(ToolFilter::new().allow(["raed"])).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::UnknownTool);
/// assert_eq!((error.code(), error.name(), error.nearest()), ("tools::unknown_tool", Some("raed"), Some("read")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Error(Arc<Inner>);

struct Inner {
    what: Arc<What>,
    teardown: Option<Teardown>,
}

struct What {
    detail: Detail,
    owner: Option<Owner>,
    first_owner: Option<Owner>,
}

pub(crate) enum Detail {
    DuplicateTool { name: Name, scoped: bool },
    InvalidSchema { name: Name, problem: String },
    ReservedName,
    UnscopedRestriction,
    CircularBound,
    EmptyFilter,
    UnknownTool { unknown: Vec<UnknownName> },
    Kernel(dsh_kernel::Error),
}

/// A name in a filter that is none of everybody's tools.
pub(crate) struct UnknownName {
    pub(crate) name: Name,
    pub(crate) nearest: Option<Name>,
    /// It is a tool of the scope itself, which no restriction touches.
    pub(crate) own: bool,
}

/// What went wrong, for matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `tools::duplicate_tool`: the name is taken in that layer (T1).
    DuplicateTool,
    /// `tools::invalid_schema`: what was registered makes no schema for a tool, or has a pattern that takes more than linear time (T4).
    InvalidSchema,
    /// `tools::reserved_name`: a tool is named `<unlisted-tools>`, which stands for all others in `tool_order` (S6).
    ReservedName,
    /// `tools::unscoped_restriction`: a restriction is for a scope, and this context has none (T2).
    UnscopedRestriction,
    /// `tools::circular_bound`: a scope was to be bounded by one that it bounds, or by itself.
    CircularBound,
    /// `tools::empty_filter`: the filter neither allows nor denies anything (T2).
    EmptyFilter,
    /// `tools::unknown_tool`: the filter names what is none of everybody's tools (T2).
    UnknownTool,
    /// An error of the kernel, with its own code.
    Kernel,
}

impl ErrorKind {
    /// The stable code of this kind; of a kernel's error only `kernel`, since [`Error::code`] has the kernel's own.
    pub const fn code(self) -> &'static str {
        match self {
            Self::DuplicateTool => "tools::duplicate_tool",
            Self::InvalidSchema => "tools::invalid_schema",
            Self::ReservedName => "tools::reserved_name",
            Self::UnscopedRestriction => "tools::unscoped_restriction",
            Self::CircularBound => "tools::circular_bound",
            Self::EmptyFilter => "tools::empty_filter",
            Self::UnknownTool => "tools::unknown_tool",
            Self::Kernel => "kernel",
        }
    }
}

impl Error {
    /// `owner` is whose registration it is, `first` who was there before.
    pub(crate) fn about(detail: Detail, owner: Owner, first: Option<Owner>) -> Self {
        Self::of(What { detail, owner: Some(owner), first_owner: first })
    }

    fn of(what: What) -> Self {
        Self(Arc::new(Inner { what: Arc::new(what), teardown: None }))
    }

    /// The error of a registration: what its insertion or a change listener failed with stands in place of the kernel's
    /// account of it, and keeps the rollback's end.
    pub(crate) fn of_effect(error: dsh_kernel::Error) -> Self {
        if error.kind() != dsh_kernel::ErrorKind::BodyFailed {
            return error.into();
        }
        let teardown = error.teardown();
        if let Some(own) = error.failure().and_then(Failure::downcast_ref::<Self>) {
            return Self(Arc::new(Inner { what: Arc::clone(&own.0.what), teardown }));
        }
        let listener = error.failure().and_then(Failure::downcast_ref::<dsh_kernel::Error>).cloned();
        let what = What { detail: Detail::Kernel(listener.unwrap_or(error)), owner: None, first_owner: None };
        Self(Arc::new(Inner { what: Arc::new(what), teardown }))
    }

    fn detail(&self) -> &Detail {
        &self.0.what.detail
    }

    /// What went wrong, for matching.
    pub fn kind(&self) -> ErrorKind {
        match self.detail() {
            Detail::DuplicateTool { .. } => ErrorKind::DuplicateTool,
            Detail::InvalidSchema { .. } => ErrorKind::InvalidSchema,
            Detail::ReservedName => ErrorKind::ReservedName,
            Detail::UnscopedRestriction => ErrorKind::UnscopedRestriction,
            Detail::CircularBound => ErrorKind::CircularBound,
            Detail::EmptyFilter => ErrorKind::EmptyFilter,
            Detail::UnknownTool { .. } => ErrorKind::UnknownTool,
            Detail::Kernel(_) => ErrorKind::Kernel,
        }
    }

    /// The stable code, such as `tools::duplicate_tool`; for an error of the kernel, the kernel's.
    pub fn code(&self) -> &'static str {
        self.kernel().map_or(self.kind().code(), dsh_kernel::Error::code)
    }

    /// Whose registration it is about: of a duplicate, who came second; of a kernel's error, whom that one names.
    pub fn owner(&self) -> Option<&Owner> {
        self.0.what.owner.as_ref().or_else(|| self.kernel()?.owner())
    }

    /// Of a duplicate, who came first.
    pub fn first_owner(&self) -> Option<&Owner> {
        self.0.what.first_owner.as_ref()
    }

    /// The tool that it is about; of several unknown ones, the first.
    pub fn name(&self) -> Option<&str> {
        match self.detail() {
            Detail::DuplicateTool { name, .. } | Detail::InvalidSchema { name, .. } => Some(name.as_str()),
            Detail::ReservedName => Some(TOOL_ORDER_REST),
            Detail::UnknownTool { .. }
            | Detail::UnscopedRestriction
            | Detail::CircularBound
            | Detail::EmptyFilter
            | Detail::Kernel(_) => self.unknown().first().map(|unknown| unknown.name.as_str()),
        }
    }

    /// All names of the filter that nobody knows, in its order.
    pub fn unknown_names(&self) -> impl Iterator<Item = &str> {
        self.unknown().iter().map(|unknown| unknown.name.as_str())
    }

    /// Of the first unknown name, the known one that is so near that it may be meant.
    pub fn nearest(&self) -> Option<&str> {
        self.unknown().first()?.nearest.as_ref().map(Name::as_str)
    }

    fn unknown(&self) -> &[UnknownName] {
        if let Detail::UnknownTool { unknown } = self.detail() { unknown } else { &[] }
    }

    /// The very failure of the listener, where foreign code failed.
    pub fn failure(&self) -> Option<&Failure> {
        self.kernel()?.failure()
    }

    /// The end of the rollback, where a registration was rolled back (K7).
    pub fn teardown(&self) -> Option<Teardown> {
        let own = self.0.teardown.clone();
        own.or_else(|| self.kernel()?.teardown())
    }

    /// The kernel's error, where it is one.
    pub fn kernel(&self) -> Option<&dsh_kernel::Error> {
        if let Detail::Kernel(error) = self.detail() { Some(error) } else { None }
    }
}

impl From<dsh_kernel::Error> for Error {
    fn from(error: dsh_kernel::Error) -> Self {
        Self::of(What { detail: Detail::Kernel(error), owner: None, first_owner: None })
    }
}

/// At most so many unknown names are told of in one message.
const LISTED: usize = 8;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = By(self.owner());
        match self.detail() {
            Detail::DuplicateTool { name, scoped } => {
                let (name, first) = (Quoted(name.as_str()), By(self.first_owner()));
                write!(f, "the tool {name} of {owner} is registered already by {first}; ")?;
                f.write_str(if *scoped {
                    "dispose the first one of this scope, or rename it"
                } else {
                    "register it through that agent's own context (`agent.ctx()`) to override it for one agent, or \
                     dispose the first one"
                })
            }
            Detail::InvalidSchema { name, problem } => {
                write!(f, "the tool {} of {owner} cannot be registered: {problem}", Quoted(name.as_str()))
            }
            Detail::ReservedName => {
                write!(f, "a tool of {owner} is named `{TOOL_ORDER_REST}`, ")?;
                f.write_str("which stands for the other tools in `tool_order`; rename it")
            }
            Detail::UnscopedRestriction => {
                write!(
                    f,
                    "{owner} restricts tools for everyone; restrict them for one scope, through its own context "
                )?;
                f.write_str("(`agent.ctx()`), or do not register what nobody is to have")
            }
            Detail::CircularBound => {
                write!(f, "{owner} cannot be bounded by {}, which it bounds itself", By(self.first_owner()))
            }
            Detail::EmptyFilter => {
                write!(f, "the restriction of {owner} neither allows nor denies anything; give it a list of names, ")?;
                f.write_str("where an empty `allow` leaves no tool")
            }
            Detail::UnknownTool { unknown } => {
                write!(f, "the restriction of {owner} names what is none of everybody's tools: ")?;
                for (index, unknown) in unknown.iter().take(LISTED).enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", Quoted(unknown.name.as_str()))?;
                    match &unknown.nearest {
                        _ if unknown.own => f.write_str(" (the scope's own, which no restriction touches)")?,
                        Some(nearest) => write!(f, ", perhaps {}", Quoted(nearest.as_str()))?,
                        None => {}
                    }
                }
                match unknown.len().saturating_sub(LISTED) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            Detail::Kernel(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {self}", self.code())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.failure().map(|failure| failure.as_error() as &(dyn std::error::Error + 'static))
    }
}

/// A foreign name, which can neither end a line nor hide anything.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0.escape_debug())
    }
}

struct By<'a>(Option<&'a Owner>);

impl fmt::Display for By<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(owner) => write!(f, "`{owner}`"),
            None => f.write_str("somebody"),
        }
    }
}
