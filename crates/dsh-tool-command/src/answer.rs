//! What a command answers: its standard output, or why there is none.

use std::fmt::Write as _;
use std::process::ExitStatus;

use dsh_llm::ContentBlock;
use dsh_tools::{ToolFailure, ToolOutput};
use serde_json::Value;

use crate::kept::Head;
use crate::process::Ended;
use crate::tool::Spec;

/// So much is told of what a command that failed wrote.
pub(crate) const TAIL: usize = 4 << 10;

/// The answer of a command that has ended by itself.
pub(crate) fn of(spec: &Spec, ended: Ended) -> Result<ToolOutput, ToolFailure> {
    let how = match &ended.status {
        Ok(status) if status.success() => return output(ended.stdout, spec.output_limit),
        Ok(status) => how(*status),
        // Somebody else in this process has taken its status away.
        Err(error) => format!("the command has ended, and nobody knows how ({error})"),
    };
    Err(ToolFailure::Model(failed(&how, ended)))
}

/// What a command had written when it was ended from outside, be it half of something.
pub(crate) fn so_far(ended: Ended) -> ToolOutput {
    if ended.stdout.total() == 0 {
        return ToolOutput::default();
    }
    text(ended.stdout)
}

fn output(stdout: Head, limit: usize) -> Result<ToolOutput, ToolFailure> {
    if stdout.is_cut() {
        let is_blocks = begins_like_blocks(&stdout);
        let total = stdout.total();
        return if is_blocks {
            Err(ToolFailure::Model(format!(
                "the command wrote {total} bytes, and content blocks of more than {limit} bytes cannot be read"
            )))
        } else {
            Ok(text(stdout))
        };
    }
    let bytes = stdout.into_bytes();
    match blocks(&bytes) {
        Some(blocks) => blocks.map(ToolOutput::new).map_err(ToolFailure::Model),
        None => Ok(ToolOutput::from(words(bytes))),
    }
}

/// Text, with a mark before it where it is not the whole.
fn text(stdout: Head) -> ToolOutput {
    if !stdout.is_cut() {
        return words(stdout.into_bytes()).into();
    }
    let total = stdout.total();
    let mut kept = stdout.into_bytes();
    let whole = kept.len() - unfinished(&kept);
    kept.truncate(whole);
    let mark = format!("[the command wrote {total} bytes; the first {whole} of them follow]");
    ToolOutput::new([ContentBlock::text(mark), ContentBlock::text(words(kept))])
}

/// How many bytes at the end are a character that was cut.
fn unfinished(bytes: &[u8]) -> usize {
    let tail = bytes.get(bytes.len().saturating_sub(4)..).unwrap_or_default();
    let is_start = |byte: &u8| byte & 0b1100_0000 != 0b1000_0000;
    let Some(start) = tail.iter().rposition(is_start) else { return 0 };
    let last = tail.get(start..).unwrap_or_default();
    match str::from_utf8(last) {
        Err(error) if error.error_len().is_none() => last.len(),
        Ok(_) | Err(_) => 0,
    }
}

/// Bytes as text, without the newline at the end; what is not UTF-8 is shown by a mark for each place.
fn words(bytes: Vec<u8>) -> String {
    let mut text =
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    text
}

/// Whether what was cut was on the way to being content blocks.
fn begins_like_blocks(stdout: &Head) -> bool {
    let mut rest = stdout.bytes();
    for part in [&b"{"[..], b"\"content\"", b":", b"["] {
        rest = match rest.trim_ascii_start().strip_prefix(part) {
            Some(rest) => rest,
            None => return false,
        };
    }
    true
}

