//! The `dsh.toml` that `init` writes.
//!
//! Nothing that was found can break out of its place: a comment has one line, a string is written by the TOML crate, and the project's
//! name is a variable's value, which no template looks at.

use toml::Value;

use super::found::{Found, names};
use crate::config::INSTRUCTION_FILES;

/// So many servers have a file named for them.
const MOST_SERVERS: usize = 12;

/// The whole file.
pub(super) fn dsh_toml(found: &Found) -> String {
    [
        "#:schema ./dsh.schema.json\n",
        HEAD,
        &tools(found),
        &instructions(found),
        VARIABLES,
        &format!("project = {}\n", string(&found.project)),
        VARIABLES_MORE,
        SECTION,
        &agents(found),
        PROFILE,
    ]
    .concat()
}

const HEAD: &str = r#"
# What the agents of this project are told: `dsh prompt` prints it, `dsh check` says what is wrong with it.
# Personas and texts are templates, in which {{name}} stands for a variable. What is in a section's file stands for itself.

persona = "You work on {{project}}."
"#;

const VARIABLES: &str = "
[variables]
";

const VARIABLES_MORE: &str = r#"# team = { env = "TEAM", default = "the team" } # from the environment, once you trust the project: `dsh trust`
"#;

const SECTION: &str = r#"
# The prompt is made of sections. They stand by their order: 0 is the persona, 10 the instruction files, 100 to 199 what
# explains tools.
[[sections]]
name = "project:conventions"
order = 20
text = """
# Conventions

Keep changes small, and say what you did not do."""
# file = "docs/conventions.md" # in place of text
"#;

/// An agent to begin with.
struct Sample {
    name: &'static str,
    description: &'static str,
    persona: &'static str,
}

const SAMPLES: [Sample; 3] = [
    Sample {
        name: "reviewer",
        description: "Reviews changes.",
        persona: "You review changes to {{project}}, and change nothing yourself.",
    },
    Sample {
        name: "tester",
        description: "Tries changes out.",
        persona: "You try out what changes in {{project}}, and mend nothing yourself.",
    },
    Sample {
        name: "guide",
        description: "Answers questions.",
        persona: "You answer questions about {{project}}, and change nothing yourself.",
    },
];

/// Where all these names are taken.
const ANOTHER: Sample = Sample {
    name: "another",
    description: "What it is for.",
    persona: "You work on {{project}}, and change nothing yourself.",
};

const PROFILE: &str = r#"
# A profile is laid over all this where it is asked for: `dsh prompt --profile ci`.
# [profiles.ci]
# persona = "You work on {{project}}, and nobody is there to ask."
"#;

fn tools(found: &Found) -> String {
    let mut lines =
        vec!["\n# The schemas of tools: lists of them, or what MCP servers answer to tools/list.".to_owned()];
    let mut files = files_of(&found.servers);
    if files.is_empty() {
        files.push("tools.json".to_owned());
    } else {
        let servers = names(&found.servers);
        lines.push(format!("# `.mcp.json` has {servers}. dsh starts no server: keep what each answers in a file."));
    }
    let files: Vec<String> = files.iter().map(|file| string(file)).collect();
    lines.push(format!("# tool_schemas = [{}]\n", files.join(", ")));
    lines.join("\n")
}

fn instructions(found: &Found) -> String {
    let (first, others) = INSTRUCTION_FILES;
    let called: Vec<&str> = first.iter().chain(others).copied().collect();
    let head = format!(
        "\n# Instruction files are found by themselves, one a folder ({}), from the\n# repository's root down to here.",
        called.join(", else ")
    );
    let not = if found.left.is_empty() { String::new() } else { format!(", and not {}", names(&found.left)) };
    let here = match found.instructions.as_slice() {
        [] => String::new(),
        [one] => format!(" Here, that is `{one}`{not}."),
        all => format!(" Here, these are {}{not}.", names(all)),
    };
    format!("{head}{here}\n# instructions = {{ max_bytes = 65536 }} # or false, for none\n")
}

fn agents(found: &Found) -> String {
    let mut lines =
        vec!["\n# An agent has all that is said above, and of its own what is said in its table.".to_owned()];
    if !found.agents.is_empty() {
        lines.push(format!(
            "# Files of agents/ are agents, too, if they begin with front matter: {}.",
            names(&found.agents)
        ));
    }
    if !found.claude_agents.is_empty() {
        lines.push(format!("# Copied to agents/, these are agents here: {}.", names(&found.claude_agents)));
    }
    // A name that no file there has: two agents of one name are refused.
    let is_free = |sample: &Sample| !found.agents.contains(&format!("agents/{}.md", sample.name));
    let Sample { name, description, persona } = SAMPLES.into_iter().find(is_free).unwrap_or(ANOTHER);
    lines.push(format!("# [agents.{name}]\n# description = \"{description}\"\n# persona = \"{persona}\""));
    lines.push("# tools = { deny = [\"write_*\"] } # once there are tools; or allow = [...]\n".to_owned());
    lines.join("\n")
}

/// A string of TOML.
fn string(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// A file for each of the first servers, under names that any system takes, each once.
fn files_of(servers: &[String]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for server in servers.iter().take(MOST_SERVERS) {
        let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
        let name: String = server.chars().take(40).map(plain).collect();
        let taken = |file: &String| files.iter().any(|other| other.eq_ignore_ascii_case(file));
        let file = (1..).map(|count| match count {
            1 => format!("tools/{name}.json"),
            count => format!("tools/{name}-{count}.json"),
        });
        files.extend(file.into_iter().find(|file| !taken(file)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::{Found, dsh_toml, files_of, string};

    /// Names that would end a string, a comment, a line, or begin a variable.
    const HOSTILE: [&str; 6] = ["a\"b", "'''\"\"\"", "x\npersona = 1", "{{nobody}}", "\\", "# {{ \u{0}\u{7f}"];

    #[test]
    fn every_name_of_a_project_comes_back_as_it_is() {
        for name in HOSTILE {
            let found = Found { project: name.to_owned(), ..Found::default() };
            let document: toml::Table = dsh_toml(&found).parse().unwrap();
            assert_eq!(document["variables"]["project"].as_str(), Some(name));
            assert_eq!(document.keys().collect::<Vec<_>>(), ["persona", "variables", "sections"]);
        }
    }

    #[test]
    fn each_server_has_a_file_of_its_own() {
        let servers = ["a b", "a/b", "A-B", "github"].map(str::to_owned);
        assert_eq!(files_of(&servers), ["tools/a-b.json", "tools/a-b-2.json", "tools/A-B-3.json", "tools/github.json"]);
        assert_eq!(string("tools/a-b.json"), "\"tools/a-b.json\"");
    }
}
