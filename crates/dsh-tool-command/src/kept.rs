//! What is kept of a stream: its beginning or its end, never more than the limit.

use std::collections::VecDeque;

/// The beginning of a stream, and how long the whole was.
#[derive(Debug, Default)]
pub(crate) struct Head {
    bytes: Vec<u8>,
    limit: usize,
    total: u64,
}

impl Head {
    pub(crate) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, total: 0 }
    }

    pub(crate) fn take(&mut self, chunk: &[u8]) {
        let room = self.limit.saturating_sub(self.bytes.len()).min(chunk.len());
        self.bytes.extend_from_slice(chunk.get(..room).unwrap_or_default());
        self.total = self.total.saturating_add(chunk.len().try_into().unwrap_or(u64::MAX));
    }

    /// How long the whole was.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Whether something is missing at the end.
    pub(crate) fn is_cut(&self) -> bool {
        u64::try_from(self.bytes.len()).is_ok_and(|kept| kept < self.total)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The end of a stream, and how long the whole was.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    bytes: VecDeque<u8>,
    limit: usize,
    total: u64,
}

impl Tail {
    pub(crate) fn new(limit: usize) -> Self {
        Self { bytes: VecDeque::new(), limit, total: 0 }
    }

    pub(crate) fn take(&mut self, chunk: &[u8]) {
        let last = chunk.get(chunk.len().saturating_sub(self.limit)..).unwrap_or_default();
        let over = (self.bytes.len() + last.len()).saturating_sub(self.limit);
        self.bytes.drain(..over.min(self.bytes.len()));
        self.bytes.extend(last);
        self.total = self.total.saturating_add(chunk.len().try_into().unwrap_or(u64::MAX));
    }

    /// Whether something is missing at the beginning.
    pub(crate) fn is_cut(&self) -> bool {
        u64::try_from(self.bytes.len()).is_ok_and(|kept| kept < self.total)
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes.into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Head, Tail};

    proptest! {
        #[test]
        fn both_keep_their_part_of_any_stream_in_any_pieces(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..12),
            limit in 0_usize..60,
        ) {
            let whole = chunks.concat();
            let (mut head, mut tail) = (Head::new(limit), Tail::new(limit));
            for chunk in &chunks {
                head.take(chunk);
                tail.take(chunk);
                prop_assert!(head.bytes.len() <= limit && tail.bytes.len() <= limit);
            }
            prop_assert_eq!(head.total(), whole.len() as u64);
            prop_assert_eq!((head.is_cut(), tail.is_cut()), (whole.len() > limit, whole.len() > limit));
            prop_assert_eq!(head.into_bytes(), &whole[..limit.min(whole.len())]);
            prop_assert_eq!(tail.into_bytes(), &whole[whole.len().saturating_sub(limit)..]);
        }
    }
}
