//! An agent with one tool of its own, on a model that needs no network: `cargo run -p example-agent`.

use std::sync::Arc;

use dsh_harness::llm::{Message, ModelEvent, ScriptedModel};
use dsh_harness::prelude::*;

/// What the tool is called with; the model is told its JSON Schema, and what it writes is checked against that.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Count {
    /// The text whose words are counted.
    text: String,
}

/// Answers by rules; any other `Model` goes in its place.
const SCRIPT: &str = r#"
    [[rules]]
    from = "user"
    calls = [{ tool = "count_words", arguments = { text = "the quick brown fox" } }]

    [[rules]]
    tool = "count_words"
    answer = "There are {{last}} words."
"#;

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
pub(crate) async fn main() -> Result<(), Failure> {
    let kernel = Kernel::new();
    let root = kernel.root();
    root.plugin(SystemPrompt::new(PromptConfig::new().persona("You count words, with {{model}}.")))?.ready().await?;
    root.plugin(Tools::new(ToolsConfig::new()))?.ready().await?;
    root.plugin(Sessions::new(MemoryStore::new()))?.ready().await?;
    root.plugin(Agents::new())?.ready().await?;
    root.plugin(AgentLoop::new(LoopConfig::new(Arc::new(ScriptedModel::parse(SCRIPT)?))))?.ready().await?;

    // What is registered in the setup is for this agent alone, and leaves with it.
    let options =
        AgentOptions::new("counter").session(NewSession::new().named("demo".parse()?)).setup(|ctx| async move {
            ctx.tools().register(Tool::typed(
                "count_words",
                "Counts the words of a text.",
                |count: Count, _cx| async move { Ok(count.text.split_whitespace().count().to_string()) },
            ))?;
            ctx.on(|call: &AgentToolCall| println!("[{} {}]", call.call.name, call.call.arguments))?;
            ctx.on(|piece: &AgentStream| {
                if let ModelEvent::Text(text) = &piece.event {
                    println!("{text}");
                }
            })?;
            Ok(())
        });
    let handle = root.agents().create(options).await?;
    handle.agent().send(Message::user("How many words has \"the quick brown fox\"?"))?;
    handle.agent().when_idle().await;
    println!("{:?}", handle.agent().last_turn().map(|turn| turn.end));
    handle.dispose().await?;
    kernel.shutdown().await?;
    Ok(())
}
