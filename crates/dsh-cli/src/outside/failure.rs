//! What the system refuses, as a person reads it.

use std::io::{self, ErrorKind};

/// An error of the system in words, without its number.
pub(crate) fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.as_str(), |(words, _)| words).to_owned()
}

/// What to do where a file is forbidden to be read.
pub(crate) fn may_read(error: &io::Error) -> Option<&'static str> {
    (error.kind() == ErrorKind::PermissionDenied).then_some("give the user who runs dsh the right to read it")
}

/// What to do where a folder is forbidden to be written to.
pub(crate) fn may_write(error: &io::Error) -> Option<&'static str> {
    let forbidden = matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem);
    forbidden.then_some("make it a place that you may write to, or take another folder")
}
