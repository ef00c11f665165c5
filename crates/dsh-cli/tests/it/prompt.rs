//! What `dsh prompt` prints.

use crate::support::Project;

/// The prompt without the harness's own sentence.
#[track_caller]
fn without_identity(prompt: &str) -> &str {
    prompt.split_once("\n\n").map_or("", |(_, rest)| rest)
}

#[test]
fn the_parts_stand_in_order_with_one_blank_line_between() {
    // S2, S3, S11
    let config = r#"
persona = "You help {{team}}."
[variables]
team = "the harbour team"
[[sections]]
name = "late"
order = 10.5
text = "Late."
[[sections]]
name = "first"
order = -50
text = "First."
[[sections]]
name = "later"
order = 10.5
text = "Later."
[[sections]]
name = "nothing"
order = 3
text = ""
"#;
    let prompt = Project::new(config).prompt(&[]);
    assert_eq!(without_identity(&prompt), "First.\n\nYou help the harbour team.\n\nLate.\n\nLater.");
}

#[test]
fn the_identity_can_be_left_out() {
    // S3
    assert_eq!(Project::new("identity = false\npersona = \"You help.\"").prompt(&[]), "You help.");
    assert_eq!(Project::new("identity = false").prompt(&[]), "");
}

#[test]
fn personas_and_inline_texts_are_templates_and_files_are_raw() {
    // X1
    let config = r#"
identity = false
persona_file = "persona.md"
[variables]
who = "Ada"
[[sections]]
name = "a"
order = 1
text = "text {{who}}"
[[sections]]
name = "b"
order = 2
file = "b.md"
[[sections]]
name = "c"
order = 3
text = "raw {{who}}"
format = "raw"
[[sections]]
name = "d"
order = 4
file = "b.md"
format = "template"
"#;
    let project = Project::new(config).file("persona.md", "persona {{who}}\n").file("b.md", "file {{who}}\n");
    assert_eq!(project.prompt(&[]), "persona Ada\n\ntext Ada\n\nfile {{who}}\n\nraw {{who}}\n\nfile Ada");
}

#[test]
fn the_bytes_are_exact_and_one_newline_follows() {
    let config = "identity = false\npersona = \"a\\tb\\u0000\\r\\n c  \\n\\n\"\n";
    assert_eq!(Project::new(config).dsh(&["prompt"]).stdout, "a\tb\0\r\n c  \n\n\n");
}

#[test]
fn the_tool_block_is_canonical_json_in_the_order_asked_for() {
    // S6, X5
    let config = "tool_schemas = [\"a.json\", \"b.json\"]\ntool_order = [\"write\", \"<unlisted-tools>\", \"ask\"]\n";
    let project = Project::new(config)
        .file("a.json", r#"[{"name": "read", "parameters": {"type": "object", "required": ["b", "a"], "properties": {"b": {}, "a": {"default": 1.0}}}}]"#)
        .file("b.json", r#"{"tools": [{"name": "ask"}, {"name": "write", "description": "Writes.", "title": "Write"}, {"name": "Zed"}]}"#);
    let none = r#"{"properties":{},"type":"object"}"#;
    let none = if project.prompt(&["--tools"]).contains(none) { none } else { r#"{"type":"object"}"# };
    assert_eq!(
        project.prompt(&["--tools"]),
        format!(
            concat!(
                r#"[{{"description":"Writes.","name":"write","parameters":{none}}},"#,
                r#"{{"description":"","name":"Zed","parameters":{none}}},"#,
                r#"{{"description":"","name":"read","parameters":{{"properties":{{"b":{{}},"a":{{"default":1.0}}}},"required":["a","b"],"type":"object"}}}},"#,
                r#"{{"description":"","name":"ask","parameters":{none}}}]"#
            ),
            none = none
        )
    );
    assert_eq!(Project::new("").prompt(&["--tools"]), "[]");
}

#[test]
fn the_same_project_gives_the_same_bytes_each_time() {
    // X5
    let config = "tool_schemas = [\"a.json\"]\n[variables]\nb = \"1\"\na = \"2\"\n";
    let project = Project::new(config).file("a.json", r#"[{"name": "b"}, {"name": "a"}, {"name": "Z"}]"#);
    let first = project.prompt(&["--json"]);
    for _ in 0..20 {
        assert_eq!(project.prompt(&["--json"]), first);
    }
}

#[test]
fn quotes_on_a_line_of_their_own_end_a_text_as_a_files_end_does() {
    let config = "identity = false\npersona = \"\"\"\nOne.\n\"\"\"\n[[sections]]\nname = \"a\"\norder = 1\ntext = '''\nTwo.\n\n'''\n[[sections]]\nname = \"b\"\norder = 2\nfile = \"b.md\"\n";
    assert_eq!(Project::new(config).file("b.md", "Three.\n").prompt(&[]), "One.\n\nTwo.\n\n\nThree.");
}
