//! What the tests share: a kernel with both registries mounted, and short ways to register, call and read.

use std::sync::Arc;

use dsh_kernel::{
    BoxFuture, Context, Disposer, DynPlugin, Failure, Fiber, Kernel, ManualClock, Name, ScopeKey, Service,
};
use dsh_llm::{ContentBlock, NO_PARAMETERS, ToolCall, ToolSchema};
use dsh_system_prompt::{
    AssembleContext, Identity, PromptAssembly, PromptConfig, PromptRegistry, SystemPrompt, SystemPromptExt,
};
use dsh_tools::{
    ExecuteContext, Executed, Tool, ToolContext, ToolFailure, ToolFilter, ToolOutput, ToolRegistry, Tools, ToolsConfig,
    ToolsExt,
};

/// A kernel with both registries in it, and a clock that the test moves.
pub(crate) struct World {
    pub(crate) kernel: Kernel,
    pub(crate) root: Context,
    pub(crate) clock: ManualClock,
    pub(crate) tools: Fiber,
}

pub(crate) async fn world() -> World {
    world_with(ToolsConfig::new()).await
}

pub(crate) async fn world_with(config: ToolsConfig) -> World {
    let clock = ManualClock::new();
    let kernel = Kernel::builder().clock(Arc::new(clock.clone())).build();
    let root = kernel.root();
    root.plugin(SystemPrompt::new(PromptConfig::new().identity(Identity::Omitted))).unwrap().ready().await.unwrap();
    let tools = root.plugin(Tools::new(config)).unwrap();
    tools.ready().await.unwrap();
    World { kernel, root, clock, tools }
}

impl World {
    /// A plugin that injects both registries.
    pub(crate) async fn mount(
        &self,
        name: &str,
        start: impl Fn(&Context) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Fiber {
        let fiber = self.root.plugin_dyn(Part::new(name, start)).unwrap();
        fiber.ready().await.unwrap();
        fiber
    }

    pub(crate) async fn call(&self, name: &str, arguments: &str, cx: impl Into<ExecuteContext>) -> Executed {
        self.root.tools().execute(ToolCall::new("c1", name, arguments), cx.into()).await
    }

    pub(crate) async fn assemble(&self, cx: impl Into<AssembleContext>) -> PromptAssembly {
        self.root.system_prompt().assemble(cx).await.unwrap()
    }

    /// What a scope is told of, finds, and may call: T3 says that they are one.
    pub(crate) async fn visible(&self, scope: Option<ScopeKey>) -> Vec<String> {
        let cx = scope.map_or_else(AssembleContext::new, AssembleContext::for_scope);
        let assembly = self.assemble(cx).await;
        let told: Vec<String> = assembly.tools().iter().map(|tool| tool.schema().name().to_owned()).collect();
        let handle = self.root.tools();
        let view = handle.view(scope).unwrap();
        for tool in view.all() {
            let is_told = told.iter().any(|name| name == tool.name());
            assert_eq!(is_told, tool.is_visible(), "`{}` in prompt and view", tool.name());
            assert_eq!(
                is_told,
                handle.get(tool.name(), scope).unwrap().is_some(),
                "`{}` in prompt and look-up",
                tool.name()
            );
            let mut cx = ExecuteContext::new();
            if let Some(key) = scope {
                cx = cx.scope(key);
            }
            let executed = self.call(tool.name(), "{}", cx).await;
            assert_eq!(is_told, executed.began, "`{}` in prompt and execution", tool.name());
        }
        assert_eq!(told.len(), view.visible().count());
        told
    }
}

/// A plugin whose name is known only at run time.
pub(crate) struct Part {
    name: Name,
    start: Box<Start>,
}

type Start = dyn Fn(&Context) -> Result<(), Failure> + Send + Sync;

impl Part {
    pub(crate) fn new(
        name: &str,
        start: impl Fn(&Context) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { name: name.to_owned().into(), start: Box::new(start) })
    }
}

impl DynPlugin for Part {
    fn name(&self) -> Name {
        self.name.clone()
    }

    fn inject(&self) -> Vec<Name> {
        vec![Name::fixed(PromptRegistry::NAME), Name::fixed(ToolRegistry::NAME)]
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move { (self.start)(&ctx) })
    }
}

pub(crate) fn schema(name: &str) -> ToolSchema {
    ToolSchema::new(name, format!("does {name}"), NO_PARAMETERS).unwrap()
}

/// A tool that answers with its name.
pub(crate) fn echo(name: &str) -> Tool {
    let answer = name.to_owned();
    Tool::raw(schema(name), move |_, _| std::future::ready(Ok(answer.clone())))
}

/// A tool without parameters.
pub(crate) fn tool<F>(name: &str, run: impl Fn(ToolContext) -> F + Send + Sync + 'static) -> Tool
where
    F: Future<Output = Result<ToolOutput, ToolFailure>> + Send + 'static,
{
    Tool::raw(schema(name), move |_, cx| run(cx))
}

#[track_caller]
pub(crate) fn register(ctx: &Context, names: &[&str]) -> Vec<Disposer> {
    names.iter().map(|name| ctx.tools().register(echo(name)).unwrap()).collect()
}

#[track_caller]
pub(crate) fn deny(ctx: &Context, names: &[&'static str]) -> Disposer {
    ctx.tools().restrict(ToolFilter::new().deny(names.iter().copied())).unwrap()
}

#[track_caller]
pub(crate) fn allow(ctx: &Context, names: &[&'static str]) -> Disposer {
    ctx.tools().restrict(ToolFilter::new().allow(names.iter().copied())).unwrap()
}

/// The text of a result, its blocks joined.
pub(crate) fn text(executed: &Executed) -> String {
    executed.result.content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("|")
}

/// Everything that a test looks at: whether it is an error, its code, its text.
pub(crate) fn shown(executed: &Executed) -> (Option<&'static str>, String) {
    assert_eq!(executed.code.is_some(), executed.result.is_error, "a code where it is an error, and only there");
    (executed.code, text(executed))
}

pub(crate) fn anybody() -> ExecuteContext {
    ExecuteContext::new()
}

/// Lets tasks run until `done` holds; time plays no part.
pub(crate) async fn until(mut done: impl FnMut() -> bool) {
    for _ in 0..10_000 {
        if done() {
            return;
        }
        tokio::task::yield_now().await;
    }
    assert!(done(), "what was waited for did not come");
}
