//! The value of a variable: a shared string that is never shown where it could leak.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The value of a variable: a shared string. A clone copies no text (S4).
///
/// A provider that keeps its value and hands out clones costs one reference count a step. Values may be secrets, so `Debug`
/// shows the length alone, and no error holds one.
///
/// ```
/// use dsh_system_prompt::Value;
///
/// let value = Value::from(String::from("s3cret"));
/// assert_eq!(value.as_str(), "s3cret");
/// assert_eq!(format!("{value:?}"), "Value(6 bytes)");
/// ```
#[derive(Clone)]
pub struct Value(Repr);

#[derive(Clone)]
enum Repr {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Value {
    /// The text of the value.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Static(text) => text,
            Repr::Shared(text) => text,
        }
    }
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self(Repr::Static(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self(Repr::Shared(text.into()))
    }
}

impl From<Arc<str>> for Value {
    fn from(text: Arc<str>) -> Self {
        Self(Repr::Shared(text))
    }
}

impl From<Cow<'static, str>> for Value {
    fn from(text: Cow<'static, str>) -> Self {
        match text {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        let (left, right) = (self.as_str(), other.as_str());
        std::ptr::eq(left, right) || left == right
    }
}

impl Eq for Value {}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({} bytes)", self.as_str().len())
    }
}

/// What may be given for the value of a variable: a string, or an `Option` of one, where `None` is "no value this time" (S4).
///
/// ```
/// use dsh_system_prompt::IntoValue;
///
/// assert_eq!("main".into_value().unwrap().as_str(), "main");
/// assert_eq!(None::<String>.into_value(), None);
/// ```
pub trait IntoValue {
    /// The value, if there is one.
    fn into_value(self) -> Option<Value>;
}

impl IntoValue for Value {
    fn into_value(self) -> Option<Value> {
        Some(self)
    }
}

impl IntoValue for &'static str {
    fn into_value(self) -> Option<Value> {
        Some(self.into())
    }
}

impl IntoValue for String {
    fn into_value(self) -> Option<Value> {
        Some(self.into())
    }
}

impl IntoValue for Cow<'static, str> {
    fn into_value(self) -> Option<Value> {
        Some(self.into())
    }
}

impl IntoValue for Arc<str> {
    fn into_value(self) -> Option<Value> {
        Some(self.into())
    }
}

impl<V: Into<Value>> IntoValue for Option<V> {
    fn into_value(self) -> Option<Value> {
        self.map(Into::into)
    }
}
