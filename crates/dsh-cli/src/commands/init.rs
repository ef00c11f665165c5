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
use crate::outside::{
    Console, Folder, NewFile, NotWritten, Reach, WriteProblem, create_all, in_words, is_there, may_write,
};
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
    // The schema alone may be what was left by a run that was killed.
    let has_schema = !is_there(folder.path(), FILE_NAME) && says(&folder, SCHEMA_NAME, SCHEMA);
    let names = [Some(FILE_NAME), (!has_schema).then_some(SCHEMA_NAME)];
    let there: Vec<String> = names
        .into_iter()
        .flatten()
        .filter(|name| is_there(folder.path(), name))
        .map(|name| folder.display(name))
        .collect();
    if !there.is_empty() {
        report.push(exists(&there));
        return Err(ExitStatus::Findings);
    }
    let found = Found::look(&folder, report);
    // The configuration last: where it is, all is.
    let schema = || NewFile { name: SCHEMA_NAME.to_owned(), content: SCHEMA.to_owned() };
    let mut files: Vec<NewFile> = (!has_schema).then(schema).into_iter().collect();
    files.push(NewFile { name: FILE_NAME.to_owned(), content: text::dsh_toml(&found) });
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
    Ok(answer(&folder, &found, has_schema))
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
    if path.chars().all(plain) {
        return path.to_owned();
    }
    let is_hidden = |character: &str| one_line(character) != character;
    if !is_hidden(path) {
        return format!("'{}'", path.replace('\'', r"'\''"));
    }
    // The one kind of quotes in which what cannot be seen is written as bytes that can.
    let mut quoted = String::from("$'");
    for character in path.chars() {
        let text = character.to_string();
        match character {
            '\'' | '\\' => quoted.extend(['\\', character]),
            _ if is_hidden(&text) => quoted.extend(text.bytes().map(|byte| format!("\\{byte:03o}"))),
            _ => quoted.push(character),
        }
    }
    quoted + "'"
}

/// Whether the file of this name is there and says exactly this.
fn says(folder: &Folder, name: &str, text: &str) -> bool {
    let most = u64::try_from(text.len()).unwrap_or(u64::MAX);
    folder.read(name, Reach::Beneath, most).is_ok_and(|bytes| bytes == text.as_bytes())
}

fn answer(folder: &Folder, found: &Found, has_schema: bool) -> String {
    let line = |verb: &str, name: &str| format!("{verb} {}\n", one_line(&folder.display(name)));
    let schema = if has_schema { "kept" } else { "wrote" };
    let wrote = [line("wrote", FILE_NAME), line(schema, SCHEMA_NAME)];
    let found = found.told().into_iter().map(|line| format!("found {line}\n"));
    let dir = match folder.display("") {
        here if here.is_empty() => String::new(),
        elsewhere => format!(" --dir {}", for_a_shell(elsewhere.trim_end_matches('/'))),
    };
    let next = format!("\nNext: `dsh prompt{dir}` prints the prompt, `dsh check{dir}` says what is wrong with it.\n");
    wrote.into_iter().chain(found).chain([next]).collect()
}
