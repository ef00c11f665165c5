//! Telling whoever keeps a log what becomes of each call, at the moment that it does.

use dsh_kernel::Failure;
use dsh_llm::ToolCall;

use crate::executed::Executed;

/// Is told of each call at its two ends: for a log that has to say that a tool may have run before it does.
///
/// It is called by the task that executes, in between; neither method may take long.
pub trait CallObserver: Send + Sync + 'static {
    /// The tool's code is about to begin: the arguments are checked, the listeners and the host have let it through.
    ///
    /// # Errors
    ///
    /// Any: then the tool is not run, and the call's result is an error (`tools::hook_failed`).
    fn begins(&self, call: &ToolCall) -> Result<(), Failure>;

    /// The call has its result, whatever it is and whether or not its tool was begun.
    fn ended(&self, call: &ToolCall, executed: &Executed);
}
