//! The sections of an assembly, whether they are shared or edited.

use std::fmt;
use std::iter::FusedIterator;

use crate::assembly::AssembledSection;
use crate::state::State;

/// The sections of an assembly; made by [`PromptAssembly::sections`](crate::PromptAssembly::sections).
#[derive(Clone)]
pub struct Sections<'a> {
    list: SectionList<'a>,
    front: usize,
    back: usize,
}

#[derive(Clone, Copy)]
enum SectionList<'a> {
    Shared(Option<&'a State>),
    Edited(&'a [AssembledSection]),
}

impl<'a> SectionList<'a> {
    fn len(self) -> usize {
        match self {
            Self::Shared(state) => state.map_or(0, State::sections),
            Self::Edited(sections) => sections.len(),
        }
    }

    fn get(self, index: usize) -> Option<&'a AssembledSection> {
        match self {
            Self::Shared(state) => state.and_then(|state| state.section(index)),
            Self::Edited(sections) => sections.get(index),
        }
    }
}

impl<'a> Sections<'a> {
    pub(crate) fn shared(state: Option<&'a State>) -> Self {
        Self::of(SectionList::Shared(state))
    }

    pub(crate) fn edited(sections: &'a [AssembledSection]) -> Self {
        Self::of(SectionList::Edited(sections))
    }

    fn of(list: SectionList<'a>) -> Self {
        Self { list, front: 0, back: list.len() }
    }
}

impl<'a> Iterator for Sections<'a> {
    type Item = &'a AssembledSection;

    fn next(&mut self) -> Option<&'a AssembledSection> {
        if self.front >= self.back {
            return None;
        }
        self.front += 1;
        self.list.get(self.front - 1)
    }

    fn nth(&mut self, n: usize) -> Option<&'a AssembledSection> {
        self.front = self.front.saturating_add(n).min(self.back);
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.back - self.front;
        (left, Some(left))
    }
}

impl DoubleEndedIterator for Sections<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.front >= self.back {
            return None;
        }
        self.back -= 1;
        self.list.get(self.back)
    }
}

impl ExactSizeIterator for Sections<'_> {}
impl FusedIterator for Sections<'_> {}

impl fmt::Debug for Sections<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone().map(AssembledSection::name)).finish()
    }
}
