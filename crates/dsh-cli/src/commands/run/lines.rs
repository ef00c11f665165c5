//! Calls and results as short lines.

use dsh_llm::{ContentBlock, ToolCall, ToolResult};

use crate::diagnostic::one_line;

/// So many characters of arguments or of a result are shown.
const WIDTH: usize = 100;

/// A call: the tool, and the beginning of its arguments.
pub(in crate::commands) fn call_line(call: &ToolCall) -> String {
    format!("> {} {}", one_line(&call.name), beginning(&call.arguments))
}

/// A result: its first line, or what went wrong.
pub(in crate::commands) fn result_line(name: &str, result: &ToolResult, code: Option<&str>) -> String {
    let texts = result.content.iter().filter_map(ContentBlock::as_text);
    let lines: Vec<&str> = texts.flat_map(str::lines).filter(|line| !line.trim().is_empty()).collect();
    let (first, taken) = match lines.as_slice() {
        [] => (other(result), 0),
        // What ends in a colon says least: what is wrong comes behind it.
        [first, second, ..] if result.is_error && first.trim_end().ends_with(':') => {
            (beginning(&format!("{} {}", first.trim(), second.trim())), 2)
        }
        [first, ..] => (beginning(first), 1),
    };
    let more = more(lines.len().saturating_sub(taken));
    let name = one_line(name);
    match (result.is_error, code) {
        (true, Some(code)) => format!("< {name} failed: {first}{more} ({code})"),
        (true, None) => format!("< {name} failed: {first}{more}"),
        (false, _) => format!("< {name} {first}{more}"),
    }
}

/// Why a tool failed, for who runs it.
pub(super) fn failure_line(name: &str, failure: &str) -> String {
    format!("! {}: {}", one_line(name), one_line(failure.trim()))
}

/// What a model thought before it answered: the first line of it.
pub(super) fn reasoning_line(thought: &str) -> Option<String> {
    let mut lines = thought.lines().filter(|line| !line.trim().is_empty());
    let first = beginning(lines.next()?);
    let more = more(lines.count());
    Some(format!("~ {first}{more}"))
}

/// How many lines are left out, if any.
fn more(lines: usize) -> String {
    match lines {
        0 => String::new(),
        1 => " (and 1 line more)".to_owned(),
        count => format!(" (and {count} lines more)"),
    }
}

/// What a result without text is.
fn other(result: &ToolResult) -> String {
    match result.content.as_slice() {
        [] => "(nothing)".to_owned(),
        [ContentBlock::Image(image), ..] => format!("({})", one_line(&image.media_type)),
        [ContentBlock::Resource(resource), ..] => one_line(&resource.uri),
        _ => "(no text)".to_owned(),
    }
}

fn beginning(text: &str) -> String {
    let mut characters = text.trim().chars();
    let begin: String = characters.by_ref().take(WIDTH).collect();
    let more = if characters.next().is_some() { "…" } else { "" };
    format!("{}{more}", one_line(&begin))
}

#[cfg(test)]
mod tests {
    use dsh_llm::{ContentBlock, Image, ToolCall, ToolResult};

    use super::{call_line, reasoning_line, result_line};

    #[test]
    fn a_call_is_one_line_that_a_terminal_obeys_nothing_of() {
        let call = ToolCall::new("1", "count", "{\"path\":\n\"a\u{1b}[2J\"}");
        let line = call_line(&call);
        assert!(!line.contains(['\n', '\u{1b}']), "{line}");
        let long = ToolCall::new("1", "write", "x".repeat(1_000));
        assert_eq!(call_line(&long).chars().count(), "> write ".len() + 100 + 1);
    }

    #[test]
    fn what_was_thought_is_its_first_line() {
        assert_eq!(reasoning_line(" \n\n"), None);
        assert_eq!(reasoning_line("\nIs it 2?\n").unwrap(), "~ Is it 2?");
        assert_eq!(reasoning_line("a\u{1b}[2J\nb\n\nc").unwrap(), "~ a\\u{1B}[2J (and 2 lines more)");
    }

    #[test]
    fn a_result_is_its_first_line_or_what_went_wrong() {
        let text = |text: &str| ToolResult::new("1", [ContentBlock::text(text)]);
        assert_eq!(result_line("count", &text("312 words\n"), None), "< count 312 words");
        assert_eq!(result_line("read", &text("\na\nb\nc\n"), None), "< read a (and 2 lines more)");
        assert_eq!(result_line("read", &ToolResult::new("1", []), None), "< read (nothing)");
        let image = ToolResult::new("1", [ContentBlock::Image(Image::new("image/png", ""))]);
        assert_eq!(result_line("shot", &image, None), "< shot (image/png)");
        let failed = ToolResult::error("1", "no such file");
        assert_eq!(result_line("read", &failed, Some("tools::failed")), "< read failed: no such file (tools::failed)");
        let failed = ToolResult::error("1", "it does not fit:\n- /a: the value is not a string\n- /b: is missing");
        assert_eq!(
            result_line("read", &failed, None),
            "< read failed: it does not fit: - /a: the value is not a string (and 1 line more)"
        );
    }
}
