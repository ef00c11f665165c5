//! What the tests share: a kernel with the registry mounted, and short ways to register and read.

use std::future::Future;
use std::sync::Arc;

use dsh_kernel::{BoxFuture, Context, Disposer, DynPlugin, Failure, Fiber, Kernel, Name, Service};
use dsh_llm::{NO_PARAMETERS, ToolSchema};
use dsh_system_prompt::{
    AssembleContext, Error, Identity, PromptAssembly, PromptConfig, PromptRegistry, PromptSection, PromptVariable,
    SystemPrompt, SystemPromptExt, ToolProvider, render_prompt,
};

/// A kernel with the registry in it.
pub(crate) struct World {
    pub(crate) kernel: Kernel,
    pub(crate) root: Context,
    pub(crate) registry: Fiber,
}

/// Without the harness's sentence, so that prompts are short.
pub(crate) async fn world() -> World {
    world_with(PromptConfig::new().identity(Identity::Omitted)).await
}

pub(crate) async fn world_with(config: PromptConfig) -> World {
    let kernel = Kernel::new();
    let root = kernel.root();
    let registry = root.plugin(SystemPrompt::new(config)).unwrap();
    registry.ready().await.unwrap();
    World { kernel, root, registry }
}

impl World {
    /// A plugin that injects the registry and registers nothing of itself.
    pub(crate) async fn plugin(&self, name: &str) -> Context {
        self.mount(name, |_| Ok(())).await.ctx()
    }

    /// A plugin that injects the registry.
    pub(crate) async fn mount(
        &self,
        name: &str,
        start: impl Fn(&Context) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Fiber {
        let fiber = self.root.plugin_dyn(Part::new(name, start)).unwrap();
        fiber.ready().await.unwrap();
        fiber
    }

    pub(crate) async fn assemble(&self, cx: impl Into<AssembleContext>) -> Result<PromptAssembly, Error> {
        self.root.system_prompt().assemble(cx).await
    }

    pub(crate) async fn prompt(&self, cx: impl Into<AssembleContext>) -> String {
        render_prompt(&self.assemble(cx).await.unwrap()).unwrap().to_string()
    }

    pub(crate) async fn tool_names(&self, cx: impl Into<AssembleContext>) -> Vec<String> {
        let assembly = self.assemble(cx).await.unwrap();
        assembly.tools().iter().map(|tool| tool.schema().name().to_owned()).collect()
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
        vec![Name::fixed(PromptRegistry::NAME)]
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move { (self.start)(&ctx) })
    }
}

/// Registers a section with a fixed text.
#[track_caller]
pub(crate) fn section(ctx: &Context, name: &'static str, order: impl Into<f64>, text: &str) -> Disposer {
    ctx.system_prompt().section(PromptSection::new(name, order, text)).unwrap()
}

#[track_caller]
pub(crate) fn variable(ctx: &Context, name: &'static str, value: &'static str) -> Disposer {
    ctx.system_prompt().variable(PromptVariable::new(name, value)).unwrap()
}

#[track_caller]
pub(crate) fn tools(ctx: &Context, names: &[&str]) -> Disposer {
    ctx.system_prompt().tools(ToolProvider::new(names.iter().map(|name| schema(name)))).unwrap()
}

pub(crate) fn schema(name: &str) -> ToolSchema {
    ToolSchema::new(name, format!("does {name}"), NO_PARAMETERS).unwrap()
}

/// An assembly of everybody's parts.
pub(crate) fn bare() -> AssembleContext {
    AssembleContext::new()
}

pub(crate) fn section_names(assembly: &PromptAssembly) -> Vec<&str> {
    assembly.sections().map(dsh_system_prompt::AssembledSection::name).filter(|name| !name.contains(':')).collect()
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

/// Mounting needs a runtime; what a test does afterwards on plain threads does not.
pub(crate) fn in_runtime<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// States that a future may be sent to another thread.
pub(crate) fn sent<F: Future + Send>(future: F) -> F {
    future
}
