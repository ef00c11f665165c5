//! Case 12: lists of tools that are empty, mistyped, or patterns, in `dsh.toml` and in a file of an agent's own.

use crate::support::{Project, Run, reads};

const TOOLS: &str =
    r#"[{"name": "write"}, {"name": "mcp__foo_bar__query"}, {"name": "read"}, {"name": "mcp__foo__query"}]"#;

/// Two agents of one kind: `table`, whose rules stand in `dsh.toml`, and `file`, whose rules stand in a file of its own.
fn both(table: &str, file: &str) -> Project {
    Project::new(&format!("identity = false\ntool_schemas = [\"tools.json\"]\n[agents.other]\npersona = \"Other.\"\n[agents.table]\n{table}\n"))
        .file("tools.json", TOOLS)
        .file("agents/file.md", format!("---\nname: file\n{file}\n---\n"))
}

/// What `prompt --tools` says for both.
fn runs(project: &Project) -> [Run; 2] {
    ["table", "file"].map(|agent| project.dsh(&["prompt", "--tools", "--agent", agent]))
}

#[test]
fn lists_choose_tools_in_both_forms() {
    let all = ["mcp__foo__query", "mcp__foo_bar__query", "read", "write"];
    for (table, file, right) in [
        ("", "", &all[..]),
        ("tools = { allow = [] }", "tools: []", &[]),
        ("tools.allow = [\"read\", \"write\"]", "tools: write, read", &["read", "write"]),
        ("tools = { allow = [\"read\"], deny = [\"read\"] }", "tools: [read]\ndeny_tools: [read]", &[]),
        ("tools = { allow = [\"*\"], deny = [\"*\"] }", "tools: '*'\ndeny_tools: '*'", &[]),
        ("tools = { deny = [] }", "deny_tools: []", &all),
        // e: both `foo` tools go; of the server `foo` alone, those go whose names begin with what it puts before them.
        ("tools.deny = [\"mcp__foo_*\"]", "deny_tools: mcp__foo_*", &["read", "write"]),
        ("tools.deny = [\"mcp__foo__*\"]", "deny_tools: [mcp__foo__*]", &["mcp__foo_bar__query", "read", "write"]),
        ("tools.allow = [\"mcp__*\", \"mcp__foo__query\"]", "tools: mcp__*, mcp__foo__query", &all[..2]),
    ] {
        let project = both(table, file);
        for run in runs(&project) {
            assert_eq!(run.tools(), right, "{table} {run}");
        }
        assert_eq!(project.dsh(&["check"]).stdout, "dsh: 3 agents checked, no findings\n", "{table}");
    }
}

#[test]
fn what_is_wrong_in_a_list_gives_no_tools_at_all() {
    for (table, file) in [
        ("tools = { allow = [\"raed\", \"write\"] }", "tools: [raed, write]"),
        ("tools = { deny = [\"wirte\"] }", "deny_tools: wirte"),
        ("tools = { deny = [\"mcp_foo*\"] }", "deny_tools: [mcp_foo*]"),
        ("tools = { deny = [\"mcp__*__query\"] }", "deny_tools: [mcp__*__query]"),
        ("tools = { allow = [\"READ\"] }", "tools: READ"),
        ("tools = { allow = [\"\"] }", "tools: ['']"),
        ("tools = \"read\"", "tools: true"),
        ("tools = [\"read\"]", "tools: { allow: [read] }"),
        ("tools = { allow = \"read\" }", "tools: 7"),
        ("tools = { allow = [[\"read\"]] }", "tools: [[read]]"),
        ("tools = { allow = { read = true } }", "tools:"),
        ("tools = { deny = false }", "deny_tools: ~"),
    ] {
        let project = both(table, file);
        for (run, place) in runs(&project).into_iter().zip(["dsh.toml:6:", "agents/file.md:3:"]) {
            assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run}");
            assert!(run.stderr.contains(&format!("--> {place}")), "{run}");
        }
        let check = project.dsh(&["check"]);
        assert_eq!(check.status, Some(1), "{check}");
        assert!(check.stdout.contains("--> dsh.toml:6:") && check.stdout.contains("--> agents/file.md:3:"), "{check}");
        // Who has nothing to do with it starts all the same.
        let other = project.dsh(&["prompt", "--agent", "other"]);
        assert_eq!((other.status, other.stdout.as_str()), (Some(1), "Other.\n"), "{other}");
        assert_eq!(project.dsh(&["check", "--agent", "other"]).status, Some(0));
    }
    reads!(both("tools = { allow = [\"raed\", \"write\"] }", "tools: [raed, write]").dsh(&["check"]));
    reads!(both("tools = \"read\"", "tools: 7").dsh(&["check"]));
}

