//! `KEY=VALUE` and `NAME=VALUE` on the command line.

use std::ffi::OsStr;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use dsh_template::is_variable_name;

use crate::names::quoted;

/// What stands on both sides of the first `=`, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    /// Before it; not empty.
    pub(crate) name: String,
    /// After it; may be empty, and may have further `=` in it.
    pub(crate) value: String,
}

/// What may stand before the `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// A key of `dsh.toml`, looked at by the reader of the configuration.
    Key,
    /// The name of a variable.
    Variable,
}

impl TypedValueParser for Left {
    type Value = Assignment;

    /// What is refused is told without the value: it may be a secret (C3), and clap's own message would show it.
    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, given: &OsStr) -> Result<Assignment, Error> {
        let option = arg.map(ToString::to_string).unwrap_or_default();
        given
            .to_str()
            .ok_or_else(|| format!("what is given to '{option}' is not UTF-8"))
            .and_then(|given| assignment(*self, given, &option))
            .map_err(|problem| command.clone().error(ErrorKind::ValueValidation, problem))
    }
}

/// What is the name of a variable.
const NAMES: &str = "a letter a to z first, then letters, digits and `_`";

fn assignment(left: Left, given: &str, option: &str) -> Result<Assignment, String> {
    let Some((name, value)) = given.split_once('=') else {
        // It may be the value, its name forgotten.
        return Err(format!("what is given to '{option}' has no `=`"));
    };
    // Ends in the way of encoded bytes: it may be a value as well.
    let is_named = !value.bytes().all(|byte| byte == b'=');
    match left {
        _ if name.is_empty() => Err(format!("nothing stands before the `=` for '{option}'")),
        Left::Variable if !is_variable_name(name) && !is_named => {
            Err(format!("what stands before the `=` for '{option}' cannot be the name of a variable: {NAMES}"))
        }
        Left::Variable if !is_variable_name(name) => {
            Err(format!("{} cannot be the name of a variable for '{option}': {NAMES}", quoted(name)))
        }
        Left::Variable | Left::Key => Ok(Assignment { name: name.to_owned(), value: value.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::{Left, assignment};

    fn parts(left: Left, given: &str) -> Option<(String, String)> {
        assignment(left, given, "--set").ok().map(|assignment| (assignment.name, assignment.value))
    }

    #[test]
    fn the_first_equals_sign_parts_name_and_value() {
        let both = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(parts(Left::Variable, "team=a=b "), both("team", "a=b "));
        assert_eq!(parts(Left::Variable, "team="), both("team", ""));
        assert_eq!(parts(Left::Key, "agents.a b.persona=x"), both("agents.a b.persona", "x"));
        assert_eq!(parts(Left::Key, "identity"), None);
        assert_eq!(parts(Left::Key, "=x"), None);
        assert_eq!(parts(Left::Variable, "Team=x"), None);
    }

    #[test]
    fn no_message_shows_the_value() {
        // C3
        for given in ["Team=s3cret", "=s3cret", "a b=s3cret", "s3cret", "a.s3cret=", "A s3cret=="] {
            let message = assignment(Left::Variable, given, "--set").unwrap_err();
            assert!(!message.contains("s3cret"), "{message}");
        }
        for given in ["s3cret", "=s3cret"] {
            let message = assignment(Left::Key, given, "--config").unwrap_err();
            assert!(!message.contains("s3cret"), "{message}");
        }
    }
}
