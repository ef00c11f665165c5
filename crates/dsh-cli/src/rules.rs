//! What each diagnostic code means: one Markdown file each under `rules/`, built into the program.
//!
//! The files are the one source, and tests hold them to what they say: each has the same parts in the same order, every code that the
//! sources of dsh can give has one, and the projects that they show as examples get the code and, mended, lose it.

mod prose;
mod table;

use std::sync::LazyLock;

use crate::diagnostic::Severity;

/// What is said of one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The code, like `config::unknown_key`.
    pub(crate) code: &'static str,
    /// How bad it is; the text says where it is otherwise.
    pub(crate) severity: Severity,
    /// What it says, in one sentence.
    pub(crate) summary: &'static str,
    /// All of it, in Markdown: the file.
    pub(crate) text: &'static str,
}

static RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| table::TEXTS.iter().filter_map(|(code, text)| Rule::parse(code, text)).collect());

/// Every rule, by code.
pub(crate) fn all() -> &'static [Rule] {
    &RULES
}

/// The rule of this code.
pub(crate) fn find(code: &str) -> Option<&'static Rule> {
    let rules = all();
    rules.binary_search_by_key(&code, |rule| rule.code).ok().and_then(|index| rules.get(index))
}

impl Rule {
    /// Reads what stands before the first heading of a file: its title, the summary and the severity.
    fn parse(code: &'static str, text: &'static str) -> Option<Self> {
        let mut paragraphs = text.split("\n\n");
        paragraphs.next()?.strip_prefix("# ").filter(|title| *title == code)?;
        let summary = paragraphs.next()?;
        let severity = match paragraphs.next()?.strip_prefix("Severity: ")?.split(' ').next()? {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            "note" => Severity::Note,
            _ => return None,
        };
        Some(Self { code, severity, summary, text })
    }

    /// The code without its area.
    pub(crate) fn name(&self) -> &'static str {
        self.code.rsplit("::").next().unwrap_or(self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::{all, find, table};

    #[test]
    fn every_file_of_the_table_is_read_and_found_by_its_code() {
        let codes: Vec<&str> = table::TEXTS.iter().map(|(code, _)| *code).collect();
        assert_eq!(all().iter().map(|rule| rule.code).collect::<Vec<_>>(), codes);
        assert!(codes.iter().all(|code| find(code).is_some_and(|rule| rule.code == *code)));
        assert_eq!(find("config::"), None);
    }
}
