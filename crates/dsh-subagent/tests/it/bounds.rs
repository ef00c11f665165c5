//! A child never has a tool that its parent lacks: at no depth, and at no time (G2, T2, T3).

use dsh_agent::Agent;
use dsh_llm::{ModelRequest, ToolCall};
use dsh_session::SessionEvent;
use dsh_subagent::{ChildOptions, SubagentRequest, SubagentsConfig, SubagentsExt};
use dsh_testkit::Gate;
use dsh_tools::{ExecuteContext, ToolFilter, ToolsExt};

use crate::support::{World, made, register, world, world_with};

const SCRIPT: &str = r#"
    [[rules]]
    from = "user"
    contains = "read and write"
    calls = [{ tool = "read" }, { tool = "write" }]

    [[rules]]
    from = "user"
    contains = "go down"
    calls = [{ tool = "task", arguments = { description = "down", prompt = "Here below." } }]

    [[rules]]
    from = "tool"
    answer = "{{last}}"

    [[rules]]
    answer = "Good."
"#;

fn tools(request: &ModelRequest) -> Vec<&str> {
    request.tools.iter().map(dsh_llm::ToolSchema::name).collect()
}

/// What look-up says that an agent has; what its prompt says is the same by T3.
fn has(world: &World, agent: &Agent) -> Vec<String> {
    let view = world.root.tools().view(agent.scope_key()).unwrap();
    view.visible().map(|tool| tool.name().to_owned()).collect()
}

/// G2: a filter takes away, and never gives.
#[tokio::test]
async fn a_filter_gives_nothing_that_the_parent_lacks() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    parent.agent().ctx().tools().restrict(ToolFilter::new().deny(["write"])).unwrap();
    let request = SubagentRequest::new("read and write").tools(ToolFilter::new().allow(["read", "write"]));
    let result = world.run("spawn", parent.agent(), request).await;
    assert_eq!(tools(&world.model.asked("read and write")[0]), ["read"]);
    assert!(result.text.contains("`write` is denied for this agent"), "{}", result.text);
    assert_eq!((world.times("read"), world.times("write")), (1, 0));
    world.run("fork", parent.agent(), SubagentRequest::new("read and write")).await;
    assert_eq!(tools(&world.model.asked("read and write")[1]), ["read", "stall", "task"]);
    assert_eq!((world.times("read"), world.times("write")), (2, 0));
}

/// G2: at every depth.
#[tokio::test]
async fn a_grandchild_has_what_all_above_it_have() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    parent.agent().ctx().tools().restrict(ToolFilter::new().deny(["write"])).unwrap();
    let request = SubagentRequest::new("go down").tools(ToolFilter::new().allow(["task", "write", "stall"]));
    assert!(world.run("spawn", parent.agent(), request).await.is_completed());
    assert_eq!(tools(&world.model.asked("Here below.")[0]), ["stall", "task"]);
}

/// G2: at once, also in the midst of a child's step: the call that has not begun is refused, and the next prompt is without the tool.
#[tokio::test]
async fn restricting_the_parent_restricts_a_running_child_at_once() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let gate = world.model.gate("read and write");
    let run =
        world.root.subagents().start("spawn", SubagentRequest::new("read and write").parent(parent.agent())).unwrap();
    gate.reached().await;
    let child = run.agent().unwrap();
    assert_eq!(has(&world, &child), ["read", "stall", "task", "write"]);
    let less = parent.agent().ctx().tools().restrict(ToolFilter::new().deny(["write", "task"])).unwrap();
    assert_eq!(has(&world, &child), ["read", "stall"]);
    let call = ToolCall::new("c", "write", "{}");
    let refused = world.root.tools().execute(call.clone(), ExecuteContext::from(child.scope_key())).await;
    assert_eq!(refused.code, Some(dsh_tools::code::UNKNOWN_TOOL));
    gate.open();
    let result = run.result().await;
    assert!(result.text.contains("`write` is denied for this agent"), "{}", result.text);
    assert_eq!((world.times("read"), world.times("write")), (1, 0));
    let requests = world.model.asked("");
    assert_eq!(tools(requests.last().unwrap()), ["read", "stall"]);
    less.dispose().await.unwrap();
    let freed = world.root.tools().execute(call, ExecuteContext::from(parent.agent().scope_key())).await;
    assert_eq!(freed.code, None);
}

