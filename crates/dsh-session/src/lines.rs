//! The format: a log as JSON lines. Pure; `docs/session-format.md` tells it to others.

mod line;
mod text;

use crate::damage::{Damage, DamageKind};
use crate::error::{Error, ErrorKind};
use crate::event::SessionEvent;
use crate::record::Record;
use crate::store::Log;

pub(crate) use line::push_line;
#[cfg(unix)]
pub(crate) use line::{Head, header};

impl Log {
    /// Reads a log from the bytes of its file.
    ///
    /// Lone surrogates and bytes that are not UTF-8 are read as U+FFFD and reported. The end of a line that was never finished is left out
    /// and reported. Everything else that is wrong is refused with its line.
    ///
    /// ```
    /// use dsh_session::{Log, Opened, Record, SessionId, TurnStarted};
    ///
    /// let records = vec![
    ///     Record::new(0, 0, 0, Opened::new(SessionId::new(0, 1))),
    ///     Record::new(1, 1, 0, TurnStarted::new()),
    /// ];
    /// let lines = Log::new(records.clone()).to_lines();
    /// assert_eq!(Log::from_lines(lines.as_bytes())?.records, records);
    ///
    /// let torn = Log::from_lines(&lines.as_bytes()[..lines.len() - 5])?;
    /// assert_eq!(torn.records, records[..1]);
    /// assert_eq!(torn.damage[0].code(), "session::torn_end");
    ///
    /// let changed = lines.replacen("\"turn\":1", "\"turn\":7", 1);
    /// let error = Log::from_lines(changed.as_bytes()).unwrap_err();
    /// assert_eq!((error.code(), error.line()), ("session::corrupt", Some(2)));
    /// # Ok::<(), dsh_session::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `session::corrupt`, `session::newer_version` and `session::unknown_event`, each with its line.
    pub fn from_lines(bytes: &[u8]) -> Result<Self, Error> {
        match Self::sound_of(bytes) {
            (log, None) => Ok(log),
            (_, Some(error)) => Err(error),
        }
    }

    /// What stands before the first line that is refused, and what is wrong with that one.
    pub(crate) fn sound_of(bytes: &[u8]) -> (Self, Option<Error>) {
        let mut log = Self::default();
        let mut rest = bytes;
        let mut number = 0;
        while !rest.is_empty() {
            number += 1;
            let (line, after, ended) = match rest.iter().position(|byte| *byte == b'\n') {
                Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default(), true),
                None => (rest, &[][..], false),
            };
            let last = after.is_empty();
            let read = line::read(line, number).and_then(|(record, damage)| {
                log.check_place(&record).map_err(|error| error.at_line(number))?;
                Ok((record, damage))
            });
            match read {
                Ok((record, damage)) => {
                    log.records.push(record);
                    log.damage.extend(damage.into_iter().map(|kind| Damage::new(number, kind)));
                    if !ended {
                        log.damage.push(Damage::new(number, DamageKind::NoLineEnd));
                    }
                }
                // The header is written in one with the file's name, so it is never torn.
                Err(error) if number == 1 || !last || !is_torn(&error, line, ended) => {
                    return (log, Some(error));
                }
                Err(_) => {
                    let bytes = u64::try_from(rest.len()).unwrap_or(u64::MAX);
                    log.damage.push(Damage::new(number, DamageKind::TornEnd { bytes }));
                }
            }
            rest = after;
        }
        if log.records.is_empty() {
            let error = Error::new(ErrorKind::Corrupt, "the file is empty").at_line(1);
            let error =
                error.with_help("a session begins with its header; there is nothing to go on from, so remove it");
            return (log, Some(error));
        }
        (log, None)
    }

    /// The log as the text of its file.
    pub fn to_lines(&self) -> String {
        let mut lines = Vec::new();
        for record in &self.records {
            push_line(&mut lines, record);
        }
        // What serde_json writes is UTF-8.
        String::from_utf8(lines).unwrap_or_default()
    }

    /// Refuses a record that cannot follow on those before it.
    fn check_place(&self, record: &Record) -> Result<(), Error> {
        let corrupt = |problem: String| Err(Error::new(ErrorKind::Corrupt, problem).with_help(line::RESTORE));
        let seq = u64::try_from(self.records.len()).unwrap_or(u64::MAX);
        if record.seq != seq {
            return corrupt(format!("its `seq` is {} where {seq} comes next", record.seq));
        }
        if matches!(record.event, SessionEvent::Opened(_)) != (seq == 0) {
            return corrupt(format!("a log has its `opened` first and only there, not `{}`", record.event.kind()));
        }
        let before = self.records.last().map_or(0, |record| record.turn);
        let turn = before.saturating_add(u32::from(matches!(record.event, SessionEvent::TurnStarted(_))));
        if record.turn != turn {
            return corrupt(format!("its `turn` is {} where {turn} is right", record.turn));
        }
        Ok(())
    }
}

/// Whether the last line is one whose writer was stopped in the middle: by its end, or, without power, as zeros on the disk.
fn is_torn(error: &Error, line: &[u8], ended: bool) -> bool {
    error.kind() == ErrorKind::Corrupt && (!ended || line.contains(&0))
}
