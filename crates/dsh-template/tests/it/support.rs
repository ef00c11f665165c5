//! What the tests share.
#![expect(clippy::expect_used, reason = "assertions panic")]

use core::ops::Range;

use dsh_template::{Error, ErrorKind, Lookup, Template};

/// A rendering as a test compares it: the text, or kind and place of the error.
pub(crate) type Outcome = Result<String, (ErrorKind, Range<usize>)>;

pub(crate) fn outcome(rendered: Result<String, Error>) -> Outcome {
    rendered.map_err(|error| (error.kind(), error.range()))
}

/// Variables as a test writes them: no value is valueless, a name that is missing is unknown.
pub(crate) type Values<'v> = &'v [(&'v str, Option<&'v str>)];

pub(crate) fn lookup<'v>(values: Values<'v>) -> impl Fn(&str) -> Lookup<'v> + Copy {
    move |name| match values.iter().find(|(known, _)| *known == name) {
        Some((_, Some(value))) => Lookup::Value(value),
        Some((_, None)) => Lookup::Valueless,
        None => Lookup::Unknown,
    }
}

pub(crate) fn render(template: &str, values: Values<'_>) -> Outcome {
    outcome(Template::compile(template).render(lookup(values)))
}

/// Asserts that `template` renders to `expected`.
#[track_caller]
pub(crate) fn renders(template: &str, values: Values<'_>, expected: &str) {
    assert_eq!(render(template, values), Ok(expected.to_owned()), "{template:?}");
}

/// Asserts that `template` is refused, and that the error points at `at`, which is looked for in the template.
#[track_caller]
pub(crate) fn refused(template: &str, values: Values<'_>, kind: ErrorKind, at: &str) {
    let (found, range) = render(template, values).expect_err(template);
    assert_eq!((found, template.get(range)), (kind, Some(at)), "{template:?}");
}
