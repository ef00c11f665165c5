//! What a project asks for, as a person reads it before trusting it.

use crate::diagnostic::{Sources, Span};
use crate::trust::{Asker, TrustItem, TrustSet, shown};

/// Each thing with the places that ask for it, and the hash of all.
pub(super) fn of(set: &TrustSet, sources: &Sources) -> String {
    let mut lines =
        vec!["The files of this folder ask for what follows, and get it only if you trust them.".to_owned()];
    for (item, askers) in set.iter() {
        let item = match item {
            TrustItem::EnvironmentVariable { name } => format!("environment variable `{}`", shown(name)),
        };
        lines.extend([String::new(), item]);
        lines.extend(askers.iter().map(|asker| format!("    {}: {}", place(asker.span, sources), said(asker))));
    }
    lines.extend([String::new(), format!("hash: {}", set.hash()), String::new()]);
    lines.join("\n")
}

/// File and line.
fn place(span: Span, sources: &Sources) -> String {
    let path = sources.get(span.source).map_or("", |source| source.path.as_str());
    format!("{}:{}", in_line(path), line_and_column(span, sources).0)
}

/// Line and column, from 1, the latter in characters.
pub(super) fn line_and_column(span: Span, sources: &Sources) -> (usize, usize) {
    let before = sources.text(span.source).get(..span.start).unwrap_or_default();
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    (line, 1 + before.rsplit('\n').next().unwrap_or_default().chars().count())
}

fn said(asker: &Asker) -> String {
    let variable = format!("variable `{}`", in_line(&asker.variable));
    let agent = asker.agent.as_ref().map(|agent| format!(" of agent `{}`", in_line(agent)));
    let profile = asker.profile.as_ref().map(|profile| format!(" in profile `{}`", in_line(profile)));
    [Some(variable), agent, profile].into_iter().flatten().collect()
}

/// Without characters that move or hide what stands round them.
fn in_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\'' | '"' => line.push(character),
            _ => line.extend(character.escape_debug()),
        }
    }
    line
}
