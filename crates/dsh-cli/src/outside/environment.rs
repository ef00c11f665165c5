//! The environment: the one place where it is read.

use std::ffi::OsString;

/// What a variable of the environment is set to; what is empty counts as not set.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where the environment is read")]
    std::env::var_os(name).filter(|value| !value.is_empty())
}
