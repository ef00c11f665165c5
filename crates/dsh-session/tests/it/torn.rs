//! A log that ends in the middle, or was changed: opened with a report, or refused with the line; never read as something else (A3).

use dsh_session::{DamageKind, Log, Record, Session, SessionEvent, SessionStore, TurnEnd, TurnStarted};
use proptest::prelude::*;

use crate::files::folder;
use crate::support::{any_session, id, owned};

/// The records without those that a repair added.
fn unrepaired(records: &[Record]) -> Vec<&SessionEvent> {
    records.iter().map(|record| &record.event).filter(|event| !matches!(event, SessionEvent::Repaired(_))).collect()
}

/// How many lines have their end.
fn line_ends(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

#[test]
fn a_file_that_is_cut_anywhere_opens_with_what_is_whole_and_goes_on() {
    let folder = folder();
    let records = folder.lively(1);
    let bytes = folder.bytes(1);
    let header = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in header + 1..=bytes.len() {
        folder.put(1, &bytes[..cut]);
        let whole = line_ends(&bytes[..cut]);
        let torn = bytes[cut - 1] != b'\n';
        // All but the line end is there.
        let kept = whole + usize::from(torn && bytes.get(cut) == Some(&b'\n'));
        let session = Session::open(&folder.store, &id(1)).unwrap();
        assert_eq!(session.damage().len(), usize::from(torn), "cut at {cut}");
        let of_file = owned(&session.records());
        assert_eq!(unrepaired(&of_file), records[..kept].iter().map(|record| &record.event).collect::<Vec<_>>());
        let reported = session.damage().first().map(|damage| (damage.line, damage.kind));
        match reported {
            Some((line, DamageKind::TornEnd { bytes: lost, .. })) => {
                assert_eq!(line, u64::try_from(whole + 1).unwrap());
                let begin = bytes[..cut].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
                assert_eq!(lost, u64::try_from(cut - begin).unwrap());
                assert!(matches!(of_file.last().unwrap().event, SessionEvent::Repaired(_)));
            }
            Some((line, DamageKind::NoLineEnd)) => assert_eq!(line, u64::try_from(kept).unwrap()),
            other => assert_eq!(other, None),
        }
        session.interrupt(TurnEnd::Interrupted).unwrap();
        session.append(TurnStarted::new()).unwrap();
        let more = owned(&session.records());
        drop(session);
        // It has been repaired: nothing is wrong with it any more.
        let log = folder.store.read(&id(1)).unwrap();
        assert_eq!((log.records, log.damage), (more, Vec::new()), "cut at {cut}");
    }
}

#[test]
fn a_file_that_is_cut_in_its_header_is_refused() {
    let folder = folder();
    folder.lively(1);
    let bytes = folder.bytes(1);
    let header = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in 0..header {
        folder.put(1, &bytes[..cut]);
        let error = Session::open(&folder.store, &id(1)).unwrap_err();
        assert_eq!((error.code(), error.line()), ("session::corrupt", Some(1)), "cut at {cut}");
    }
    assert_eq!(folder.bytes(1), bytes[..header - 1], "nothing was touched");
}

/// A3: what `read` cannot cut off it only reports.
#[test]
fn reading_touches_nothing() {
    let folder = folder();
    folder.lively(1);
    let bytes = folder.bytes(1);
    let torn = &bytes[..bytes.len() - 3];
    folder.put(1, torn);
    let log = folder.store.read(&id(1)).unwrap();
    assert!(matches!(log.damage[0].kind, DamageKind::TornEnd { .. }));
    assert_eq!(folder.bytes(1), torn);
}

#[test]
fn zeros_at_the_end_are_a_torn_line() {
    // After a loss of power a file may have grown by blocks that never came to the disk.
    let folder = folder();
    let records = folder.lively(1);
    let bytes = folder.bytes(1);
    let last = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    let zeros = vec![0; 700];
    let mut half = bytes.clone();
    half[last..bytes.len() - 9].fill(0);
    for (damaged, kept) in [([&bytes[..], &zeros].concat(), records.len()), (half, records.len() - 1)] {
        folder.put(1, &damaged);
        let session = Session::open(&folder.store, &id(1)).unwrap();
        assert!(matches!(session.damage()[0].kind, DamageKind::TornEnd { .. }));
        assert_eq!(session.len(), kept + 1);
        drop(session);
        assert!(folder.store.read(&id(1)).unwrap().damage.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Cut anywhere behind its header, any log is read as a prefix.
    #[test]
    fn any_log_that_is_cut_is_a_prefix(session in any_session(), at in any::<prop::sample::Index>()) {
        let records = owned(&session.records());
        let lines = Log::new(records.clone()).to_lines();
        let header = lines.find('\n').unwrap() + 1;
        let cut = header + at.index(lines.len() - header + 1);
        let log = Log::from_lines(&lines.as_bytes()[..cut]).unwrap();
        prop_assert!(records.starts_with(&log.records));
        prop_assert_eq!(log.damage.is_empty(), lines.as_bytes()[cut - 1] == b'\n');
        let whole = line_ends(&lines.as_bytes()[..cut]);
        prop_assert!(log.records.len() >= whole);
    }

    /// A byte that changed is never read as something else: it is refused with its line, or reported, or makes no difference.
    #[test]
    fn a_byte_that_changed_is_never_read_in_silence(
        session in any_session(),
        at in any::<prop::sample::Index>(),
        to in any::<u8>(),
    ) {
        let records = owned(&session.records());
        let mut bytes = Log::new(records.clone()).to_lines().into_bytes();
        let at = at.index(bytes.len());
        let line = line_ends(&bytes[..at]);
        bytes[at] = to;
        match Log::from_lines(&bytes) {
            Ok(log) if log.damage.is_empty() => prop_assert_eq!(log.records, records),
            Ok(log) => prop_assert!(log.damage.iter().all(|damage| damage.line == u64::try_from(line + 1).unwrap())),
            Err(error) => {
                // A line end that went makes one line of two; one that came makes two of one.
                let line = u64::try_from(line + 1).unwrap();
                prop_assert_eq!(error.line(), Some(line));
            }
        }
    }

    /// So it is with many bytes that changed, lines that went, came twice or changed places.
    #[test]
    fn lines_that_moved_are_refused(session in any_session(), one in any::<prop::sample::Index>(), two in any::<prop::sample::Index>()) {
        let lines = Log::new(owned(&session.records())).to_lines();
        let mut lines: Vec<&str> = lines.split_inclusive('\n').collect();
        let (one, two) = (one.index(lines.len()), two.index(lines.len()));
        lines.swap(one, two);
        let swapped = Log::from_lines(lines.concat().as_bytes());
        prop_assert_eq!(swapped.is_ok(), one == two);
        lines.swap(one, two);
        lines.insert(one, lines[two]);
        prop_assert!(Log::from_lines(lines.concat().as_bytes()).is_err());
    }
}
