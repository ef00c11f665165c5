//! What a folder has already that the agents in it are told, and what it is called.

use std::path::Path;

use dsh_system_prompt::show_hidden;
use serde_json::Value;
use toml::de::DeTable;

use crate::config::INSTRUCTION_FILES;
use crate::diagnostic::{Diagnostic, Report};
use crate::names::list;
use crate::outside::{Folder, Reach, ReadError, decode};
use crate::project::instruction_files;

/// Where MCP servers are named for all tools that work on a project.
const SERVERS: &str = ".mcp.json";

/// The most bytes of a file that is looked at.
const LIMIT: u64 = 1 << 20;

/// The most entries of a folder that is looked at.
const MOST: usize = 10_000;

/// The most characters of a project's name.
const LONGEST_NAME: usize = 80;

/// What was found. Names come with their hidden characters shown: others choose them.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What the project is called.
    pub(super) project: String,
    /// The instruction files that are parts of the prompt, the one of the repository's root first.
    pub(super) instructions: Vec<String>,
    /// Those of the folder that are not, for another of it is.
    pub(super) left: Vec<&'static str>,
    /// The MCP servers.
    pub(super) servers: Vec<String>,
    /// The files of `agents/`.
    pub(super) agents: Vec<String>,
    /// The files of `.claude/agents/`.
    pub(super) claude_agents: Vec<String>,
}

impl Found {
    /// Looks at a folder. Nothing in it stands in the way of `init`.
    pub(super) fn look(folder: &Folder, report: &mut Report) -> Self {
        let instructions = instruction_files(folder);
        Self {
            project: project(folder),
            left: left(folder, &instructions),
            instructions: instructions.iter().map(|path| shown(path)).collect(),
            servers: servers(folder, report),
            agents: markdown(folder, "agents"),
            claude_agents: markdown(folder, ".claude/agents"),
        }
    }

    /// What was found, a line each.
    pub(super) fn told(&self) -> Vec<String> {
        let mut lines = Vec::new();
        match self.instructions.as_slice() {
            [] => {}
            [one] => lines.push(format!("`{one}`: a part of the prompt, without being named")),
            all => lines.push(format!("{}: parts of the prompt, without being named", names(all))),
        }
        if let Some(taken) = self.instructions.last().filter(|_| !self.left.is_empty()) {
            lines.push(format!("{}, of which nothing is read beside `{taken}`", names(&self.left)));
        }
        if !self.servers.is_empty() {
            let servers = names(&self.servers);
            lines.push(format!("`{SERVERS}` with {servers}: dsh.toml says how the tools of servers come in"));
        }
        if !self.agents.is_empty() {
            lines.push(format!("{}: agents, if they begin with front matter", names(&self.agents)));
        }
        if !self.claude_agents.is_empty() {
            lines.push(format!("{}: dsh.toml says how they come in", names(&self.claude_agents)));
        }
        lines
    }
}

/// Names as a person reads a list of them.
pub(super) fn names(names: &[impl AsRef<str>]) -> String {
    list(names.iter().map(AsRef::as_ref))
}

/// A name that others chose, on one line, and with nothing in it that cannot be seen.
fn shown(name: &str) -> String {
    show_hidden(name).into_owned()
}

/// The instruction files of the folder itself of which nothing is read, for another one is.
fn left(folder: &Folder, taken: &[String]) -> Vec<&'static str> {
    let (first, others) = INSTRUCTION_FILES;
    let there: Vec<&str> = first.iter().chain(others).copied().filter(|name| is_file(folder, name)).collect();
    let is_taken = |name: &str| taken.iter().any(|path| path == name);
    if there.iter().any(|name| is_taken(name)) {
        there.into_iter().filter(|name| !is_taken(name)).collect()
    } else {
        Vec::new()
    }
}

fn is_file(folder: &Folder, name: &str) -> bool {
    matches!(folder.read(name, Reach::Beneath, 0), Ok(_) | Err(ReadError::TooLarge { .. }))
}

fn text(folder: &Folder, name: &str) -> Option<String> {
    decode(folder.read(name, Reach::Beneath, LIMIT).ok()?).ok()
}

/// The name that the project's own files give it, or its folder's.
fn project(folder: &Folder) -> String {
    let toml = |file: &str, tables: &[&str]| {
        let text = text(folder, file)?;
        // Unlike a table of values, this one is made without recursion.
        let document = DeTable::parse(&text).ok()?;
        let mut table = document.get_ref();
        for name in tables {
            table = table.get(*name)?.get_ref().as_table()?;
        }
        Some(table.get("name")?.get_ref().as_str()?.to_owned())
    };
    let json = || -> Option<String> {
        let document: Value = serde_json::from_str(&text(folder, "package.json")?).ok()?;
        Some(document.get("name")?.as_str()?.to_owned())
    };
    let of_folder = || Some(folder.path().canonicalize().ok()?.file_name()?.to_string_lossy().into_owned());
    [
        toml("Cargo.toml", &["package"]),
        json(),
        toml("pyproject.toml", &["project"]),
        toml("pyproject.toml", &["tool", "poetry"]),
        of_folder(),
    ]
    .into_iter()
    .flatten()
    .map(|name| shown(name.trim()))
    .find(|name| !name.is_empty() && name.chars().count() <= LONGEST_NAME)
    .unwrap_or_else(|| "this project".to_owned())
}

/// The names of the servers alone: what stands beside them may be a secret (C3).
fn servers(folder: &Folder, report: &mut Report) -> Vec<String> {
    let bytes = match folder.read(SERVERS, Reach::Beneath, LIMIT) {
        Ok(bytes) => bytes,
        Err(ReadError::Missing) => return Vec::new(),
        Err(_) => {
            report.push(unread("it is no file of at most 1 MiB in this folder that can be read"));
            return Vec::new();
        }
    };
    let document: Result<Value, _> = match decode(bytes) {
        Ok(text) => serde_json::from_str(&text),
        Err(error) => {
            report.push(unread(&format!("it is {error}")));
            return Vec::new();
        }
    };
    match document {
        Ok(document) => {
            let servers = document.get("mcpServers").and_then(Value::as_object);
            servers.map(|servers| servers.keys().map(|name| shown(name)).collect()).unwrap_or_default()
        }
        Err(error) => {
            report.push(unread(&format!("it is no JSON: {error}")));
            Vec::new()
        }
    }
}

fn unread(why: &str) -> Diagnostic {
    Diagnostic::warning("init::unread", format!("the servers of `{SERVERS}` are not named in dsh.toml: {why}"))
}

/// The Markdown files in a folder of the project's.
fn markdown(folder: &Folder, path: &str) -> Vec<String> {
    let entries = folder.list(path, MOST).unwrap_or_default();
    let names = entries.iter().filter_map(|name| name.to_str());
    let files =
        names.filter(|name| !name.starts_with('.') && Path::new(name).extension().is_some_and(|end| end == "md"));
    files.map(|name| shown(&format!("{path}/{name}"))).collect()
}
