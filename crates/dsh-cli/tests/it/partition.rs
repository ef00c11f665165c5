//! `dsh explain --json` (docs/json.md): the parts partition the prompt (X3).

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "helpers of tests: what fails here fails the test")]

use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;

use crate::support::{Project, dsh_in, repository};

/// A range of bytes, of what has `start` and `end`.
#[track_caller]
fn range(value: &Value) -> std::ops::Range<usize> {
    let at = |field: &str| usize::try_from(value[field].as_u64().unwrap()).unwrap();
    at("start")..at("end")
}

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().unwrap()
}

/// A file as it lies on the disk.
fn text_of(folder: &Path, file: &Value) -> String {
    std::fs::read_to_string(folder.join(file.as_str().unwrap())).unwrap()
}

/// Holds what `explain` says of a prompt against the prompt itself.
#[track_caller]
fn check(folder: &Path, arguments: &[&str]) -> Value {
    let run = |command: &[&str]| {
        let run = dsh_in(folder, &[command, arguments, &["--json"]].concat());
        assert_eq!(run.status, Some(0), "{run}");
        run.json()
    };
    let (printed, explained) = (run(&["prompt"]), run(&["explain"]));
    let prompt = printed["prompt"].as_str().unwrap();
    assert_eq!(explained["prompt_bytes"], prompt.len());
    assert_eq!(explained["prompt_fingerprint"], blake3::hash(prompt.as_bytes()).to_hex().as_str());

    // The parts are the prompt, from its first byte to its last.
    let (mut at, mut bytes, mut joined) = (0, 0, String::new());
    for (index, part) in list(&explained, "parts").iter().enumerate() {
        let range = range(part);
        let text = prompt.get(range.clone()).unwrap();
        assert_eq!(range.start, at, "{part}");
        assert_eq!(part["bytes"], range.len(), "{part}");
        assert_eq!(part["fingerprint"], blake3::hash(text.as_bytes()).to_hex().as_str(), "{part}");
        assert_eq!(part["kind"], if index % 2 == 0 { "section" } else { "separator" }, "{part}");
        (at, bytes) = (range.end, bytes + range.len());
        joined.push_str(text);
        if index % 2 == 0 { check_section(folder, part, text, &printed) } else { assert_eq!(text, "\n\n") }
    }
    assert_eq!((at, bytes, joined.as_str()), (prompt.len(), prompt.len(), prompt));
    let sections: Vec<&Value> = list(&explained, "parts").iter().step_by(2).collect();
    let orders: Vec<f64> = sections.iter().map(|section| section["order"].as_f64().unwrap()).collect();
    assert!(orders.is_sorted(), "{orders:?}");

    // `prompt --json` says the same of the sections.
    assert_eq!(sections.len(), list(&printed, "sections").len());
    for (section, known) in sections.iter().zip(list(&printed, "sections")) {
        for field in ["name", "order", "owner", "layer", "start", "end"] {
            assert_eq!(section[field], known[field], "{section}");
        }
    }
    for section in list(&explained, "empty") {
        assert_eq!((&section["start"], &section["end"], &section["bytes"]), (&Value::Null, &Value::Null, &0.into()));
    }
    check_tools(&printed, &explained);
    check_variables(&printed, &explained);
    explained
}

/// The pieces of a section are the section, and its text is that of its file.
#[track_caller]
fn check_section(folder: &Path, part: &Value, text: &str, printed: &Value) {
    let prompt = printed["prompt"].as_str().unwrap();
    let mut at = range(part).start;
    let mut is_fixed = true;
    for piece in list(part, "pieces") {
        let range = range(piece);
        assert_eq!(range.start, at, "{part}");
        at = range.end;
        if piece["kind"] == "variable" {
            is_fixed = false;
            assert_eq!(prompt.get(range), printed["variables"][piece["name"].as_str().unwrap()].as_str(), "{part}");
        } else {
            assert_eq!((&piece["kind"], &piece["name"]), (&"literal".into(), &Value::Null), "{part}");
        }
    }
    assert_eq!(at, range(part).end, "{part}");
    if part["source"].is_null() {
        return;
    }
    let source = &part["source"];
    let file = text_of(folder, &source["file"]);
    // A mark is not within it, and lines end with LF where dsh reads them.
    let written = file.get(range(source)).unwrap().replace("\r\n", "\n");
    let written = written.as_str();
    let lines = |to: usize| 1 + file.get(..to).unwrap().matches('\n').count();
    let last = range(source).end.saturating_sub(1).max(range(source).start);
    let last = file.floor_char_boundary(last);
    assert_eq!(source["start_line"], lines(range(source).start), "{part}");
    assert_eq!(source["end_line"], lines(last), "{part}");
    // What quotes, or escapes in TOML, says something else than is written.
    let says_itself = part["raw"] == true || !written.contains("{{\"");
    let is_escaped = source["file"].as_str().unwrap().ends_with("dsh.toml") && written.contains('\\');
    if is_fixed && says_itself && !is_escaped {
        let is_instruction = part["name"].as_str().unwrap().starts_with("instructions:");
        assert!(if is_instruction { text.ends_with(written) } else { text == written }, "{part}: {text:?} {written:?}");
    }
}

