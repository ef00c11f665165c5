//! A record: an event with its place in the log.

use serde::Serialize;

use crate::event::SessionEvent;

/// An event with its place in the log. A log is a `seq` of records without gap, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Record {
    /// Its number in the log, from 0.
    pub seq: u64,
    /// The turn that it belongs to, from 1: the one that began last. 0 before the first.
    pub turn: u32,
    /// When it was written, in milliseconds since the Unix epoch; 0 where the host told no time.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: SessionEvent,
}

impl Record {
    /// A record. Who has a [`Session`](crate::Session) appends events to that, which numbers them.
    pub fn new(seq: u64, turn: u32, at_ms: u64, event: impl Into<SessionEvent>) -> Self {
        Self { seq, turn, at_ms, event: event.into() }
    }
}
