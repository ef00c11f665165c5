//! `dsh explain`, as a person reads it.

use crate::support::{Project, command, dsh_in, read_by_nobody, reads, repository};

#[test]
fn a_prompt_is_shown_as_tables_of_sections_tools_and_variables() {
    // X3
    let folder = repository().join("examples/coding-agent");
    reads!(dsh_in(&folder, &["explain", "--agent", "reviewer"]));
    reads!(dsh_in(&repository(), &["explain"]));
}

/// A project in which each thing that a section can be stands once.
fn project() -> Project {
    let config = r#"
identity = false
persona = '''
You work with {{team}}, {{team}}. Braces: {{"{{x}}"}}.'''
tool_schemas = ["tools.json"]

[variables]
team = "the harbour team"
unused = "nobody refers to it"
empty = ""

[[sections]]
name = "notes"
order = 10
file = "notes.md"

[[sections]]
name = "nothing"
order = 20
text = "{{empty}}"

[[sections]]
name = "read"
order = 30.5
text = "A section with the name of a tool; {{read}}."

[agents.coder]
tools = { deny = ["write"] }

[agents.coder.variables]
team = "the coders"
read = "a variable with it, too"

[agents.tester.variables]
read = "another"
"#;
    let tools = r#"[
  {"name": "read", "description": "Reads."},
  {"name": "write"}
]"#;
    Project::new(config).file("tools.json", tools).file("notes.md", "# {{team}}\n\nWritten \u{1b}[31mby⟦us⟧\u{202e}.\n")
}

#[test]
fn a_section_is_shown_with_its_variables_marked() {
    reads!(project().dsh(&["explain", "deployment:persona", "--agent", "coder"]));
}

#[test]
fn a_raw_section_is_said_to_be_literal_and_nothing_in_it_is_mistaken_for_a_mark() {
    // case 03 e; X12
    reads!(project().dsh(&["explain", "notes", "--agent", "coder"]));
}

#[test]
fn a_section_that_renders_to_nothing_is_shown_as_it_is_written() {
    reads!(project().dsh(&["explain", "nothing", "--agent", "coder"]));
}

#[test]
fn a_variable_is_shown_with_where_it_is_used_and_never_with_its_value() {
    let run = project().dsh(&["explain", "team", "--agent", "coder"]);
    assert!(!run.stdout.contains("the coders"), "{run}");
    reads!(run);
    reads!(project().dsh(&["explain", "unused", "--agent", "coder"]));
}

#[test]
fn a_value_from_the_environment_is_shown_in_a_sections_text_alone() {
    // C3: a user's own configuration needs no trust.
    let config = "identity = false\npersona = '{{token}}.'\n[agents.a.variables]\ntoken = 'other'\n";
    let project =
        Project::new(config).user_config("[variables]\ntoken = { env = 'TOKEN' }\n").with_env("TOKEN", "s3cret");
    for arguments in [&["explain"][..], &["explain", "token"], &["explain", "--json"], &["explain", "--agent", "a"]] {
        let run = project.dsh(arguments);
        assert_eq!(run.status, Some(0), "{run}");
        assert!(!run.to_string().contains("s3cret") && run.stdout.contains("token"), "{run}");
    }
    let run = project.dsh(&["explain", "deployment:persona"]);
    assert!(run.stdout.ends_with("\n⟦token=s3cret⟧.\n"), "{run}");
}

#[test]
fn a_variable_without_a_value_says_why() {
    // C4
    let config = "persona = 'p'\n[variables]\ntoken = { env = 'TOKEN' }\nbranch = '{{git_branch}}'\n";
    reads!(Project::new(config).dsh(&["explain", "token"]));
    reads!(Project::new(config).dsh(&["explain", "git_branch"]));
}

#[test]
fn a_variable_that_was_set_on_the_command_line_says_so() {
    // C5
    let project = Project::new("identity = false\npersona = '{{team}}'\n[variables]\nteam = 'a'\n");
    let run = project.dsh(&["explain", "--set", "team=s3t"]);
    assert!(!run.stdout.contains("s3t"), "{run}");
    reads!(run);
}

