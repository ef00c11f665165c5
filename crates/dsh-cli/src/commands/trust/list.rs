//! What a project asks for, as a person reads it before trusting it.

use crate::diagnostic::{Sources, Span, counted};
use crate::trust::{Asker, Asking, TrustItem, TrustSet, shown, shown_word};

/// Each thing with the places that ask for it, and the hash of all.
pub(super) fn of(set: &TrustSet, sources: &Sources) -> String {
    let mut lines =
        vec!["The files of this folder ask for what follows, and get it only if you trust them.".to_owned()];
    for (item, askers) in set.iter() {
        lines.extend([String::new(), words(item)]);
        lines.extend(askers.iter().map(|asker| format!("    {}: {}", place(asker.span, sources), said(asker))));
    }
    lines.extend([String::new(), format!("hash: {}", set.hash()), String::new()]);
    lines.join("\n")
}

/// What an item is.
fn words(item: &TrustItem) -> String {
    match item {
        TrustItem::EnvironmentVariable { name } => format!("environment variable `{}`", shown(name)),
        TrustItem::Command { words } => {
            let words: Vec<String> = words.iter().map(|word| format!("\"{}\"", shown_word(word))).collect();
            format!("command [{}]", words.join(", "))
        }
        TrustItem::ScriptedModel { path } => format!("scripted model `{}`", shown(path)),
        TrustItem::Permissions { allow, deny, .. } => {
            let list = |entries: &[String]| {
                let entries: Vec<String> = entries.iter().map(|entry| format!("`{}`", shown(entry))).collect();
                if entries.is_empty() { "no tool".to_owned() } else { entries.join(", ") }
            };
            let allow = allow.as_ref().map(|allow| format!("run {} without asking", list(allow)));
            let deny = deny.as_ref().map(|deny| format!("keep back {}", list(deny)));
            let said: Vec<String> = [allow, deny].into_iter().flatten().collect();
            format!("permissions: {}", said.join(", "))
        }
        TrustItem::Subagents { agents, usual, bounds } => {
            let agents = agents.iter().map(|agent| format!("`{}`", shown(agent)));
            let usual = usual.iter().map(|usual| format!("usual `{}`", shown(usual)));
            let bounds = bounds.iter().map(|(bound, number)| format!("{bound} {number}"));
            let said: Vec<String> = agents.chain(usual).chain(bounds).collect();
            let said = if said.is_empty() { String::new() } else { format!(": {}", said.join(", ")) };
            format!("agents work for others (tool `task`){said}")
        }
    }
}

/// File and line.
fn place(span: Span, sources: &Sources) -> String {
    let path = sources.get(span.source).map_or("", |source| source.path.as_str());
    format!("{}:{}", in_line(path), line_and_column(span, sources).0)
}

/// Line and column, from 1, the latter in characters.
pub(super) fn line_and_column(span: Span, sources: &Sources) -> (usize, usize) {
    sources.locate(span).map_or((1, 1), |place| (place.start.line, place.start.column))
}

/// How many things are asked for.
pub(super) fn count(set: &TrustSet) -> String {
    let of = |is: fn(&TrustItem) -> bool| set.iter().filter(|(item, _)| is(item)).count();
    let kinds = [
        (of(|item| matches!(item, TrustItem::EnvironmentVariable { .. })), "environment variable"),
        (of(|item| matches!(item, TrustItem::Command { .. })), "command"),
        (of(|item| matches!(item, TrustItem::ScriptedModel { .. })), "scripted model"),
        (of(|item| matches!(item, TrustItem::Permissions { .. })), "set of permissions"),
        (of(|item| matches!(item, TrustItem::Subagents { .. })), "set of subagents"),
    ];
    let said =
        kinds.into_iter().filter(|(count, _)| *count > 0).map(|(count, kind)| match kind.strip_prefix("set of ") {
            Some(of) if count > 1 => format!("{count} sets of {of}"),
            _ => counted(count, kind),
        });
    let said: Vec<String> = said.collect();
    match said.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => said.concat(),
    }
}

fn said(asker: &Asker) -> String {
    let by = match &asker.by {
        Asking::Variable(name) => format!("variable `{}`", in_line(name)),
        Asking::Tool(name) => format!("tool `{}`", in_line(name)),
        Asking::Key(key) => format!("`{key}`"),
    };
    let agent = asker.agent.as_ref().map(|agent| format!(" of agent `{}`", in_line(agent)));
    let profile = asker.profile.as_ref().map(|profile| format!(" in profile `{}`", in_line(profile)));
    [Some(by), agent, profile].into_iter().flatten().collect()
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

#[cfg(test)]
mod tests {
    use super::line_and_column;
    use crate::diagnostic::{Sources, Span};

    #[test]
    fn lines_and_columns_are_counted_from_one_in_characters() {
        let mut sources = Sources::new();
        let source = sources.add("dsh.toml".to_owned(), "é = 1\nü = { env = \"X\" }".to_owned());
        assert_eq!(line_and_column(Span::new(source, 0..1), &sources), (1, 1));
        assert_eq!(line_and_column(Span::new(source, 12..13), &sources), (2, 5));
    }
}