/// The tools are the tool block, less its brackets and commas.
#[track_caller]
fn check_tools(printed: &Value, explained: &Value) {
    let block = printed["tools"].to_string();
    assert_eq!(explained["tools_bytes"], block.len());
    assert_eq!(explained["tools_fingerprint"], blake3::hash(block.as_bytes()).to_hex().as_str());
    let mut at = 1;
    for (tool, schema) in list(explained, "tools").iter().zip(list(printed, "tools")) {
        let range = range(tool);
        assert_eq!((range.start, &tool["bytes"], &tool["name"]), (at, &range.len().into(), &schema["name"]));
        assert_eq!(block.get(range.clone()).unwrap(), schema.to_string());
        at = range.end + 1;
    }
    assert_eq!(at.max(2), block.len());
}

/// The variables are those of the prompt, and used where the pieces say so.
#[track_caller]
fn check_variables(printed: &Value, explained: &Value) {
    let names: Vec<&str> = list(explained, "variables").iter().map(|each| each["name"].as_str().unwrap()).collect();
    assert_eq!(names, printed["variables"].as_object().unwrap().keys().collect::<Vec<_>>());
    for variable in list(explained, "variables") {
        let value = printed["variables"][variable["name"].as_str().unwrap()].as_str();
        assert_eq!(variable["bytes"].as_u64(), value.map(|value| value.len() as u64));
        let mut pieces = Vec::new();
        for part in list(explained, "parts").iter().filter(|part| part["kind"] == "section") {
            let mine = list(part, "pieces").iter().filter(|piece| piece["name"] == variable["name"]);
            pieces.extend(mine.map(|piece| (part["name"].clone(), range(piece))));
        }
        let uses = list(variable, "uses").iter().filter(|used| !used["start"].is_null());
        let mut uses: Vec<_> = uses.map(|used| (used["section"].clone(), range(used))).collect();
        uses.sort_by_key(|(_, range)| (range.start, range.end));
        pieces.sort_by_key(|(_, range)| (range.start, range.end));
        assert_eq!(uses, pieces);
    }
}

/// The agents of a project: tables of its configuration, and files.
fn agents(folder: &Path) -> Vec<String> {
    let config: toml::Table = std::fs::read_to_string(folder.join("dsh.toml")).unwrap().parse().unwrap();
    let tables = config.get("agents").and_then(toml::Value::as_table);
    let files = std::fs::read_dir(folder.join("agents")).into_iter().flatten();
    let files = files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned());
    tables.into_iter().flat_map(|agents| agents.keys().cloned()).chain(files).collect()
}

#[test]
fn of_every_example_and_every_agent_of_it() {
    // X3
    let folders = std::fs::read_dir(repository().join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.chain([repository()]).filter(|folder| folder.join("dsh.toml").is_file());
    let mut checked = 0;
    for folder in folders {
        check(&folder, &[]);
        for agent in agents(&folder) {
            check(&folder, &["--agent", &agent]);
            checked += 1;
        }
    }
    assert!(checked >= 5);
}

/// A section of a generated project.
#[derive(Clone, Debug)]
struct Generated {
    order: &'static str,
    text: String,
    /// `raw`, `template`, or none where the words stand in the configuration.
    file: Option<&'static str>,
}

fn generated() -> impl Strategy<Value = Generated> {
    let pieces = prop::sample::select(vec![
        "word ",
        "é",
        "大きさ",
        "👩\u{200d}💻",
        "\n",
        "\n\n",
        "{{a}}",
        "{{b}}",
        "{{own}}",
        "{{none}}",
        "{ ",
        " }",
        "\\",
        "\"",
        "'",
        "\t",
        "{{\"{{\"}}",
        "{{\"\"}}",
    ]);
    let text = prop::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat());
    let order = prop::sample::select(vec!["-200", "0", "0.5", "10", "10", "1e3"]);
    let file = prop::sample::select(vec![None, Some("raw"), Some("template")]);
    (order, text, file).prop_map(|(order, text, file)| Generated { order, text, file })
}

