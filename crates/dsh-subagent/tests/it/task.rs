//! The tool `task`: what a model is offered, and what it reads (G3).

use dsh_kernel::FiberState;
use dsh_llm::{Message, ToolCall};
use dsh_session::{SessionEvent, SessionStore as _};
use dsh_subagent::{SubagentResult, Subagents, SubagentsConfig, SubagentsExt};
use dsh_system_prompt::{AssembleContext, PromptSection, SystemPromptExt};
use dsh_testkit::Gate;
use dsh_tools::{ExecuteContext, ToolFilter, ToolsExt, code};
use serde_json::json;

use crate::support::{made, register, say, world, world_with};

const SCRIPT: &str = r#"
    [[rules]]
    from = "user"
    contains = "how many words"
    calls = [{ tool = "task", arguments = { description = "count words", prompt = "Count the words of notes.md." } }]

    [[rules]]
    from = "user"
    contains = "both"
    calls = [
        { tool = "task", arguments = { description = "one", prompt = "First." } },
        { tool = "task", arguments = { description = "two", prompt = "Second." } },
    ]

    [[rules]]
    from = "user"
    contains = "as json"
    calls = [{ tool = "task", arguments = { description = "json", prompt = "Number.", output_schema = { type = "integer" } } }]

    [[rules]]
    from = "user"
    contains = "ask nobody"
    calls = [{ tool = "task", arguments = { description = "none", prompt = "x", agent = "nobody" } }]

    [[rules]]
    from = "user"
    contains = "ask a fork"
    calls = [{ tool = "task", arguments = { description = "fork", prompt = "What was said?", agent = "fork" } }]

    [[rules]]
    from = "user"
    contains = "badly"
    calls = [{ tool = "task", arguments = { prompt = "x" } }]

    [[rules]]
    from = "user"
    contains = "fails"
    calls = [{ tool = "task", arguments = { description = "fails", prompt = "Break." } }]

    [[rules]]
    from = "user"
    contains = "words of notes"
    calls = [{ tool = "read" }]

    [[rules]]
    contains = "break"
    answer = "I was about to"
    fail = "unauthorized"

    [[rules]]
    contains = "number."
    answer = " 42 "

    [[rules]]
    tool = "read"
    answer = "There are 12."

    [[rules]]
    tool = "task"
    answer = "It says: {{last}}"

    [[rules]]
    answer = "Heard: {{last}}"
"#;

/// G3: the model of the parent calls it, the child works with a tool, and its final answer is the result.
#[tokio::test]
async fn a_model_has_a_child_work_for_it() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    assert_eq!(say(parent.agent(), "How many words?").await, "It says: There are 12.");
    assert_eq!(world.times("read"), 1);
    assert!(world.root.subagents().running().unwrap().is_empty());
    // Each request of both can be rebuilt to the byte (A3).
    for listed in world.store.list().unwrap() {
        let records = world.store.read(&listed.id).unwrap().records;
        let rebuilt = dsh_session::requests(&records).unwrap();
        assert_eq!(rebuilt.len(), 2);
        for rebuilt in rebuilt {
            let json = rebuilt.request.to_json();
            assert!(world.model.asked("").iter().any(|asked| asked.to_json() == json));
        }
    }
    parent.dispose().await.unwrap();
    world.assert_closed();
}

/// T5: two in one step work side by side.
#[tokio::test]
async fn two_calls_of_one_step_run_side_by_side() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let gates = [world.model.gate("First."), world.model.gate("Second.")];
    parent.agent().send(Message::user("both")).unwrap();
    for gate in &gates {
        gate.reached().await;
    }
    gates[1].open();
    gates[0].open();
    parent.agent().when_idle().await;
    let said = crate::support::last_text(parent.agent());
    assert_eq!(said, "It says: Heard: First.\nHeard: Second.");
}

/// G2: a schema of the model's own; the answer comes back as JSON alone.
#[tokio::test]
async fn a_model_can_ask_for_json() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    assert_eq!(say(parent.agent(), "as json").await, "It says: 42");
}

/// What a model can mend it reads, and what is for the host it does not.
#[tokio::test]
async fn what_goes_wrong_is_a_result_that_the_model_reads() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let none = say(parent.agent(), "ask nobody").await;
    assert_eq!(none, "It says: there is no provider `nobody` of subagents: there are: `spawn`, `fork`");
    let bad = say(parent.agent(), "badly").await;
    assert!(bad.contains("description"), "{bad}");
    let failed = say(parent.agent(), "fails").await;
    assert!(failed.starts_with("It says: the agent failed (model::unauthorized)"), "{failed}");
    let ends = world
        .log(parent.agent().id())
        .into_iter()
        .filter_map(|event| if let SessionEvent::CallEnded(ended) = event { ended.code } else { None });
    assert_eq!(ends.collect::<Vec<_>>(), [code::FAILED, code::INVALID_ARGUMENTS, code::FAILED]);
}

