//! Changes to bytes, as a fuzzer makes them.

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A change; places are taken modulo the length of what is changed.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Some bytes go.
    Delete(Index, usize),
    /// Some bytes stand somewhere else, too.
    Copy(Index, usize, Index),
    /// These come in.
    Insert(Index, Vec<u8>),
    /// A byte becomes this one.
    Set(Index, u8),
    /// All behind here goes.
    Cut(Index),
}

/// A change that puts in one of these, if it puts anything in.
pub(crate) fn change(fragments: Vec<Vec<u8>>) -> impl Strategy<Value = Change> {
    let place = any::<Index>;
    prop_oneof![
        2 => (place(), 1_usize..24).prop_map(|(at, length)| Change::Delete(at, length)),
        2 => (place(), 1_usize..24, place()).prop_map(|(at, length, to)| Change::Copy(at, length, to)),
        4 => (place(), select(fragments)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        2 => (place(), select(b"\0\n\r\t \"'\\#{}[],:=-.a0\x7f\xc3\xff".to_vec())).prop_map(|(at, byte)| Change::Set(at, byte)),
        1 => place().prop_map(Change::Cut),
    ]
}

/// The bytes with these changes.
pub(crate) fn changed(mut bytes: Vec<u8>, changes: Vec<Change>) -> Vec<u8> {
    for change in changes {
        let length = bytes.len();
        let place = |at: Index| at.index(length + 1);
        match change {
            Change::Delete(at, count) => drop(bytes.drain(place(at)..(place(at) + count).min(length))),
            Change::Copy(at, count, to) => {
                let copied = bytes.get(place(at)..(place(at) + count).min(length)).unwrap_or_default().to_vec();
                let _replaced = bytes.splice(place(to)..place(to), copied);
            }
            Change::Insert(at, inserted) => drop(bytes.splice(place(at)..place(at), inserted)),
            Change::Set(at, byte) => {
                if let Some(there) = bytes.get_mut(place(at)) {
                    *there = byte;
                }
            }
            Change::Cut(at) => bytes.truncate(place(at)),
        }
    }
    bytes
}
