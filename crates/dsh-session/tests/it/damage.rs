//! What can be repaired of stored text is, and is reported; what cannot is refused with its line (A3).

use dsh_llm::Message;
use dsh_session::{DamageKind, Error, ErrorKind, FORMAT_VERSION, Log, Session, SessionEvent, SessionStore};

use crate::files::folder;
use crate::support::{id, in_memory, lively, owned};

/// The lines of a lively log, each without its end.
fn lines() -> Vec<String> {
    let session = in_memory();
    lively(&session);
    Log::new(owned(&session.records())).to_lines().lines().map(str::to_owned).collect()
}

fn read(lines: &[String]) -> Result<Log, Error> {
    Log::from_lines((lines.join("\n") + "\n").as_bytes())
}

/// A line as another program would write it: without a checksum.
fn unsummed(line: &str) -> String {
    format!("{}}}", line.rsplit_once(",\"sum\":").unwrap().0)
}

fn input(log: &Log) -> &Message {
    let SessionEvent::Input(input) = &log.records[2].event else { panic!("{:?}", log.records[2]) };
    &input.message
}

#[test]
fn lone_surrogates_are_read_as_replacement_characters_and_reported() {
    let mut lines = lines();
    // With its checksum kept or not: whoever writes such escapes is not us.
    for line in [lines[2].clone(), unsummed(&lines[2])] {
        lines[2] = line.replace("What is", r"\ud83d What \uDE00is \ud83d\ude00");
        let log = read(&lines).unwrap();
        assert_eq!(log.damage.len(), 1);
        assert_eq!((log.damage[0].line, log.damage[0].code()), (3, "session::lone_surrogates"));
        assert!(matches!(log.damage[0].kind, DamageKind::LoneSurrogates { count: 2, .. }));
        let text = input(&log).content[0].as_text().unwrap();
        assert!(text.starts_with("\u{fffd} What \u{fffd}is 😀"), "{text}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_read_as_replacement_characters_and_reported() {
    let mut bytes = (lines().join("\n") + "\n").into_bytes();
    let crab = bytes.windows(4).position(|window| window == "🦀".as_bytes()).unwrap();
    bytes[crab + 1] = b'!';
    let log = Log::from_lines(&bytes).unwrap();
    assert_eq!((log.damage[0].line, log.damage[0].code()), (3, "session::invalid_utf8"));
    assert!(matches!(log.damage[0].kind, DamageKind::InvalidUtf8 { count: 3, .. }));
    assert!(input(&log).content[0].as_text().unwrap().contains("\u{fffd}!\u{fffd}\u{fffd}"));
    assert!(log.damage[0].to_string().contains("not UTF-8, in 3 places"));
}

#[test]
fn one_of_a_kind_is_told_as_one() {
    let told = |damaged: &[u8]| Log::from_lines(damaged).unwrap().damage[0].to_string();
    let whole = lines().join("\n") + "\n";
    let half = whole.replacen("What is", r"\ud83d is", 1);
    assert_eq!(told(half.as_bytes()), "line 3 has 1 half surrogate: it is read as U+FFFD");
    let mut bytes = whole.into_bytes();
    let what = bytes.windows(7).position(|window| window == b"What is").unwrap();
    bytes[what] = 0xff;
    assert_eq!(told(&bytes), "line 3 has bytes that are not UTF-8, in 1 place: they are read as U+FFFD");
}

#[test]
fn what_stands_before_a_damaged_line_can_be_read_and_forked() {
    let folder = folder();
    let records = folder.lively(1);
    let ended = records.iter().position(|record| matches!(record.event, SessionEvent::TurnEnded(_))).unwrap();
    let whole = String::from_utf8(folder.bytes(1)).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    lines[ended + 2] = "garbage";
    folder.put(1, (lines.join("\n") + "\n").as_bytes());
    let (log, refused) = folder.store.read_sound(&id(1)).unwrap();
    let line = Some(u64::try_from(ended + 3).unwrap());
    assert_eq!((log.records.as_slice(), refused.unwrap().line()), (&records[..ended + 2], line));
    let kernel = dsh_kernel::Kernel::new();
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
        kernel.root().plugin(dsh_session::Sessions::new(folder.store.clone())).unwrap().ready().await.unwrap();
        let sessions = dsh_session::SessionsExt::sessions(&kernel.root());
        assert_eq!(owned(&sessions.fork(&id(1), 1, id(2)).unwrap().records())[1..], records[1..=ended]);
        let error = sessions.fork(&id(1), 2, id(3)).unwrap_err();
        assert_eq!((error.code(), error.line(), error.session()), ("session::corrupt", line, Some(&id(1))));
    });
    // Of a file without a header, nothing can be said.
    folder.put(1, b"garbage\n");
    assert_eq!(folder.store.read_sound(&id(1)).unwrap_err().line(), Some(1));
}

