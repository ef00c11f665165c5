//! Which of `name`, `name#2`, `name#3` … are taken among a fiber's live children (X3).

use std::collections::BTreeSet;

/// The taken ordinals of one name: all below `next`, but those given back.
#[derive(Debug)]
pub(crate) struct Ordinals {
    next: u32,
    free: BTreeSet<u32>,
}

impl Default for Ordinals {
    fn default() -> Self {
        Self { next: 1, free: BTreeSet::new() }
    }
}

impl Ordinals {
    /// Takes the lowest that is free.
    pub(crate) fn take(&mut self) -> u32 {
        self.free.pop_first().unwrap_or_else(|| {
            let taken = self.next;
            self.next = self.next.saturating_add(1);
            taken
        })
    }

    /// Gives one back, and says whether none is taken any more.
    pub(crate) fn give_back(&mut self, ordinal: u32) -> bool {
        self.free.insert(ordinal);
        while self.next > 1 && self.free.remove(&(self.next - 1)) {
            self.next -= 1;
        }
        self.next == 1
    }
}

#[cfg(test)]
mod tests {
    use super::Ordinals;

    #[test]
    fn the_lowest_free_ordinal_is_taken_and_an_empty_name_is_forgotten() {
        let mut taken = Ordinals::default();
        assert_eq!([taken.take(), taken.take(), taken.take()], [1, 2, 3]);
        assert!(!taken.give_back(1));
        assert_eq!(taken.take(), 1);
        assert!(!taken.give_back(3));
        assert!(!taken.give_back(1));
        assert!(taken.give_back(2));
    }
}
