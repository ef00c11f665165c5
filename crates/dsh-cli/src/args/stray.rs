//! What a word was meant to be that stands where a command takes none.

use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The commands that take `--agent`.
const OF_AGENTS: [&str; 3] = ["check", "explain", "prompt"];

/// The commands that are about a folder and not about an agent of it.
const OF_FOLDERS: [&str; 3] = ["config", "init", "trust"];

/// Adds to an error about a word that is too much what takes such a word: `--agent` or `--dir`.
pub(crate) fn with_hint(mut error: clap::Error) -> clap::Error {
    let Some(hint) = hint(&error) else { return error };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(hint)]));
    error
}

fn hint(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return None };
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return None };
    if error.kind() != ErrorKind::UnknownArgument || word.starts_with('-') {
        return None;
    }
    let usage = usage.to_string();
    let command = usage.split_whitespace().skip_while(|word| *word != "dsh").nth(1)?;
    let is_folder = || word.contains('/') || matches!(word.as_str(), "." | "..") || Path::new(word).is_dir();
    if OF_FOLDERS.contains(&command) || (OF_AGENTS.contains(&command) && is_folder()) {
        return Some(format!("to name the project's folder, use '--dir {word}'"));
    }
    OF_AGENTS.contains(&command).then(|| format!("to name an agent, use '--agent {word}'"))
}
