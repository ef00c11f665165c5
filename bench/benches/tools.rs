//! The tool registry with 1,000 tools and 1,000 scopes, and what a call costs beside its tool.

use divan::{AllocProfiler, Bencher};
use dsh_bench::{at_once, runtime};
use dsh_kernel::{Failure, Kernel, Scope, ScopeKey};
use dsh_llm::{NO_PARAMETERS, ToolCall, ToolSchema};
use dsh_system_prompt::{AssembleContext, PromptConfig, SystemPrompt, SystemPromptExt};
use dsh_tools::{ExecuteContext, PreExecuteEvent, Tool, ToolFilter, Tools, ToolsConfig, ToolsExt, ToolsHandle};
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

/// Benches a call, which has to succeed.
#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn bench<T>(bencher: Bencher<'_, '_>, call: impl Fn() -> Result<T, Failure>) {
    bencher.bench_local(|| call().expect("what is measured succeeds"));
}

/// Both registries, tools, and scopes that each have a tool of their own and a restriction.
struct World {
    kernel: Kernel,
    scopes: Vec<Scope>,
}

#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn world(tools: usize, scopes: usize) -> World {
    make(tools, scopes).expect("a world to measure in")
}

fn make(tools: usize, scopes: usize) -> Result<World, Failure> {
    let kernel = Kernel::new();
    let root = kernel.root();
    at_once(root.plugin(SystemPrompt::new(PromptConfig::new()))?.ready())??;
    at_once(root.plugin(Tools::new(ToolsConfig::new()))?.ready())??;
    for number in 0..tools {
        root.tools().register(tool(format!("tool-{number}"))?)?;
    }
    let mut open = Vec::new();
    for number in 0..scopes {
        let scope = root.scope(format!("agent-{number}"))?;
        scope.ctx().tools().register(tool(format!("own-{number}"))?)?;
        scope.ctx().tools().restrict(ToolFilter::new().deny([format!("tool-{}", number % tools)]))?;
        open.push(scope);
    }
    Ok(World { kernel, scopes: open })
}

fn tool(name: String) -> Result<Tool, Failure> {
    Ok(Tool::raw(ToolSchema::new(name, "Does nothing.", NO_PARAMETERS)?, |_, _| async { Ok("") }))
}

impl World {
    fn tools(&self) -> ToolsHandle {
        self.kernel.root().tools()
    }

    fn some_scope(&self) -> Option<ScopeKey> {
        self.scopes.get(self.scopes.len() / 2).map(Scope::key)
    }
}

/// A look-up of everybody's tool by a scope that restricts others.
#[divan::bench(args = [(40, 1), (1_000, 1_000)])]
fn look_up(bencher: Bencher<'_, '_>, (tools, scopes): (usize, usize)) {
    let world = world(tools, scopes);
    let (handle, scope) = (world.tools(), world.some_scope());
    bench(bencher, || Ok(handle.get("tool-1", scope)?));
}

/// A look-up of what a restriction hides.
#[divan::bench(args = [(40, 1), (1_000, 1_000)])]
fn look_up_hidden(bencher: Bencher<'_, '_>, (tools, scopes): (usize, usize)) {
    let world = world(tools, scopes);
    let (handle, scope) = (world.tools(), world.some_scope());
    let hidden = format!("tool-{}", (scopes / 2) % tools);
    bench(bencher, || Ok(handle.get(&hidden, scope)?));
}

/// What is visible for a scope, told to its prompt in a step in which nothing has changed.
#[divan::bench(args = [(40, 1), (1_000, 1_000)])]
fn visible_in_an_unchanged_step(bencher: Bencher<'_, '_>, (tools, scopes): (usize, usize)) {
    let world = world(tools, scopes);
    let (prompt, scope) = (world.kernel.root().system_prompt(), world.some_scope());
    let cx = scope.map_or_else(AssembleContext::new, AssembleContext::for_scope);
    bench(bencher, || Ok(at_once(prompt.assemble(cx.clone()))??));
}

