//! The projects of the rows, in their order: one or more for each.

use crate::support::Project;

/// A project with something wrong in it.
#[derive(Debug)]
pub(super) struct Row {
    /// The row, as the list names it.
    pub(super) name: &'static str,
    pub(super) project: Project,
    /// How `prompt`, `check` and `explain` end.
    pub(super) status: i32,
    /// How `config` and `trust --json` end, which assemble nothing.
    pub(super) reading: i32,
}

/// A project that is not read at all.
fn unread(name: &'static str, project: Project) -> Row {
    Row { name, project, status: 2, reading: 2 }
}

/// A project in whose files something is found.
fn found(name: &'static str, project: Project) -> Row {
    Row { name, project, status: 1, reading: 1 }
}

/// A project whose files are fine by themselves, and whose prompt is not.
fn refused(name: &'static str, project: Project) -> Row {
    Row { name, project, status: 1, reading: 0 }
}

/// A project that is taken as it is.
fn fine(name: &'static str, project: Project) -> Row {
    Row { name, project, status: 0, reading: 0 }
}

/// A project that has one section more, of this file.
fn file(path: &str) -> Project {
    Project::new(&format!("[[sections]]\nname = \"a\"\norder = 1\nfile = \"{path}\"\n"))
}

/// A project with these files of tools, and this order of theirs.
fn tools(order: &str, files: &[&str]) -> Project {
    let names: Vec<String> = (1..=files.len()).map(|number| format!("{number}.json")).collect();
    let project = Project::new(&format!("tool_schemas = {names:?}\n{order}\n"));
    names.iter().zip(files).fold(project, |project, (name, text)| project.file(name, text))
}

/// A project with this persona, and a variable `x`.
fn persona(text: &str) -> Project {
    Project::new(&format!("persona = '''{text}'''\n[variables]\nx = \"y\"\n"))
}

