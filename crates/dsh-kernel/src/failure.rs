//! What foreign code fails with: one opaque type into which `?` turns every error (K3).

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::frames;

/// A failure of foreign code: a body, a link, a start, a listener, a provider.
///
/// It is not itself a [`std::error::Error`], so that `?` can make one from every error that is. What went in comes out:
/// [`Failure::downcast_ref`] gives back the very error.
///
/// ```
/// use dsh_kernel::Failure;
///
/// fn body() -> Result<(), Failure> {
///     let _port: u16 = "eighty".parse()?;
///     Ok(())
/// }
///
/// let failure = body().unwrap_err();
/// assert!(failure.downcast_ref::<std::num::ParseIntError>().is_some());
/// ```
pub struct Failure(Box<dyn StdError + Send + Sync + 'static>);

impl Failure {
    /// A failure that is only a message.
    ///
    /// ```
    /// # use dsh_kernel::Failure;
    /// assert_eq!(Failure::msg("no key").to_string(), "no key");
    /// ```
    pub fn msg(message: impl Into<String>) -> Self {
        Self(Box::new(Message(message.into())))
    }

    /// The error inside, where it is a `T`.
    pub fn downcast_ref<T: StdError + 'static>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }

    /// The error inside.
    pub fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.0
    }

    /// The message of the panic, where this failure is a panic that was caught (K13).
    pub fn panic_message(&self) -> Option<&str> {
        self.downcast_ref::<Panicked>().map(|panicked| panicked.0.as_str())
    }

    /// Its text, for a log or a message of our own: showing it is foreign code, which may panic.
    pub(crate) fn shown(&self) -> String {
        catch_unwind(AssertUnwindSafe(|| self.to_string())).unwrap_or_else(|payload| {
            frames::drop_quietly(payload);
            "(an error that cannot be shown)".to_owned()
        })
    }

    pub(crate) fn from_panic(payload: &(dyn Any + Send)) -> Self {
        let message = payload
            .downcast_ref::<&str>()
            .map(|message| (*message).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without a message".to_owned());
        Self(Box::new(Panicked(message)))
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[derive(Debug)]
struct Message(String);

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Message {}

#[derive(Debug)]
struct Panicked(String);

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "panicked: {}", self.0)
    }
}

impl StdError for Panicked {}

/// What a link or a listener may return: nothing, or a result whose error becomes a [`Failure`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an outcome",
    note = "links, listeners and tasks return `()` or a `Result<(), E>` whose error becomes a `Failure`"
)]
pub trait Outcome {
    /// The same as a result.
    fn into_outcome(self) -> Result<(), Failure>;
}

impl Outcome for () {
    fn into_outcome(self) -> Result<(), Failure> {
        Ok(())
    }
}

impl<E: Into<Failure>> Outcome for Result<(), E> {
    fn into_outcome(self) -> Result<(), Failure> {
        self.map_err(Into::into)
    }
}