/// The same in the step after a restriction of that scope came or went.
#[divan::bench(args = [(40, 1), (1_000, 1_000)])]
fn visible_after_a_restriction(bencher: Bencher<'_, '_>, (tools, scopes): (usize, usize)) {
    let world = world(tools, scopes);
    let (prompt, scope) = (world.kernel.root().system_prompt(), world.some_scope());
    let cx = scope.map_or_else(AssembleContext::new, AssembleContext::for_scope);
    let own = world.scopes.get(scopes / 2);
    bench(bencher, || {
        let restriction = own.map(|own| own.ctx().tools().restrict(ToolFilter::new().deny(["tool-3"]))).transpose()?;
        let assembly = at_once(prompt.assemble(cx.clone()))??;
        drop(restriction.map(dsh_kernel::Disposer::dispose));
        Ok(assembly)
    });
}

/// A tool registered and disposed.
#[divan::bench(args = [(40, 1), (1_000, 1_000)])]
fn register_and_dispose(bencher: Bencher<'_, '_>, (tools, scopes): (usize, usize)) {
    let world = world(tools, scopes);
    let root = world.kernel.root();
    bench(bencher, || {
        let registered = root.tools().register(tool(String::from("one more"))?)?;
        Ok(at_once(registered.dispose())??)
    });
}

#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn one_thread() -> Runtime {
    runtime().expect("a runtime")
}

#[expect(clippy::expect_used, reason = "a bench has nobody to hand a failure to")]
fn many_threads() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime")
}

/// A hundred calls of an empty tool, one after the other, no listeners: what a call costs beside its tool.
#[divan::bench(args = [(40, 1), (1_000, 1_000)])]
fn hundred_calls_of_an_empty_tool(bencher: Bencher<'_, '_>, (tools, scopes): (usize, usize)) {
    let world = world(tools, scopes);
    let cx = world.some_scope().map_or_else(ExecuteContext::new, ExecuteContext::from);
    let (handle, runtime) = (world.tools(), one_thread());
    bencher.bench_local(|| runtime.block_on(hundred(&handle, &cx)));
}

async fn hundred(handle: &ToolsHandle, cx: &ExecuteContext) {
    for _ in 0..100 {
        divan::black_box(handle.execute(ToolCall::new("c1", "tool-1", "{}"), cx.clone()).await);
    }
}

/// The same on a runtime of two threads, where each tool's task may be on the other one.
#[divan::bench]
fn hundred_calls_on_two_threads(bencher: Bencher<'_, '_>) {
    let world = world(40, 1);
    let (handle, runtime) = (world.tools(), many_threads());
    bencher.bench_local(|| {
        let handle = handle.clone();
        runtime.block_on(async { runtime.spawn(async move { hundred(&handle, &ExecuteContext::new()).await }).await })
    });
}

/// The same on one thread with one listener before each, and a time limit.
#[divan::bench]
fn hundred_calls_with_a_listener_and_a_limit(bencher: Bencher<'_, '_>) {
    let world = world(40, 1);
    let (handle, runtime) = (world.tools(), one_thread());
    let listener = world.kernel.root().on_waterfall::<PreExecuteEvent, _>(|call, _, next| next.run(call));
    let cx = ExecuteContext::new().timeout(std::time::Duration::from_mins(1));
    bencher.bench_local(|| runtime.block_on(hundred(&handle, &cx)));
    drop(listener);
}

/// Sixteen calls of one step.
#[divan::bench]
fn step_of_sixteen_calls(bencher: Bencher<'_, '_>) {
    let world = world(40, 1);
    let handle = world.tools();
    let runtime = one_thread();
    bencher
        .with_inputs(|| (0..16).map(|number| ToolCall::new(format!("c{number}"), "tool-1", "{}")).collect::<Vec<_>>())
        .bench_local_values(|calls| runtime.block_on(handle.execute_all(calls, ExecuteContext::new())));
}