#[test]
fn a_session_that_was_damaged_opens_and_tells() {
    let folder = folder();
    folder.lively(1);
    let text = String::from_utf8(folder.bytes(1)).unwrap().replacen("And now?", r"And \udead now?", 1);
    folder.put(1, text.as_bytes());
    for _ in 0..2 {
        // The file keeps it: each opening repairs and tells anew.
        let session = Session::open(&folder.store, &id(1)).unwrap();
        assert_eq!(
            session.damage().iter().map(dsh_session::Damage::code).collect::<Vec<_>>(),
            ["session::lone_surrogates"]
        );
    }
    assert_eq!(folder.bytes(1), text.as_bytes());
    assert_eq!(folder.store.read(&id(1)).unwrap().damage.len(), 1);
}

#[test]
fn a_damaged_line_in_the_middle_is_refused_with_what_is_wrong() {
    let good = lines();
    let cases: [(usize, String, &str); 14] = [
        (3, String::new(), "it is no record: EOF while parsing"),
        (3, "{}".to_owned(), "missing field `seq`"),
        (3, "nonsense".to_owned(), "expected ident, at byte 2"),
        (3, good[2].clone(), "its `seq` is 2 where 3 comes next"),
        (3, unsummed(&good[3]).replace("\"turn\":1", "\"turn\":2"), "its `turn` is 2 where 1 is right"),
        (3, unsummed(&good[0]).replace("\"seq\":0", "\"seq\":3"), "a log has its `opened` first and only there"),
        (0, unsummed(&good[1]).replace("\"seq\":1", "\"seq\":0"), "a log has its `opened` first and only there"),
        (3, good[3].replace("You are dsh", "You are DSH"), "its checksum is another one"),
        (2, good[2].replace(",\"sum\":\"", ", \"sum\": \""), "its `sum` does not stand at its end"),
        (2, good[2].replace("\"sum\"", "\"s\\u0075m\""), "its `sum` does not stand at its end"),
        (2, unsummed(&good[2]).replace("{\"seq\":2", "{\"sum\":5,\"seq\":2"), "its `sum` does not stand at its end"),
        (3, unsummed(&good[3]).replace("You are dsh", "You are DSH"), "its `hash` is not that of its prompt"),
        (2, unsummed(&good[2]).replace("\"via\"", "\"vib\""), "missing field `via`"),
        (2, unsummed(&good[2]).replace("\"seq\":2", "\"seq\":2,\"seq\":2"), "duplicate field `seq`"),
    ];
    for (at, line, told) in cases {
        let mut lines = good.clone();
        lines[at] = line;
        let error = read(&lines).unwrap_err();
        assert_eq!((error.kind(), error.line()), (ErrorKind::Corrupt, Some(u64::try_from(at + 1).unwrap())), "{told}");
        assert!(error.to_string().contains(told), "{error}");
        assert!(!error.to_string().contains("You are"), "no word of the conversation: {error}");
    }
}

#[test]
fn a_line_without_a_checksum_is_taken_as_it_is() {
    let mut lines: Vec<String> = lines().iter().map(|line| unsummed(line)).collect();
    assert_eq!(read(&lines).unwrap().records, read(&self::lines()).unwrap().records);
    lines[2] = lines[2].replace("What is", "Where is");
    assert!(input(&read(&lines).unwrap()).content[0].as_text().unwrap().starts_with("Where is"));
}

#[test]
fn a_newer_version_is_refused_whatever_else_it_has() {
    let newer = format!("{{\"type\":\"opened\",\"version\":{},\"shape\":\"of later days\"}}\n", FORMAT_VERSION + 1);
    let error = Log::from_lines(newer.as_bytes()).unwrap_err();
    assert_eq!((error.code(), error.line()), ("session::newer_version", Some(1)));
    assert!(error.to_string().contains("its format is of version 2, and this dsh knows 1"), "{error}");

    let folder = folder();
    folder.lively(1);
    folder.put(1, newer.as_bytes());
    assert_eq!(Session::open(&folder.store, &id(1)).unwrap_err().code(), "session::newer_version");
    let listed = folder.store.list().unwrap();
    assert_eq!(listed[0].summary.as_ref().unwrap_err().code(), "session::newer_version");
    assert_eq!(folder.bytes(1), newer.as_bytes(), "nothing of it was touched");
}

#[test]
fn an_unknown_type_of_event_is_refused_and_an_unknown_field_is_not() {
    let mut lines = lines();
    let unknown = unsummed(&lines[1]).replace("turn_started", "turn_dreamt");
    let known = std::mem::replace(&mut lines[1], unknown);
    let error = read(&lines).unwrap_err();
    assert_eq!((error.code(), error.line()), ("session::unknown_event", Some(2)));
    assert!(error.to_string().contains("\"turn_dreamt\""), "{error}");
    lines[1] = unsummed(&known).replace("\"turn\":1", "\"turn\":1,\"mood\":{\"good\":[1e40]}");
    assert_eq!(read(&lines).unwrap().records, read(&self::lines()).unwrap().records);
}
