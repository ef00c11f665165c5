//! What `dsh.toml` gets for its mistakes (C1): file, line, excerpt, caret, and what would be right.

use crate::support::{Project, reads};

#[test]
fn an_unknown_key_gets_the_nearest_right_one() {
    reads!(Project::new("presona = \"You help.\"\n").dsh(&["prompt"]));
}

#[test]
fn a_key_that_resembles_none_gets_all_of_them() {
    let project = Project::new("[[sections]]\nname = \"a\"\norder = 1\ntext = \"x\"\nweight = 3\n");
    reads!(project.dsh(&["prompt"]));
}

#[test]
fn a_wrong_type_is_told_with_what_was_found() {
    let config = r#"
identity = "no"
tool_order = "read"
variables = 3

[sections]
name = "a"
"#;
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn a_file_that_is_not_toml_is_wrong_use() {
    // C2
    reads!(Project::new("persona = \"a\npersona = \"b\"\n[sections\n").dsh(&["prompt"]));
}

/// The parser points behind the first byte of what it did not expect.
#[test]
fn what_is_not_toml_is_pointed_at_by_whole_characters() {
    for character in ["\u{97d45}", "ü", "漢", "🦀"] {
        let run =
            Project::new(&format!("[[sections]]\nname ={character} \"a\"\n")).dsh(&["check", "--format", "concise"]);
        assert!(run.status == Some(2) && run.stdout.starts_with("dsh.toml:2:7: error[config::not_toml]"), "{run}");
    }
}

/// What the parser takes for a number, and no other reader of TOML does.
#[test]
fn a_number_that_is_none_is_not_toml() {
    for number in ["7_0xF", "1_0b1", "9_9o7"] {
        let run = Project::new(&format!("[limits]\nsteps = {number}\n")).dsh(&["check", "--format", "concise"]);
        assert!(
            run.status == Some(2) && run.stdout.contains("dsh.toml:2:9: error[config::not_toml]"),
            "{number}: {run}"
        );
    }
    reads!(Project::new("tool_order = [1, 7_0xF]\n").dsh(&["prompt"]));
}

#[test]
fn a_key_given_twice_is_not_toml() {
    reads!(Project::new("persona = \"a\"\npersona = \"b\"\n").dsh(&["prompt"]));
}

/// A configuration with ten mistakes of ten kinds.
pub(crate) const TEN_MISTAKES: &str = r#"presona = "You help."
identity = "false"
tool_schemas = ["missing.json"]

[variables]
Team = "harbour"
port = 80

[[sections]]
order = nan
text = "x"

[[sections]]
name = "guide"
order = 100
text = "a"
file = "b.md"

[[sections]]
name = "guide"
order = 101
format = "templete"
text = "a"
"#;

#[test]
fn ten_mistakes_get_ten_diagnostics() {
    let run = Project::new(TEN_MISTAKES).dsh(&["prompt"]);
    assert_eq!(run.stderr.matches("error[").count(), 10);
    assert!(run.stdout.is_empty());
    reads!(run);
}

#[test]
fn a_section_must_have_name_order_and_words() {
    reads!(Project::new("[[sections]]\n[[sections]]\nname = \"\"\norder = \"5\"\ntext = 7\n").dsh(&["prompt"]));
}

#[test]
fn an_order_must_be_a_finite_number() {
    let config = "sections = [
  { name = \"a\", order = inf, text = \"\" },
  { name = \"b\", order = 99999999999999999999999, text = \"\" },
  { name = \"c\", order = 0x10, text = \"\" },
  { name = \"d\", order = 1e400, text = \"\" },
]\n";
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn the_name_of_a_variable_must_be_one_that_texts_can_refer_to() {
    // S4
    reads!(Project::new("[variables]\nTeam-Name = \"a\"\n\"\" = \"b\"\n\"1st\" = \"c\"\n").dsh(&["prompt"]));
}

#[test]
fn two_sections_of_one_name_are_both_shown() {
    // S2
    let config = "persona = \"p\"
[[sections]]
name = \"guide\"
order = 1
text = \"first\"
[[sections]]
name = \"deployment:persona\"
order = 0
text = \"another persona\"
[[sections]]
name = \"guide\"
order = 2
text = \"second\"\n";
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn a_text_in_two_places_at_once_is_refused() {
    reads!(Project::new("persona = \"a\"\npersona_file = \"b.md\"\n").dsh(&["prompt"]));
}

#[test]
fn an_agent_is_checked_as_closely_as_the_rest() {
    let config = r#"
[agents.coder]
prompt = "x"
tools = {}
[agents.coder.variables]
"a b" = "c"
[agents."two words"]
persona = 1
[agents.reviewer]
tools = { allow = "read", deny = ["a*b", 3] }
"#;
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn a_file_of_another_kind_altogether_gets_a_count() {
    let config = (0..5_000).map(|number| format!("key_{number} = 1")).collect::<Vec<_>>().join("\n");
    let run = Project::new(&config).dsh(&["prompt"]);
    assert_eq!(run.stderr.matches("error[").count(), 200);
    assert!(run.stderr.ends_with("\ndsh: 5000 errors, of which the first 200 are shown\n"));
}

#[test]
fn a_line_of_a_megabyte_is_shown_in_part() {
    let config = format!("persona = \"{}\"\nx = 1", "{{x}} ".repeat(150_000));
    let run = Project::new(&config).dsh(&["prompt"]);
    assert!(run.stderr.len() < 2_000, "{} bytes", run.stderr.len());
}

#[test]
fn what_is_written_as_another_kind_of_table_is_told_how() {
    let config = "order = \"x\"\n[[agents]]\nname = \"a\"\n[[variables]]\nteam = \"t\"\n";
    reads!(Project::new(config).dsh(&["prompt"]));
    reads!(Project::new("[agents]\npersona = \"x\"\n[agents.a]\ntools = [\"a\"]\n").dsh(&["prompt"]));
}

#[test]
fn a_key_given_twice_is_shown_with_its_first_place() {
    let config =
        "[[sections]]\nname = \"a\"\norder = 1\ntext = \"\"\n[[sections]]\nname = \"b\"\norder = 2\nname = \"c\"\n";
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn a_file_that_is_nested_too_deep_is_told_by_its_name() {
    reads!(Project::new(&format!("x = {}\n", "[".repeat(5_000))).dsh(&["prompt"]));
}

#[test]
fn the_name_of_an_agent_is_told_by_the_character_that_is_wrong_in_it() {
    reads!(Project::new("[agents.\"é☃\"]\n[agents.\"\"]\n").dsh(&["prompt"]));
}

#[test]
fn a_pattern_has_nothing_to_stand_for_without_tools() {
    reads!(Project::new("[agents.a]\ntools = { deny = [\"*\", \"read\"] }\n").dsh(&["prompt"]));
}

#[test]
fn what_is_of_another_type_or_another_name_gets_what_would_be_right() {
    // X11
    let mut told = String::new();
    for config in [
        "identity = 0",
        "identity = \"maybe\"",
        "persona = [\"a\"]",
        "persona = [\"a\", \"b\"]",
        "profiles = 1",
        "[agents.a]\ntools = \"read\"",
        "[agents.a]\nallow_tools = [\"read\"]\ndeny_tools = [\"write\"]\ndisallowedTools = []",
        "[agents.a]\ndescripton = \"x\"",
        "x = [",
        "x = { a = 1",
        "[[sections]",
        "x = 01",
        "x = nope",
        "x = 2020-13-01",
        "a.b = 1\na.b.c = 2",
        "x = [1,,2]",
        "{\"a\": 1}",
    ] {
        let run = Project::new(config).dsh(&["check", "--format", "github"]);
        for line in run.stdout.lines() {
            let (_, message) = line.rsplit_once("::").unwrap();
            assert!(message.contains("%0Ahelp: "), "{config}: {message}");
            let (_, help) = message.rsplit_once("%0Ahelp: ").unwrap();
            told.extend([format!("{config:?}: {help}\n")]);
        }
    }
    insta::assert_snapshot!(told);
}
