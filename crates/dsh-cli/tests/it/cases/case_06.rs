//! Case 06: guidance that names a tool which an agent cannot see, where the tools are those of the registry: `[[tools]]`, which
//! restrictions take from agents.

use crate::support::Project;

/// The tools of the case, the section that names them, and who has them.
const CONFIG: &str = r#"
identity = false
[[tools]]
name = "patch"
description = "Edits a file."
command = ["cat"]
[[tools]]
name = "write"
description = "Writes a file."
command = ["cat"]
[[sections]]
name = "editing"
order = 120
text = "Use `write` for new files and `patch` for the rest. A dispatch may take a while."
[agents.scribe]
tools = { deny = ["patch"] }
[agents.reader]
tools = { allow = ["write"] }
[agents.maker]
"#;

fn names(project: &Project, agent: &str) -> Vec<String> {
    project.dsh(&["prompt", "--tools", "-q", "--agent", agent]).tools()
}

#[test]
fn prose_that_names_a_command_tool_which_the_agent_cannot_see_is_told_once() {
    // X11
    for is_trusted in [false, true] {
        let project = Project::new(CONFIG);
        if is_trusted {
            let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
            project.dsh(&["trust", "--trust", &hash]);
        }
        for agent in ["scribe", "reader"] {
            assert_eq!(names(&project, agent), ["write"]);
            let prompt = project.dsh(&["prompt", "-q", "--agent", agent]).stdout;
            assert!(prompt.contains("Use `write`"), "{prompt}");
            let run = project.dsh(&["check", "--agent", agent, "--format", "concise"]);
            let told: Vec<&str> = run.stdout.lines().filter(|line| line.contains("check::unseen_tool")).collect();
            assert_eq!((run.status, told.len()), (Some(0), 1), "{run}");
            // The column of `patch` in the text of `editing`, and whose section it is.
            assert!(told[0].starts_with("dsh.toml:14:40: warning[check::unseen_tool]"), "{run}");
            assert!(told[0].contains("section `editing` of"), "{run}");
        }
        let run = project.dsh(&["check", "--agent", "scribe"]);
        assert!(run.stdout.contains("denied to `scribe` here"), "{run}");
        assert!(!run.stdout.contains("`dispatch`"), "{run}");
        let run = project.dsh(&["check", "--agent", "reader"]);
        assert!(run.stdout.contains("it is not among the tools that are allowed to `reader`"), "{run}");

        assert_eq!(names(&project, "maker"), ["patch", "write"]);
        assert_eq!(project.dsh(&["check", "--agent", "maker"]).status, Some(0));
        // All agents in one run: once for both that do not see it.
        let run = project.dsh(&["check", "--format", "concise"]);
        assert_eq!(run.stdout.matches("check::unseen_tool").count(), 1, "{run}");
        assert!(run.stdout.contains("2 agents do not see"), "{run}");
    }
}

#[test]
fn tools_of_files_and_of_the_registry_are_looked_for_alike() {
    let config =
        format!("tool_schemas = [\"tools.json\"]\n{CONFIG}").replace("`patch` for the rest", "`patch` and `fetch`");
    let config = config.replace("deny = [\"patch\"]", "deny = [\"patch\", \"fetch\"]");
    let project = Project::new(&config).file("tools.json", r#"[{"name": "fetch"}]"#);
    let run = project.dsh(&["check", "--agent", "scribe", "--format", "concise"]);
    let told = |tool: &str| run.stdout.matches(&format!("names the tool `{tool}`")).count();
    assert_eq!((told("patch"), told("fetch"), told("write")), (1, 1, 0), "{run}");
}

#[test]
fn a_denied_command_tool_is_not_run() {
    // T3
    let project = Project::new(&format!("{CONFIG}[permissions]\nallow = [\"*\"]\n"));
    let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    project.dsh(&["trust", "--trust", &hash]);
    let run = project.dsh(&["tools", "call", "patch", "--agent", "scribe"]);
    assert!(run.stderr.contains("denied for this agent") || run.stdout.contains("denied for this agent"), "{run}");
    assert_eq!(project.dsh(&["tools", "call", "patch", "--agent", "maker"]).stdout, "{}\n");
}
