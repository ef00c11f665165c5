//! A kernel with every shipped plugin, and a plugin that registers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dsh_harness::agent::{AgentRegistry, Agents};
use dsh_harness::kernel::{Context, Failure, Fiber, Kernel, Plugin};
use dsh_harness::prompt::{PromptConfig, PromptRegistry, SystemPrompt};
use dsh_harness::session::{MemoryStore, SessionId, SessionRegistry, Sessions};
use dsh_harness::subagent::{SubagentRegistry, Subagents, SubagentsConfig};
use dsh_harness::tools::{ToolRegistry, Tools, ToolsConfig};

use super::cases::Case;

/// A plugin that may use everything.
struct Owner;

impl Plugin for Owner {
    const NAME: &'static str = "owner";
    type Inject = (PromptRegistry, ToolRegistry, SessionRegistry, AgentRegistry, SubagentRegistry);

    async fn start(&self, _ctx: &Context) -> Result<(), Failure> {
        Ok(())
    }
}

/// What a case runs in. A clone is the same world.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) kernel: Arc<Kernel>,
    pub(crate) owner: Fiber,
    /// What is registered through: the owner's context, or that of a scope of its.
    pub(crate) ctx: Context,
    /// What the kernel holds without the owner.
    pub(crate) without_owner: String,
    /// For what has no view of its own: set while it is there.
    pub(crate) flag: Flag,
    numbers: Arc<AtomicU64>,
    /// The context of another scope, where a case needs one.
    pub(crate) other: Option<Context>,
}

/// Something that is there or is not.
#[derive(Clone, Default)]
pub(crate) struct Flag(Arc<AtomicBool>);

impl Flag {
    pub(crate) fn set(&self, there: bool) {
        self.0.store(there, Ordering::SeqCst);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl World {
    pub(crate) async fn new(case: &Case) -> Self {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.plugin(SystemPrompt::new(PromptConfig::new())).unwrap().ready().await.unwrap();
        root.plugin(Tools::new(ToolsConfig::new())).unwrap().ready().await.unwrap();
        root.plugin(Sessions::new(MemoryStore::new())).unwrap().ready().await.unwrap();
        let born = AtomicU64::new(1);
        let ids = move || SessionId::new(born.fetch_add(1, Ordering::SeqCst), 7);
        root.plugin(Agents::new().ids(ids)).unwrap().ready().await.unwrap();
        root.plugin(Subagents::new(SubagentsConfig::new())).unwrap().ready().await.unwrap();
        let other = case.ground(&root);
        let without_owner = kernel.inspect().to_string();
        let owner = root.plugin(Owner).unwrap();
        owner.ready().await.unwrap();
        let ctx = if case.scoped { owner.ctx().scope("scoped").unwrap().ctx().clone() } else { owner.ctx() };
        Self {
            kernel: Arc::new(kernel),
            owner,
            ctx,
            without_owner,
            flag: Flag::default(),
            numbers: Arc::default(),
            other,
        }
    }

    /// A number that was not given before.
    pub(crate) fn number(&self) -> u128 {
        self.numbers.fetch_add(1, Ordering::SeqCst).into()
    }

    /// What the kernel holds.
    pub(crate) fn inspected(&self) -> String {
        self.kernel.inspect().to_string()
    }
}
