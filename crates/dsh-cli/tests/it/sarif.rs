//! The SARIF of `dsh check` against the standard's own schema.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::path::Path;

use serde_json::Value;

use crate::support::{Project, dsh_in};

/// What the schema has against the log.
fn wrong(log: &Value) -> Vec<String> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sarif/sarif-schema-2.1.0.json");
    let mut schema: Value = serde_json::from_slice(&std::fs::read(data).unwrap()).unwrap();
    // A bracket too many makes this pattern no regular expression; dsh writes no `language`.
    for kind in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][kind]["properties"]["language"];
        language.as_object_mut().unwrap().remove("pattern").unwrap();
    }
    // Unless formats are looked at, a reference with a blank in it would pass.
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    validator.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// The results of a log that the schema takes.
#[track_caller]
fn results(log: &Value) -> Vec<Value> {
    assert_eq!(wrong(log), Vec::<String>::new(), "{log:#}");
    log["runs"][0]["results"].as_array().unwrap().clone()
}

#[track_caller]
fn checked(project: &Project) -> Vec<Value> {
    results(&project.dsh(&["check", "--format", "sarif"]).json())
}

#[test]
fn the_schema_refuses_what_is_no_log() {
    let right = Project::new("presona = 1").dsh(&["check", "--format", "sarif"]).json();
    let uri = "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri";
    for (pointer, value) in [("/version", "2"), ("/runs/0/columnKind", "bytes"), (uri, "a b")] {
        let mut log = right.clone();
        *log.pointer_mut(pointer).unwrap() = value.into();
        assert_eq!(wrong(&log).len(), 1, "{pointer}");
    }
    assert_eq!(wrong(&right), Vec::<String>::new());
}

#[test]
fn each_code_is_explained_in_it() {
    let log = Project::new("presona = 1").dsh(&["check", "--format", "sarif"]).json();
    results(&log);
    insta::assert_snapshot!(format!("{:#}", log["runs"][0]["tool"]["driver"]["rules"]));
}

#[test]
fn a_project_without_findings_has_a_log_without_results() {
    assert_eq!(checked(&Project::new("")), Vec::<Value>::new());
}

#[test]
fn a_finding_with_several_places_has_the_others_as_related_ones() {
    let project = Project::new("tool_schemas = [\"a b.json\", \"é.json\"]\n")
        .file("a b.json", r#"[{"name": "read"}]"#)
        .file("é.json", "[\n  {\"name\": \"ä\"}, {\"name\": \"read\"}]");
    let results = checked(&project);
    let duplicate = results.iter().find(|result| result["ruleId"] == "prompt::duplicate_tool").unwrap();
    assert_eq!(
        duplicate["locations"],
        serde_json::json!([{
            "physicalLocation": {
                "artifactLocation": { "uri": "%C3%A9.json" },
                // Characters, as `columnKind` says, and neither bytes nor UTF-16.
                "region": { "startLine": 2, "startColumn": 27, "endLine": 2, "endColumn": 33 },
            },
            "message": { "text": "the second" },
        }])
    );
    assert_eq!(duplicate["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b.json");
}

#[test]
fn a_finding_without_a_place_is_told_of_the_run_since_a_result_needs_a_location() {
    let project = Project::new("persona = '{{a}}'\n[variables]\na = { env = 'A', default = 'x' }\n");
    assert_eq!(checked(&project), Vec::<Value>::new());
    let run = project.dsh(&["check", "--format", "sarif"]);
    let told = &run.json()["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert_eq!((&told[0]["descriptor"]["id"], &told[0]["level"]), (&"trust::untrusted".into(), &"note".into()));
    assert!(run.stderr.contains("note[trust::untrusted]"), "{run}");
    let log = Project::new("a b").dsh(&["check", "--format", "sarif"]).json();
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&false.into(), &2.into()));
    assert_eq!(invocation["toolExecutionNotifications"], serde_json::json!([]));
}

#[test]
fn a_file_that_cannot_be_taken_is_the_place_of_its_finding() {
    let project = Project::new("")
        .file("AGENTS.md", b"\xef\xbb\xbfone\r\n\xc3\xa9\xff two\r\n")
        .file("agents/wide.md", b"\xff\xfea\0")
        .file("agents/folder.md/a.md", "");
    let place = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        let (uri, region) = (place["artifactLocation"]["uri"].as_str().unwrap().to_owned(), &place["region"]);
        (uri, region["startLine"].as_u64().unwrap(), region["startColumn"].as_u64().unwrap())
    };
    let mut places: Vec<_> = checked(&project).iter().map(place).collect();
    places.sort();
    let at = |uri: &str, line, column| (uri.to_owned(), line, column);
    assert_eq!(places, [at("AGENTS.md", 2, 2), at("agents/folder.md", 1, 1), at("agents/wide.md", 1, 1)]);
    let github = project.dsh(&["check", "--format", "github"]).stdout;
    assert!(github.lines().all(|line| line.contains(",file=")), "{github}");
    assert!(github.contains("file=AGENTS.md,line=2,endLine=2,col=2"), "{github}");
    let json = project.dsh(&["check", "--format", "json"]).json();
    let of_agents = json["diagnostics"].as_array().unwrap().iter().find(|it| it["places"][0]["file"] == "AGENTS.md");
    // The bytes are those of the file, mark and CRLF counted.
    assert_eq!(of_agents.unwrap()["places"][0]["start"], 10);
    let broken = checked(&Project::empty().file("dsh.toml", b"a\xff"));
    assert_eq!(broken.iter().map(place).collect::<Vec<_>>(), [at("dsh.toml", 1, 2)]);
}

#[test]
fn thousands_of_findings_are_all_in_it() {
    let keys: Vec<String> = (0..3_000).map(|number| format!("key_{number} = 1\n")).collect();
    let results = checked(&Project::new(&keys.concat()));
    assert_eq!(results.len(), 3_000);
    assert_eq!(results[2_999]["locations"][0]["physicalLocation"]["region"]["startLine"], 3_000);
}

#[test]
fn what_cannot_be_seen_is_written_as_an_escape() {
    let project = Project::new("\"a\\u0007\\u202e%:,\\n\" = 1\n");
    let results = checked(&project);
    let text = results[0]["message"]["text"].as_str().unwrap();
    assert!(text.starts_with("unknown key `a\\u{7}"), "{text}");
}

#[test]
fn a_folder_above_and_an_absolute_one_are_references_too() {
    let project = Project::new("presona = 1").file("deep/x", "");
    let up = dsh_in(&project.path().join("deep"), &["check", "--format", "sarif", "--dir", ".."]).json();
    assert_eq!(results(&up)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "../dsh.toml");
    let absolute = project.path().canonicalize().unwrap();
    let run = project.dsh(&["check", "--format", "sarif", "--dir", absolute.to_str().unwrap()]).json();
    let results = results(&run);
    let uri = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
    assert!(uri.starts_with("file:///"), "{uri}");
}
