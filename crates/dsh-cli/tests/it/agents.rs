//! Agents: what is theirs alone, and which tools they see.

use crate::support::{Project, reads};

const CONFIG: &str = r#"
identity = false
persona = "All work for {{team}}."
tool_schemas = ["tools.json"]

[variables]
team = "everyone"

[[sections]]
name = "guide"
order = 100
text = "The shared guide of {{team}}."

[agents.coder]
persona = "You code for {{team}}."

[agents.coder.variables]
team = "the coders"

[[agents.coder.sections]]
name = "guide"
order = 100
text = "The coder's guide."

[agents.reviewer]
tools = { allow = [] }

[[agents.reviewer.sections]]
name = "findings"
order = 150
file = "findings.md"
"#;

fn project() -> Project {
    Project::new(CONFIG).file("findings.md", "One line a finding.\n").file(
        "tools.json",
        r#"[{"name": "read"}, {"name": "write"}, {"name": "mcp__foo__query"}, {"name": "mcp__foo_bar__query"}]"#,
    )
}

#[test]
fn without_an_agent_the_shared_layer_is_printed() {
    assert_eq!(project().prompt(&[]), "All work for everyone.\n\nThe shared guide of everyone.");
}

#[test]
fn what_an_agent_has_for_itself_takes_the_place_of_what_is_shared() {
    // S2, S4
    assert_eq!(project().prompt(&["--agent", "coder"]), "You code for the coders.\n\nThe coder's guide.");
    assert_eq!(
        project().prompt(&["--agent", "reviewer"]),
        "All work for everyone.\n\nThe shared guide of everyone.\n\nOne line a finding."
    );
}

#[test]
fn an_unknown_agent_is_wrong_use_and_gets_the_nearest() {
    // C2
    reads!(project().dsh(&["prompt", "--agent", "reviwer"]));
    reads!(Project::new("").dsh(&["prompt", "--agent", "x"]));
}

/// The names of the tools that an agent with these rules sees.
#[track_caller]
fn seen(rules: &str) -> Vec<String> {
    let project = Project::new(&format!("tool_schemas = [\"tools.json\"]\n[agents.a]\n{rules}\n")).file(
        "tools.json",
        r#"[{"name": "read"}, {"name": "write"}, {"name": "mcp__foo__query"}, {"name": "mcp__foo_bar__query"}]"#,
    );
    project.dsh(&["prompt", "--agent", "a", "--tools"]).tools()
}

#[test]
fn allow_and_deny_choose_tools() {
    // case 12
    assert_eq!(seen(""), ["mcp__foo__query", "mcp__foo_bar__query", "read", "write"]);
    assert_eq!(seen("tools = { allow = [] }"), Vec::<String>::new());
    assert_eq!(seen("tools = { allow = [\"read\"], deny = [\"read\"] }"), Vec::<String>::new());
    assert_eq!(seen("tools = { deny = [\"mcp__foo_*\"] }"), ["read", "write"]);
    assert_eq!(seen("tools = { deny = [\"mcp__foo__*\"] }"), ["mcp__foo_bar__query", "read", "write"]);
    assert_eq!(
        seen("tools = { allow = [\"*\"], deny = [\"write\"] }"),
        ["mcp__foo__query", "mcp__foo_bar__query", "read"]
    );
}

