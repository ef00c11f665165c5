//! A kernel with an empty prompt registry, to be filled to a size.

use std::sync::Arc;

use dsh_bench::{Changing, at_once};
use dsh_kernel::{Context, Disposer, Failure, Kernel, ScopeKey};
use dsh_system_prompt::{
    AssembleContext, PromptAssembly, PromptConfig, PromptHandle, PromptSection, PromptVariable, SystemPrompt,
    SystemPromptExt as _, render_prompt,
};

/// The kernel, and the registry as its root sees it.
pub(super) struct World {
    /// Kept: it is gone with its last handle.
    _kernel: Kernel,
    pub(super) root: Context,
    pub(super) prompt: PromptHandle,
}

impl World {
    /// An empty one. To be called inside a runtime.
    pub(super) fn start() -> Result<Self, Failure> {
        let kernel = Kernel::new();
        let root = kernel.root();
        at_once(root.plugin(SystemPrompt::new(PromptConfig::new()))?.ready())??;
        let prompt = root.system_prompt();
        Ok(Self { _kernel: kernel, root, prompt })
    }

    /// The same with so many sections, each of some words and the variable `v`.
    pub(super) fn with_sections(self, count: usize) -> Result<Self, Failure> {
        for number in 0..count {
            self.prompt.section(PromptSection::new(format!("s{number}"), 1, WORDS))?;
        }
        Ok(self)
    }

    /// The same with the variable `v`, which has another value at each step.
    pub(super) fn with_changing(self) -> Result<Self, Failure> {
        let changing = Changing::new("value");
        self.prompt.variable(PromptVariable::computed("v", move |_| changing.next()))?;
        Ok(self)
    }

    /// The same with the variable `v`, whose value is always the same shared string.
    pub(super) fn with_steady(self) -> Result<Self, Failure> {
        let value: Arc<str> = "value".into();
        self.prompt.variable(PromptVariable::computed("v", move |_| Arc::clone(&value)))?;
        Ok(self)
    }

    pub(super) fn assemble(&self, scope: Option<ScopeKey>) -> Result<PromptAssembly, Failure> {
        let cx = scope.map_or_else(AssembleContext::new, AssembleContext::for_scope);
        Ok(at_once(self.prompt.assemble(cx))??)
    }

    pub(super) fn step(&self, scope: Option<ScopeKey>) -> Result<Arc<str>, Failure> {
        Ok(render_prompt(&self.assemble(scope)?)?)
    }
}

/// The text of a section: 200 bytes as it is rendered.
const WORDS: &str = "A line of guidance that says what to do, and what to leave alone, in as many words as such lines have. \
                     Then it names {{v}}, and goes on for a while about something else, as lines of this kind are apt to do.";

/// Disposes what ends at once.
pub(super) fn dispose(disposer: Disposer) -> Result<(), Failure> {
    let ended = disposer.dispose().result();
    Ok(ended.ok_or_else(|| Failure::msg("what should have ended at once is waited for"))??)
}

/// A section comes and goes.
pub(super) fn in_and_out(prompt: &PromptHandle) -> Result<(), Failure> {
    dispose(prompt.section(PromptSection::new("extra", 1, "One more rule."))?)
}
