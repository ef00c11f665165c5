//! What `dsh check` warns of in prompts that can be made (X5, X11, X12), each with what is like it and fine.

use crate::support::{Project, Run, reads};

fn checked(project: &Project) -> Run {
    let run = project.dsh(&["check"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    run
}

#[track_caller]
fn clean(project: &Project) {
    let run = checked(project);
    assert!(run.stdout.starts_with("dsh: ") && run.stdout.ends_with("no findings\n"), "{run}");
}

#[test]
fn a_variable_that_no_text_refers_to_is_told_where_it_is_given() {
    // X11
    let config = r#"
persona = 'For {{team}}. {{"{{literal}}"}}'
[variables]
team = "t"
site = "quayside.example"
literal = "no reference"
ticket = "no reference either"
[[sections]]
name = "raw"
order = 20
format = "raw"
text = "File it as {{ticket}}."
[agents.one.variables]
team = "its own"
spare = "x"
[agents.two]
"#;
    reads!(checked(&Project::new(config)));
}

#[test]
fn a_variable_that_one_of_several_agents_refers_to_is_used() {
    let config = r#"
persona = "Shared: {{shared}}."
[variables]
of_one = "1"
role = "for agents that have none"
shared = "in what each agent replaces"
date = "in a built-in's place: {{never}}"
[[sections]]
name = "date"
order = 20
text = "{{date}}"
[agents.one]
persona = "One: {{of_one}}, {{role}}."
variables = { role = "an agent's own" }
[agents.two]
persona = "Two."
"#;
    clean(&Project::new(config));
}

#[test]
fn what_is_left_out_of_a_broken_prompt_may_refer_to_a_variable() {
    let config = "persona_file = \"missing.md\"\n[variables]\nteam = \"t\"\n[agents.one.variables]\nown = \"x\"\n";
    let run = Project::new(config).dsh(&["check", "--format", "concise"]);
    assert!(run.stdout.contains("file::missing") && !run.stdout.contains("unused"), "{run}");
}

#[test]
fn sections_of_equal_order_from_different_owners_are_told_with_both_places() {
    // X5
    let config = r#"
persona = "P."
[[sections]]
name = "opening"
order = 0
text = "O."
[[sections]]
name = "guide"
order = 10
text = "G."
[[sections]]
name = "other guide of the same owner"
order = 10
text = "H."
[agents.one]
[agents.two]
[[agents.two.sections]]
name = "own"
order = 10
text = "After the shared ones, whoever is loaded first."
"#;
    reads!(checked(&Project::new(config).file("AGENTS.md", "Run the tests.\n")));
}

#[test]
fn sections_of_equal_order_from_one_owner_stand_as_they_are_written() {
    let config = r#"
[[sections]]
name = "a"
order = 20
text = "A."
[[sections]]
name = "b"
order = 20
text = "B."
"#;
    clean(&Project::new(config).file("AGENTS.md", "Run the tests.\n"));
}

const TOOLS: &str = r#"[{"name": "patch"}, {"name": "write"}, {"name": "read"}]"#;

#[test]
fn a_text_that_names_a_tool_which_the_agent_cannot_see_is_told_once() {
    // X11, case 06
    let config = r#"
tool_schemas = ["tools.json"]
[[sections]]
name = "editing"
order = 120
text = "Use `write` for new files and `patch` for the rest. A dispatch may take a while; patch again."
[agents.scribe]
tools = { deny = ["patch"] }
[agents.reader]
tools = { allow = ["read", "write"] }
[agents.maker]
"#;
    let project = Project::new(config).file("tools.json", TOOLS);
    reads!(checked(&project));
    reads!(project.dsh(&["check", "--agent", "maker", "--format", "concise"]));
    let one = config.replace("[agents.reader]\ntools = { allow = [\"read\", \"write\"] }\n", "");
    let run = Project::new(&one).file("tools.json", TOOLS).dsh(&["check", "--agent", "scribe", "--format", "concise"]);
    reads!(run);
}

#[test]
fn tools_that_are_seen_and_words_that_only_contain_a_name_are_fine() {
    let config = r#"
tool_schemas = ["tools.json"]
[variables]
patch = "a value"
[[sections]]
name = "editing"
order = 120
text = "Write with `write`; dispatch {{patch}}es, see read_me and patch_all."
[agents.scribe]
tools = { deny = ["patch", "read"] }
"#;
    clean(&Project::new(config).file("tools.json", TOOLS));
}

#[test]
fn a_name_that_may_be_a_plain_word_is_told_as_such() {
    let config = r#"
tool_schemas = ["tools.json"]
[[sections]]
name = "editing"
order = 120
text = "Please read all of it. A line is a line. Then `write`, or press `a`."
[agents.scribe]
tools = { deny = ["read", "write", "a"] }
"#;
    let tools = r#"[{"name": "a"}, {"name": "write"}, {"name": "read"}]"#;
    reads!(checked(&Project::new(config).file("tools.json", tools)));
}

#[test]
fn what_nobody_can_write_in_another_way_is_no_finding() {
    let identity = Project::new("").prompt(&[]);
    let tools: Vec<String> = identity
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .chain(identity.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).map(str::to_owned))
        .collect();
    let tools: std::collections::BTreeSet<String> = tools.into_iter().collect();
    let tools: Vec<serde_json::Value> = tools.iter().map(|name| serde_json::json!({"name": name})).collect();
    let project = Project::new("tool_schemas = [\"tools.json\"]\n[agents.one]\ntools = { allow = [] }\n")
        .file("tools.json", serde_json::Value::from(tools).to_string());
    clean(&project);
}

#[test]
fn a_variable_that_a_text_of_another_profile_refers_to_is_used() {
    let config = r#"
persona = "For {{team}}."
[variables]
team = "t"
night = "n"
of_agent = "a"
raw = "no reference"
[agents.one]
[profiles.night]
persona = "At night, for {{night}}."
[[profiles.night.agents.one.sections]]
name = "own"
order = 10
text = "{{of_agent}}"
[[profiles.night.agents.one.sections]]
name = "raw"
order = 20
format = "raw"
text = "{{raw}}"
"#;
    for profile in [&[][..], &["--profile", "night"]] {
        let project = Project::new(config);
        let run = project.dsh(&[&["check", "--format", "concise"], profile].concat());
        assert_eq!(run.stdout.lines().count(), 1, "{run}");
        assert!(run.stdout.contains("no text refers to the variable `raw`"), "{run}");
    }
    // What a file says that another profile names is not read.
    let config = config.replace("persona = \"At night, for {{night}}.\"", "persona_file = \"night.md\"");
    clean(&Project::new(&config).file("night.md", "{{raw}}"));
    let raw = "persona = 'x'\n[variables]\nteam = 't'\n[[profiles.a.sections]]\nname = 'a'\norder = 1\nfile = 'a.md'\n";
    let run = Project::new(raw).file("a.md", "{{team}}").dsh(&["check", "--format", "concise"]);
    assert!(run.stdout.contains("no text refers to the variable `team`"), "{run}");
}

#[test]
fn characters_that_nobody_sees_are_named_with_their_offsets_and_never_printed() {
    // X12, cases 13 and 14
    let config = "
persona = \"Kind.\\u200B\u{e0041}\"
[variables]
path = '/srv\u{202e}gnp'
[[sections]]
name = \"wh\\u200Dere\"
order = 20
text = \"Working folder: {{path}}\"
[agents.one]
persona_file = \"one.md\"
";
    let project = Project::new(&format!("tool_schemas = [\"tools.json\"]\n{config}"))
        .file("AGENTS.md", "\u{feff}Run \u{200b}them.\r\n")
        .file("one.md", "Look first.\r\nKeep \u{feff}this.\r\n")
        .file(
            "tools.json",
            "[{\"name\": \"peek\", \"title\": \"\u{200b}\", \"description\": \"Read a file.\u{200B}\\udb40\\udc41\u{e0042} Ok \u{2066}x\\u2069\",\n  \"parameters\": {\"properties\": {\"a\u{ad}b\": {\"description\": \"A\u{202d} path.\"}}}}]",
        );
    let run = checked(&project);
    reads!(run);
    for format in ["human", "concise", "json", "github", "sarif"] {
        let run = project.dsh(&["check", "--format", format]);
        let is_seen = |c: char| c == '\n' || (c >= ' ' && c.is_ascii()) || c == '…';
        assert!(run.stdout.chars().all(is_seen), "{format}: {:?}", run.stdout);
    }
}

#[cfg(unix)]
#[test]
fn the_path_of_a_file_is_shown_with_them_escaped() {
    // X12, case 14
    let project = Project::empty().file("x\u{1b}[31m\u{202e}y/dsh.toml", "presona = 1\n");
    for format in ["human", "concise", "json", "github", "sarif"] {
        let run = project.dsh(&["check", "--dir", "x\u{1b}[31m\u{202e}y", "--format", format]);
        assert!(
            run.stdout.contains("presona") && !run.stdout.contains(['\u{1b}', '\u{202e}']),
            "{format}: {:?}",
            run.stdout
        );
    }
}

#[test]
fn very_many_of_them_are_counted() {
    // X12
    let project = Project::new("persona_file = \"persona.md\"\n")
        .file("persona.md", format!("An innocent text.{}\n", "\u{e0020}\u{e0041}\u{200b}".repeat(5_000)));
    reads!(checked(&project));
}

#[test]
fn joiners_that_writing_needs_are_fine() {
    // X12, case 14
    let lies = "\u{646}\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645} and \u{1F468}\u{200D}\u{1F469}";
    let project = Project::new(&format!("tool_schemas = [\"tools.json\"]\npersona = '{lies}'\n"))
        .file("tools.json", format!("[{{\"name\": \"lies\", \"description\": \"{lies}\"}}]"));
    clean(&project);
}

#[test]
fn prompt_itself_warns_of_none_of_these() {
    let project = Project::new("persona = 'x\u{200b}'\n[variables]\nteam = 't'\n");
    let run = project.dsh(&["prompt"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
}

#[test]
fn characters_that_nobody_sees_are_named_in_listings_and_for_the_model() {
    // X12
    let config = "model = \"m\\u200Bx\"
[variables]
token = { env = \"TO\\u2060KEN\", default = \"none\" }
[agents.one]
description = 'Looks\u{202e} first.'
persona = \"{{token}}\"
[profiles.\"night\\u200B\"]
[profiles.'day\u{200b}']
";
    let two = "---\nname: two\ndescription: Looks\u{200b}.\n---\n\nx\n";
    let three = "---\nname: three\ndescription: \"Looks\\u200B.\"\n---\n\nx\n";
    let project = Project::new(config).file("agents/two.md", two).file("agents/three.md", three);
    reads!(checked(&project));
}

#[test]
fn an_agent_that_an_instruction_file_does_not_reach_is_told() {
    let config = r#"
persona_file = "AGENTS.md"
[agents.own]
persona = "You carry luggage."
[agents.shared]
[agents.same]
persona_file = "AGENTS.md"
"#;
    let project = Project::new(config).file("AGENTS.md", "Ask first.\n").file("agents/file.md", "---\n---\nLook.\n");
    reads!(checked(&project));
    let config = "[[sections]]\nname = 'rules'\norder = 20\nfile = 'CLAUDE.md'\n\
                  [agents.own]\n[[agents.own.sections]]\nname = 'rules'\norder = 20\ntext = 'Look.'\n";
    reads!(checked(&Project::new(config).file("CLAUDE.md", "Ask first.\n")));
    clean(&Project::new(&format!("instructions = false\n{config}")).file("CLAUDE.md", "Ask first.\n"));
}