/// The content blocks that this is, or what is wrong with them; `None` where it is none and so text.
fn blocks(bytes: &[u8]) -> Option<Result<Vec<ContentBlock>, String>> {
    // Most answers are text: it is not read as JSON in vain.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    let Ok(Value::Object(mut object)) = serde_json::from_slice::<Value>(bytes) else { return None };
    if object.len() != 1 {
        return None;
    }
    let Some(Value::Array(items)) = object.remove("content") else { return None };
    if !items.iter().all(|item| item.get("type").is_some_and(Value::is_string)) {
        return None;
    }
    Some(items.into_iter().enumerate().map(|(place, item)| block(place, item)).collect())
}

fn block(place: usize, item: Value) -> Result<ContentBlock, String> {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let which = place + 1;
    if !["text", "image", "resource"].contains(&kind.as_str()) {
        return Err(format!(
            "content block {which} of the command's answer is of the type `{}`, and a tool answers with text, image and resource",
            kind.escape_debug()
        ));
    }
    serde_json::from_value(item)
        .map_err(|error| format!("content block {which} of the command's answer is no {kind} block: {error}"))
}

/// How a command ended that has not answered.
fn how(status: ExitStatus) -> String {
    if let Some(code) = status.code() {
        return format!("the command ended with exit status {code}");
    }
    match signal(status) {
        Some(signal) => format!("the command was ended by signal {signal}"),
        None => format!("the command ended with {status}"),
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<String> {
    use std::os::unix::process::ExitStatusExt as _;

    let number = status.signal()?;
    let name = rustix::process::Signal::from_named_raw(number).and_then(name);
    let dumped = if status.core_dumped() { ", and left a core dump" } else { "" };
    Some(match name {
        Some(name) => format!("{number} ({name}){dumped}"),
        None => format!("{number}{dumped}"),
    })
}

#[cfg(unix)]
fn name(signal: rustix::process::Signal) -> Option<&'static str> {
    use rustix::process::Signal;

    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::SYS, "SIGSYS"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
    ];
    names.into_iter().find(|(known, _)| *known == signal).map(|(_, name)| name)
}

#[cfg(not(unix))]
fn signal(_status: ExitStatus) -> Option<String> {
    None
}

/// How it ended, and what it said to that: the end of standard error, or of standard output where it said nothing there.
fn failed(how: &str, ended: Ended) -> String {
    let Ended { stdout, stderr, .. } = ended;
    let mut said = how.to_owned();
    let is_cut = stderr.is_cut();
    let errors = end_of(stderr.into_bytes(), is_cut);
    let (stream, is_cut, text) = if errors.trim().is_empty() {
        let is_cut = stdout.is_cut();
        let bytes = stdout.into_bytes();
        let from = bytes.len().saturating_sub(TAIL);
        let end = bytes.get(from..).unwrap_or_default().to_vec();
        ("standard output", is_cut || from > 0, end_of(end, from > 0))
    } else {
        ("standard error", is_cut, errors)
    };
    if text.trim().is_empty() {
        said.push_str(", and wrote nothing");
        return said;
    }
    let part = if is_cut { "; the end of its" } else { "; its" };
    // Writing to a string does not fail.
    let _infallible = write!(said, "{part} {stream}:\n{text}");
    said
}

/// The end of a stream as text; where something is missing before it, from the start of a line on, if there is one.
fn end_of(mut bytes: Vec<u8>, is_cut: bool) -> String {
    if is_cut {
        let line = bytes.iter().position(|byte| *byte == b'\n').map(|end| end + 1).filter(|from| *from < bytes.len());
        let character = || bytes.iter().position(|byte| byte & 0b1100_0000 != 0b1000_0000).unwrap_or(0);
        let from = line.unwrap_or_else(character);
        bytes.drain(..from);
    }
    words(bytes)
}

#[cfg(test)]
mod tests {
    use dsh_llm::ContentBlock;
    use proptest::prelude::*;

    use super::{blocks, end_of, output, unfinished, words};
    use crate::kept::Head;

    fn head(bytes: &[u8], limit: usize) -> Head {
        let mut head = Head::new(limit);
        head.take(bytes);
        head
    }

