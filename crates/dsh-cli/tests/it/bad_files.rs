//! What a named file gets that cannot be taken (C1, X12).

use crate::support::{Project, reads};

fn section(file: &str) -> Project {
    Project::new(&format!("[[sections]]\nname = \"a\"\norder = 1\nfile = \"{file}\"\n"))
}

#[test]
fn a_missing_file_is_shown_where_it_is_named() {
    reads!(Project::new("persona_file = \"persona.md\"\ntool_schemas = [\"tools.json\"]\n").dsh(&["prompt"]));
}

#[test]
fn a_path_that_leaves_the_folder_is_refused() {
    // C1
    let config = r#"
persona_file = "../secret.md"
tool_schemas = ["/etc/hostname"]
[[sections]]
name = "a"
order = 1
file = "notes/../../secret.md"
"#;
    let project = Project::new(config).file("../secret.md", "SECRET").file("notes/x", "");
    let run = project.dsh(&["prompt"]);
    assert!(!run.stderr.contains("SECRET"));
    reads!(run);
}

#[cfg(unix)]
#[test]
fn a_link_that_leaves_the_folder_is_refused() {
    // C1
    let project = section("link.md").file("../secret.md", "SECRET");
    std::os::unix::fs::symlink("../secret.md", project.path().join("link.md")).unwrap();
    reads!(project.dsh(&["prompt"]));
}

#[cfg(unix)]
#[test]
fn a_link_that_stays_in_the_folder_is_followed() {
    // C1
    let project = section("link.md").file("docs/real.md", "real");
    std::os::unix::fs::symlink("docs/real.md", project.path().join("link.md")).unwrap();
    assert!(project.prompt(&[]).ends_with("\n\nreal"));
}

#[cfg(unix)]
#[test]
fn a_configuration_that_is_a_link_out_of_the_folder_is_refused() {
    let project = Project::empty().file("../other.toml", "persona = \"SECRET\"");
    std::os::unix::fs::symlink("../other.toml", project.path().join("dsh.toml")).unwrap();
    reads!(project.dsh(&["prompt"]));
}

#[test]
fn allow_outside_beside_the_path_lets_it_lead_out() {
    // C1
    let config = "
[[sections]]
name = \"inside\"
order = 1
text = \"in\"
[[sections]]
name = \"outside\"
order = 2
allow_outside = true
file = \"../shared.md\"\n";
    let project = Project::new(config).file("../shared.md", "shared by all\n");
    assert!(project.prompt(&[]).ends_with("\n\nin\n\nshared by all"));
}

#[test]
fn allow_outside_holds_in_its_own_table_alone() {
    // C1
    let config = "
allow_outside = true
persona_file = \"../persona.md\"
[[sections]]
name = \"a\"
order = 1
file = \"../persona.md\"\n";
    reads!(Project::new(config).file("../persona.md", "p").dsh(&["prompt"]));
}

