//! A program that embeds dsh: two plugins, a scope for an agent, an assembly, an unload, and an assembly again.
//!
//! Run it with `cargo run -p embed`.

use dsh_harness::prelude::*;

/// Contributes a tool and the guidance that goes with it, as one composite: both leave together, the guidance first.
struct Search;

impl Plugin for Search {
    const NAME: &'static str = "search";
    type Inject = (PromptRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let parameters = r#"{"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}"#;
        let schema = ToolSchema::new("search", "Searches the project's files.", parameters)?;
        ctx.effect("search", |fx| {
            fx.adopt(ctx.system_prompt().tools(ToolProvider::new([schema]))?)?;
            let guide = Text::raw("Search before you answer; `{{` in what you find is only text.");
            fx.adopt(ctx.system_prompt().section(PromptSection::new("tool:search", 100, guide))?)?;
            Ok(())
        })?;
        Ok(())
    }
}

/// Contributes a fact of the run, and a section that uses it.
struct Workspace {
    folder: &'static str,
}

impl Plugin for Workspace {
    const NAME: &'static str = "workspace";
    type Inject = (PromptRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let prompt = ctx.system_prompt();
        prompt.variable(PromptVariable::new("folder", self.folder))?;
        prompt.section(PromptSection::new("workspace", 10, "The project is in {{folder}}."))?;
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let kernel = Kernel::new();
    let root = kernel.root();
    let config = PromptConfig::new().persona("You help with the project.");
    root.plugin(SystemPrompt::new(config))?.ready().await?;
    let search = root.plugin(Search)?;
    search.ready().await?;
    root.plugin(Workspace { folder: "/srv/project" })?.ready().await?;

    let reviewer = root.scope("reviewer")?;
    let persona = PromptSection::new("deployment:persona", 0, "You review changes in {{folder}}.");
    reviewer.ctx().system_prompt().section(persona)?;

    show("The reviewer, with search", &root, &reviewer).await?;
    search.dispose().await?;
    show("The reviewer, when search has left", &root, &reviewer).await?;

    reviewer.dispose().await?;
    kernel.shutdown().await?;
    Ok(())
}

/// Prints each part of the prompt with its owner, and the tools.
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn show(title: &str, root: &Context, agent: &Scope) -> Result<(), Failure> {
    let assembly = root.system_prompt().assemble(AssembleContext::for_scope(agent.key())).await?;
    let rendered = render(&assembly)?;
    println!("# {title}\n");
    for part in rendered.parts() {
        let Some(section) = part.section() else { continue };
        let owner = section.owner().map(ToString::to_string).unwrap_or_default();
        println!("[{} from {owner}] {}", section.name(), part.text());
    }
    let tools: Vec<_> = assembly.tools().iter().map(|tool| tool.schema().name()).collect();
    println!("\ntools: {tools:?}\n");
    Ok(())
}
