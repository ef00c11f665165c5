//! The crate's one error: a kind, a stable code, who, where, and what would be right. Never the value of a variable.

mod detail;
mod message;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use dsh_kernel::{Failure, Name, Owner, Teardown, nearest};

use crate::provenance::Source;

use detail::LISTED;
pub(crate) use detail::{Detail, FailedPart, Refused};

/// An error of the prompt registry: one pointer, cheap to clone.
///
/// Errors of the kernel pass through with their own code (`kernel::inactive`, `kernel::undeclared_service`,
/// `kernel::listener_failed`): see [`Error::kernel`].
///
/// ```
/// use dsh_system_prompt::{AssembledSection, ErrorKind, PromptAssembly, render};
///
/// let mut assembly = PromptAssembly::new();
/// assembly.set_variable("branch", "main");
/// assembly.sections_mut().push(AssembledSection::new("git", 0, "on {{branhc}}"));
/// let error = render(&assembly).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::UnknownVariable);
/// assert_eq!(error.code(), "prompt::unknown_variable");
/// assert_eq!((error.section(), error.range()), (Some("git"), Some(3..13)));
/// assert_eq!(error.known().map(|name| name.as_str()).collect::<Vec<_>>(), ["branch"]);
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

/// A name in `tool_order` that no provider knows; see [`Error::unknown_tools`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTool<'a> {
    /// The name.
    pub name: &'a str,
    /// Its place in the configured `tool_order`, counted from 0.
    pub position: usize,
    /// The known name that is so near to it that it may be meant; looked for of the first eight only.
    pub nearest: Option<&'a str>,
}

/// What went wrong, for matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `prompt::duplicate_section`: the name is taken in that layer (S2).
    DuplicateSection,
    /// `prompt::duplicate_variable`: the name is taken in that layer (S4).
    DuplicateVariable,
    /// `prompt::invalid_variable_name`: not `[a-z][a-z0-9_]*` (S4).
    InvalidVariableName,
    /// `prompt::invalid_order`: a section's order is infinite or no number (S2).
    InvalidOrder,
    /// `prompt::unknown_variable`: a section refers to a variable that is not there (S11).
    UnknownVariable,
    /// `prompt::valueless_variable`: a section refers to a variable that has no value this time (S11).
    ValuelessVariable,
    /// `prompt::malformed_reference`: a `{{` that is neither a reference nor prose (S11).
    MalformedReference,
    /// `prompt::tool_order_duplicate`: `tool_order` lists a name twice (S6).
    ToolOrderDuplicate,
    /// `prompt::tool_order_missing_rest`: `tool_order` has no `<unlisted-tools>` (S6).
    ToolOrderMissingRest,
    /// `prompt::tool_order_unknown`: `tool_order` lists names that no provider knows (S6).
    ToolOrderUnknown,
    /// `prompt::reserved_tool_name`: a tool is named `<unlisted-tools>` (S6).
    ReservedToolName,
    /// `prompt::duplicate_tool`: two visible tools have one name (S7).
    DuplicateTool,
    /// `prompt::provider_failed`: a provider failed or panicked; [`Error::failure`] is what it failed with (S8).
    ProviderFailed,
    /// `prompt::unsettled`: plugins kept unloading while the prompt was assembled (S8).
    Unsettled,
    /// An error of the kernel, with its own code.
    Kernel,
}

impl ErrorKind {
    /// The stable code of this kind; of a kernel's error only `kernel`, since [`Error::code`] has the kernel's own.
    pub const fn code(self) -> &'static str {
        match self {
            Self::DuplicateSection => "prompt::duplicate_section",
            Self::DuplicateVariable => "prompt::duplicate_variable",
            Self::InvalidVariableName => "prompt::invalid_variable_name",
            Self::InvalidOrder => "prompt::invalid_order",
            Self::UnknownVariable => "prompt::unknown_variable",
            Self::ValuelessVariable => "prompt::valueless_variable",
            Self::MalformedReference => "prompt::malformed_reference",
            Self::ToolOrderDuplicate => "prompt::tool_order_duplicate",
            Self::ToolOrderMissingRest => "prompt::tool_order_missing_rest",
            Self::ToolOrderUnknown => "prompt::tool_order_unknown",
            Self::ReservedToolName => "prompt::reserved_tool_name",
            Self::DuplicateTool => "prompt::duplicate_tool",
            Self::ProviderFailed => "prompt::provider_failed",
            Self::Unsettled => "prompt::unsettled",
            Self::Kernel => "kernel",
        }
    }
}

impl Error {
    pub(crate) fn new(detail: Detail) -> Self {
        Self::about(detail, None, None)
    }

    /// `owner` is whose part it is, `first` who was there before.
    pub(crate) fn about(detail: Detail, owner: Option<Owner>, first: Option<Owner>) -> Self {
        let what = Arc::new(What { detail, owner, first_owner: first });
        Self(Arc::new(Inner { what, teardown: None }))
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
        self.detail().kind()
    }

