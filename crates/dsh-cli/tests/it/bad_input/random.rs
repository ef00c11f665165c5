//! Files of bytes that nobody thought of: no command panics, and each ends in one of the three ways there are.

use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::support::Project;

/// A file of the project, and what a right one says.
#[derive(Clone, Copy)]
struct Kind {
    path: &'static str,
    right: &'static str,
    /// What such files are made of.
    pieces: &'static [&'static str],
}

const CONFIG: Kind = Kind {
    path: "dsh.toml",
    right: "include = [\"base.toml\"]\nmodel = \"m\"\npersona = \"\"\"\nYou help {{who}} on {{ platform }}.\"\"\"\ntool_schemas = [\"tools.json\"]\ntool_order = [\"read\", \"<unlisted-tools>\"]\n[variables]\nwho = 'ö'\ntoken = { env = \"TOKEN\", default = \"{{\" }\n[[sections]]\nname = \"a\\u00e9\"\norder = 1.5\ntext = \"{{\\\"{{\\\"}}\"\n[agents.one]\ntools = { allow = [\"re*\"], deny = [] }\n[profiles.ci]\nidentity = false\n",
    pieces: &[
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        "{{",
        "}}",
        "=",
        ".",
        ",",
        "#",
        "\n",
        "\r\n",
        "\"",
        "\"\"\"",
        "'",
        "'''",
        "\\",
        "\\u00",
        "0x",
        "1e999",
        "nan",
        "-9223372036854775809",
        "true",
        "persona",
        "persona_file",
        "\"agents/one.md\"",
        "sections",
        "variables",
        "agents.one",
        "agents",
        "tools",
        "allow",
        "tool_order",
        "tool_schemas",
        "\"tools.json\"",
        "include",
        "\"dsh.toml\"",
        "profiles",
        "instructions",
        "max_bytes",
        "name",
        "order",
        "text",
        "file",
        "format",
        "\"template\"",
        "env",
        "allow_outside",
        "{{x}}",
        "{{ x }}",
        "{{\"",
        "\u{feff}",
        "\u{202e}",
        "\u{0}",
        "é",
        "1979-05-27",
    ],
};

const TOOLS: Kind = Kind {
    path: "tools.json",
    right: "{\"tools\": [\n  {\"name\": \"read\", \"description\": \"Reads \\u00e9.\", \"inputSchema\": {\"type\": \"object\", \"properties\": {\"path\": {\"type\": \"string\", \"default\": 1.0}}, \"required\": [\"path\"]}},\n  {\"name\": \"write\", \"title\": \"W\"}\n], \"nextCursor\": \"2\"}\n",
    pieces: &[
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        "\"",
        "\"name\"",
        "\"read\"",
        "\"description\"",
        "\"parameters\"",
        "\"inputSchema\"",
        "\"type\"",
        "\"object\"",
        "\"tools\"",
        "\"result\"",
        "\"nextCursor\"",
        "\"properties\"",
        "\"required\"",
        "null",
        "true",
        "1e999",
        "-0",
        "\\ud800",
        "\\",
        "\\u00",
        " ",
        "\n",
        "\u{feff}",
        "\u{200b}",
        "é",
        "\"<unlisted-tools>\"",
        "\"a b\"",
    ],
};

const AGENT: Kind = Kind {
    path: "agents/one.md",
    right: "---\nname: one\ndescription: \"Looks \\u00e9.\"\ntools: [read, 'wri*']\ndeny_tools:\n  - write\nformat: template\n---\n\nYou look at {{who}}.\n",
    pieces: &[
        "---",
        "\n",
        "\r\n",
        "name",
        "description",
        "tools",
        "deny_tools",
        "format",
        ": ",
        ":",
        "template",
        "raw",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        "'",
        "\"",
        "|",
        ">",
        "&a",
        "*a",
        "*",
        "!tag ",
        "? ",
        "# ",
        "~",
        "null",
        "\t",
        "  ",
        "read",
        "wri*",
        "{{who}}",
        "{{ x }}",
        "{{",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "%YAML 1.2",
        "...",
        "<<: ",
        "é",
    ],
};

