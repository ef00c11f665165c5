//! When a session is compacted.

/// How long, in bytes, what is asked for is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    /// The prompt, the tools, and the summary that stands already.
    pub(super) fixed: usize,
    /// The messages since that summary.
    pub(super) fresh: usize,
}

/// How much of the latest messages is to stay; `None` where nothing is to be done yet.
///
/// A summary gains a fifth at least of what there is room for, so that none is made at every step: where there is hardly more room than is
/// to be kept, a little less stays. Where there is not even that room, `keep` stays all the same, and a quarter of it more has to come first.
pub(super) fn due(length: Length, over: usize, keep: usize) -> Option<usize> {
    let room = over.saturating_sub(length.fixed);
    let (at_most, keep) =
        if keep < room { (room, keep.min(room - room / 5)) } else { (keep.saturating_add(keep / 4), keep) };
    (length.fresh > at_most).then_some(keep)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Length, due};

    #[test]
    fn a_request_over_the_threshold_is_compacted_where_there_is_room_for_what_is_kept() {
        for keep in [1, 250, 900, 999] {
            assert_eq!(due(Length { fixed: 0, fresh: 1_000 }, 1_000, keep), None);
            assert!(due(Length { fixed: 0, fresh: 1_001 }, 1_000, keep).is_some(), "{keep}");
        }
        // Here the prompt leaves no room for it.
        assert_eq!(due(Length { fixed: 600, fresh: 500 }, 1_000, 400), None);
        assert_eq!(due(Length { fixed: 600, fresh: 501 }, 1_000, 400), Some(400));
    }

    proptest! {
        #[test]
        fn a_summary_gains_a_fifth_of_the_room_and_takes_no_more_than_that_of_what_is_kept(
            over in 1_usize..100_000,
            keep in 0_usize..100_000,
            fixed in 0_usize..100_000,
            fresh in 0_usize..200_000,
        ) {
            if let Some(kept) = due(Length { fixed, fresh }, over, keep) {
                let room = over.saturating_sub(fixed);
                prop_assert!(fresh > room, "a request that is short enough is left alone");
                prop_assert!(kept <= keep && kept >= keep - keep / 5);
                prop_assert!(fresh - kept >= room / 5);
                prop_assert_eq!(due(Length { fixed, fresh: kept }, over, keep), None);
            }
        }
    }
}
