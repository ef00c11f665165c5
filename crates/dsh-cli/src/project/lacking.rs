//! What a prompt may lack because something wrong was left out of it, so that the lack is no mistake of its own.

use std::collections::BTreeSet;

use dsh_system_prompt::{Error, ErrorKind};

use super::Project;
use crate::diagnostic::Sources;

/// The names that stand as keys in the configuration, right or wrong: a variable of such a name may have been left out.
#[derive(Debug, Default)]
pub(super) struct Given(BTreeSet<String>);

impl Given {
    pub(super) fn of(sources: &Sources) -> Self {
        let configurations =
            sources.iter().filter(|source| !source.is_file() || source.path.as_bytes().ends_with(b".toml"));
        Self(configurations.flat_map(|source| keys(&source.text)).map(as_a_name).collect())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// The key as the name of a variable: one that is none was hardly left out for anything else.
fn as_a_name(key: &str) -> String {
    key.to_ascii_lowercase().replace('-', "_")
}

/// Words that stand before `=`, or before what follows a part of a key.
fn keys(text: &str) -> impl Iterator<Item = &str> {
    let is_no_part = |character: char| !(character.is_ascii_alphanumeric() || matches!(character, '_' | '-'));
    text.match_indices(['=', '.', ']']).filter_map(move |(offset, _)| {
        let before = text.get(..offset)?.trim_end_matches(['"', '\'', ' ', '\t']);
        before.rsplit(is_no_part).next().filter(|word| !word.is_empty())
    })
}

impl Project {
    /// Whether a refused assembly is a mistake of its own, though something was left out of what it was made of.
    pub(super) fn is_refused_all_the_same(&self, error: &Error) -> bool {
        let is_about_tools = matches!(error.kind(), ErrorKind::ReservedToolName | ErrorKind::DuplicateTool);
        is_about_tools && self.tools.is_complete()
    }
}

#[cfg(test)]
mod tests {
    use super::keys;

    #[test]
    fn keys_are_told_from_words_and_from_references() {
        let text = "[varaibles]\nteam = 5 # one word\n\"reader\"= 'on {{nobody}}'\nagents.one.variables = { A-1 = \"x\" }\n[variables.env]\n";
        let found: Vec<&str> = keys(text).collect();
        assert_eq!(found, ["varaibles", "team", "reader", "agents", "one", "variables", "A-1", "variables", "env"]);
    }
}