    #[test]
    fn text_is_what_is_not_to_the_letter_content_blocks() {
        for text in [
            "",
            "5",
            "{\"content\": [",
            "[{\"type\": \"text\", \"text\": \"a\"}]",
            "{\"content\": \"a\"}",
            "{\"content\": [1]}",
            "{\"content\": [{\"text\": \"a\"}]}",
            "{\"content\": [{\"type\": 5}]}",
            "{\"content\": [], \"isError\": true}",
            "{\"content\": []} {}",
            "{\"name\": \"package\"}",
        ] {
            assert!(blocks(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn content_blocks_are_read_and_what_is_wrong_in_them_is_told_by_its_place() {
        let read = |text: &str| blocks(text.as_bytes()).unwrap();
        assert_eq!(read(" {\"content\": []}\n"), Ok(vec![]));
        let two = "{\"content\": [{\"type\": \"text\", \"text\": \"a\"}, {\"type\": \"image\", \"media_type\": \"image/png\", \"data\": \"QQ==\"}]}";
        assert_eq!(read(two).unwrap().len(), 2);
        let link = "{\"content\": [{\"type\": \"resource\", \"uri\": \"file:///a\", \"body\": {\"text\": \"x\"}}]}";
        assert!(matches!(read(link).unwrap()[0], ContentBlock::Resource(_)));
        assert_eq!(
            read("{\"content\": [{\"type\": \"text\", \"text\": \"a\"}, {\"type\": \"tool_call\"}]}").unwrap_err(),
            "content block 2 of the command's answer is of the type `tool_call`, and a tool answers with text, image and resource"
        );
        assert_eq!(
            read("{\"content\": [{\"type\": \"text\"}]}").unwrap_err(),
            "content block 1 of the command's answer is no text block: missing field `text`"
        );
    }

    #[test]
    fn what_is_over_the_limit_is_counted_and_no_character_is_cut() {
        let cut = output(head("größer\n".as_bytes(), 3), 3).unwrap();
        let texts: Vec<&str> = cut.content().iter().filter_map(ContentBlock::as_text).collect();
        assert_eq!(texts, ["[the command wrote 9 bytes; the first 2 of them follow]", "gr"]);
        let cut = output(head(b"{\"content\": [{\"type\": \"text\", \"text\": \"a\"}]}", 30), 30);
        assert!(format!("{:?}", cut.unwrap_err()).contains("content blocks of more than 30 bytes cannot be read"));
    }

    #[test]
    fn one_newline_at_the_end_is_no_part_of_the_answer() {
        assert_eq!(
            [&b"5\n"[..], b"5\r\n", b"5", b"5\n\n", b"\n", b""].map(|text| words(text.to_vec())),
            ["5", "5", "5", "5\n", "", ""]
        );
        assert_eq!(words(b"a\xff\xfeb".to_vec()), "a\u{fffd}\u{fffd}b");
    }

    #[test]
    fn an_end_begins_with_a_line() {
        assert_eq!(end_of(b"half a line\nwhole\n".to_vec(), true), "whole");
        assert_eq!(end_of(b"half a line\nwhole\n".to_vec(), false), "half a line\nwhole");
        assert_eq!(end_of("\u{fc}ber".as_bytes()[1..].to_vec(), true), "ber");
        assert_eq!(end_of(b"no line\n".to_vec(), true), "no line");
    }

    proptest! {
        #[test]
        fn a_text_that_is_cut_anywhere_is_text_without_its_unfinished_end(text in "[a\u{e9}\u{4e2d}\u{1f600}]{0,8}", at in any::<prop::sample::Index>()) {
            let end = at.index(text.len() + 1);
            let bytes = &text.as_bytes()[..end];
            let whole = &bytes[..end - unfinished(bytes)];
            prop_assert!(str::from_utf8(whole).is_ok());
            prop_assert!(end - whole.len() < 4);
        }
    }
}
