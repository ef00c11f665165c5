//! What the first and the last line of a file say, without reading what is between.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::error::{Error, ErrorKind};
use crate::id::SessionId;
use crate::lines::{Head, header};
use crate::store::Summary;

/// So many bytes are read at first, at each end.
const FIRST: u64 = 4096;

/// What the first and the last whole line say.
pub(super) fn summary(file: &File, id: &SessionId) -> Result<Summary, Error> {
    let failed = |error: std::io::Error| Error::of_io("its file cannot be read", error).about(id);
    let length = file.metadata().map_err(failed)?.len();
    let first = first_line(file, length).map_err(failed)?;
    let (created_ms, opened) = header(&first).map_err(|error| error.about(id))?;
    if opened.id != *id {
        return Err(another_name(&opened.id, id));
    }
    let (turns, records, last_ms) = match last_head(file, length).map_err(failed)? {
        Some(last) => last,
        None => (0, 1, created_ms),
    };
    Ok(Summary { opened, created_ms, last_ms, turns, records })
}

/// When what stands there was written last; of a link, the link.
pub(super) fn written_ms(path: &Path) -> Option<u64> {
    let written = std::fs::symlink_metadata(path).ok()?.modified().ok()?;
    u64::try_from(written.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
}

fn first_line(file: &File, length: u64) -> std::io::Result<Vec<u8>> {
    let mut size = FIRST;
    loop {
        let mut bytes = part(file, 0, size.min(length))?;
        if let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            bytes.truncate(end);
            return Ok(bytes);
        }
        if size >= length {
            return Ok(bytes);
        }
        size = size.saturating_mul(8);
    }
}

/// The turn, the number of records and the time that the last whole line tells.
fn last_head(file: &File, length: u64) -> std::io::Result<Option<(u32, u64, u64)>> {
    let mut size = FIRST;
    loop {
        let begin = length.saturating_sub(size);
        let bytes = part(file, begin, length - begin)?;
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        if begin > 0 {
            // The first one begins before this part.
            lines.remove(0);
        }
        let mut heads = lines.iter().rev().filter_map(|line| serde_json::from_slice::<Head<'_>>(line).ok());
        if let Some(head) = heads.next() {
            return Ok(Some((head.turn, head.seq.saturating_add(1), head.at_ms)));
        }
        if begin == 0 {
            return Ok(None);
        }
        size = size.saturating_mul(8);
    }
}

/// Up to so many bytes from there on.
fn part(file: &File, from: u64, size: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(usize::MAX)];
    let mut done = 0;
    while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, from.saturating_add(u64::try_from(done).unwrap_or(u64::MAX))) {
            Ok(0) => break,
            Ok(more) => done += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(done);
    Ok(bytes)
}

/// The refusal of a file whose header names another session.
pub(super) fn another_name(inside: &SessionId, id: &SessionId) -> Error {
    let problem = format!("its header names the session `{inside}`");
    let error = Error::new(ErrorKind::Corrupt, problem).about(id).at_line(1);
    error.with_help(format!("give the file its name `{inside}.jsonl` back; a copy is made by a fork"))
}
