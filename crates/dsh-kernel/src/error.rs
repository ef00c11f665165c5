//! What the kernel's callers get when something fails: kind, code, owner, label, and what would be right.

use std::fmt;

use crate::failure::Failure;
use crate::failures::Failures;
use crate::name::Name;
use crate::owner::Owner;
use crate::sync::{Arc, OnceLock};
use crate::teardown::Teardown;

/// An error of the kernel: one pointer, cheap to clone.
///
/// [`Error::kind`] is for matching, [`Error::code`] is stable text for logs and tools, the message says who, where and what
/// would be right. A failure of foreign code stays whole inside: [`Error::failure`].
#[derive(Clone)]
pub struct Error(Arc<Inner>);

/// The failures of a teardown. They are put in order when somebody asks: most fibers only hand on those of the fibers below.
struct Links {
    all: Arc<Failures>,
    in_order: OnceLock<Vec<LinkFailure>>,
}

struct Inner {
    kind: ErrorKind,
    message: String,
    owner: Option<Owner>,
    label: Option<Name>,
    failure: Option<Failure>,
    links: Option<Links>,
    left: Vec<Name>,
    teardown: Option<Teardown>,
}

/// What went wrong, for matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// `kernel::inactive`: the owner is disposed, unloading, failed or pending (K8).
    Inactive,
    /// `kernel::body_failed`: a body failed; what it had collected was undone (K7).
    BodyFailed,
    /// `kernel::start_failed`: a plugin's start failed; what it had registered was undone (K2).
    StartFailed,
    /// `kernel::links_failed`: links of a teardown failed; all of them ran (K7). See [`Error::links`].
    LinksFailed,
    /// `kernel::reentrant`: a wait that would have waited for itself (K8).
    Reentrant,
    /// `kernel::foreign_disposer`: a disposer was adopted by an effect of another fiber (K8).
    ForeignDisposer,
    /// `kernel::duplicate_service`: the service has a provider already (K10).
    DuplicateService,
    /// `kernel::undeclared_service`: a plugin used a service that neither it nor an ancestor declares (K10).
    UndeclaredService,
    /// `kernel::missing_service`: nobody provides the service at present.
    MissingService,
    /// `kernel::service_type`: the service of that name is of another type.
    ServiceType,
    /// `kernel::missing_provider`: no mounted plugin provides what a plugin waits for (K2).
    MissingProvider,
    /// `kernel::injection_cycle`: plugins wait for one another's services (K2, K10).
    InjectionCycle,
    /// `kernel::disposed`: what was waited for was disposed first.
    Disposed,
    /// `kernel::listener_failed`: a listener of an event failed (K11).
    ListenerFailed,
    /// `kernel::unfinished`: the limit of `dispose_within` passed; see [`Error::left`] (K9).
    Unfinished,
}

impl ErrorKind {
    const fn code(self) -> &'static str {
        match self {
            Self::Inactive => "kernel::inactive",
            Self::BodyFailed => "kernel::body_failed",
            Self::StartFailed => "kernel::start_failed",
            Self::LinksFailed => "kernel::links_failed",
            Self::Reentrant => "kernel::reentrant",
            Self::ForeignDisposer => "kernel::foreign_disposer",
            Self::DuplicateService => "kernel::duplicate_service",
            Self::UndeclaredService => "kernel::undeclared_service",
            Self::MissingService => "kernel::missing_service",
            Self::ServiceType => "kernel::service_type",
            Self::MissingProvider => "kernel::missing_provider",
            Self::InjectionCycle => "kernel::injection_cycle",
            Self::Disposed => "kernel::disposed",
            Self::ListenerFailed => "kernel::listener_failed",
            Self::Unfinished => "kernel::unfinished",
        }
    }
}

/// A link that failed while it was undone.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkFailure {
    /// Whose effect the link belongs to.
    pub owner: Owner,
    /// The effect's label.
    pub label: Name,
    /// What the link failed with.
    pub failure: Arc<Failure>,
    /// Among all links of the kernel, which began earlier.
    pub(crate) began: u64,
}

