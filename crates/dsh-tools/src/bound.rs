//! A bound: a scope has at most what another scope has, whatever becomes of that one (T2, T3).

use std::sync::Arc;

use dsh_kernel::{FiberState, Owner, ScopeKey, Snapshot};

use crate::entry::ToolEntry;
use crate::layer::ToolLayer;
use crate::sight::{Seen, Sight};

/// A registered bound.
pub(crate) struct Bound {
    /// Who bounds.
    pub(crate) owner: Owner,
    /// The scope that has at least as much.
    pub(crate) by: ScopeKey,
    /// The fiber of that scope: when it goes, its layer says nothing any more, and nothing is left.
    pub(crate) place: Owner,
}

/// Bounds that stand on one another beyond this leave nothing: they would go round in a circle.
pub(crate) const DEEPEST: usize = 64;

impl Bound {
    /// Whether the other scope has the tool too. One of everybody's it has to have as the very same, since its own of that name may be
    /// a lesser one; of a tool that was registered for the bounded scope itself, the name is enough.
    pub(crate) fn allows(
        &self,
        snapshot: &Snapshot<ToolLayer>,
        name: &str,
        entry: &Arc<ToolEntry>,
        depth: usize,
    ) -> bool {
        if depth >= DEEPEST || !self.is_alive() {
            return false;
        }
        match Sight::at(snapshot, Some(self.by), depth + 1).look(name) {
            Seen::Visible { entry: theirs, .. } => entry.facts.scope.is_some() || Arc::ptr_eq(theirs, entry),
            Seen::Hidden(_) | Seen::Nothing => false,
        }
    }

    /// Whether the other scope takes registrations still.
    pub(crate) fn is_alive(&self) -> bool {
        self.place.state() == FiberState::Active
    }
}

#[cfg(test)]
mod tests {
    use dsh_kernel::{Context, Kernel, Scope};
    use dsh_llm::{NO_PARAMETERS, ToolSchema};
    use dsh_system_prompt::{AssembleContext, PromptConfig, SystemPrompt, SystemPromptExt};

    use crate::{ErrorKind, Tool, ToolFilter, Tools, ToolsConfig, ToolsExt};

    async fn world() -> (Kernel, Context) {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.plugin(SystemPrompt::new(PromptConfig::new())).unwrap().ready().await.unwrap();
        root.plugin(Tools::new(ToolsConfig::new())).unwrap().ready().await.unwrap();
        for name in ["read", "write", "run"] {
            root.tools().register(tool(name, "everybody's")).unwrap();
        }
        (kernel, root)
    }

    fn tool(name: &str, description: &str) -> Tool {
        Tool::raw(ToolSchema::new(name, description, NO_PARAMETERS).unwrap(), |_, _| async { Ok("") })
    }

    /// What look-up and prompt say that a scope has: the same (T3).
    async fn has(root: &Context, scope: &Scope) -> Vec<String> {
        let view = root.tools().view(scope.key()).unwrap();
        let looked: Vec<String> = view.visible().map(|tool| tool.name().to_owned()).collect();
        let prompt = root.system_prompt().assemble(AssembleContext::for_scope(scope.key())).await.unwrap();
        let told: Vec<&str> = prompt.tools().iter().map(|tool| tool.schema().name()).collect();
        assert_eq!(looked, told);
        looked
    }

    /// T3: at every depth, and at once, whatever changes on the way.
    #[tokio::test]
    async fn a_bounded_scope_has_what_all_above_it_have() {
        let (_kernel, root) = world().await;
        let [top, middle, low] = ["top", "middle", "low"].map(|name| root.scope(name).unwrap());
        middle.ctx().tools().bound_by(top.ctx()).unwrap();
        low.ctx().tools().bound_by(middle.ctx()).unwrap();
        assert_eq!(has(&root, &low).await, ["read", "run", "write"]);
        let less = top.ctx().tools().restrict(ToolFilter::new().deny(["run"])).unwrap();
        assert_eq!(has(&root, &low).await, ["read", "write"]);
        middle.ctx().tools().restrict(ToolFilter::new().allow(["read", "run"])).unwrap();
        assert_eq!(has(&root, &low).await, ["read"]);
        less.dispose().await.unwrap();
        assert_eq!(has(&root, &low).await, ["read", "run"]);
        assert_eq!(has(&root, &top).await, ["read", "run", "write"]);
        let hidden = root.tools().view(low.key()).unwrap();
        assert_eq!(hidden.get("write").unwrap().hidden_by().len(), 1);
    }

    /// T2: a grant is for the scope that it was made to; where it stands in place of everybody's tool, a bounded scope has neither.
    #[tokio::test]
    async fn what_was_granted_to_the_other_scope_alone_is_not_handed_on() {
        let (_kernel, root) = world().await;
        let [top, low] = ["top", "low"].map(|name| root.scope(name).unwrap());
        low.ctx().tools().bound_by(top.ctx()).unwrap();
        top.ctx().tools().register(tool("deploy", "top's own")).unwrap();
        let lesser = top.ctx().tools().register(tool("run", "in a cage")).unwrap();
        assert_eq!(has(&root, &low).await, ["read", "write"]);
        // A tool of its own it has where the other one has one of that name too.
        low.ctx().tools().register(tool("deploy", "low's own")).unwrap();
        low.ctx().tools().register(tool("escape", "low's own")).unwrap();
        assert_eq!(has(&root, &low).await, ["deploy", "read", "write"]);
        lesser.dispose().await.unwrap();
        assert_eq!(has(&root, &low).await, ["deploy", "read", "run", "write"]);
    }

    /// When the other scope goes, its restrictions go with it: then the bounded one has nothing, not everything.
    #[tokio::test]
    async fn nothing_is_left_when_the_other_scope_goes() {
        let (_kernel, root) = world().await;
        let [top, low] = ["top", "low"].map(|name| root.scope(name).unwrap());
        top.ctx().tools().restrict(ToolFilter::new().allow(["read"])).unwrap();
        let bound = low.ctx().tools().bound_by(top.ctx()).unwrap();
        assert_eq!(has(&root, &low).await, ["read"]);
        top.dispose().await.unwrap();
        assert_eq!(has(&root, &low).await, [] as [&str; 0]);
        bound.dispose().await.unwrap();
        assert_eq!(has(&root, &low).await, ["read", "run", "write"]);
    }

    #[tokio::test]
    async fn a_bound_needs_two_scopes_and_goes_round_in_no_circle() {
        let (_kernel, root) = world().await;
        let [top, low] = ["top", "low"].map(|name| root.scope(name).unwrap());
        let unscoped = [root.tools().bound_by(top.ctx()), low.ctx().tools().bound_by(&root)];
        assert!(unscoped.into_iter().all(|error| error.unwrap_err().kind() == ErrorKind::UnscopedRestriction));
        low.ctx().tools().bound_by(top.ctx()).unwrap();
        for error in [top.ctx().tools().bound_by(low.ctx()), low.ctx().tools().bound_by(low.ctx())] {
            assert_eq!(error.unwrap_err().code(), "tools::circular_bound");
        }
    }
}