pub(super) fn rows() -> Vec<Row> {
    let read = r#"[{"name": "read"}]"#;
    let mut rows = vec![
        found("unknown key", Project::new("presona = \"x\"\n")),
        found("unknown key", Project::new("[agents.a]\ntool = []\n[profiles.ci]\nmodle = \"x\"\n")),
        found("wrong type", Project::new("persona = 1\nsections = {}\n[variables]\na = []\n")),
        found("wrong type", Project::new("agents = []\ntools = \"x\"\nprofiles = 1\ninclude = {}\n")),
        unread("not TOML", Project::new("persona = \n[")),
        unread("not TOML", Project::new("include = [\"a.toml\"]\n").file("a.toml", "a = b = c\n")),
        found("missing file", file("missing.md")),
        found("missing file", Project::new("tool_schemas = [\"a/b.json\"]\npersona_file = \"dsh.toml/x\"\n")),
        found("file outside the folder", file("../outside.md").file("../outside.md", "OUTSIDE")),
    ];
    rows.extend(links_out());
    rows.extend(no_files());
    rows.extend([
        found("invalid UTF-8", file("a.md").file("a.md", b"\xc3\x28")),
        unread("invalid UTF-8", Project::empty().file("dsh.toml", b"# \x80\n")),
        found("invalid UTF-8", Project::new("").file("AGENTS.md", b"\xff")),
        found("UTF-16", file("a.md").file("a.md", b"\xff\xfea\0")),
        unread("UTF-16", Project::empty().file("dsh.toml", b"\xfe\xff\0a")),
        found("too large", file("a.md").file("a.md", vec![b'x'; (1 << 20) + 1])),
        unread("too large", Project::new(&"#\n".repeat(1 << 20))),
        found("too large", Project::new("").file("AGENTS.md", vec![b'x'; 40_000])),
        fine("byte order mark and CRLF", file("a.md").file("a.md", "\u{feff}One.\r\n\r\nTwo.\r\n")),
        fine("byte order mark and CRLF", Project::new("\u{feff}persona = \"x\"\r\n[variables]\r\na = \"b\"\r\n")),
        found(
            "duplicate section",
            Project::new(
                "[[sections]]\nname = \"a\"\norder = 1\ntext = \"\"\n[[sections]]\nname = \"a\"\norder = 2\ntext = \"\"\n",
            ),
        ),
        refused(
            "duplicate section",
            Project::new("[[sections]]\nname = \"harness:identity\"\norder = 1\ntext = \"Me.\"\n"),
        ),
        found("duplicate tool in two schema files", tools("", &[read, read])),
        found("tool order with a typo", tools("tool_order = [\"raed\", \"<unlisted-tools>\"]", &[read])),
        found("no rest entry or two", tools("tool_order = [\"read\"]", &[read])),
        found("no rest entry or two", tools("tool_order = [\"<unlisted-tools>\", \"<unlisted-tools>\"]", &[read])),
        refused("unknown variable", persona("{{y}}")),
        refused("unknown variable", file("a.md\"\nformat = \"template").file("a.md", "{{nobody}} {{nowhere}}")),
        refused("variable without value", persona("{{model}}")),
        refused("variable without value", Project::new("persona = '{{a}}'\nvariables.a = { env = \"NOBODY_SETS_THIS\" }")),
        refused("{{ model }}", persona("You run on {{ model }}.")),
        refused("{{{x}}}", persona("{{{x}}}")),
        refused("unbalanced braces", persona("{{x} and {{x}}")),
        fine("unbalanced braces", persona("{{x}} and {{x")),
        fine("persona with literal JSON", persona(r#"{"label": "x", "n": {"k": [1, 2]}}"#)),
        refused("persona with literal JSON", persona(r#"{{"label": "x"}}"#)),
        fine("empty configuration", Project::new("")),
        fine("no configuration", Project::empty()),
        fine("no configuration", Project::empty().file("AGENTS.md", "Run the tests. {{nothing}}\n")),
        unread("configuration named and missing", Project::new("").with_env("DSH_DIR", "nowhere")),
        unread("configuration named and missing", Project::new("include = [\"nowhere.toml\"]\n")),
        unread("configuration named and missing", Project::new("").with_env("DSH_PROFILE", "nowhere")),
        found("tool schema that is not an object", tools("", &["[\"read\"]", "7"])),
        found("tool schema that is not an object", tools("", &["[{\"name\": \"read\", \"parameters\": 7}]"])),
        found("tool without a name", tools("", &["[{}]", "[{\"name\": [] }]"])),
        unread("include cycle", Project::new("include = [\"a.toml\"]\n").file("a.toml", "include = [\"dsh.toml\"]\n")),
        fine("init where a file exists", Project::new("persona = \"x\"\n").file("dsh.schema.json", "{}")),
        found("ten mistakes in one file", Project::new(crate::bad_values::TEN_MISTAKES)),
        found(
            "two broken agents of three",
            Project::new("[agents.one]\npersona = \"{{nobody}}\"\n[agents.two]\npersona_file = \"no.md\"\n[agents.three]\n"),
        ),
        found(
            "two broken agents of three",
            Project::new("[agents.three]\n")
                .file("agents/one.md", "---\nname: [\n---\n")
                .file("agents/two.md", b"---\nname: two\n---\n\x80\n"),
        ),
    ]);
    rows
}

#[cfg(unix)]
fn links_out() -> Vec<Row> {
    use std::os::unix::fs::symlink;

    let name = "link out of the folder";
    let linked = |project: Project, link: &str, to: &str| {
        let project = project.file("../outside.md", "OUTSIDE");
        assert!(symlink(to, project.path().join(link)).is_ok(), "{link}");
        project
    };
    vec![
        found(name, linked(file("link.md"), "link.md", "../outside.md")),
        unread(name, linked(Project::empty(), "dsh.toml", "../outside.md")),
        found(name, linked(Project::new(""), "AGENTS.md", "../outside.md")),
        found(name, linked(Project::new("").file("agents/a.md", "---\n---\n"), "agents/b.md", "../../outside.md")),
    ]
}

#[cfg(unix)]
fn no_files() -> Vec<Row> {
    let name = "folder or pipe where a file is meant";
    let piped = |project: Project, path: &str| {
        let made = std::process::Command::new("mkfifo").arg(project.path().join(path)).status();
        assert!(made.is_ok_and(|status| status.success()), "{path}");
        project
    };
    vec![
        found(name, file("folder").file("folder/a.md", "")),
        found(name, piped(file("pipe"), "pipe")),
        unread(name, Project::empty().file("dsh.toml/a", "")),
        unread(name, piped(Project::empty(), "dsh.toml")),
        unread(name, piped(Project::new("include = [\"pipe\"]\n"), "pipe")),
        found(name, piped(Project::new("tool_schemas = [\"pipe\"]\n"), "pipe")),
        found(name, piped(Project::new("").file("agents/a.md", "---\n---\n"), "agents/b.md")),
        found(name, piped(Project::new(""), "AGENTS.md")),
    ]
}

#[cfg(not(unix))]
fn links_out() -> Vec<Row> {
    vec![found("link out of the folder", file("link.md"))]
}

#[cfg(not(unix))]
fn no_files() -> Vec<Row> {
    vec![found("folder or pipe where a file is meant", file("folder").file("folder/a.md", ""))]
}
