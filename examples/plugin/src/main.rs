//! A plugin that adds a section, a variable, a tool and a listener as one composite, and is unloaded in mid-session:
//! `cargo run -p example-plugin`.

use std::sync::Arc;

use dsh_harness::llm::{Message, NO_PARAMETERS, ScriptedModel};
use dsh_harness::prelude::*;

/// Tells the time of a harbour's tide.
struct Tide;

impl Plugin for Tide {
    const NAME: &'static str = "tide";
    type Inject = (PromptRegistry, ToolRegistry);

    #[expect(clippy::print_stdout, reason = "an example shows what it does")]
    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        // One composite: rolled back if a line fails, undone in reverse, the section while its tool is still there.
        ctx.effect("tide", |fx| {
            let schema = ToolSchema::new("tide", "Tells the next high tide.", NO_PARAMETERS)?;
            fx.adopt(ctx.tools().register(Tool::raw(schema, |_arguments, _cx| async { Ok("at 14:20") }))?)?;
            fx.adopt(ctx.system_prompt().variable(PromptVariable::new("harbour", "Husum"))?)?;
            let guide = PromptSection::new("tool:tide", 110, "Ask `tide` for the water at {{harbour}}.");
            fx.adopt(ctx.system_prompt().section(guide)?)?;
            fx.adopt(ctx.on(|result: &AgentToolResult| println!("  (a call of {} has ended)", result.call.name))?)?;
            Ok(())
        })?;
        Ok(())
    }
}

/// Asks for the tide where it has the tool; it sees in its prompt whether it does.
const SCRIPT: &str = r#"
    [[rules]]
    from = "user"
    system = "Ask `tide`"
    calls = [{ tool = "tide" }]

    [[rules]]
    tool = "tide"
    answer = "High water {{last}}."

    [[rules]]
    answer = "I have nothing to tell the tide with."
"#;

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Failure> {
    let kernel = Kernel::new();
    let root = kernel.root();
    root.plugin(SystemPrompt::new(PromptConfig::new().persona("You keep the harbour.")))?.ready().await?;
    root.plugin(Tools::new(ToolsConfig::new()))?.ready().await?;
    root.plugin(Sessions::new(MemoryStore::new()))?.ready().await?;
    root.plugin(Agents::new())?.ready().await?;
    root.plugin(AgentLoop::new(LoopConfig::new(Arc::new(ScriptedModel::parse(SCRIPT)?))))?.ready().await?;
    let tide = root.plugin(Tide)?;
    tide.ready().await?;

    let handle =
        root.agents().create(AgentOptions::new("keeper").session(NewSession::new().named("demo".parse()?))).await?;
    ask(handle.agent(), "When is high water?").await?;
    tide.dispose().await?; // section, variable, tool and listener: nothing of it is left
    ask(handle.agent(), "And tomorrow?").await?;

    handle.dispose().await?;
    kernel.shutdown().await?;
    Ok(())
}

/// Says something, waits for the end of the turn, and prints the answer.
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn ask(agent: &Agent, text: &str) -> Result<(), Failure> {
    println!("> {text}");
    agent.send(Message::user(text))?;
    agent.when_idle().await;
    let answer = agent.session().messages().pop();
    println!("{}", answer.and_then(|answer| answer.content.first()?.as_text().map(str::to_owned)).unwrap_or_default());
    Ok(())
}
