//! A restriction in the middle of a turn takes effect at once in prompt, look-up and execution (T3).

use dsh_llm::ToolCall;
use dsh_system_prompt::{PromptSection, SystemPromptExt, render_prompt};
use dsh_testkit::Gate;
use dsh_tools::{ExecuteContext, ToolsExt};

use crate::support::{deny, register, shown, tool, world};

/// T3, X11
#[tokio::test]
async fn a_restriction_in_mid_turn_holds_at_once() {
    let world = world().await;
    register(&world.root, &["patch", "write"]);
    let guide = PromptSection::new("tool:patch", 110, "Prefer patch.").requires_tools(["patch"]);
    world.root.system_prompt().section(guide).unwrap();
    let agent = world.root.scope("agent").unwrap();
    let key = Some(agent.key());
    let prompt = |assembly: &dsh_system_prompt::PromptAssembly| render_prompt(assembly).unwrap().to_string();

    assert_eq!(world.visible(key).await, ["patch", "write"]);
    assert_eq!(prompt(&world.assemble(agent.key()).await), "Prefer patch.");
    let restriction = deny(agent.ctx(), &["patch"]);
    assert_eq!(world.visible(key).await, ["write"]);
    assert_eq!(prompt(&world.assemble(agent.key()).await), "");
    restriction.dispose().await.unwrap();
    assert_eq!(world.visible(key).await, ["patch", "write"]);
    assert_eq!(prompt(&world.assemble(agent.key()).await), "Prefer patch.");
}

/// T2: within one step: the call that has not begun is refused, the one that runs goes on.
#[tokio::test]
async fn a_restriction_made_by_a_tool_of_the_step_holds_for_the_next_call() {
    let world = world().await;
    let agent = world.root.scope("agent").unwrap();
    let (ctx, gate) = (agent.ctx().clone(), Gate::new());
    let restricting = tool("restricting", move |_| {
        let ctx = ctx.clone();
        async move {
            deny(&ctx, &["patch", "slow"]);
            Ok("restricted".into())
        }
    });
    world.root.tools().register(restricting.exclusive()).unwrap();
    let slow = gate.clone();
    world
        .root
        .tools()
        .register(tool("slow", move |_| {
            let slow = slow.clone();
            async move {
                slow.wait().await;
                Ok("went on".into())
            }
        }))
        .unwrap();
    register(&world.root, &["patch"]);
    let cx = ExecuteContext::from(agent.key());
    let running = tokio::spawn(world.root.tools().execute(ToolCall::new("c0", "slow", "{}"), cx.clone()));
    gate.reached().await;
    let calls = [
        ToolCall::new("c1", "patch", "{}"),
        ToolCall::new("c2", "restricting", "{}"),
        ToolCall::new("c3", "patch", "{}"),
    ];
    let all = world.root.tools().execute_all(calls, cx).await;
    let results: Vec<_> = all.iter().map(shown).collect();
    assert_eq!(results[0], (None, "patch".into()));
    assert_eq!(results[1], (None, "restricted".into()));
    assert_eq!(
        results[2],
        (Some("tools::unknown_tool"), "the tool `patch` is denied for this agent; it was not run".into())
    );
    gate.open();
    assert_eq!(shown(&running.await.unwrap()), (None, "went on".into()));
}
