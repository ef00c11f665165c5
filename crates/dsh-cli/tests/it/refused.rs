//! What the registry refuses, led back to its place in the files.

use crate::support::{Project, reads};

#[test]
fn an_unknown_variable_is_shown_in_the_inline_text_with_the_nearest() {
    // S11, case 05
    let config = r#"
persona = """
You work for
{{taem}}."""
[variables]
team = "the harbour team"
site = "http://localhost"
"#;
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn an_unknown_variable_is_shown_in_the_file_it_stands_in() {
    // S11
    let config = "[[sections]]\nname = \"guide\"\norder = 1\nfile = \"guide.md\"\nformat = \"template\"\n";
    let project = Project::new(config).file("guide.md", "\u{feff}# Guide\r\n\r\nAsk {{who}} first.\r\n");
    reads!(project.dsh(&["prompt"]));
}

#[test]
fn escapes_before_the_place_are_counted() {
    let config = "[[sections]]\nname = \"a\"\norder = 1\ntext = \"\\u00e9 \\\"quoted\\\"\\n then {{who}}\"\n";
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn every_section_with_a_mistake_is_reported() {
    let config = r#"
persona = "{{ team }}"
[variables]
team = "t"
[[sections]]
name = "a"
order = 1
text = "Use {{{team}}}"
[[sections]]
name = "fine"
order = 2
text = "{{team}}"
[[sections]]
name = "b"
order = 3
text = 'Answer as {{"label":"x"}}'
[[sections]]
name = "c"
order = 4
text = "{{constructor}}"
"#;
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn an_agents_own_text_is_shown_with_its_owner() {
    let config = "[agents.coder]\npersona = \"{{model}}\"\n";
    reads!(Project::new(config).dsh(&["prompt", "--agent", "coder"]));
}

#[test]
fn a_tool_order_without_the_rest_entry_is_refused_at_load() {
    // S6, case 01
    reads!(Project::new("tool_order = [\"read\", \"zz_last\"]\n").dsh(&["prompt"]));
}

#[test]
fn a_tool_order_with_a_tool_twice_is_refused_at_load() {
    // S6, case 01
    reads!(Project::new("tool_order = [\"read\", \"<unlisted-tools>\", \"read\"]\n").dsh(&["prompt"]));
    let two = Project::new("tool_order = [\"<unlisted-tools>\", \"<unlisted-tools>\"]\n").dsh(&["prompt"]);
    assert!(two.stderr.contains("prompt::tool_order_duplicate"), "{two}");
}

#[test]
fn a_tool_order_with_an_unknown_tool_is_refused_at_load() {
    // S6, case 01
    let config = "tool_schemas = [\"tools.json\"]\ntool_order = [\"raed\", \"<unlisted-tools>\", \"nothing\"]\n";
    reads!(Project::new(config).file("tools.json", r#"[{"name": "read"}]"#).dsh(&["prompt"]));
}

#[test]
fn a_tool_with_the_reserved_name_is_refused() {
    // S6
    let config = "tool_schemas = [\"tools.json\"]\n";
    reads!(Project::new(config).file("tools.json", r#"[{"name": "<unlisted-tools>"}]"#).dsh(&["prompt"]));
}

#[test]
fn a_section_with_a_name_that_the_harness_keeps_is_refused() {
    // S3
    let config = "identity = false\n[[sections]]\nname = \"harness:identity\"\norder = 1\ntext = \"Me.\"\n";
    reads!(Project::new(config).dsh(&["prompt"]));
    let config = "[[sections]]\nname = \"deployment:persona\"\norder = 1\ntext = \"Me.\"\n";
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn mistakes_of_both_kinds_are_reported_together() {
    let config = "presona = \"x\"\ntool_order = [\"read\"]\n";
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn no_message_holds_a_variables_value() {
    // C3
    let config = "persona = \"{{token}} {{nobody}} {{ x }}\"\n[variables]\ntoken = 's3cret'\nBad = 's3cret'\n";
    let run = Project::new(config).dsh(&["prompt"]);
    assert_eq!(run.status, Some(1));
    let quoted_lines = run.stderr.lines().filter(|line| line.contains("s3cret")).count();
    // The one line that shows it is the file's own.
    assert_eq!(quoted_lines, 1, "{run}");
}

#[test]
fn every_mistake_of_a_text_is_reported() {
    let config = "persona = \"{{ team }} {{x}} {{y}} {{x}} {{}}\"\n[[sections]]\nname = \"a\"\norder = 1\ntext = \"{{x}} {{y}} {{x}}\"\n";
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn an_unknown_key_hides_no_malformed_reference() {
    reads!(Project::new("presona = \"\"\npersona = \"{{ x }}\"\n").dsh(&["prompt"]));
}
