//! The stable codes of error results, as they stand in [`Executed::code`](crate::Executed::code) and in session logs (T4).

/// No tool of that name, or none for this agent: then the result says so.
pub const UNKNOWN_TOOL: &str = "tools::unknown_tool";
/// The scope that it is for is being disposed, or is gone; the tool was not run.
pub const SCOPE_CLOSED: &str = "tools::scope_closed";
/// The arguments are no JSON, or the tool's schema does not allow them; the tool was not run.
pub const INVALID_ARGUMENTS: &str = "tools::invalid_arguments";
/// The tool's own schema is none that arguments can be checked with; the tool was not run.
pub const INVALID_SCHEMA: &str = "tools::invalid_schema";
/// A listener, or whoever was asked, did not allow it; the tool was not run.
pub const DENIED: &str = "tools::denied";
/// A listener asked, and there was nobody to answer; the tool was not run.
pub const NO_APPROVER: &str = "tools::no_approver";
/// A listener of `tools/pre-execute` or `tools/post-execute`, or the approver, failed; [`Executed::began`](crate::Executed::began)
/// says whether the tool was run.
pub const HOOK_FAILED: &str = "tools::hook_failed";
/// The tool failed.
pub const FAILED: &str = "tools::failed";
/// The tool panicked.
pub const PANICKED: &str = "tools::panicked";
/// The time was over before the tool had answered.
pub const TIMED_OUT: &str = "tools::timed_out";
/// The caller gave up before the tool had answered.
pub const CANCELLED: &str = "tools::cancelled";
/// The tool's plugin left before the tool had answered.
pub const UNLOADED: &str = "tools::unloaded";
/// A listener of `tools/post-execute` took the result back, with words for the model.
pub const BLOCKED: &str = "tools::blocked";
/// The registry is not in reach of the caller.
pub const UNAVAILABLE: &str = "tools::unavailable";
