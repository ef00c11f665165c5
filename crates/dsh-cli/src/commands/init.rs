//! `dsh init`: a small project to begin with.

mod found;
mod text;

use std::path::Path;

use crate::args::GlobalArgs;
use crate::commands::config::SCHEMA;
use crate::commands::open_at;
use crate::config::FILE_NAME;
use crate::diagnostic::{Diagnostic, Report, Sources, one_line};
use crate::names::list;
use crate::outside::{Console, Folder, NewFile, NotWritten, WriteProblem, create_all, in_words, is_there, may_write};
use crate::status::ExitStatus;
use found::Found;

/// The JSON Schema, where `dsh.toml` names it for editors.
const SCHEMA_NAME: &str = "dsh.schema.json";

/// Runs the command. It writes all or nothing, and over nothing.
pub(crate) fn run(global: &GlobalArgs, console: &mut Console) -> ExitStatus {
    let mut report = Report::new();
    let answer = init(global, &mut report);
    console.conclude(report, &Sources::new());
    match answer {
        Ok(text) => console.print(text.as_bytes(), ExitStatus::Success),
        Err(status) => status,
    }
}

/// What was written, what was found, and what to do next.
fn init(global: &GlobalArgs, report: &mut Report) -> Result<String, ExitStatus> {
    let path = global.dir.as_deref().unwrap_or(Path::new("."));
    let folder = open_at(path, global, report)?;
    let there: Vec<String> = [FILE_NAME, SCHEMA_NAME]
        .into_iter()
        .filter(|name| is_there(folder.path(), name))
        .map(|name| folder.display(name))
        .collect();
    if !there.is_empty() {
        report.push(exists(&there));
        return Err(ExitStatus::Findings);
    }
    let found = Found::look(&folder, report);
    let files = [
        NewFile { name: FILE_NAME.to_owned(), content: text::dsh_toml(&found) },
        NewFile { name: SCHEMA_NAME.to_owned(), content: SCHEMA.to_owned() },
    ];
    create_all(folder.path(), &files).map_err(|not_written| {
        report.push(refused(&folder, not_written));
        ExitStatus::Findings
    })?;
    if let Some(above) = folder.nearest_above(FILE_NAME) {
        let note = format!("there is a dsh.toml above, too, in `{above}`");
        report.push(
            Diagnostic::note("init::above", note).with_help("from this folder on, dsh takes the one that was written"),
        );
    }
    Ok(answer(&folder, &found))
}

fn exists(there: &[String]) -> Diagnostic {
    let (verb, them) = if there.len() == 1 { ("is", "it") } else { ("are", "them") };
    let names = list(there.iter().map(String::as_str));
    Diagnostic::error("init::exists", format!("{names} {verb} there already, so nothing was written"))
        .with_help(format!("to begin anew, move {them} away first"))
}

fn refused(folder: &Folder, NotWritten { name, problem }: NotWritten) -> Diagnostic {
    let path = folder.display(&name);
    match problem {
        // It was not there a moment ago.
        WriteProblem::Exists => exists(&[path]),
        WriteProblem::NoFolder => {
            Diagnostic::error("init::not_written", format!("`{path}` cannot be written: the folder is gone"))
        }
        WriteProblem::Failed(error) => {
            Diagnostic::error("init::not_written", format!("`{path}` cannot be written: {}", in_words(&error)))
                .with_note("nothing was written")
                .with_help_if(may_write(&error).map(str::to_owned))
        }
    }
}

/// A path as it is typed in a shell.
fn for_a_shell(path: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "/._-~".contains(character);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

fn answer(folder: &Folder, found: &Found) -> String {
    let wrote = [FILE_NAME, SCHEMA_NAME].map(|name| format!("wrote {}\n", one_line(&folder.display(name))));
    let found = found.told().into_iter().map(|line| format!("found {line}\n"));
    let dir = match folder.display("") {
        here if here.is_empty() => String::new(),
        elsewhere => format!(" --dir {}", for_a_shell(elsewhere.trim_end_matches('/'))),
    };
    let next = format!("\nNext: `dsh prompt{dir}` prints the prompt, `dsh check{dir}` says what is wrong with it.\n");
    wrote.into_iter().chain(found).chain([next]).collect()
}