impl Error {
    /// What went wrong, for matching.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The stable code, such as `kernel::inactive`.
    pub fn code(&self) -> &'static str {
        self.0.kind.code()
    }

    /// Whose code or registration it is about.
    pub fn owner(&self) -> Option<&Owner> {
        self.0.owner.as_ref()
    }

    /// The label of the effect, or the name of the service or event, that it is about.
    pub fn label(&self) -> Option<&Name> {
        self.0.label.as_ref()
    }

    /// The very failure of the foreign code, where foreign code failed; of several links, the first (K3).
    pub fn failure(&self) -> Option<&Failure> {
        self.0.failure.as_ref().or_else(|| self.links().first().map(|link| &*link.failure))
    }

    /// The links that failed, in order of their start, for [`ErrorKind::LinksFailed`].
    pub fn links(&self) -> &[LinkFailure] {
        self.0.links.as_ref().map_or(&[], |links| links.in_order.get_or_init(|| links.all.in_order()).as_slice())
    }

    /// The same, to be handed on.
    pub(crate) fn failures(&self) -> Option<&Arc<Failures>> {
        self.0.links.as_ref().map(|links| &links.all)
    }

    /// The labels of what was still being undone, and the names of plugins whose start had not ended, for [`ErrorKind::Unfinished`].
    pub fn left(&self) -> &[Name] {
        &self.0.left
    }

    /// The end of the rollback, where there was one (K7).
    pub fn teardown(&self) -> Option<Teardown> {
        self.0.teardown.clone()
    }

    /// As [`Failure::shown`]: for a picture of our own.
    pub(crate) fn shown(self) -> String {
        Failure::from(self).shown()
    }

    pub(crate) fn build(kind: ErrorKind, message: impl Into<String>) -> Builder {
        Builder(Inner {
            kind,
            message: message.into(),
            owner: None,
            label: None,
            failure: None,
            links: None,
            left: Vec::new(),
            teardown: None,
        })
    }

    /// What whoever waits is told when the kernel is dropped.
    pub(crate) fn kernel_dropped() -> Self {
        Self::build(ErrorKind::Disposed, "the kernel was dropped; shut it down and await that first").into()
    }

    /// The failures of a teardown, if there are any.
    pub(crate) fn from_links(failures: &Arc<Failures>) -> Result<(), Self> {
        let message = match failures.len() {
            0 => return Ok(()),
            1 => "a link failed while it was undone".to_owned(),
            many => format!("{many} links failed while they were undone"),
        };
        let mut builder = Self::build(ErrorKind::LinksFailed, message);
        let links = Links { all: Arc::clone(failures), in_order: OnceLock::new() };
        if failures.len() == 1
            && let Some(link) = links.in_order.get_or_init(|| failures.in_order()).first()
        {
            builder = builder.owner(link.owner.clone()).label(link.label.clone());
        }
        builder.0.links = Some(links);
        Err(builder.into())
    }
}

/// Collects what an error knows.
pub(crate) struct Builder(Inner);

impl Builder {
    pub(crate) fn owner(mut self, owner: Owner) -> Self {
        self.0.owner = Some(owner);
        self
    }

    pub(crate) fn label(mut self, label: Name) -> Self {
        self.0.label = Some(label);
        self
    }

    pub(crate) fn failure(mut self, failure: Failure) -> Self {
        self.0.failure = Some(failure);
        self
    }

    pub(crate) fn left(mut self, left: Vec<Name>) -> Self {
        self.0.left = left;
        self
    }

    pub(crate) fn teardown(mut self, teardown: Teardown) -> Self {
        self.0.teardown = Some(teardown);
        self
    }
}

impl From<Builder> for Error {
    fn from(builder: Builder) -> Self {
        Self(Arc::new(builder.0))
    }
}

/// So many failed links are told of in one message; [`Error::links`] has all.
const LISTED: usize = 24;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        if let Some(failure) = &self.0.failure {
            write!(f, ": {failure}")?;
        }
        for link in self.links().iter().take(LISTED) {
            write!(f, "; `{}` of `{}`: {}", link.label, link.owner, link.failure)?;
        }
        match self.links().len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
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
        // The failure itself is in this error's text already.
        self.failure().and_then(|failure| failure.as_error().source())
    }
}
