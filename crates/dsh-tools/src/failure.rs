//! What a tool fails with: who is to hear of it.

use std::fmt;

use dsh_kernel::Failure;

/// Why a tool gives no result. Both kinds become an error result that the model can read; they never end a turn (T4).
///
/// ```
/// use dsh_tools::ToolFailure;
///
/// fn read(path: &str) -> Result<String, ToolFailure> {
///     if path.is_empty() {
///         return Err(ToolFailure::model("give a path")); // the model can mend that
///     }
///     Ok(String::from_utf8(vec![b'o', b'k'])?) // an error that `?` hands on is the host's
/// }
/// assert!(matches!(read(""), Err(ToolFailure::Model(_))));
/// ```
pub enum ToolFailure {
    /// For the model: what was wrong, in words that it can act on. It reads all of it.
    Model(String),
    /// For the host: it is logged and stands in [`Executed::failure`](crate::Executed::failure); the model reads only that the
    /// tool failed.
    Host(Failure),
}

impl ToolFailure {
    /// A failure for the model.
    pub fn model(message: impl Into<String>) -> Self {
        Self::Model(message.into())
    }

    /// A failure for the host, of a message alone.
    pub fn host(message: impl Into<String>) -> Self {
        Self::Host(Failure::msg(message))
    }
}

impl<E: Into<Failure>> From<E> for ToolFailure {
    /// What `?` hands on is the host's.
    fn from(error: E) -> Self {
        Self::Host(error.into())
    }
}

impl fmt::Debug for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(message) => f.debug_tuple("Model").field(message).finish(),
            Self::Host(failure) => f.debug_tuple("Host").field(failure).finish(),
        }
    }
}