const INSTRUCTIONS: Kind = Kind {
    path: "AGENTS.md",
    right: "# Build\n\nRun `make`, then `read`. {{not ours}} \u{200b}\u{202e}é\n",
    pieces: &[
        "# ",
        "\n",
        "\r\n",
        "\r",
        "`",
        "read",
        "{{",
        "}}",
        "\u{feff}",
        "\u{202e}",
        "\u{e0041}",
        "\u{200d}",
        "\u{0}",
        "\u{1b}[2J",
        "é",
        " ",
    ],
};

/// What a file says in one case.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Bytes of any kind; pieces of what such a file is made of; a right one with changes in it.
fn content(kind: Kind) -> impl Strategy<Value = Bytes> {
    let piece = || select(kind.pieces).prop_map(|piece| piece.as_bytes().to_vec());
    let change = (any::<Index>(), 0..6_usize, prop_oneof![3 => piece(), 1 => vec(any::<u8>(), 0..4)]);
    let changed = vec(change, 1..6).prop_map(move |changes| {
        let mut bytes = kind.right.as_bytes().to_vec();
        for (at, removed, put) in changes {
            let start = at.index(bytes.len() + 1);
            let end = (start + removed).min(bytes.len());
            bytes.splice(start..end, put);
        }
        bytes
    });
    let pieces = vec(piece(), 0..40).prop_map(|pieces| pieces.concat());
    prop_oneof![1 => vec(any::<u8>(), 0..200), 3 => pieces, 4 => changed].prop_map(Bytes)
}

/// What reads a project, each with the statuses that it may end with.
const COMMANDS: &[&[&str]] = &[
    &["prompt"],
    &["prompt", "--agent", "one", "--json"],
    &["prompt", "--tools", "--json"],
    &["check"],
    &["check", "--format", "json"],
    &["check", "--format", "github"],
    &["check", "--format", "sarif", "--fail-on", "warning"],
    &["explain"],
    &["explain", "--agent", "one", "--json"],
    &["explain", "who"],
    &["config", "--origins"],
    &["config", "--json", "--profile", "ci"],
    &["trust"],
    &["trust", "--json"],
];

fn ends_well(kind: Kind, bytes: &Bytes, command: &[&str]) -> Result<(), TestCaseError> {
    let project = [CONFIG, TOOLS, AGENT, INSTRUCTIONS]
        .iter()
        .fold(Project::empty(), |project, kind| project.file(kind.path, kind.right));
    // `Run` holds that both streams are text.
    let run = project.file("base.toml", "").file(kind.path, &bytes.0).dsh(command);
    prop_assert!(matches!(run.status, Some(0..=2)) && !run.stderr.contains("panicked"), "{}", run);
    prop_assert!(run.status != Some(2) || run.stdout.is_empty() || command[0] == "check", "{}", run);
    if command.contains(&"--json") && !run.stdout.is_empty() {
        match serde_json::from_str::<serde_json::Value>(&run.stdout) {
            Ok(json) => prop_assert_eq!(&json["version"], 1),
            // The numbers of schemas are kept digit for digit, those that fit no reader's, too.
            Err(error) => prop_assert!(error.to_string().starts_with("number out of range"), "{}: {}", error, run),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_any_configuration(bytes in content(CONFIG), command in select(COMMANDS)) {
        ends_well(CONFIG, &bytes, command)?;
    }

    #[test]
    fn of_any_file_of_tools(bytes in content(TOOLS), command in select(COMMANDS)) {
        ends_well(TOOLS, &bytes, command)?;
    }

    #[test]
    fn of_any_file_of_an_agent(bytes in content(AGENT), command in select(COMMANDS)) {
        ends_well(AGENT, &bytes, command)?;
    }

    #[test]
    fn of_any_file_of_instructions(bytes in content(INSTRUCTIONS), command in select(COMMANDS)) {
        ends_well(INSTRUCTIONS, &bytes, command)?;
    }
}
