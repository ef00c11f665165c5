//! Case 12: lists of tools that are empty, mistyped or contradict themselves, in a running agent: schemas, prompt and dispatcher agree.

use dsh_harness::prelude::{AgentOptions, AgentsExt, NewSession, ToolFilter, ToolsExt};
use dsh_harness::session::TurnEnd;

use crate::stack::{Stack, id, offered, results, turn};

const ALL: [&str; 4] = ["mcp__foo__query", "mcp__foo_bar__query", "read", "write"];

/// Calls each of the tools.
const SCRIPT: &str = r#"
    [[rules]]
    from = "user"
    calls = [{ tool = "mcp__foo__query" }, { tool = "mcp__foo_bar__query" }, { tool = "read" }, { tool = "write" }]

    [[rules]]
    answer = "Done."
"#;

fn restricted(name: &'static str, filter: Option<ToolFilter>) -> AgentOptions {
    AgentOptions::new(name).session(NewSession::new().named(id(name))).setup(move |ctx| async move {
        if let Some(filter) = filter {
            ctx.tools().restrict(filter)?;
        }
        Ok(())
    })
}

/// Case 12: `a`, `b` and `f`, and some between them.
#[test]
fn what_a_list_leaves_is_offered_and_runs_and_the_rest_does_neither() {
    crate::run(async {
        let stack = Stack::new(SCRIPT).await;
        stack.tools(&["write", "mcp__foo_bar__query", "read", "mcp__foo__query"]);
        let none: [&str; 0] = [];
        let lists: [(&'static str, Option<ToolFilter>, &[&str]); 5] = [
            ("a", None, &ALL),
            ("b", Some(ToolFilter::new().allow(none)), &[]),
            ("f", Some(ToolFilter::new().allow(["read"]).deny(["read"])), &[]),
            ("one", Some(ToolFilter::new().allow(["read"])), &["read"]),
            ("server", Some(ToolFilter::new().deny(["mcp__foo__query"])), &["mcp__foo_bar__query", "read", "write"]),
        ];
        for (name, filter, right) in lists {
            let handle = stack.root.agents().create(restricted(name, filter)).await.unwrap();
            assert_eq!(turn(handle.agent(), "Go").await, TurnEnd::Completed, "{name}: the run starts");
            for asked in stack.asked() {
                assert_eq!(offered(&asked), right, "{name}");
            }
            let results = results(handle.agent());
            for tool in ALL {
                let result = if right.contains(&tool) {
                    (format!("did {tool}"), None)
                } else {
                    let text = format!("the tool `{tool}` is denied for this agent; it was not run");
                    (text, Some("tools::unknown_tool".to_owned()))
                };
                assert!(results.contains(&result), "{name}: {result:?} in {results:?}");
            }
            assert_eq!(results.len(), ALL.len());
            handle.dispose().await.unwrap();
        }
    });
}

/// Case 12: `c` and `e`: an error before the first request, and no agent with other tools than were meant.
#[test]
fn a_list_with_an_unknown_name_makes_no_agent() {
    crate::run(async {
        let stack = Stack::new(SCRIPT).await;
        stack.tools(&ALL);
        let before = stack.kernel.inspect().to_string();
        let mistyped = stack.root.agents().create(restricted("c", Some(ToolFilter::new().allow(["raed", "write"]))));
        let error = mistyped.await.unwrap_err();
        let refused = error.failure().unwrap().downcast_ref::<dsh_harness::tools::Error>().unwrap();
        assert_eq!(
            (refused.code(), refused.name(), refused.nearest()),
            ("tools::unknown_tool", Some("raed"), Some("read"))
        );
        assert_eq!(refused.owner().unwrap().to_string(), "c", "the agent is named");
        for pattern in ["mcp__foo_*", "*"] {
            let pattern = stack.root.agents().create(restricted("e", Some(ToolFilter::new().deny([pattern])))).await;
            let error = pattern.unwrap_err();
            let refused = error.failure().unwrap().downcast_ref::<dsh_harness::tools::Error>().unwrap();
            assert_eq!(refused.code(), "tools::unknown_tool", "no patterns: nothing that blocks nothing");
        }
        assert!(stack.asked().is_empty());
        assert_eq!(stack.kernel.inspect().to_string(), before);
    });
}
