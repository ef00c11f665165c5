//! What the loop costs beside the model and the tools, with one agent and with a thousand.

use std::sync::Arc;

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use dsh_agent::{Agent, AgentHandle, AgentOptions, Agents, AgentsExt, NewSession};
use dsh_agent_loop::{AgentLoop, LoopConfig, LoopOptions, TurnLimits};
use dsh_bench::{Workload, runtime};
use dsh_kernel::{Context, Failure, Kernel};
use dsh_llm::{Message, Model, ModelEvent, ModelRequest, ModelStream, NO_PARAMETERS, Role, StopReason, ToolSchema};
use dsh_session::{MemoryStore, SessionId, Sessions};
use dsh_system_prompt::{PromptConfig, PromptSection, PromptVariable, SystemPrompt, SystemPromptExt, ToolProvider};
use dsh_tools::{Tool, Tools, ToolsConfig, ToolsExt};
use tokio::runtime::Runtime;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() -> Result<(), Failure> {
    // Everything is called inside a runtime, as in a program.
    let runtime = runtime()?;
    let _inside = runtime.enter();
    divan::main();
    Ok(())
}

/// Calls a tool that does nothing so many times in a turn, each in a step of its own, then says a word. It costs as little as can be.
struct Quick {
    calls: usize,
}

impl Model for Quick {
    fn name(&self) -> &'static str {
        "quick"
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let since = request.messages.iter().rev().take_while(|message| message.role != Role::User);
        let step = since.filter(|message| message.role == Role::Assistant).count();
        let events = if step < self.calls {
            vec![
                Ok(ModelEvent::ToolCallStart {
                    index: 0,
                    id: format!("c{}", request.messages.len()),
                    name: "nothing".into(),
                }),
                Ok(ModelEvent::ToolCallArguments { index: 0, text: format!("{{\"at\":{step}}}") }),
                Ok(ModelEvent::ToolCallEnd { index: 0 }),
                Ok(ModelEvent::Stop(StopReason::ToolCalls)),
            ]
        } else {
            vec![Ok(ModelEvent::Text("Done.".into())), Ok(ModelEvent::Stop(StopReason::EndTurn))]
        };
        Box::pin(futures_util::stream::iter(events))
    }
}

/// How much there is in the prompt.
#[derive(Clone, Copy, Debug)]
enum Prompt {
    /// A sentence.
    Small,
    /// That of `workload.json`: 17 kB and 40 tools.
    Workload,
}

struct World {
    _kernel: Kernel,
    root: Context,
}

#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn prepared<T>(prepare: impl FnOnce() -> Result<T, Failure>) -> T {
    prepare().expect("what is measured can be set up")
}

fn world(runtime: &Runtime, calls: usize, prompt: Prompt) -> World {
    // What a plugin starts is started on this runtime.
    let made = runtime.block_on(async {
        let kernel = Kernel::new();
        let root = kernel.root();
        root.plugin(SystemPrompt::new(PromptConfig::new()))?.ready().await?;
        root.plugin(Tools::new(ToolsConfig::new()))?.ready().await?;
        root.plugin(Sessions::new(MemoryStore::new()))?.ready().await?;
        root.plugin(Agents::new())?.ready().await?;
        let config = LoopConfig::new(Arc::new(Quick { calls }))
            .options(LoopOptions::new().limits(TurnLimits::new().steps(None)));
        root.plugin(AgentLoop::new(config))?.ready().await?;
        let nothing = ToolSchema::new("nothing", "Does nothing.", NO_PARAMETERS)?;
        root.tools().register(Tool::raw(nothing, |_, _| async { Ok("") }))?;
        if let Prompt::Workload = prompt {
            fill(&root)?;
        }
        Ok(World { _kernel: kernel, root })
    });
    prepared(|| made)
}

fn fill(root: &Context) -> Result<(), Failure> {
    let workload = Workload::load()?;
    let prompt = root.system_prompt();
    for section in &workload.sections {
        prompt.section(PromptSection::new(section.name.clone(), section.order, section.text.clone()))?;
    }
    let present = ["model", "cwd"];
    for (name, value) in workload.variables.iter().filter(|(name, _)| !present.contains(&name.as_str())) {
        prompt.variable(PromptVariable::new(name.clone(), value.clone()))?;
    }
    prompt.tools(ToolProvider::new(workload.tools.iter().cloned()))?;
    Ok(())
}

