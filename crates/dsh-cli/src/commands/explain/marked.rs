//! A section's text with marks in it, in one form on a terminal and elsewhere.
//!
//! * `⟦team=the harbour team⟧` is the value of a variable
//! * `⟦"{{"⟧` is a string that the template quotes, `{{"{{"}}`
//! * `⟦U+202E⟧` is a character that a reader would not see, or one of these brackets
//!
//! As the text's own brackets are written as such marks, nothing in it can be taken for one.

use std::ops::Range;

use dsh_system_prompt::{AssembledSection, Part};
use dsh_template::quotations;

use super::paint::Paint;
use super::words::is_hidden;

/// The text of a part, marked.
pub(super) fn part(part: &Part) -> String {
    let mut marked = String::new();
    let quoted = part.section().map(AssembledSection::text).filter(|text| !text.is_raw());
    let quoted: Vec<_> = quoted.map(|text| quotations(text.as_str()).collect()).unwrap_or_default();
    let mut quoted = quoted.into_iter().peekable();
    let start = part.range().start;
    let text = |range: Range<usize>| part.text().get(range.start - start..range.end - start).unwrap_or_default();
    for piece in part.pieces() {
        if let Some(variable) = &piece.variable {
            let name = variable.name.as_str();
            mark(&mut marked, |marked| {
                marked.push_str(name);
                marked.push('=');
                push_seen(marked, text(piece.range.clone()));
            });
            continue;
        }
        let (mut at, mut text_at) = (piece.range.start, piece.text_range.start);
        // A quotation of nothing between two variables is in no piece.
        while let Some(quotation) = quoted.next_if(|quotation| quotation.range.start < piece.text_range.end) {
            let Some(before) = quotation.range.start.checked_sub(text_at) else { continue };
            push_seen(&mut marked, text(at..at + before));
            at += before + quotation.len;
            text_at = quotation.range.end;
            mark(&mut marked, |marked| {
                marked.push('"');
                push_seen(marked, text(at - quotation.len..at));
                marked.push('"');
            });
        }
        push_seen(&mut marked, text(at..piece.range.end));
    }
    marked
}

/// A text without variables, marked.
pub(super) fn text(text: &str) -> String {
    let mut marked = String::new();
    push_seen(&mut marked, text);
    marked
}

fn mark(marked: &mut String, inside: impl FnOnce(&mut String)) {
    marked.push_str(Paint::Value.begin());
    marked.push('⟦');
    inside(marked);
    marked.push('⟧');
    marked.push_str(Paint::END);
}

/// Appends a text with each character in a form that is seen; lines stay lines.
fn push_seen(marked: &mut String, text: &str) {
    for character in text.chars() {
        let is_layout = matches!(character, '\n' | '\t');
        let is_bracket = matches!(character, '⟦' | '⟧');
        if is_bracket || (!is_layout && is_hidden(character)) {
            marked.extend(["⟦U+", &format!("{:04X}", u32::from(character)), "⟧"]);
        } else {
            marked.push(character);
        }
    }
}
