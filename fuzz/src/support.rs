//! Renderings as they are compared, and the plain renderer that the tests of dsh-template compare with, too.

use std::ops::Range;

use dsh_template::{Error, ErrorKind};

/// A rendering as it is compared: the text, or kind and place of the error.
pub(crate) type Outcome = Result<String, (ErrorKind, Range<usize>)>;

/// A rendering, without what is said of an error.
pub(crate) fn outcome(rendered: Result<String, Error>) -> Outcome {
    rendered.map_err(|error| (error.kind(), error.range()))
}
