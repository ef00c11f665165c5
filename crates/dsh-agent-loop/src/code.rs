//! The stable codes of failed steps and turns that are the loop's own, as they stand in session logs. Others are those of what
//! failed: `model::…`, `prompt::…`, `kernel::listener_failed`, `session::…`.

/// The step was under way when the turn was cancelled.
pub const CANCELLED: &str = "agent::cancelled";
/// The step was under way when a limit of the turn was reached.
pub const LIMIT: &str = "agent::limit";
/// The model's code panicked.
pub const MODEL_PANICKED: &str = "agent::model_panicked";
/// The answer reached its limit in the midst of its calls, and none of them is whole.
pub const CALLS_CUT: &str = "agent::calls_cut";
/// A model was asked to summarise the oldest part of the session, and gave no whole summary: the step goes on without.
pub const NO_SUMMARY: &str = "agent::no_summary";
/// Code of the turn panicked that nothing nearer contains, such as a session store's.
pub const PANICKED: &str = "agent::panicked";
