//! Bytes of chance: the reader never panics, and what it takes it gives back.

use dsh_session::{Log, Record, derive, open_calls, requests};
use proptest::prelude::*;

use crate::support::{any_session, owned};

/// Reads, and holds what was read against itself.
fn assert_sane(bytes: &[u8]) {
    match Log::from_lines(bytes) {
        Ok(log) => {
            let again = Log::from_lines(Log::new(log.records.clone()).to_lines().as_bytes()).unwrap();
            assert_eq!((&again.records, again.damage.len()), (&log.records, 0));
            assert_eq!(derive(&again.records), derive(&log.records));
            drop((open_calls(&log.records), requests(&log.records)));
        }
        Err(error) => assert!(error.line().is_some(), "{error}"),
    }
}

/// Bytes that look like a log.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(&b"{\"seq\":0,\"turn\":0,\"at_ms\":0,\"type\":\"opened\",\"version\":1,\"id\":\"a\"}\n"[..]),
        Just(&b"{\"seq\":1,\"turn\":1,\"at_ms\":0,\"type\":\"turn_started\"}\n"[..]),
        Just(&b"{\"seq\":2,\"turn\":1,\"at_ms\":0,\"type\":\"input\",\"via\":\"steer\",\"message\":{\"role\":\"user\",\"content\":[]}}"[..]),
        Just(&b"{\"seq\":2,\"turn\":1,\"at_ms\":0,\"type\":\"answered\",\"step\":1,\"message\":"[..]),
        Just(&b"{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_call\",\"id\":\"\",\"name\":\"\",\"arguments\":\"\"}]}}"[..]),
        Just(&b"{\"seq\":3,\"turn\":1,\"at_ms\":0,\"type\":\"compacted\",\"through_seq\":18446744073709551615,\"summary\":"[..]),
        Just(&b"\n"[..]),
        Just(&b"\\ud800"[..]),
        Just(&b"\"sum\":\"0123456789abcdef\"}"[..]),
        Just(&b"\xff\x00"[..]),
        Just(&b"[[[[[[[["[..]),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn bytes_of_chance_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        assert_sane(&bytes);
    }

    #[test]
    fn pieces_of_logs_are_read_or_refused(bytes in pieces()) {
        assert_sane(&bytes);
    }

    /// Many bytes of a good log changed.
    #[test]
    fn a_garbled_log_is_read_or_refused(
        session in any_session(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = Log::new(owned(&session.records())).to_lines().into_bytes();
        for (at, to) in changes {
            let at = at.index(bytes.len());
            bytes[at] = to;
        }
        assert_sane(&bytes);
    }

    /// The functions over records take any of them, in any order.
    #[test]
    fn records_in_any_order_make_messages(session in any_session(), order in any::<u64>()) {
        let mut records: Vec<Record> = owned(&session.records());
        let length = records.len();
        for at in 0..length {
            let to = usize::try_from(order.rotate_left(u32::try_from(at).unwrap()) % u64::try_from(length).unwrap()).unwrap();
            records.swap(at, to);
        }
        drop((derive(&records), open_calls(&records), requests(&records)));
    }
}

#[test]
fn a_line_that_nests_deep_is_refused() {
    let deep = format!("{{\"seq\":0,\"x\":{}", "[".repeat(1_000_000));
    assert_eq!(Log::from_lines(deep.as_bytes()).unwrap_err().line(), Some(1));
}
