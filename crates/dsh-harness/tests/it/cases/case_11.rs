//! Case 11: nothing of a plugin that was loaded again, or has gone, is in the turns of an agent that lives on.

use std::sync::Arc;
use std::sync::Mutex;

use dsh_harness::kernel::{Context, Failure, Fiber};
use dsh_harness::prelude::{
    AgentPreStep, AgentToolResult, AssembleEvent, PromptChange, PromptSection, PromptVariable, SystemPromptExt,
    ToolChange, ToolsExt,
};
use dsh_harness::session::TurnEnd;
use dsh_testkit::{Counter, Gate};

use crate::plugins::Part;
use crate::stack::{Stack, offered, results, tool, turn};

const SCRIPT: &str = r#"
    [[rules]]
    from = "user"
    calls = [{ tool = "relay_send" }]

    [[rules]]
    answer = "Done."
"#;

/// What is counted of `relay`.
#[derive(Clone, Default)]
struct Heard {
    hooks: Counter,
    changes: Counter,
    results: Counter,
    /// What became of the registrations that come late.
    late: Arc<Mutex<Vec<Result<(), &'static str>>>>,
}

fn relay(ctx: &Context, heard: &Heard, timer: &Gate) -> Result<(), Failure> {
    let (hooks, changes, tool_changes) = (heard.hooks.clone(), heard.changes.clone(), heard.changes.clone());
    let ended = heard.results.clone();
    ctx.on(move |_: &PromptChange| {
        changes.hit();
    })?;
    ctx.on(move |_: &ToolChange| {
        tool_changes.hit();
    })?;
    ctx.on(move |_: &AgentToolResult| {
        ended.hit();
    })?;
    ctx.system_prompt().variable(PromptVariable::new("desk", "north"))?;
    ctx.system_prompt().section(PromptSection::new("relay", 100, "Relay on {{desk}}."))?;
    ctx.tools().register(tool("relay_send"))?;
    ctx.on_waterfall::<AssembleEvent, _>(move |mut assembly, _, next| {
        hooks.hit();
        for section in assembly.sections_mut().iter_mut().filter(|section| section.name() == "relay") {
            section.append(".");
        }
        next.run(assembly)
    })?;
    // Its own affair, begun beside the kernel: a timer that registers late.
    let (late, timer, own) = (Arc::clone(&heard.late), timer.clone(), ctx.clone());
    tokio::spawn(async move {
        timer.wait().await;
        let section = own.system_prompt().section(PromptSection::new("relay:late", 101, "late"));
        let tool = own.tools().register(tool("relay_late"));
        let told = [section.map(drop).map_err(|error| error.code()), tool.map(drop).map_err(|error| error.code())];
        late.lock().unwrap().extend(told);
    });
    Ok(())
}

async fn load(stack: &Stack, heard: &Heard, timer: &Gate) -> Fiber {
    let (heard, timer) = (heard.clone(), timer.clone());
    let part = Part("relay", move |ctx: &Context| relay(ctx, &heard, &timer));
    let fiber = stack.root.plugin_dyn(Arc::new(part)).unwrap();
    fiber.ready().await.unwrap();
    fiber
}

/// Case 11, K9
#[test]
fn a_session_that_outlives_reloads_sees_each_load_once_and_nothing_after_the_last() {
    crate::run(async {
        let stack = Stack::new(SCRIPT).await;
        let handle = stack.agent("main").await;
        let before = stack.kernel.inspect().to_string();
        let (heard, timer) = (Heard::default(), Gate::new());
        for number in 1..=4 {
            let relay = load(&stack, &heard, &timer).await;
            let (hooks, ended, changes) = (heard.hooks.get(), heard.results.get(), heard.changes.get());
            assert_eq!(turn(handle.agent(), "Go").await, TurnEnd::Completed);
            let asked = stack.asked();
            assert_eq!(asked.len(), 2);
            for asked in asked {
                assert_eq!(
                    (&*asked.system, offered(&asked)),
                    ("Relay on north..", vec!["relay_send"]),
                    "load {number}"
                );
            }
            assert_eq!((heard.hooks.get() - hooks, heard.results.get() - ended), (2, 1), "once a step, once a call");
            for other in stack.tools(&["other"]) {
                other.dispose().await.unwrap();
            }
            assert_eq!(heard.changes.get() - changes, 2, "once a change");
            relay.dispose().await.unwrap();
        }
        assert!(results(handle.agent()).iter().all(|result| *result == ("did relay_send".to_owned(), None)));

        timer.open();
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        assert_eq!(*heard.late.lock().unwrap(), [Err("kernel::inactive"); 8]);
        let called = (heard.hooks.get(), heard.results.get(), heard.changes.get());
        assert_eq!(turn(handle.agent(), "Go").await, TurnEnd::Completed);
        for asked in stack.asked() {
            assert_eq!((&*asked.system, offered(&asked)), ("", Vec::new()));
        }
        let (text, code) = results(handle.agent()).pop().unwrap();
        assert_eq!(code.as_deref(), Some("tools::unknown_tool"), "{text}");
        drop(stack.tools(&["after"]).pop().unwrap().dispose());
        assert_eq!((heard.hooks.get(), heard.results.get(), heard.changes.get()), called);
        assert_eq!(stack.kernel.inspect().to_string(), before, "as before the first load");
    });
}

/// Case 11, S8: the step that is under way when the plugin leaves has all of it or nothing.
#[test]
fn a_plugin_that_leaves_between_prompt_and_request_leaves_a_whole_request_and_runs_no_more() {
    crate::run(async {
        let stack = Stack::new(SCRIPT).await;
        let handle = stack.agent("main").await;
        let (heard, timer) = (Heard::default(), Gate::new());
        let relay = Mutex::new(Some(load(&stack, &heard, &timer).await));
        let leaving = stack.root.on_serial(move |_: Arc<AgentPreStep>| {
            let relay = relay.lock().unwrap().take();
            async move {
                if let Some(relay) = relay {
                    relay.dispose().await?;
                }
                Ok(None)
            }
        });
        leaving.unwrap();
        assert_eq!(turn(handle.agent(), "Go").await, TurnEnd::Completed);
        let asked = stack.asked();
        assert_eq!((&*asked[0].system, offered(&asked[0])), ("Relay on north..", vec!["relay_send"]), "as assembled");
        assert_eq!((&*asked[1].system, offered(&asked[1])), ("", Vec::new()));
        assert_eq!(results(handle.agent())[0].1.as_deref(), Some("tools::unknown_tool"), "it is gone");
        assert_eq!((heard.hooks.get(), heard.results.get()), (1, 0), "nothing of it is called any more");
    });
}
