//! Whether a folder is trusted in this run.

use std::path::Path;

use super::{Status, Store, TrustHash, TrustSet};
use crate::diagnostic::Report;

/// Whether what a project's files ask for is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It is done.
    Trusted,
    /// It is left out.
    Untrusted(Reason),
}

/// Why a folder is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// Nobody has trusted it here, or the record of that cannot be used.
    NeverTrusted,
    /// It asked for something else when it was trusted.
    Changed,
    /// `--trust` was given the hash of something else.
    OtherHash {
        /// The hash that was given.
        given: TrustHash,
    },
}

/// What decides on trust besides the set.
#[derive(Clone, Debug)]
pub(crate) struct TrustContext {
    /// What was trusted before.
    pub(crate) store: Store,
    /// `--trust`.
    pub(crate) given: Option<TrustHash>,
}

impl Trust {
    /// Decides on the set of the project in this folder. Where nothing is asked for there is nothing to decide, and no record is looked
    /// at. A record that cannot be used is reported.
    pub(crate) fn decide(set: &TrustSet, project: &Path, context: &TrustContext, report: &mut Report) -> Self {
        Self::of(set, context.given, |hash| {
            context.store.status(project, hash).unwrap_or_else(|damage| {
                report.push(damage.diagnostic());
                Status::Untrusted
            })
        })
    }

    /// The flag comes before the record (C5): whoever gives a hash means that and nothing else.
    fn of(set: &TrustSet, given: Option<TrustHash>, stored: impl FnOnce(&TrustHash) -> Status) -> Self {
        if set.is_empty() {
            return Self::Trusted;
        }
        let hash = set.hash();
        match given {
            Some(given) if given == hash => Self::Trusted,
            Some(given) => Self::Untrusted(Reason::OtherHash { given }),
            None => match stored(&hash) {
                Status::Trusted => Self::Trusted,
                Status::Untrusted => Self::Untrusted(Reason::NeverTrusted),
                Status::Changed => Self::Untrusted(Reason::Changed),
            },
        }
    }

    /// Whether what is asked for is done.
    pub(crate) fn is_trusted(self) -> bool {
        self == Self::Trusted
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Asker, Asking, TrustItem};
    use super::{Reason, Status, Trust, TrustHash, TrustSet};
    use crate::diagnostic::{Sources, Span};

    fn set() -> TrustSet {
        let span = Span::new(Sources::new().add(String::new(), String::new()), 0..0);
        let asker = Asker { by: Asking::Variable("token".to_owned()), agent: None, profile: None, span };
        let mut set = TrustSet::default();
        set.insert(TrustItem::EnvironmentVariable { name: "TOKEN".to_owned() }, asker);
        set
    }

    #[test]
    fn nothing_to_trust_is_trusted_whatever_is_given_or_stored() {
        // C4
        let other = TrustHash::of(b"other");
        assert_eq!(Trust::of(&TrustSet::default(), Some(other), |_| unreachable!()), Trust::Trusted);
        assert_eq!(Trust::of(&TrustSet::default(), None, |_| unreachable!()), Trust::Trusted);
    }

    #[test]
    fn the_record_decides_where_no_hash_is_given() {
        // C4
        let by = |status| Trust::of(&set(), None, |_| status);
        assert_eq!(by(Status::Trusted), Trust::Trusted);
        assert_eq!(by(Status::Untrusted), Trust::Untrusted(Reason::NeverTrusted));
        assert_eq!(by(Status::Changed), Trust::Untrusted(Reason::Changed));
    }

    #[test]
    fn a_hash_that_is_given_decides_alone() {
        // C4, C5
        let other = TrustHash::of(b"other");
        assert_eq!(Trust::of(&set(), Some(set().hash()), |_| unreachable!()), Trust::Trusted);
        let untrusted = Trust::Untrusted(Reason::OtherHash { given: other });
        assert_eq!(Trust::of(&set(), Some(other), |_| unreachable!()), untrusted);
    }
}