/// The tables of sections, and the files that they name.
fn written(table: &str, sections: &[Generated], mut project: Project) -> (String, Project) {
    let mut config = String::new();
    for (index, section) in sections.iter().enumerate() {
        let words = match section.file {
            Some(format) => {
                let name = format!("{}-{index}.md", table.len());
                project = project.file(&name, format!("\u{feff}{}\r\n", section.text.replace('\n', "\r\n")));
                format!("file = {name:?}\nformat = {format:?}")
            }
            None => format!("text = {}", toml::Value::from(section.text.as_str())),
        };
        config.extend([format!("[[{table}]]\nname = \"s{index}\"\norder = {}\n{words}\n", section.order)]);
    }
    (config, project)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    // X3
    #[test]
    fn of_generated_projects(
        identity in any::<bool>(),
        shared in prop::collection::vec(generated(), 0..6),
        own in prop::collection::vec(generated(), 0..4),
        instructions in prop::option::of(generated()),
        value in prop::sample::select(vec!["", "b", "ö{{a}}", "two\nlines"]),
    ) {
        let (sections, project) = written("sections", &shared, Project::empty());
        let (own, project) = written("agents.x.sections", &own, project);
        let config = format!(
            "identity = {identity}\npersona = 'P {{{{a}}}}.'\ntool_schemas = ['t.json']\n\
             [variables]\na = 'A'\nb = {value:?}\nnone = ''\nown = 'o'\n{sections}\
             [agents.x.variables]\nown = {value:?}\n{own}"
        );
        let project = match instructions {
            Some(Generated { text, .. }) => project.file("AGENTS.md", text),
            None => project,
        };
        let project = project
            .file("agents/y.md", "---\nformat: template\n---\n\nÄ {{a}}{{own}}.\n")
            .file("t.json", r#"[{"name": "read", "description": "é"}, {"name": "write"}]"#)
            .file("dsh.toml", &config);
        check(&project.path(), &[]);
        for agent in agents(&project.path()) {
            check(&project.path(), &["--agent", &agent]);
        }
    }
}

#[test]
fn the_json_in_its_description_has_the_fields_that_are_printed() {
    let text = std::fs::read_to_string(repository().join("crates/dsh-cli/docs/json.md")).unwrap();
    let (_, section) = text.split_once("## `dsh explain --json`").unwrap();
    let (_, block) = section.split_once("```json\n").unwrap();
    let documented: Value = serde_json::from_str(block.split_once("```").unwrap().0).unwrap();
    let folder = repository().join("examples/coding-agent");
    let printed = check(&folder, &["--agent", "reviewer"]);

    let fields = |value: &Value| value.as_object().map(|object| object.keys().cloned().collect::<Vec<_>>());
    assert_eq!(fields(&documented), fields(&printed));
    let find = |list: &Value, by: &Value| {
        let alike = |each: &&Value| each["name"] == by["name"] && each["kind"] == by["kind"];
        list.as_array().unwrap().iter().find(alike).cloned().unwrap()
    };
    for list in ["parts", "tools", "hidden_tools", "variables"] {
        for documented in documented[list].as_array().unwrap() {
            let printed = find(&printed[list], documented);
            assert_eq!(fields(documented), fields(&printed));
            for field in ["source", "pieces", "uses"] {
                let one = |value: &Value| value[field].get(0).unwrap_or(&value[field]).clone();
                assert_eq!(fields(&one(documented)), fields(&one(&printed)));
            }
        }
    }
}

#[test]
fn one_name_is_the_same_object_with_what_is_called_so_alone() {
    let folder = repository().join("examples/coding-agent");
    let whole = check(&folder, &["--agent", "reviewer"]);
    for name in ["tool:files", "role", "read_text_file", "write_file"] {
        let mut named = whole.clone();
        for list in ["parts", "empty", "tools", "hidden_tools", "variables"] {
            named[list].as_array_mut().unwrap().retain(|each| each["name"] == name);
        }
        let run = dsh_in(&folder, &["explain", name, "--agent", "reviewer", "--json"]);
        assert_eq!((run.status, run.json()), (Some(0), named), "{run}");
    }
}

#[test]
fn of_a_prompt_that_cannot_be_made_each_section_says_whether_it_is_the_reason() {
    let config = "identity = false\npersona = 'é {{a}}'\n[variables]\na = 'ö'\n[[sections]]\nname = 's'\norder = 1\ntext = '{{b}}'\n";
    let run = Project::new(config).dsh(&["explain", "--json"]);
    assert_eq!(run.status, Some(1), "{run}");
    let explained = run.json();
    assert_eq!((&explained["prompt_bytes"], &explained["prompt_fingerprint"]), (&Value::Null, &Value::Null));
    let bytes: Vec<_> = list(&explained, "parts").iter().map(|part| (&part["name"], &part["bytes"])).collect();
    assert_eq!(bytes, [(&"deployment:persona".into(), &5.into()), (&"s".into(), &Value::Null)]);
    for part in list(&explained, "parts") {
        assert!(part["start"].is_null() && part["end"].is_null() && part["fingerprint"].is_null(), "{part}");
        assert_eq!(part["pieces"], Value::Array(Vec::new()));
    }
    assert_eq!(explained["empty"][0]["name"], "harness:identity");
    assert_eq!(explained["variables"][0]["uses"][0]["section"], "deployment:persona");
}
