//! What the tests share: a kernel with the registry mounted, and short ways to register.

use std::sync::Arc;

use dsh_kernel::{BoxFuture, Context, DynPlugin, Failure, Kernel, Name, Service};
use dsh_llm::{NO_PARAMETERS, ToolSchema};
use dsh_system_prompt::{
    AssembleContext, AssembledSection, Identity, PromptAssembly, PromptConfig, PromptRegistry, PromptSection,
    PromptVariable, SystemPrompt, SystemPromptExt,
};
use dsh_template::Text;

/// A kernel with the registry in it, without the harness's sentence.
pub(crate) struct World {
    pub(crate) root: Context,
    _kernel: Kernel,
}

pub(crate) async fn world() -> World {
    let kernel = Kernel::new();
    let root = kernel.root();
    let config = PromptConfig::new().identity(Identity::Omitted);
    root.plugin(SystemPrompt::new(config)).unwrap().ready().await.unwrap();
    World { root, _kernel: kernel }
}

impl World {
    /// The context of a plugin that injects the registry and registers nothing of itself.
    pub(crate) async fn plugin(&self, name: &str) -> Context {
        let fiber = self.root.plugin_dyn(Arc::new(Nothing(name.to_owned().into()))).unwrap();
        fiber.ready().await.unwrap();
        fiber.ctx()
    }

    pub(crate) async fn assemble(&self, cx: impl Into<AssembleContext>) -> PromptAssembly {
        self.root.system_prompt().assemble(cx).await.unwrap()
    }
}

struct Nothing(Name);

impl DynPlugin for Nothing {
    fn name(&self) -> Name {
        self.0.clone()
    }

    fn inject(&self) -> Vec<Name> {
        vec![Name::fixed(PromptRegistry::NAME)]
    }

    fn start(self: Arc<Self>, _: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }
}

#[track_caller]
pub(crate) fn section(ctx: &Context, name: &'static str, order: impl Into<f64>, text: impl Into<Text>) {
    ctx.system_prompt().section(PromptSection::new(name, order, text)).unwrap();
}

#[track_caller]
pub(crate) fn variable(ctx: &Context, name: &'static str) {
    ctx.system_prompt().variable(PromptVariable::new(name, "value")).unwrap();
}

/// An assembly of everybody's parts.
pub(crate) fn bare() -> AssembleContext {
    AssembleContext::new()
}

/// An assembly made by hand: texts as sections `0`, `1`, …, and tools without parameters.
pub(crate) fn assembly<T: Into<Text>>(texts: impl IntoIterator<Item = T>, tools: &[&str]) -> PromptAssembly {
    let mut assembly = PromptAssembly::new();
    for (index, text) in texts.into_iter().enumerate() {
        assembly.sections_mut().push(AssembledSection::new(index.to_string(), 0, text));
    }
    for name in tools {
        assembly.tools_mut().push(ToolSchema::new(*name, "", NO_PARAMETERS).unwrap().into());
    }
    assembly
}
