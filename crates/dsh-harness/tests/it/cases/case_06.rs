//! Case 06: a tool that was taken from an agent leaves its prompt, its requests, and what can be called, also where a hook took it.

use dsh_harness::prelude::{AgentRequest, AssembleEvent, PromptSection, SystemPromptExt, ToolFilter, ToolsExt};
use dsh_harness::session::{SessionEvent, TurnEnd};

use crate::stack::{Stack, offered, results, turn};

/// Calls `patch` whether it has it or not.
const SCRIPT: &str = r#"
    [[rules]]
    from = "user"
    calls = [{ tool = "patch" }, { tool = "write" }]

    [[rules]]
    answer = "Done."
"#;

const GUIDE: &str = "Prefer patch for small edits.";
const EDITING: &str = "Use `write` for new files and `patch` for the rest. A dispatch may take a while.";

async fn stack() -> Stack {
    let stack = Stack::new(SCRIPT).await;
    stack.tools(&["patch", "write"]);
    let prompt = stack.root.system_prompt();
    prompt.section(PromptSection::new("tool:patch", 110, GUIDE).requires_tools(["patch"])).unwrap();
    prompt.section(PromptSection::new("editing", 120, EDITING)).unwrap();
    stack
}

/// Which calls of a session's log were begun.
fn begun(agent: &dsh_harness::agent::Agent) -> usize {
    let records = agent.session().records();
    records.iter().filter(|record| matches!(record.event, SessionEvent::CallStarted(_))).count()
}

/// Case 06, T3
#[test]
fn a_denied_tool_is_in_no_request_of_that_agent_and_its_call_is_an_error_result() {
    crate::run(async {
        let stack = stack().await;
        let (scribe, other) = (stack.agent("scribe").await, stack.agent("other").await);
        scribe.agent().ctx().tools().restrict(ToolFilter::new().deny(["patch"])).unwrap();
        assert_eq!(turn(scribe.agent(), "Go").await, TurnEnd::Completed);
        for asked in stack.asked() {
            assert_eq!(offered(&asked), ["write"]);
            assert_eq!(&*asked.system, EDITING);
        }
        let denied = "the tool `patch` is denied for this agent; it was not run";
        assert_eq!(
            results(scribe.agent()),
            [(denied.into(), Some("tools::unknown_tool".into())), ("did write".into(), None)]
        );
        assert_eq!(begun(scribe.agent()), 1);

        assert_eq!(turn(other.agent(), "Go").await, TurnEnd::Completed);
        for asked in stack.asked() {
            assert_eq!(offered(&asked), ["patch", "write"]);
            assert_eq!(*asked.system, *format!("{GUIDE}\n\n{EDITING}"));
        }
        assert_eq!(begun(other.agent()), 2);
    });
}

/// Case 06: what is sent agrees with the last state that hooks leave, and so does what is run.
#[test]
fn a_tool_that_a_later_hook_drops_takes_its_guidance_along_and_is_not_run() {
    crate::run(async {
        let stack = stack().await;
        let (writer, dropper) = (stack.plugin("writer").await, stack.plugin("dropper").await);
        writer
            .ctx()
            .on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
                for section in assembly.sections_mut().iter_mut() {
                    let text = format!("{} Truly.", section.text().as_str());
                    section.set_text(text);
                }
                next.run(assembly)
            })
            .unwrap();
        dropper
            .ctx()
            .on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
                assembly.tools_mut().retain(|tool| tool.schema().name() != "patch");
                next.run(assembly)
            })
            .unwrap();
        let handle = stack.agent("main").await;
        assert_eq!(turn(handle.agent(), "Go").await, TurnEnd::Completed);
        for asked in stack.asked() {
            assert_eq!(offered(&asked), ["write"]);
            assert!(!asked.system.contains("Prefer patch") && asked.system.ends_with("a while. Truly."));
        }
        let refused = "the tool `patch` was not offered in this step; it was not run";
        let right = [(refused.to_owned(), Some("tools::unknown_tool".to_owned())), ("did write".to_owned(), None)];
        assert_eq!(results(handle.agent()), right);
        assert_eq!(begun(handle.agent()), 1);
    });
}

/// Case 06: the same of a hook that edits the request itself.
#[test]
fn a_tool_that_is_taken_out_of_the_request_is_not_run() {
    crate::run(async {
        let stack = stack().await;
        stack
            .root
            .on_waterfall::<AgentRequest, _>(|mut request, _, next| {
                request.tools = request.tools.iter().filter(|tool| tool.name() != "patch").cloned().collect();
                next.run(request)
            })
            .unwrap();
        let handle = stack.agent("main").await;
        assert_eq!(turn(handle.agent(), "Go").await, TurnEnd::Completed);
        assert!(stack.asked().iter().all(|asked| offered(asked) == ["write"]));
        assert_eq!(results(handle.agent())[0].1.as_deref(), Some("tools::unknown_tool"));
        assert_eq!(begun(handle.agent()), 1);
    });
}
