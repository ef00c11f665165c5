//! The handle: the registry as one context sees it.

use std::fmt;

use dsh_kernel::{Context, Disposer, Handle, ScopeKey};
use dsh_llm::ToolCall;

use crate::error::Error;
use crate::execute;
use crate::execute_context::ExecuteContext;
use crate::executed::Executed;
use crate::filter::ToolFilter;
use crate::registry::ToolRegistry;
use crate::sight::{Seen, Sight};
use crate::tool::Tool;
use crate::view::{RegisteredTool, ToolView};

/// `ctx.tools()`, on every [`Context`].
pub trait ToolsExt {
    /// The tool registry as this context sees it. Making the handle never fails; its methods do, where the registry is not in
    /// reach (K10).
    fn tools(&self) -> ToolsHandle;
}

impl ToolsExt for Context {
    fn tools(&self) -> ToolsHandle {
        ToolsHandle { registry: self.get() }
    }
}

/// The tool registry as one context sees it: the context's owner owns what is registered through it, and the context's scope is
/// the layer that it lands in (T1, K1).
///
/// All methods that return an error fail with the kernel's own where the registry is not in reach:
/// `kernel::undeclared_service`, `kernel::missing_service`, `kernel::inactive`.
#[derive(Clone)]
pub struct ToolsHandle {
    pub(crate) registry: Handle<ToolRegistry>,
}

impl ToolsHandle {
    /// Registers a tool, until the effect ends (T1).
    ///
    /// A scoped tool shadows the global one of its name for that scope, and no restriction of the scope hides it.
    ///
    /// # Errors
    ///
    /// `tools::duplicate_tool` where the name is taken in that layer; `tools::invalid_schema`, `tools::reserved_name`;
    /// `kernel::listener_failed` where a listener of `tools/change` failed and the registration was rolled back (S9);
    /// `kernel::inactive` (K8).
    pub fn register(&self, tool: impl Into<Tool>) -> Result<Disposer, Error> {
        self.registry.resolve()?.register(self.registry.ctx(), tool.into())
    }

    /// Restricts which of the global tools the context's scope has, until the effect ends (T2).
    ///
    /// It takes effect at once in prompt, look-up and execution, also in the midst of a step: a call that has not begun by then
    /// is refused, one that runs goes on. Several restrictions intersect.
    ///
    /// # Errors
    ///
    /// `tools::unscoped_restriction`, `tools::empty_filter`; `tools::unknown_tool` for a name that is none of the global tools
    /// now, with the nearest one; the kernel's, as [`register`](Self::register).
    pub fn restrict(&self, filter: ToolFilter) -> Result<Disposer, Error> {
        self.registry.resolve()?.restrict(self.registry.ctx(), filter)
    }

    /// Bounds what the context's scope has by what the scope of `other` has, until the effect ends: for an agent that works for another
    /// one (G3).
    ///
    /// The scope has a tool of everybody's where the other scope has the very same one now; so all that restricts the other one
    /// restricts this one too, at once, also in the midst of a step, and through any number of bounds. Tools that were registered for the
    /// other scope alone are not handed on; where one stands in place of everybody's, this scope has neither. A tool that is registered for
    /// this scope itself it has where the other one has one of that name. When the other scope goes, nothing is left.
    ///
    /// # Errors
    ///
    /// `tools::unscoped_restriction` where one of the two has no scope; `tools::circular_bound`; the kernel's, as
    /// [`register`](Self::register).
    pub fn bound_by(&self, other: &Context) -> Result<Disposer, Error> {
        self.registry.resolve()?.bound_by(self.registry.ctx(), other)
    }

    /// What is registered for a scope, or for everyone (`None`), hidden tools included.
    ///
    /// # Errors
    ///
    /// The kernel's.
    pub fn view(&self, scope: impl Into<Option<ScopeKey>>) -> Result<ToolView, Error> {
        let scope = scope.into();
        Ok(self.registry.with(|registry| ToolView::new(Sight::new(&registry.layers.load(), scope)))?)
    }

    /// The tool that a scope, or everyone (`None`), has under that name; `None` for one that is hidden or not there.
    ///
    /// # Errors
    ///
    /// The kernel's.
    pub fn get(&self, name: &str, scope: impl Into<Option<ScopeKey>>) -> Result<Option<RegisteredTool>, Error> {
        let scope = scope.into();
        let look = |registry: &ToolRegistry| {
            let snapshot = registry.layers.load();
            let sight = Sight::new(&snapshot, scope);
            let is_visible = matches!(sight.look(name), Seen::Visible { .. });
            if is_visible { RegisteredTool::seen(sight, name) } else { None }
        };
        Ok(self.registry.with(look)?)
    }

    /// Runs one call: arguments checked, `tools/pre-execute`, the tool, `tools/post-execute` (T4). It never fails: whatever goes
    /// wrong is a result that the model can read, with a code.
    ///
    /// The tool runs as a task of its owner, on the caller's async runtime. Dropping the future cancels the call.
    pub fn execute(&self, call: ToolCall, cx: ExecuteContext) -> impl Future<Output = Executed> + Send + use<> {
        execute::execute(self.registry.clone(), call, cx)
    }

    /// Runs the calls of one step, side by side as far as they are not exclusive; the results stand in the order of the calls
    /// (T5).
    ///
    /// An exclusive call begins when all before it have ended, and those after it begin when it has ended.
    pub fn execute_all<C: IntoIterator<Item = ToolCall>>(
        &self,
        calls: C,
        cx: ExecuteContext,
    ) -> impl Future<Output = Vec<Executed>> + Send + use<C> {
        execute::batch::execute_all(self.clone(), calls.into_iter().collect(), cx)
    }
}

impl fmt::Debug for ToolsHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolsHandle({:?})", self.registry.ctx())
    }
}