/// G2: grants to the parent alone are not handed on; where one stands in place of everybody's tool, the child has neither.
#[tokio::test]
async fn what_the_parent_alone_has_is_not_handed_on() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let grants = ["deploy", "write"].map(|name| parent.agent().ctx().tools().register(world.tool(name)).unwrap());
    let gate = Gate::new();
    let wait = gate.clone();
    register(
        &world.root,
        made("waits", move |job| {
            let wait = wait.wait();
            async move {
                let granted = ChildOptions::new().setup(|ctx| async move {
                    for name in ["deploy", "escape"] {
                        let schema = crate::support::schema(name);
                        ctx.tools().register(dsh_tools::Tool::raw(schema, |_, _| async { Ok("") }))?;
                    }
                    Ok(())
                });
                let child = job.agent(granted).await?;
                wait.await;
                job.converse(&child).await
            }
        }),
    );
    let run = world.root.subagents().start("waits", SubagentRequest::new("x").parent(parent.agent())).unwrap();
    gate.reached().await;
    let child = run.agent().unwrap();
    // Of its own it has what its parent has under that name too.
    assert_eq!(has(&world, &child), ["deploy", "read", "stall", "task"]);
    for grant in grants {
        grant.dispose().await.unwrap();
    }
    assert_eq!(has(&world, &child), ["read", "stall", "task", "write"]);
    gate.open();
    assert!(run.result().await.is_completed());
}

/// G3: who may have nobody under it is not offered the tool.
#[tokio::test]
async fn at_the_last_level_the_task_tool_is_not_offered() {
    let world = world_with(SCRIPT, SubagentsConfig::new().depth(2), dsh_agent_loop::TurnLimits::new()).await;
    let parent = world.agent("main").await;
    assert!(world.run("spawn", parent.agent(), SubagentRequest::new("go down")).await.is_completed());
    assert_eq!(tools(&world.model.asked("go down")[0]), ["read", "stall", "task", "write"]);
    let below = &world.model.asked("Here below.")[0];
    assert_eq!(tools(below), ["read", "stall", "write"]);
    assert!(!below.system.contains("Use `task`"), "its guidance leaves with it (X11)");
    assert!(world.model.asked("go down")[0].system.contains("Use `task`"));
    let request = SubagentRequest::new("Alone.").depth(0);
    assert!(world.run("spawn", parent.agent(), request).await.is_completed());
    assert_eq!(tools(&world.model.asked("Alone.")[0]), ["read", "stall", "write"]);
}

/// G3: whoever is asked from inside of an agent works for that agent, however deep inside.
#[tokio::test]
async fn a_child_that_is_started_anywhere_within_an_agents_scope_is_that_agents() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    parent.agent().ctx().tools().restrict(ToolFilter::new().deny(["write"])).unwrap();
    let outer = parent.agent().ctx().scope("outer").unwrap();
    let inner = outer.ctx().scope("inner").unwrap();
    let places = [parent.agent().ctx().clone(), parent.agent().work().unwrap(), inner.ctx().clone()];
    for (number, ctx) in places.into_iter().enumerate() {
        let run = ctx.subagents().start("spawn", SubagentRequest::new("read and write")).unwrap();
        let session = run.result().await.session.clone().unwrap();
        assert_eq!(tools(&world.model.asked("read and write")[number]), ["read", "stall", "task"]);
        let SessionEvent::Opened(opened) = &world.log(&session)[0] else { panic!("no header") };
        assert_eq!(opened.parent.as_ref(), Some(parent.agent().id()));
    }
    assert_eq!(world.times("write"), 0);
    // A scope that is in no agent's is nobody's.
    let apart = world.root.scope("apart").unwrap();
    let run = apart.ctx().subagents().start("spawn", SubagentRequest::new("read and write")).unwrap();
    run.result().await;
    assert_eq!(world.times("write"), 1);
}
