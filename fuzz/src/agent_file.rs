//! An agent's Markdown file: front matter and body (C1).

use dsh_cli::fuzzing::AgentReading;

use crate::found::{is_a_text, shown_is_right};
use crate::text::at;

/// Checks bytes as an agent's file.
///
/// # Panics
///
/// Where something does not hold; see `docs/fuzz.md`.
pub fn agent_file(bytes: &[u8]) {
    let read = dsh_cli::fuzzing::agent_file(bytes);
    assert!(read == dsh_cli::fuzzing::agent_file(bytes), "read twice: {read:?}");
    shown_is_right(&read.decoded, &read.shown);
    if !is_a_text(bytes, &read.decoded, &read.shown) {
        assert!(!read.is_agent);
        return;
    }
    is_split_at_its_fences(&read);
    tools_have_their_places(&read);
    marks_and_line_ends_change_nothing(&read);
}

/// The front matter of a text, and what stands behind it; none, where it has no two fences.
fn split(text: &str) -> Option<(&str, &str)> {
    let is_fence = |line: &&str| line.trim_end_matches([' ', '\t', '\n']) == "---";
    let first = text.split_inclusive('\n').next().filter(is_fence)?;
    let mut end = first.len();
    let second = text.get(end..)?.split_inclusive('\n').find(|line| {
        is_fence(line) || {
            end += line.len();
            false
        }
    })?;
    Some((text.get(first.len()..end)?, text.get(end + second.len()..)?))
}

/// An agent is what begins with a fence, and its persona is what stands behind the second.
fn is_split_at_its_fences(read: &AgentReading) {
    let text = read.decoded.text.as_str();
    let begins = text.split('\n').next().is_some_and(|line| line.trim_end_matches([' ', '\t']) == "---");
    assert_eq!(read.is_agent, begins, "{text:?}");
    let codes: Vec<_> = read.shown.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes.contains(&"agents::no_front_matter"), !begins, "{text:?}");
    let parts = split(text);
    assert_eq!(codes.contains(&"agents::unclosed_front_matter"), begins && parts.is_none(), "{text:?}");
    let said = read.body.clone().map(|body| at(text, body));
    let Some((_, behind)) = parts else { return assert_eq!(said, None, "{text:?}") };
    // Without blank lines before it, and without line ends behind it.
    let mut body = behind.trim_end_matches('\n');
    while let Some((_, rest)) = body.split_once('\n').filter(|(line, _)| line.trim_matches([' ', '\t']).is_empty()) {
        body = rest;
    }
    let is_blank = behind.trim_matches([' ', '\t', '\n']).is_empty();
    assert_eq!(said, Some(body).filter(|_| !is_blank), "{text:?}");
    if let Some(said) = read.body.clone() {
        assert!(
            text.get(said.end..).unwrap_or_default().trim_matches('\n').is_empty(),
            "the body ends the file: {text:?}"
        );
    }
}

/// A name of a tool stands where it is told to, or the text that it is a part of does.
fn tools_have_their_places(read: &AgentReading) {
    let text = read.decoded.text.as_str();
    let front = split(text).map_or("", |(front, _)| front);
    for (tool, place) in read.allow.iter().flatten().chain(&read.deny) {
        let written = at(text, place.clone());
        let is_in_front = place.start >= 4
            && place.end <= text.len() - text.len().min(read.body.clone().map_or(0, |body| body.len()));
        assert!(is_in_front && front.contains(written), "{tool:?} is not {written:?} in {text:?}");
        assert!(!tool.is_empty() && !tool.trim_end_matches('*').contains('*'), "{tool:?} is no name in {text:?}");
    }
}

/// A byte order mark and CRLF change nothing of what is read. (case 13)
fn marks_and_line_ends_change_nothing(read: &AgentReading) {
    let text = read.decoded.text.as_str();
    if text.contains('\r') || text.starts_with('\u{feff}') {
        return;
    }
    let other = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let other = dsh_cli::fuzzing::agent_file(other.as_bytes());
    assert_eq!(other.agent, read.agent, "{text:?}");
    assert_eq!(other.shown.concise, read.shown.concise, "{text:?}");
}
