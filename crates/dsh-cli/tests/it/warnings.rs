//! Warnings: what is most likely a mistake and stops nothing. They change no exit status (C2).

use crate::support::{Project, reads};

fn tools(list: &str) -> Project {
    Project::new("identity = false\ntool_schemas = [\"tools.json\"]\n").file("tools.json", list)
}

#[test]
fn a_list_of_tools_that_is_one_page_of_several_is_told() {
    reads!(tools(r#"{"tools": [{"name": "read"}], "nextCursor": "2"}"#).dsh(&["prompt"]));
}

#[test]
fn a_misspelt_field_of_a_tool_is_told_once_for_its_file() {
    let list = r#"[
  {"name": "read", "title": "Read", "annotations": {}, "paramters": {"type": "object"}},
  {"name": "write", "paramters": {"type": "object"}, "colour": "red"}
]"#;
    reads!(tools(list).dsh(&["prompt"]));
}

#[test]
fn a_name_that_no_provider_takes_is_told() {
    let list = format!("[{{\"name\": \"a b\"}}, {{\"name\": \"a.b:c-d_E9\"}},\n{{\"name\": \"{}\"}}]", "x".repeat(300));
    reads!(tools(&list).dsh(&["prompt"]));
}

#[test]
fn a_reference_that_is_never_closed_is_told() {
    let config = "identity = false\npersona = \"You work for {{team}\"\n[variables]\nteam = \"t\"\n[[sections]]\nname = \"a\"\norder = 1\ntext = '''\nAsk {{team\n'''\n[[sections]]\nname = \"b\"\norder = 2\ntext = \"left {{ alone\"\n";
    reads!(Project::new(config).dsh(&["prompt"]));
}