#[test]
fn every_command_shows_the_same_tools() {
    let project = both("tools.deny = [\"mcp__foo_*\", \"write\"]", "tools: [r*, write]\ndeny_tools: [write]");
    for agent in ["table", "file"] {
        let tools = project.dsh(&["prompt", "--tools", "--agent", agent]).json();
        let names: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["read"]);
        assert_eq!(project.dsh(&["prompt", "--json", "--agent", agent]).json()["tools"], tools);
        let explained = project.dsh(&["explain", "--json", "--agent", agent]).json();
        let of = |list: &str| {
            let names =
                explained[list].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
            names.collect::<Vec<_>>()
        };
        assert_eq!(of("tools"), ["read"]);
        let mut hidden = of("hidden_tools");
        hidden.sort();
        assert_eq!(hidden, ["mcp__foo__query", "mcp__foo_bar__query", "write"]);
    }
}

/// The tools of the case, each a command that says its arguments back.
#[cfg(unix)]
fn commands() -> String {
    let tool = |name: &str| format!("[[tools]]\nname = \"{name}\"\ndescription = \"d\"\ncommand = [\"cat\"]\n");
    ["read", "write", "mcp__foo__query", "mcp__foo_bar__query"].map(tool).concat()
}

#[cfg(unix)]
#[test]
fn what_is_shown_is_what_can_be_called() {
    // T3
    let agents = r#"
[permissions]
allow = ["*"]
[agents.a]
[agents.b]
tools = { allow = [] }
[agents.c]
tools = { allow = ["raed", "write"] }
[agents.d]
tools = { allow = "read" }
[agents.e]
tools = { deny = ["mcp__foo_*"] }
[agents.f]
tools = { allow = ["read"], deny = ["read"] }
"#;
    let project = Project::new(&(commands() + agents));
    let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    project.dsh(&["trust", "--trust", &hash]);
    let all = ["read", "write", "mcp__foo__query", "mcp__foo_bar__query"];
    for (agent, right) in [("a", &all[..]), ("b", &[]), ("e", &["read", "write"]), ("f", &[])] {
        let listed = project.dsh(&["tools", "--agent", agent, "--json"]).json();
        let shown = project.dsh(&["prompt", "--agent", agent, "--json"]).json();
        for tool in all {
            let is_right = right.contains(&tool);
            let has = |tools: &serde_json::Value, fits: fn(&serde_json::Value) -> bool| {
                tools.as_array().unwrap().iter().any(|one| one["name"] == tool && fits(one))
            };
            let is_listed = has(&listed["tools"], |one| one["kept_by"].as_array().is_some_and(Vec::is_empty));
            let is_shown = has(&shown["tools"], |_| true);
            let run = project.dsh(&["tools", "call", tool, "--agent", agent]);
            let is_run = run.stdout == "{}\n";
            assert_eq!((is_listed, is_shown, is_run), (is_right, is_right, is_right), "{agent} {tool} {run}");
            assert!(is_run || run.stderr.contains("error[tools::unknown_tool]"), "{run}");
        }
    }
    // What is mistyped is an error, and never all tools.
    let run = project.dsh(&["check"]);
    assert!(
        run.stdout.contains("agent `c`: unknown tool `raed`") && run.stdout.contains("did you mean `read`?"),
        "{run}"
    );
    assert!(
        run.stdout.contains("`tools` must be a table") || run.stdout.contains("`allow` must be a list of strings"),
        "{run}"
    );
}