#[test]
fn a_folder_is_no_file() {
    reads!(section("docs").file("docs/a.md", "").dsh(&["prompt"]));
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_no_file_and_nobody_waits_for_it() {
    let project = section("pipe");
    let made = std::process::Command::new("mkfifo").arg(project.path().join("pipe")).status().unwrap();
    assert!(made.success());
    reads!(project.dsh(&["prompt"]));
}

#[cfg(unix)]
#[test]
fn a_configuration_that_is_a_folder_or_a_pipe_is_wrong_use() {
    let project = Project::empty().file("dsh.toml/a", "");
    reads!(project.dsh(&["prompt"]));
}

#[test]
fn bytes_that_are_not_utf_8_are_told_by_their_offset() {
    // X12
    reads!(section("a.md").file("a.md", b"price 5\x80\n").dsh(&["prompt"]));
}

#[test]
fn utf_16_is_named() {
    // X12
    reads!(section("a.md").file("a.md", b"\xff\xfeh\0i\0").dsh(&["prompt"]));
}

#[test]
fn a_configuration_that_is_not_utf_8_is_wrong_use() {
    reads!(Project::empty().file("dsh.toml", b"persona = \"caf\xe9\"").dsh(&["prompt"]));
}

#[test]
fn a_file_beyond_the_limit_is_not_read() {
    let project = section("big.md").file("big.md", vec![b'x'; (1 << 20) + 1]);
    reads!(project.dsh(&["prompt"]));
    let project = section("big.md").file("big.md", vec![b'x'; 1 << 20]);
    assert_eq!(project.dsh(&["prompt"]).status, Some(0));
}

#[test]
fn a_mark_goes_and_line_ends_are_one_kind() {
    // X12, case 13
    let with = section("a.md").file("a.md", "\u{feff}Look first.\r\nKeep \u{feff}this.\r\n");
    let without = section("a.md").file("a.md", "Look first.\nKeep \u{feff}this.\n");
    assert_eq!(with.prompt(&[]), without.prompt(&[]));
    assert!(with.prompt(&[]).ends_with("\n\nLook first.\nKeep \u{feff}this."));
}

#[test]
fn a_configuration_with_a_mark_and_crlf_reads_the_same() {
    let with = Project::new("\u{feff}persona = \"\"\"\r\nOne.\r\nTwo.\"\"\"\r\n");
    let without = Project::new("persona = \"\"\"\nOne.\nTwo.\"\"\"\n");
    assert_eq!(with.prompt(&[]), without.prompt(&[]));
}

#[test]
fn tool_schemas_are_read_with_their_mistakes_in_place() {
    let config = "tool_schemas = [\"syntax.json\", \"list.json\", \"nameless.json\", \"schema.json\"]\n";
    let project = Project::new(config)
        .file("syntax.json", "[\n  {\"name\": \"a\",}\n]\n")
        .file("list.json", "{\"tool\": []}\n")
        .file("nameless.json", "{\"tools\": [\n  {\"name\": \"fine\"},\n  {\"title\": \"Now\"}\n]}\n")
        .file("schema.json", "[{\"name\": \"read\", \"parameters\": \"none\"}]\n");
    reads!(project.dsh(&["prompt"]));
}

#[test]
fn two_tools_of_one_name_are_both_shown() {
    // S7
    let project = Project::new("tool_schemas = [\"a.json\", \"b.json\"]\n")
        .file("a.json", "[{\"name\": \"read\"}]")
        .file("b.json", "{\"tools\": [\n  {\"name\": \"write\"},\n  {\"name\": \"read\"}\n]}");
    reads!(project.dsh(&["prompt", "--tools"]));
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_say_so() {
    let project = section("dangling.md");
    std::os::unix::fs::symlink("nowhere.md", project.path().join("dangling.md")).unwrap();
    reads!(project.dsh(&["prompt"]));
    let project = section("loop.md");
    std::os::unix::fs::symlink("loop.md", project.path().join("loop.md")).unwrap();
    reads!(project.dsh(&["prompt"]));
    // C2: a configuration that is named and missing.
    let project = Project::empty();
    std::os::unix::fs::symlink("nowhere.toml", project.path().join("dsh.toml")).unwrap();
    reads!(project.dsh(&["prompt"]));
}

#[test]
fn a_path_that_goes_a_roundabout_way_inside_is_told_the_straight_one() {
    reads!(section("d/../x.md").file("x.md", "x").dsh(&["prompt"]));
    let project = Project::empty().file("x.md", "x");
    let absolute = project.path().canonicalize().unwrap().join("x.md");
    let config = format!("persona_file = '{}'\n", absolute.display());
    let run = project.file("dsh.toml", config).dsh(&["prompt"]);
    assert!(run.stderr.contains("help: write it relative and without `..`: `x.md`"), "{run}");
}

#[cfg(unix)]
#[test]
fn an_absolute_link_that_stays_in_the_folder_is_followed() {
    // C1
    let project = section("link.md").file("docs/real.md", "real");
    std::os::unix::fs::symlink(project.path().join("docs/real.md"), project.path().join("link.md")).unwrap();
    assert!(project.prompt(&[]).ends_with("\n\nreal"));
}

#[test]
fn paths_that_no_system_takes_are_told_in_words() {
    reads!(section("a.md/").file("a.md", "a").dsh(&["prompt"]));
    reads!(section("a\\u0000.md").dsh(&["prompt"]));
}

#[test]
fn a_configuration_that_is_too_large_is_told_what_to_do() {
    reads!(Project::new(&"# x\n".repeat(300_000)).dsh(&["prompt"]));
}

#[test]
fn many_sections_may_be_made_of_one_file() {
    let sections: Vec<String> = (0..100)
        .map(|number| format!("[[sections]]\nname = \"{number}\"\norder = 1\nfile = \"a.md\"\nallow_outside = true\n"))
        .collect();
    let project = Project::new(&sections.concat()).file("a.md", vec![b'x'; 1 << 20]);
    let run = project.dsh(&["prompt"]);
    assert!(run.stderr.contains("error[prompt::too_large]"), "{run}");
    assert!(!run.stderr.contains("file::too_much"), "{run}");
}
