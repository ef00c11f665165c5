//! The house rules that are not a compiler's or clippy's to check.
//!
//! Each rule is a function from the [`Tree`] to findings, in a module named after what it is about. An exception stands
//! in a list beside the rule, with its reason; one that matches no file is itself a finding.

mod ambient;
mod disposers;
mod form;
mod invariants;
mod papers;
mod waits;

use std::path::Path;

use crate::{Error, Finding, Tree};

/// A rule that does not hold for the files at (or under) a path.
struct Exception {
    path: &'static str,
    /// Why; for the reader of the list.
    #[expect(dead_code, reason = "an exception without a reason is not written down")]
    reason: &'static str,
}

/// Checks the repository at `root`.
pub fn check_repository(root: &Path) -> Result<Vec<Finding>, Error> {
    let tree = Tree::read(root)?;
    let mut findings = check(&tree);
    unused_exceptions(&tree, &mut findings);
    findings.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(findings)
}

/// Checks a repository's files, made up or read.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let rules: [fn(&Tree, &mut Vec<Finding>); 6] =
        [form::check, waits::check, ambient::check, disposers::check, invariants::check, papers::check];
    let mut findings = Vec::new();
    for rule in rules {
        rule(tree, &mut findings);
    }
    findings
}

fn unused_exceptions(tree: &Tree, findings: &mut Vec<Finding>) {
    let lists = [
        (waits::EXCEPTIONS, "waits"),
        (ambient::TOKIO, "ambient"),
        (ambient::OUTSIDE, "ambient"),
        (ambient::SYNC, "ambient"),
        (papers::PATHS, "papers"),
    ];
    for (exceptions, module) in lists {
        for exception in exceptions {
            if !tree.files().iter().any(|file| covers(exception, &file.path)) {
                findings.push(Finding::new(
                    &format!("xtask/src/tidy/{module}.rs"),
                    1,
                    format!("the exception for `{}` matches no file", exception.path),
                    "take it out of the list",
                ));
            }
        }
    }
}

fn excepted(exceptions: &[Exception], path: &str) -> bool {
    exceptions.iter().any(|exception| covers(exception, path))
}

fn covers(exception: &Exception, path: &str) -> bool {
    path == exception.path || (exception.path.ends_with('/') && path.starts_with(exception.path))
}

/// Where `word` stands in `text` as a word of its own.
fn has_word(text: &str, word: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
    })
}

#[cfg(test)]
mod tests {
    use super::has_word;

    #[test]
    fn a_word_is_told_from_a_part_of_one() {
        assert!(has_word("use tokio::time;", "tokio") && has_word("tokio", "tokio"));
        assert!(!has_word("my_tokio tokios", "tokio"));
    }
}