/// G2: the fork knows what was said before this turn.
#[tokio::test]
async fn a_model_can_ask_one_that_knows_the_conversation() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    say(parent.agent(), "Hello.").await;
    assert_eq!(say(parent.agent(), "ask a fork").await, "It says: Heard: What was said?");
    assert_eq!(world.model.asked("What was said?")[0].messages.len(), 3);
}

/// T6, K5: tool and guidance are one composite; the guidance leaves with the tool (X11), and both with the plugin.
#[tokio::test]
async fn tool_and_guidance_come_and_go_together() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let prompt = world.root.system_prompt();
    let assemble = |scope| prompt.assemble(AssembleContext::for_scope(scope));
    let is_guided = |assembly: &dsh_system_prompt::PromptAssembly| assembly.section("tool:task").is_some();
    let has_tool = |assembly: &dsh_system_prompt::PromptAssembly| {
        assembly.tools().iter().any(|tool| tool.schema().name() == "task")
    };
    let key = parent.agent().scope_key();
    let assembly = assemble(key).await.unwrap();
    assert!(is_guided(&assembly) && has_tool(&assembly));
    let text = dsh_system_prompt::render_prompt(&assembly).unwrap();
    assert!(
        text.contains("- spawn: a fresh agent that knows nothing but its prompt (the usual one)\n- fork: "),
        "{text}"
    );
    let denied = parent.agent().ctx().tools().restrict(ToolFilter::new().deny(["task"])).unwrap();
    let assembly = assemble(key).await.unwrap();
    assert!(!is_guided(&assembly) && !has_tool(&assembly));
    denied.dispose().await.unwrap();
    world.task_tool.dispose().await.unwrap();
    let assembly = assemble(key).await.unwrap();
    assert!(!is_guided(&assembly) && !has_tool(&assembly));
    // A name that is taken rolls the whole composite back.
    world.root.system_prompt().section(PromptSection::new("tool:task", 1, "mine")).unwrap();
    let again = world.root.plugin(dsh_subagent::TaskTool::new().usual("fork")).unwrap();
    assert!(again.ready().await.is_err());
    assert_eq!(again.state(), FiberState::Failed);
    assert!(world.root.tools().get("task", None).unwrap().is_none());
}

/// K9: unloading the tool's plugin ends the runs that it began; the parent's turn goes on with an error result.
#[tokio::test]
async fn unloading_the_tool_ends_what_it_began() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let gate = world.model.gate("Count the words of notes.md.");
    parent.agent().send(Message::user("How many words?")).unwrap();
    gate.reached().await;
    world.task_tool.dispose().await.unwrap();
    parent.agent().when_idle().await;
    let said = crate::support::last_text(parent.agent());
    assert!(said.starts_with("It says: `task` was taken away"), "{said}");
    assert!(world.root.subagents().running().unwrap().is_empty());
    assert_eq!(gate.waiting(), 0);
}

/// Nobody who is no agent can call it: there would be nothing to bound the child.
#[tokio::test]
async fn only_an_agent_can_call_it() {
    let world = world(SCRIPT).await;
    let call = ToolCall::new("c", "task", json!({"description": "d", "prompt": "p"}).to_string());
    let executed = world.root.tools().execute(call, ExecuteContext::new()).await;
    assert_eq!(executed.code, Some(code::FAILED));
    assert!(world.root.subagents().running().unwrap().is_empty());
}

/// G3: a width that is used up is told to the model, which can wait.
#[tokio::test]
async fn a_width_that_is_used_up_is_told_to_the_model() {
    let world = world_with(SCRIPT, SubagentsConfig::new().width(1), dsh_agent_loop::TurnLimits::new()).await;
    let parent = world.agent("main").await;
    let said = say(parent.agent(), "both").await;
    assert_eq!(
        said,
        "It says: Heard: First.\n1 subagents of this agent run already, which is the limit: wait until one has ended"
    );
}

/// K2: it waits for the subagents, and comes back with them.
#[tokio::test]
async fn the_tool_comes_back_with_the_subagents() {
    let world = world(SCRIPT).await;
    world.subagents.dispose().await.unwrap();
    assert_eq!(world.task_tool.state(), FiberState::Pending);
    assert!(world.root.tools().get("task", None).unwrap().is_none());
    world.root.plugin(Subagents::new(SubagentsConfig::new())).unwrap().ready().await.unwrap();
    world.task_tool.ready().await.unwrap();
    assert!(world.root.tools().get("task", None).unwrap().is_some());
    let (gate, parent) = (Gate::new(), world.agent("main").await);
    gate.open();
    register(&world.root, made("late", |_| async { Ok(SubagentResult::completed("x")) }));
    assert_eq!(say(parent.agent(), "How many words?").await, "It says: There are 12.");
}
