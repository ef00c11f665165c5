//! What is said of a folder that is not trusted.

use std::collections::BTreeSet;

use super::{Asking, Reason, Trust, TrustHash, TrustItem, TrustSet};
use crate::diagnostic::{Diagnostic, Report};
use crate::names::list;

/// Says what was left out because the folder is not trusted (C4). Of a trusted one there is nothing to say.
pub(crate) fn left_out(set: &TrustSet, trust: Trust, report: &mut Report) {
    let Trust::Untrusted(reason) = trust else { return };
    if let Reason::OtherHash { given } = reason {
        let headline = "the hash that was given is not that of what this folder asks for";
        report.push(hash_differs(Diagnostic::warning("trust::hash_differs", headline), &given, set));
    }
    let why = match reason {
        Reason::NeverTrusted | Reason::OtherHash { .. } => "this folder is not trusted",
        Reason::Changed => "this folder asks for something else than when it was trusted",
    };
    let headline = format!("{why}, so {}", not_done(set));
    let help = "`dsh trust` shows what the folder asks for, and asks whether to trust it";
    report.push(Diagnostic::note("trust::untrusted", headline).with_help(help));
}

/// With both hashes.
pub(crate) fn hash_differs(diagnostic: Diagnostic, given: &TrustHash, set: &TrustSet) -> Diagnostic {
    diagnostic.with_note(format!("given:         {given}")).with_note(format!("of the folder: {}", set.hash()))
}

fn not_done(set: &TrustSet) -> String {
    let (mut variables, mut commands, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut tools = BTreeSet::new();
    for (item, askers) in set.iter() {
        match item {
            TrustItem::EnvironmentVariable { name } => variables.push(shown(name)),
            TrustItem::Command { .. } => {
                for asker in askers {
                    if let Asking::Tool(tool) = &asker.by
                        && tools.insert(tool)
                    {
                        commands.push(shown(tool));
                    }
                }
            }
            TrustItem::ScriptedModel { .. } => others.push("the scripted model is not used"),
            TrustItem::Permissions { .. } => others.push("its permissions do not hold"),
            TrustItem::Subagents { .. } => others.push("no agent works for another"),
        }
    }
    others.dedup();
    let said = |names: &[String], one: &str, more: &str| {
        let what = match names.len() {
            0 => return None,
            1 => one.to_owned(),
            many => format!("{many} {more}"),
        };
        Some(format!("{what}: {}", list(names.iter().map(String::as_str))))
    };
    let named = [
        said(&variables, "1 environment variable is not read", "environment variables are not read"),
        said(&commands, "1 command tool is not run", "command tools are not run"),
    ];
    let parts: Vec<String> = named.into_iter().flatten().chain(others.into_iter().map(str::to_owned)).collect();
    parts.join("; ")
}

/// A name as a person may trust it to be: what is not a letter, digit or sign of ASCII is shown by its
/// number, so that no name looks like another, or moves what stands round it.
pub(crate) fn shown(name: &str) -> String {
    escaped(name, |_| false)
}

/// A word of a command, as it stands between quotes: blanks stay, so that it can be read and judged.
pub(crate) fn shown_word(word: &str) -> String {
    escaped(word, |character| character == ' ')
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => shown.push_str("\\\\"),
            '`' => shown.extend(character.escape_unicode()),
            _ if stays(character) || character.is_ascii_graphic() => shown.push(character),
            _ => shown.extend(character.escape_unicode()),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{shown, shown_word};

    #[test]
    fn a_name_looks_like_no_other() {
        assert_eq!(shown("ProgramFiles(x86)"), "ProgramFiles(x86)");
        assert_eq!(shown("А\u{202e}B"), r"\u{410}\u{202e}B");
        assert_eq!(shown("A\u{1b}[1A\nB C`"), r"A\u{1b}[1A\u{a}B\u{20}C\u{60}");
        assert_eq!(shown(r"\u{41}"), r"\\u{41}");
    }

    #[test]
    fn a_word_keeps_its_blanks_and_no_other_look_like_them() {
        assert_eq!(shown_word("sleep 3; `x`\n\u{a0}"), r"sleep 3; \u{60}x\u{60}\u{a}\u{a0}");
        assert_eq!(shown_word(r"\u{20}"), r"\\u{20}");
    }
}