    /// The stable code, such as `prompt::unknown_variable`; for an error of the kernel, the kernel's.
    pub fn code(&self) -> &'static str {
        self.kernel().map_or(self.kind().code(), dsh_kernel::Error::code)
    }

    /// Whose part it is about: of a duplicate, who came second; of a kernel's error, whom that one names.
    pub fn owner(&self) -> Option<&Owner> {
        self.0.what.owner.as_ref().or_else(|| self.kernel()?.owner())
    }

    /// Of a duplicate, who came first.
    pub fn first_owner(&self) -> Option<&Owner> {
        self.0.what.first_owner.as_ref()
    }

    /// The section that it is about.
    pub fn section(&self) -> Option<&str> {
        if let Detail::DuplicateSection { name, .. }
        | Detail::InvalidOrder { name, .. }
        | Detail::ProviderFailed { part: FailedPart::Section(name), .. } = self.detail()
        {
            return Some(name.as_str());
        }
        self.refused().map(|refused| refused.section.name())
    }

    /// The variable, or tool, that it is about; of several unknown tools, the first.
    pub fn name(&self) -> Option<&str> {
        if let Detail::DuplicateVariable { name, .. }
        | Detail::InvalidVariableName { name }
        | Detail::ToolOrderDuplicate { name, .. }
        | Detail::DuplicateTool { name, .. }
        | Detail::ProviderFailed { part: FailedPart::Variable(name), .. } = self.detail()
        {
            return Some(name.as_str());
        }
        let refused = self.refused().and_then(|refused| refused.error.name());
        refused.or_else(|| self.unlisted().first().map(|(name, _)| name.as_str()))
    }

    /// Where in the section's text, in bytes.
    pub fn range(&self) -> Option<Range<usize>> {
        self.refused().map(|refused| refused.error.range())
    }

    /// The section's text as it was written, which [`range`](Self::range) is a part of.
    pub fn section_text(&self) -> Option<&str> {
        self.refused().map(|refused| refused.section.text().as_str())
    }

    /// The file that the section's text was read from.
    pub fn source_file(&self) -> Option<&Source> {
        self.refused()?.section.source()
    }

    /// Where in the configured `tool_order`, counted from 0; of several places, the first.
    pub fn position(&self) -> Option<usize> {
        if let Detail::ToolOrderDuplicate { position, .. } = self.detail() {
            return Some(*position);
        }
        self.unlisted().first().map(|(_, position)| *position)
    }

    /// All listed tool names that nobody knows, in the order of the list.
    pub fn unknown_tools(&self) -> impl Iterator<Item = UnknownTool<'_>> {
        let known = self.known_tools();
        self.unlisted().iter().enumerate().map(move |(index, (name, position))| UnknownTool {
            name: name.as_str(),
            position: *position,
            // Each costs a comparison with every known name, so a long list of them gets no more than a reader would look at.
            nearest: if index < LISTED { nearest(name.as_str(), known.iter().map(Name::as_str)) } else { None },
        })
    }

    fn unlisted(&self) -> &[(Name, usize)] {
        if let Detail::ToolOrderUnknown { unknown, .. } = self.detail() { unknown } else { &[] }
    }

    fn known_tools(&self) -> &[Name] {
        if let Detail::ToolOrderUnknown { known, .. } = self.detail() { known } else { &[] }
    }

    /// Which listener edited last what it is about: the section's text, or the tool.
    pub fn edited_by(&self) -> Option<&Owner> {
        if let Detail::DuplicateTool { editor, .. } | Detail::ReservedToolName { editor } = self.detail() {
            return editor.as_ref();
        }
        self.refused()?.section.edited_by().last()
    }

    /// Who registered or set the variable that has no value.
    pub fn variable_owner(&self) -> Option<&Owner> {
        self.refused()?.variable_owner.as_ref()
    }

    /// What would be right: the registered variables, nearest first; or the known tools, in the order of their names (the one
    /// nearest to each unknown name is in [`unknown_tools`](Self::unknown_tools)).
    pub fn known(&self) -> impl Iterator<Item = &Name> {
        let tools = self.known_tools();
        let variables = self.refused().map_or(&[][..], |refused| &refused.known);
        variables.iter().chain(tools)
    }

    /// The very failure of the provider or listener, where foreign code failed.
    pub fn failure(&self) -> Option<&Failure> {
        if let Detail::ProviderFailed { failure, .. } = self.detail() {
            return Some(failure);
        }
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

    /// The section that was refused by rendering.
    fn refused(&self) -> Option<&Refused> {
        if let Detail::Refused(refused) = self.detail() { Some(refused) } else { None }
    }
}

impl From<dsh_kernel::Error> for Error {
    fn from(error: dsh_kernel::Error) -> Self {
        Self::new(Detail::Kernel(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
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