impl World {
    fn agent(&self, runtime: &Runtime, number: u128) -> AgentHandle {
        let options = AgentOptions::new("agent").session(NewSession::new().named(SessionId::new(0, number)));
        let options = options.run(dsh_system_prompt::RunContext::new().cwd("/srv"));
        prepared(|| Ok(runtime.block_on(async { self.root.agents().create(options).await })?))
    }
}

/// An agent that is disposed when nobody measures.
struct Guard<'r> {
    handle: Option<AgentHandle>,
    runtime: &'r Runtime,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            prepared(|| Ok(self.runtime.block_on(async { handle.dispose().await })?));
        }
    }
}

async fn turn(agent: &Agent) -> Result<(), Failure> {
    agent.send(Message::user("Go"))?;
    agent.when_idle().await;
    Ok(())
}

/// A turn of so many calls, each in a step, and the step that says a word: what a step costs is the time of one item.
fn turns(bencher: Bencher<'_, '_>, calls: usize, prompt: Prompt) {
    let runtime = prepared(runtime);
    let world = world(&runtime, calls, prompt);
    let number = std::cell::Cell::new(0);
    bencher
        .counter(ItemsCount::new(calls + 1))
        .with_inputs(|| {
            number.set(number.get() + 1);
            Guard { handle: Some(world.agent(&runtime, number.get())), runtime: &runtime }
        })
        .bench_local_values(|guard| {
            if let Some(handle) = &guard.handle {
                prepared(|| runtime.block_on(turn(handle.agent())));
            }
            guard
        });
}

#[divan::bench(args = [0, 10, 100])]
fn turn_with_a_small_prompt(bencher: Bencher<'_, '_>, calls: usize) {
    turns(bencher, calls, Prompt::Small);
}

#[divan::bench(args = [0, 10, 100])]
fn turn_with_the_workloads_prompt(bencher: Bencher<'_, '_>, calls: usize) {
    turns(bencher, calls, Prompt::Workload);
}

/// An agent made and undone.
#[divan::bench]
fn create_and_dispose(bencher: Bencher<'_, '_>) {
    let runtime = prepared(runtime);
    let world = world(&runtime, 0, Prompt::Small);
    let number = std::cell::Cell::new(0);
    bencher.bench_local(|| {
        number.set(number.get() + 1);
        let handle = world.agent(&runtime, number.get());
        prepared(|| Ok(runtime.block_on(async { handle.dispose().await })?));
    });
}

/// A thousand agents that wait: of what is allocated at most, a thousandth is one of them.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn a_thousand_idle_agents(bencher: Bencher<'_, '_>) {
    let runtime = prepared(runtime);
    bencher.counter(ItemsCount::new(1_000_usize)).with_inputs(|| world(&runtime, 0, Prompt::Small)).bench_local_values(
        |world| {
            let agents: Vec<_> = (0..1_000).map(|number| world.agent(&runtime, number)).collect();
            // Each loop has begun to wait.
            runtime.block_on(tokio::task::yield_now());
            (world, agents)
        },
    );
}

/// A thousand agents, ten steps each, at once.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn a_thousand_agents_ten_steps_each(bencher: Bencher<'_, '_>) {
    let runtime = prepared(runtime);
    bencher
        .counter(ItemsCount::new(10_000_usize))
        .with_inputs(|| {
            let world = world(&runtime, 9, Prompt::Small);
            let agents: Vec<_> = (0..1_000).map(|number| world.agent(&runtime, number)).collect();
            (world, agents)
        })
        .bench_local_values(|(world, agents)| {
            prepared(|| {
                runtime.block_on(async {
                    for handle in &agents {
                        handle.agent().send(Message::user("Go"))?;
                    }
                    for handle in &agents {
                        handle.agent().when_idle().await;
                    }
                    Ok(())
                })
            });
            (world, agents)
        });
}
