//! One line: a record as JSON, closed by a checksum of its bytes.

use std::borrow::Cow;

use serde::Deserialize;

use crate::damage::DamageKind;
use crate::error::{Error, ErrorKind};
#[cfg(unix)]
use crate::event::Opened;
use crate::event::{FORMAT_VERSION, SessionEvent};
use crate::lines::text;
use crate::record::Record;

/// What to do about a line that nobody can read.
pub(super) const RESTORE: &str = "restore the file from a copy, or fork the session before that turn";
/// What to do about a header that nobody can read.
const RESTORE_HEADER: &str = "restore the file from a copy; without its header nobody can tell what the rest is";

/// What stands before the checksum, and what after it.
const SUM: (&[u8], &[u8]) = (b",\"sum\":\"", b"\"}");
/// Its digits.
const SUM_DIGITS: usize = 16;

/// The types of events, as they stand in a record.
const KINDS: [&str; 13] = [
    "opened",
    "turn_started",
    "input",
    "prompt",
    "request",
    "answered",
    "step_failed",
    "call_started",
    "call_ended",
    "attached",
    "compacted",
    "turn_ended",
    "repaired",
];

/// The fields that every record has.
#[derive(Deserialize)]
pub(crate) struct Head<'l> {
    pub(crate) seq: u64,
    pub(crate) turn: u32,
    pub(crate) at_ms: u64,
    #[serde(rename = "type", borrow)]
    kind: Cow<'l, str>,
    /// A checksum, where one stands as anything else writes it.
    #[serde(default, rename = "sum", deserialize_with = "is_there")]
    has_sum: bool,
}

fn is_there<'de, D: serde::Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    serde::de::IgnoredAny::deserialize(value).map(|_| true)
}

/// What a header of every version has.
#[derive(Deserialize)]
struct Version {
    #[serde(rename = "type")]
    kind: String,
    version: u64,
}

/// Appends a record as one whole line.
pub(crate) fn push_line(out: &mut Vec<u8>, record: &Record) {
    let begin = out.len();
    // Records of texts, numbers and lists are never refused, nor does a vector refuse bytes.
    if serde_json::to_writer(&mut *out, record).is_err() || out.pop() != Some(b'}') {
        out.truncate(begin);
        return;
    }
    let sum = sum_of(out.get(begin..).unwrap_or_default());
    out.extend_from_slice(SUM.0);
    out.extend_from_slice(&sum);
    out.extend_from_slice(SUM.1);
    out.push(b'\n');
}

/// The beginning of a BLAKE3, in hexadecimal digits.
fn sum_of(bytes: &[u8]) -> [u8; SUM_DIGITS] {
    let hex = blake3::hash(bytes).to_hex();
    let mut sum = [b'0'; SUM_DIGITS];
    sum.iter_mut().zip(hex.bytes()).for_each(|(digit, byte)| *digit = byte);
    sum
}

/// Whether the checksum is that of the line, where the line has one.
fn is_sound(line: &[u8]) -> Option<bool> {
    let (rest, sum) = line.trim_ascii_end().strip_suffix(SUM.1)?.split_last_chunk::<SUM_DIGITS>()?;
    Some(sum_of(rest.strip_suffix(SUM.0)?) == *sum)
}

/// Reads a line without its end, and says what had to be repaired.
pub(super) fn read(line: &[u8], number: u64) -> Result<(Record, Vec<DamageKind>), Error> {
    let restore = if number == 1 { RESTORE_HEADER } else { RESTORE };
    let corrupt = |problem: String| Error::new(ErrorKind::Corrupt, problem).at_line(number).with_help(restore);
    let (text, damage) = text::repaired(line);
    if number == 1 {
        check_version(&text)?;
    }
    let sound = is_sound(line);
    if damage.is_empty() && sound == Some(false) {
        let problem = "it was changed after it was written: its checksum is another one";
        let help = "restore it from a copy; where the change is meant, take its `sum` out";
        return Err(Error::new(ErrorKind::Corrupt, problem).at_line(number).with_help(help));
    }
    let head: Head<'_> = serde_json::from_str(&text).map_err(|error| corrupt(told(&error)))?;
    if damage.is_empty() && sound.is_none() && head.has_sum {
        let problem = "its `sum` does not stand at its end, so that nobody can tell whether it was changed";
        let help = "restore it from a copy; where it was written anew, take its `sum` out";
        return Err(Error::new(ErrorKind::Corrupt, problem).at_line(number).with_help(help));
    }
    if !KINDS.contains(&&*head.kind) {
        let problem = format!("it is of the unknown type {:?}", head.kind);
        let help = format!("a later dsh wrote it; this one knows the types of version {FORMAT_VERSION}");
        return Err(Error::new(ErrorKind::UnknownEvent, problem).at_line(number).with_help(help));
    }
    let event: SessionEvent = serde_json::from_str(&text).map_err(|error| corrupt(told(&error)))?;
    if let SessionEvent::Prompt(prompt) = &event
        && damage.is_empty()
        && sound.is_none()
        && !prompt.is_whole()
    {
        return Err(corrupt("its `hash` is not that of its prompt".to_owned()));
    }
    Ok((Record { seq: head.seq, turn: head.turn, at_ms: head.at_ms, event }, damage))
}

/// Reads the header of a log alone.
#[cfg(unix)]
pub(crate) fn header(line: &[u8]) -> Result<(u64, Opened), Error> {
    match read(line, 1)?.0 {
        Record { at_ms, event: SessionEvent::Opened(opened), .. } => Ok((at_ms, opened)),
        Record { event, .. } => {
            let problem = format!("a log has its `opened` first, not `{}`", event.kind());
            Err(Error::new(ErrorKind::Corrupt, problem).at_line(1).with_help(RESTORE_HEADER))
        }
    }
}

/// Of a first line that tells its version, refuses a newer one, whatever else stands in it.
fn check_version(text: &str) -> Result<(), Error> {
    match serde_json::from_str::<Version>(text) {
        Ok(header) if header.kind == "opened" && header.version > u64::from(FORMAT_VERSION) => {
            let problem = format!("its format is of version {}, and this dsh knows {FORMAT_VERSION}", header.version);
            Err(Error::new(ErrorKind::NewerVersion, problem).at_line(1).with_help("read it with the dsh that wrote it"))
        }
        _ => Ok(()),
    }
}

/// What the JSON reader says, with the column alone: every text is its line 1.
fn told(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line 1 column ") {
        Some((what, column)) => format!("it is no record: {what}, at byte {column}"),
        None => format!("it is no record: {text}"),
    }
}
