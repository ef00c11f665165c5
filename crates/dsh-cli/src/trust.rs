//! Trust: a project's files are data until a person says otherwise (C4).
//!
//! What the files ask for beyond being text is a [`TrustSet`]: names that they read in the environment, commands that they run, a script
//! that answers in a model's place, permissions that they give, agents that may work for others. A person looks at it
//! (`dsh trust`), and the set's hash is kept in the user's own state folder; where the set is another one later, the folder is untrusted
//! again. Without trust the rest goes on, and says what was left out.
//!
//! Only what the project's files say counts, as [`comes_from_project`] tells: the user's own file, the environment and flags need no trust.
//! It counts whatever is laid over it, and whichever profile is chosen, so that the set is one for all runs.

mod decision;
mod hash;
mod left_out;
mod record;
mod resolve;
mod set;
mod store;

pub(crate) use self::decision::{Reason, Trust, TrustContext};
pub(crate) use self::hash::TrustHash;
pub(crate) use self::left_out::{hash_differs, left_out, shown, shown_word};
pub(crate) use self::resolve::{Resolved, resolve};
pub(crate) use self::set::{Asker, Asking, TrustItem, TrustSet};
pub(crate) use self::store::{Status, Store};

use crate::diagnostic::{Source, Sources, Span};

/// Whether what stands here was written by the project, and not by the user in a file of their own or a flag.
pub(crate) fn comes_from_project(sources: &Sources, span: Span) -> bool {
    sources.get(span.source).is_none_or(Source::is_of_project)
}
