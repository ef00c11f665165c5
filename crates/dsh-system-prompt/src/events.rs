//! The two events of the registry (S9).

use std::sync::Arc;

use dsh_kernel::{Emit, Event, Name, Owner, Registered, ScopeKey, Waterfall, WaterfallEvent};

use crate::assembly::PromptAssembly;
use crate::context::AssembleContext;
use crate::journal::Journal;

/// `system-prompt/assemble`: an assembly goes through its listeners before it reaches the model (S9).
///
/// ```
/// use dsh_kernel::Kernel;
/// use dsh_system_prompt::{AssembleContext, AssembleEvent, AssembledSection, PromptConfig, SystemPrompt, SystemPromptExt};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let root = kernel.root();
/// root.plugin(SystemPrompt::new(PromptConfig::new()))?.ready().await?;
/// root.on_waterfall::<AssembleEvent, _>(|mut assembly, _event, next| async move {
///     assembly.sections_mut().push(AssembledSection::new("note", 900, "See the log."));
///     next.run(assembly).await
/// })?;
/// let assembly = root.system_prompt().assemble(AssembleContext::new()).await?;
/// assert!(assembly.section("note").is_some());
/// # Ok::<(), dsh_system_prompt::Error>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct AssembleEvent {
    context: AssembleContext,
    /// Whose hands this assembly goes through.
    pub(crate) journal: Arc<Journal>,
}

impl AssembleEvent {
    pub(crate) fn new(context: AssembleContext, journal: &Arc<Journal>) -> Self {
        Self { context, journal: Arc::clone(journal) }
    }

    /// What the assembly is for.
    pub fn context(&self) -> &AssembleContext {
        &self.context
    }
}

impl Event for AssembleEvent {
    const NAME: &'static str = "system-prompt/assemble";
    const DOC: &'static str = "An assembly is about to be handed out; listeners may edit or replace it.";
    type Mode = Waterfall;
}

impl WaterfallEvent for AssembleEvent {
    type Value = PromptAssembly;

    fn entering(&self, value: &mut PromptAssembly, owner: &Owner) {
        value.enter(owner, &self.journal);
    }

    fn leaving(&self, value: &mut PromptAssembly, owner: &Owner) {
        value.claim(owner);
    }
}

/// What was registered or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// A section.
    Section,
    /// A tool provider, which has no name.
    ToolProvider,
    /// A variable.
    Variable,
}

/// `system-prompt/change`: something was registered or removed, perhaps for one scope; every listener hears it (S9).
///
/// A listener that fails on an addition undoes it, and who registered gets the failure; on a removal, the removal stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PromptChange {
    /// What kind of part.
    pub kind: PartKind,
    /// Its name; a tool provider has none.
    pub name: Option<Name>,
    /// Whose it is.
    pub owner: Owner,
    /// For which scope; `None` for everyone.
    pub scope: Option<ScopeKey>,
    /// Whether it came or went.
    pub change: Registered,
}

impl Event for PromptChange {
    const NAME: &'static str = "system-prompt/change";
    const DOC: &'static str = "A section, tool provider or variable was registered or removed.";
    type Mode = Emit;
}
