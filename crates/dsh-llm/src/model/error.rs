//! Why a model did not answer, or not to the end.

use std::fmt;
use std::time::Duration;

/// What kind of failure. Match on it, or on the stable text of [`ModelError::code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// Too many requests; later it may work. Code `model::rate_limited`.
    RateLimited,
    /// The provider is overloaded or out of order; later it may work. Code `model::overloaded`.
    Overloaded,
    /// The provider could not be reached; later it may work. Code `model::network`.
    Network,
    /// The stream ended before the answer did. Code `model::broken_stream`.
    BrokenStream,
    /// The request is longer than the model can take. Code `model::context_too_long`.
    ContextTooLong,
    /// The provider refuses the request as it is. Code `model::invalid_request`.
    InvalidRequest,
    /// The provider does not know who asks, or does not let them. Code `model::unauthorized`.
    Unauthorized,
    /// A scripted model has no rule for this. Code `model::no_rule`.
    NoRule,
    /// Anything else. Code `model::other`.
    Other,
}

impl ModelErrorKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 9] = [
        Self::RateLimited,
        Self::Overloaded,
        Self::Network,
        Self::BrokenStream,
        Self::ContextTooLong,
        Self::InvalidRequest,
        Self::Unauthorized,
        Self::NoRule,
        Self::Other,
    ];

    /// The stable code of this kind.
    pub const fn code(self) -> &'static str {
        match self {
            Self::RateLimited => "model::rate_limited",
            Self::Overloaded => "model::overloaded",
            Self::Network => "model::network",
            Self::BrokenStream => "model::broken_stream",
            Self::ContextTooLong => "model::context_too_long",
            Self::InvalidRequest => "model::invalid_request",
            Self::Unauthorized => "model::unauthorized",
            Self::NoRule => "model::no_rule",
            Self::Other => "model::other",
        }
    }
}

/// Why a model did not answer, or not to the end. One pointer wide.
///
/// ```
/// use std::time::Duration;
/// use dsh_llm::{ModelError, ModelErrorKind};
///
/// let error = ModelError::new(ModelErrorKind::RateLimited, "too many requests").retry_after(Duration::from_secs(2));
/// assert!(error.is_retryable());
/// assert_eq!(error.to_string(), "too many requests");
/// assert_eq!(error.code(), "model::rate_limited");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ModelError(Box<Repr>);

#[derive(Clone, PartialEq, Eq)]
struct Repr {
    kind: ModelErrorKind,
    message: Box<str>,
    wait: Option<Duration>,
}

impl ModelError {
    /// An error; `message` says what happened, without secrets.
    pub fn new(kind: ModelErrorKind, message: impl Into<Box<str>>) -> Self {
        Self(Box::new(Repr { kind, message: message.into(), wait: None }))
    }

    /// The same, with how long the provider asks to wait.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.wait = Some(wait);
        self
    }

    /// The kind, to match on.
    pub fn kind(&self) -> ModelErrorKind {
        self.0.kind
    }

    /// The stable code, for example `model::rate_limited`.
    pub fn code(&self) -> &'static str {
        self.0.kind.code()
    }

    /// Whether the same request may work later.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind(), ModelErrorKind::RateLimited | ModelErrorKind::Overloaded | ModelErrorKind::Network)
    }

    /// How long the provider asks to wait, where it says so.
    pub fn wait(&self) -> Option<Duration> {
        self.0.wait
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ModelError({}: {self})", self.code())
    }
}

impl std::error::Error for ModelError {}
