//! The handle: the registry as one context sees it (S1).

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{Context, Disposer, Handle, ScopeKey};
use dsh_template::is_variable_name;

use crate::assemble::Assembling;
use crate::assembly::PromptAssembly;
use crate::context::AssembleContext;
use crate::error::{Detail, Error};
use crate::explain::PromptView;
use crate::registry::PromptRegistry;
use crate::section::PromptSection;
use crate::tools::ToolProvider;
use crate::variable::PromptVariable;

/// `ctx.system_prompt()`, on every [`Context`].
pub trait SystemPromptExt {
    /// The prompt registry as this context sees it. Making the handle never fails; its methods do, where the registry is not in
    /// reach (S1).
    fn system_prompt(&self) -> PromptHandle;
}

impl SystemPromptExt for Context {
    fn system_prompt(&self) -> PromptHandle {
        PromptHandle { registry: self.get() }
    }
}

/// The prompt registry as one context sees it: the context's owner owns what is registered through it, and the context's scope
/// is the layer that it lands in (S1, K1).
///
/// All methods fail with the kernel's own errors where the registry is not in reach: `kernel::undeclared_service`,
/// `kernel::missing_service`, `kernel::inactive`.
#[derive(Clone)]
pub struct PromptHandle {
    registry: Handle<PromptRegistry>,
}

impl PromptHandle {
    /// Registers a section, until the effect ends (S2).
    ///
    /// A scoped section shadows the global one of its name for that scope.
    ///
    /// # Errors
    ///
    /// `prompt::invalid_order`; `prompt::duplicate_section` where the name is taken in that layer; `kernel::listener_failed` where
    /// a listener of `system-prompt/change` failed and the registration was rolled back (S9); `kernel::inactive` (K8).
    pub fn section(&self, section: PromptSection) -> Result<Disposer, Error> {
        if !section.order.is_finite() {
            let detail = Detail::InvalidOrder { name: section.name, order: section.order };
            return Err(Error::about(detail, Some(self.registry.ctx().owner()), None));
        }
        self.registry.resolve()?.section(self.registry.ctx(), section)
    }

    /// Registers a tool provider, until the effect ends (S5). A scoped one is asked only for its scope.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section), of the kernel's.
    pub fn tools(&self, provider: impl Into<ToolProvider>) -> Result<Disposer, Error> {
        self.registry.resolve()?.tools(self.registry.ctx(), provider.into())
    }

    /// Registers a variable, until the effect ends (S4).
    ///
    /// A scoped variable shadows the global one of its name for that scope, and the global one is not asked there.
    ///
    /// # Errors
    ///
    /// `prompt::invalid_variable_name`; `prompt::duplicate_variable` where the name is taken in that layer; the kernel's, as
    /// [`section`](Self::section).
    pub fn variable(&self, variable: PromptVariable) -> Result<Disposer, Error> {
        if !is_variable_name(variable.name.as_str()) {
            let detail = Detail::InvalidVariableName { name: variable.name };
            return Err(Error::about(detail, Some(self.registry.ctx().owner()), None));
        }
        self.registry.resolve()?.variable(self.registry.ctx(), variable)
    }

    /// Assembles the prompt of one caller: variables, tools, section texts, tool order, listeners, in this order (S8).
    ///
    /// The scope is that of `cx`, not of the handle's context. The first failure is returned, and nothing after it runs.
    ///
    /// # Errors
    ///
    /// `prompt::provider_failed`; `prompt::reserved_tool_name`, `prompt::tool_order_unknown` (S6); `prompt::duplicate_tool` (S7);
    /// `kernel::listener_failed`; `prompt::unsettled` where plugins with a part in the prompt kept unloading.
    pub fn assemble(
        &self,
        cx: impl Into<AssembleContext>,
    ) -> impl Future<Output = Result<PromptAssembly, Error>> + Send {
        Assembling::Asked(&self.registry, cx.into())
    }

    /// What is registered for a scope, or for everyone (`None`), without asking any provider.
    ///
    /// ```
    /// use dsh_kernel::Kernel;
    /// use dsh_system_prompt::{PromptConfig, SystemPrompt, SystemPromptExt};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let kernel = Kernel::new();
    /// let root = kernel.root();
    /// root.plugin(SystemPrompt::new(PromptConfig::new()))?.ready().await?;
    /// let view = root.system_prompt().view(None)?;
    /// let names: Vec<&str> = view.sections().map(|section| section.name).collect();
    /// assert_eq!(names, ["harness:identity", "deployment:persona"]);
    /// # Ok::<(), dsh_system_prompt::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// The kernel's, as [`section`](Self::section).
    pub fn view(&self, scope: impl Into<Option<ScopeKey>>) -> Result<PromptView, Error> {
        Ok(PromptView::new(Arc::clone(&self.registry.resolve()?.view(scope.into()).shape)))
    }
}

impl fmt::Debug for PromptHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PromptHandle({:?})", self.registry.ctx())
    }
}
