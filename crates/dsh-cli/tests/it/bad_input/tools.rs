//! Tools, their schemas and their order.

use crate::support::{Project, Run, reads};

/// A run of `prompt --tools` on a project with these files of tools, and this order.
fn tools(order: &str, files: &[&str]) -> Run {
    let names: Vec<String> = (1..=files.len()).map(|number| format!("{number}.json")).collect();
    let project = Project::new(&format!("tool_schemas = {names:?}\n{order}\n"));
    let files = names.iter().zip(files);
    files.fold(project, |project, (name, text)| project.file(name, text)).dsh(&["prompt", "--tools"])
}

#[test]
fn two_rest_entries_are_both_shown() {
    // S6
    reads!(tools("tool_order = [\"<unlisted-tools>\", \"read\", \"<unlisted-tools>\"]", &[r#"[{"name": "read"}]"#]));
}

#[test]
fn a_mistyped_rest_entry_is_shown_with_the_right_one() {
    // S6
    reads!(tools("tool_order = [\"read\", \"<unlisted_tool>\"]", &[r#"[{"name": "read"}]"#]));
}

#[test]
fn what_is_no_schema_of_a_tool_is_told_where_it_stands() {
    reads!(tools(
        "",
        &[
            "[\n  \"read\"\n]",
            "[[]]",
            "3",
            "",
            "{\"name\": \"read\"}",
            "{\"tools\": {\"read\": {}}}",
            r#"[{"name": "read", "inputSchema": []}]"#,
            r#"[{"name": "read", "inputSchema": null}]"#,
            "[{\"name\": \"read\", \"inputSchema\": {\n  \"type\": \"object\",\n  \"type\": \"array\"\n}}]",
        ]
    ));
    // It is an object, and stands for none.
    reads!(tools("", &[r#"[{"name": "read", "inputSchema": {"type": ["object", "null"]}}]"#]));
}

#[test]
fn a_tool_without_a_name_is_told_by_its_number() {
    reads!(tools(
        "",
        &[
            "[\n  {\"name\": \"read\"},\n  {\"description\": \"Writes.\"}\n]",
            r#"[{"name": ""}]"#,
            r#"[{"name": 5}]"#,
            r#"{"tools": [{"name": null}]}"#,
            r#"[{"Name": "read"}]"#,
        ]
    ));
}

#[test]
fn every_mistake_of_a_tool_order_is_told_at_once() {
    // S6
    let file = r#"[{"name": "read"}, {"name": "write"}]"#;
    reads!(tools("tool_order = [\"raed\", \"write\", \"write\"]", &[file]));
    // What stands in the place of the rest entry is no tool.
    reads!(tools("tool_order = [\"raed\", \"<unlisted_tools>\"]", &[file]));
}

#[test]
fn every_wrong_tool_of_a_file_is_told() {
    let file = r#"[
  {"name": "a"},
  {"name": ""},
  {"description": "x"},
  {"name": "p", "parameters": []}
]
"#;
    reads!(tools("", &[file]));
    // A name that is not known may be that of a tool that is wrong.
    let run = tools("tool_order = [\"q\", \"<unlisted-tools>\"]", &[file]);
    assert!(run.stderr.contains("tool number 2") && !run.stderr.contains("`q`"), "{run}");
}

#[test]
fn a_tool_is_pointed_at_by_its_name_and_a_field_by_its_key() {
    let file = r#"[
  {"name": "name", "inputSchema": {"type": "string"}},
  {"description": "colour", "colour": 1, "name": "paint"}
]
"#;
    reads!(tools("", &[file]));
}

#[test]
fn a_pattern_that_matches_nothing_gets_the_nearest_beginning() {
    let agent = |entry: &str| {
        let file = r#"[{"name": "search_files"}, {"name": "search_web"}, {"name": "readFile"}]"#;
        tools(&format!("[agents.a]\ntools = {{ allow = [\"{entry}\"] }}"), &[file]).stderr
    };
    for (entry, near) in
        [("sarch_*", "search_*"), ("Search*", "search*"), ("search_wbe*", "search_web*"), ("raed*", "read*")]
    {
        assert!(agent(entry).contains(&format!("did you mean `{near}`?")), "{}", agent(entry));
    }
    assert!(!agent("xy*").contains("did you mean"), "{}", agent("xy*"));
}