#[test]
fn instruction_files_and_agents_files_have_their_places() {
    let project = Project::new("identity = false\npersona = 'shared'\n")
        .file("AGENTS.md", "\n# Be brief\n\nAlways.\n")
        .file("agents/scout.md", "---\nname: scout\nformat: template\n---\n\nYou look,\non {{platform}}.\n");
    let platform = project.dsh(&["explain", "platform", "--agent", "scout"]);
    assert!(platform.stdout.contains("  owner      built-ins\n"), "{platform}");
    let project = project.file("agents/scout.md", "---\nname: scout\n---\n\nYou look,\nand that is all.\n");
    reads!(project.dsh(&["explain", "--agent", "scout"]));
    reads!(project.dsh(&["explain", "instructions:AGENTS.md", "--agent", "scout"]));
}

#[test]
fn a_tool_is_shown_with_who_sees_it_also_where_it_is_not_seen() {
    reads!(project().dsh(&["explain", "read", "--agent", "tester"]));
    reads!(project().dsh(&["explain", "write", "--agent", "coder"]));
}

#[test]
fn a_name_of_several_kinds_is_shown_as_each_of_them() {
    let run = project().dsh(&["explain", "read", "--agent", "coder"]);
    let heads: Vec<&str> = run.stdout.lines().filter(|line| line.ends_with(" read")).collect();
    assert_eq!(heads, ["variable read", "tool read", "section read"], "{run}");
}

#[test]
fn the_name_of_nothing_is_wrong_use_and_gets_the_nearest() {
    // C2
    for name in ["nots", "persona", "wrte", "zzz", "", "no\u{202e}tes"] {
        reads!(project().dsh(&["explain", name, "--agent", "coder"]));
    }
}

#[test]
fn the_name_of_what_other_agents_have_is_told() {
    let project = Project::new("[agents.a.variables]\nx = ''\n[agents.b.variables]\nx = ''\ny = ''\n[agents.c]\n");
    reads!(project.dsh(&["explain", "x"]));
    reads!(project.dsh(&["explain", "y", "--agent", "c"]));
}

#[test]
fn of_a_prompt_with_a_mistake_is_shown_what_can_be_shown() {
    // What fails is said of the very section.
    reads!(project().dsh(&["explain"]));
    reads!(project().dsh(&["explain", "read"]));
    // What was left out of the configuration may be what has the name.
    let project = Project::new("presona = ''\n[[sections]]\nname = 'a'\norder = 1\ntext = 'a'\n");
    reads!(project.dsh(&["explain"]));
    assert_eq!(project.dsh(&["explain", "b"]).status, Some(1));
}

#[test]
fn where_nothing_can_be_assembled_the_diagnostics_are_all() {
    let project = Project::new("tool_schemas = ['t.json']\n").file("t.json", r#"[{"name": "<unlisted-tools>"}]"#);
    let run = project.dsh(&["explain"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run}");
    assert!(run.stderr.contains("prompt::reserved_tool_name"), "{run}");
}

#[test]
fn a_mistake_in_another_agent_changes_the_status_alone() {
    let project = Project::new("identity = false\npersona = 'p'\n[agents.a]\npersona = '{{x}}'\n[agents.b]\n");
    let run = project.dsh(&["explain", "--agent", "b"]);
    assert_eq!(run.status, Some(1), "{run}");
    assert!(run.stdout.starts_with("the prompt of agent b: 1 byte in 1 section\n"), "{run}");
}

#[test]
fn names_with_hidden_characters_are_shown_escaped() {
    // X12
    let config = "identity = false\n[[sections]]\nname = \"a\\nb\\u202e\"\norder = 1\nfile = \"n\\u200b.md\"\n";
    reads!(Project::new(config).file("n\u{200b}.md", "text").dsh(&["explain"]));
    reads!(Project::new(config).file("n\u{200b}.md", "text").dsh(&["explain", "a\nb\u{202e}"]));
}

#[test]
fn what_is_no_terminal_gets_no_colours() {
    // C2
    let run = |arguments: &[&str]| {
        let folder = project();
        let mut command = command();
        command.current_dir(folder.path()).args(arguments).env("CLICOLOR_FORCE", "1").output().unwrap().stdout
    };
    for arguments in [&["explain"][..], &["explain", "notes"], &["explain", "deployment:persona", "--agent", "coder"]] {
        assert!(!run(arguments).contains(&0x1b), "{arguments:?}");
    }
}

#[test]
fn a_closed_pipe_is_quiet() {
    // C2
    let project = Project::new(&format!("persona = \"{}\"", "word ".repeat(100_000)));
    let output = read_by_nobody(command().current_dir(project.path()).args(["explain", "deployment:persona"]));
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}
