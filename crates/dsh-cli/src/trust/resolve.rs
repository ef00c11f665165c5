//! Variables with their values: constants, and what the environment holds where the project is trusted (C3, C4).

use std::ffi::OsString;

use dsh_system_prompt::{Stability, Value};

use super::{Trust, TrustItem, TrustSet};
use crate::config::{At, Variable, VariableValue};
use crate::diagnostic::Span;

/// Looks a name up in the environment.
type ReadEnvironment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// A variable that is ready to be registered. Its value may be a secret: `Debug` shows none.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    /// Its name, and where it is given.
    pub(crate) name: At<String>,
    /// What it stands for, or why for nothing.
    pub(crate) value: Result<Value, Absence>,
    /// Whether the value is one that the environment holds.
    pub(crate) from_environment: bool,
    /// How often the value may be another.
    pub(crate) stability: Stability,
}

/// Why a variable has no value, by the name in the environment that it has been given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Absence {
    /// The environment is not read for this project.
    Untrusted(At<String>),
    /// The environment has nothing of this name.
    Unset(At<String>),
    /// What the environment has is not UTF-8. A default is no remedy: it would hide that.
    NotUtf8(At<String>),
}

/// Gives the variables of a layer their values. The environment is read for what `is_own` says is the user's; for what is the project's,
/// if that is trusted, and what is read is part of what was trusted.
pub(crate) fn resolve(
    variables: Vec<Variable>,
    trust: Trust,
    asks: &TrustSet,
    is_own: impl Fn(Span) -> bool,
    read: ReadEnvironment<'_>,
) -> Vec<Resolved> {
    let is_trusted =
        |name: &str| trust.is_trusted() && asks.contains(&TrustItem::EnvironmentVariable { name: name.to_owned() });
    let resolved = |variable: Variable| match variable.value {
        VariableValue::Constant(text) => {
            let (value, stability) = (Ok(text.into()), Stability::Static);
            Resolved { name: variable.name, value, from_environment: false, stability }
        }
        VariableValue::Env { name, default } => {
            let may_read = is_own(name.span) || is_trusted(&name.value);
            let (value, from_environment) = environment(name, default, may_read, read);
            Resolved { name: variable.name, value, from_environment, stability: Stability::Session }
        }
    };
    variables.into_iter().map(resolved).collect()
}

/// The value, and whether the environment holds it.
fn environment(
    name: At<String>,
    default: Option<String>,
    may_read: bool,
    read: ReadEnvironment<'_>,
) -> (Result<Value, Absence>, bool) {
    let or_default = |absence: Absence| (default.map(Value::from).ok_or(absence), false);
    if !may_read {
        return or_default(Absence::Untrusted(name));
    }
    match read(&name.value).map(OsString::into_string) {
        Some(Ok(value)) => (Ok(value.into()), true),
        Some(Err(_)) => (Err(Absence::NotUtf8(name)), false),
        None => or_default(Absence::Unset(name)),
    }
}

impl Absence {
    /// Where the variable is given its name in the environment, what is said there, and what to do.
    pub(crate) fn explained(&self) -> (Span, String, String) {
        match self {
            Self::Untrusted(name) => (
                name.span,
                "not read: this folder is not trusted".to_owned(),
                "`dsh trust` shows what the folder asks for, and asks whether to trust it; or give the variable a `default`".to_owned(),
            ),
            Self::Unset(name) => (
                name.span,
                "the environment has nothing of this name".to_owned(),
                format!(
                    "set {} in the environment, or give the variable a `default`",
                    super::left_out::shown(&name.value)
                ),
            ),
            Self::NotUtf8(name) => (
                name.span,
                "what the environment has is not UTF-8".to_owned(),
                format!("set {} to text in UTF-8", super::left_out::shown(&name.value)),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::Reason;
    use super::{Absence, At, Trust, TrustSet, Value, Variable, VariableValue, resolve};
    use crate::config::{Ask, Asked};
    use crate::diagnostic::{Sources, Span};

    const UNTRUSTED: Trust = Trust::Untrusted(Reason::NeverTrusted);

    fn at(text: &str) -> At<String> {
        let span = Span::new(Sources::new().add(String::new(), String::new()), 0..0);
        At { value: text.to_owned(), span }
    }

    /// A project that asks for this.
    fn asks(name: &str) -> TrustSet {
        let what = Asked::Environment { name: name.to_owned(), variable: "v".to_owned() };
        TrustSet::of(vec![Ask { what, agent: None, profile: None, span: at(name).span }])
    }

    fn token(default: Option<&str>) -> Vec<Variable> {
        let value = VariableValue::Env { name: at("TOKEN"), default: default.map(str::to_owned) };
        vec![Variable { name: at("token"), value }]
    }

    /// The value of a variable that a project takes from `TOKEN`, where the environment holds that.
    fn value(environment: Option<&OsString>, default: Option<&str>, trust: Trust) -> Result<Value, Absence> {
        let read = |name: &str| environment.cloned().filter(|_| name == "TOKEN");
        resolve(token(default), trust, &asks("TOKEN"), |_| false, &read).remove(0).value
    }

    #[test]
    fn the_environment_is_read_where_the_project_is_trusted() {
        // C4
        let set = OsString::from("s3cret");
        assert_eq!(value(Some(&set), None, Trust::Trusted), Ok("s3cret".into()));
        assert_eq!(value(Some(&set), Some("x"), Trust::Trusted), Ok("s3cret".into()));
        assert_eq!(value(Some(&set), Some("x"), UNTRUSTED), Ok("x".into()));
        assert_eq!(value(Some(&set), None, UNTRUSTED), Err(Absence::Untrusted(at("TOKEN"))));
    }

    #[test]
    fn only_what_a_project_asks_for_needs_trust() {
        // C4
        let may_read = |is_own, trust, asks| {
            let read = |_: &str| Some(OsString::from("s3cret"));
            resolve(token(None), trust, &asks, |_| is_own, &read).remove(0).value.is_ok()
        };
        assert!(may_read(true, UNTRUSTED, TrustSet::default()));
        assert!(may_read(false, Trust::Trusted, asks("TOKEN")));
        assert!(!may_read(false, UNTRUSTED, asks("TOKEN")));
        // What was not shown was not trusted.
        assert!(!may_read(false, Trust::Trusted, asks("OTHER")));
        assert!(!may_read(false, Trust::Trusted, TrustSet::default()));
    }

    #[test]
    fn an_untrusted_environment_is_not_even_looked_at() {
        // C4
        let resolved = resolve(token(None), UNTRUSTED, &asks("TOKEN"), |_| false, &|_| unreachable!());
        assert!(resolved[0].value.is_err());
    }

    #[test]
    fn what_is_not_set_takes_its_default_and_what_is_empty_does_not() {
        assert_eq!(value(None, Some("x"), Trust::Trusted), Ok("x".into()));
        assert_eq!(value(None, None, Trust::Trusted), Err(Absence::Unset(at("TOKEN"))));
        assert_eq!(value(Some(&OsString::new()), Some("x"), Trust::Trusted), Ok("".into()));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_not_utf_8_is_no_value_and_no_default_hides_it() {
        use std::os::unix::ffi::OsStringExt;

        let wrong = OsString::from_vec(b"s3cret\xff".to_vec());
        assert_eq!(value(Some(&wrong), Some("x"), Trust::Trusted), Err(Absence::NotUtf8(at("TOKEN"))));
    }
}