#[test]
fn an_entry_that_matches_no_tool_is_an_error() {
    // case 12
    let project = Project::new(
        "tool_schemas = [\"tools.json\"]\n[agents.c]\ntools = { allow = [\"raed\", \"write\"], deny = [\"mpc_*\", \"delete_everything\"] }\n",
    )
    .file("tools.json", r#"[{"name": "read"}, {"name": "write"}]"#);
    reads!(project.dsh(&["prompt", "--agent", "c"]));
}

#[test]
fn a_listed_tool_that_the_agent_does_not_see_is_no_error() {
    // S6, case 01
    let project = Project::new(
        "tool_schemas = [\"tools.json\"]\ntool_order = [\"write\", \"<unlisted-tools>\"]\n[agents.c]\ntools = { deny = [\"write\"] }\n",
    )
    .file("tools.json", r#"[{"name": "read"}, {"name": "write"}]"#);
    assert!(project.prompt(&["--agent", "c", "--tools"]).contains("\"read\""));
}

#[test]
fn two_broken_agents_of_three_do_not_keep_the_third_from_printing() {
    let config = r#"
identity = false
[agents.one]
persona_file = "missing.md"
[agents.two]
personna = "x"
[agents.three]
persona = "The third."
"#;
    let project = Project::new(config);
    let third = project.dsh(&["prompt", "--agent", "three"]);
    assert_eq!(third.stdout, "The third.\n");
    reads!(third);
    let two = project.dsh(&["prompt", "--agent", "two"]);
    assert_eq!((two.status, two.stdout.as_str()), (Some(1), ""));
}

#[test]
fn a_mistake_in_an_agents_text_is_reported_whoever_is_asked_for() {
    let config = "identity = false\n[agents.one]\npersona = \"{{nobody}}\"\n[agents.two]\npersona = \"Two.\"\n";
    let project = Project::new(config);
    reads!(project.dsh(&["prompt", "--agent", "two"]));
    let one = project.dsh(&["prompt", "--agent", "one"]);
    assert_eq!((one.status, one.stdout.as_str()), (Some(1), ""));
}

#[test]
fn what_is_wrong_for_several_agents_alike_is_told_once() {
    let config = "persona = \"{{nobody}}\"\n[agents.one]\n[agents.two]\n";
    let run = Project::new(config).dsh(&["prompt"]);
    assert_eq!(run.stderr.matches("error[").count(), 1, "{run}");
}

#[test]
fn a_shared_text_may_refer_to_what_each_agent_has_for_itself() {
    let config = "identity = false\npersona = \"On {{model}}.\"\n[agents.one.variables]\nmodel = \"m\"\n";
    let project = Project::new(config);
    assert_eq!(project.prompt(&["--agent", "one"]), "On m.");
    reads!(project.dsh(&["prompt"]));
}

#[test]
fn an_empty_name_of_an_agent_resembles_none() {
    reads!(Project::new("[agents.a]\n").dsh(&["prompt", "--agent", ""]));
}

#[test]
fn a_section_leaves_with_the_tools_that_it_requires() {
    // X11
    let config = r#"
identity = false
tool_schemas = ["tools.json"]

[[sections]]
name = "tool:patch"
order = 110
text = "Patch small."
requires_tools = ["patch", "read"]

[agents.writer]

[agents.reader]
tools = { deny = ["patch"] }
"#;
    let tools = r#"[{"name": "patch"}, {"name": "read"}]"#;
    let project = Project::new(config).file("tools.json", tools);
    assert_eq!(project.prompt(&["--agent", "writer"]), "Patch small.");
    assert_eq!(project.prompt(&["--agent", "reader"]), "");
    assert_eq!(project.dsh(&["check"]).status, Some(0));

    // What the project itself requires in vain is told of; what the user requires of all projects is not.
    let vain = Project::new(&config.replace("\"read\"]\n", "\"raed\"]\n")).file("tools.json", tools);
    let said = vain.dsh(&["check", "--format", "concise"]);
    assert_eq!(said.status, Some(0), "{said}");
    assert!(said.stdout.contains("dsh.toml:9:28: warning[config::unmet_requirement]"), "{said}");
    let users = "[[sections]]\nname = 'u'\norder = 1\ntext = 'x'\nrequires_tools = ['elsewhere']\n";
    let own = Project::new(config).file("tools.json", tools).user_config(users).dsh(&["check"]);
    assert!(own.status == Some(0) && !own.stdout.contains("unmet"), "{own}");
    let wrong =
        Project::new(&config.replace("[\"patch\", \"read\"]", "\"patch\"")).dsh(&["check", "--format", "concise"]);
    assert!(wrong.stdout.contains("error[config::wrong_type]"), "{wrong}");
}
