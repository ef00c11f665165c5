//! `dsh man`: the manual pages of dsh and of its commands.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::help::{ENVIRONMENT_INTRO, ENVIRONMENT_MORE, variables};
use crate::args::{Arguments, ManArgs};
use crate::diagnostic::{Diagnostic, Sources, one_line};
use crate::names::{nearest, quoted};
use crate::outside::{Console, NewFile, WriteProblem, in_words, may_write, replace_all};
use crate::status::ExitStatus;

/// What each page begins with: a file that does not is somebody else's, and not written over.
const MARK: &str = ".\\\" Made by `dsh man`, which writes over it.\n";

/// What the paragraph of a command's further help begins with that has a section of its own in the page.
const EXIT_STATUS: &str = "Exit status: ";

/// Runs the command.
pub(crate) fn run(arguments: &ManArgs, console: &mut Console) -> ExitStatus {
    let mut root = Arguments::command();
    root.build();
    if let Some(folder) = &arguments.all {
        return write_all(&root, folder, console);
    }
    let command = match arguments.command.as_deref() {
        None => &root,
        Some(name) => match root.get_subcommands().find(|command| command.get_name() == name) {
            Some(command) => command,
            None => return unknown(name, &root, console),
        },
    };
    console.print(page(command).as_bytes(), ExitStatus::Success)
}

fn unknown(name: &str, root: &Command, console: &mut Console) -> ExitStatus {
    let commands = || root.get_subcommands().map(Command::get_name);
    let help = match nearest(name, commands()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the commands are {}", commands().map(quoted).collect::<Vec<_>>().join(", ")),
    };
    let unknown = Diagnostic::error("cli::unknown_command", format!("there is no command {}", quoted(name)));
    console.report(&[unknown.with_help(help)], &Sources::new());
    ExitStatus::WrongUse
}

fn write_all(root: &Command, folder: &Path, console: &mut Console) -> ExitStatus {
    let pages: Vec<NewFile> = std::iter::once(root)
        .chain(root.get_subcommands())
        .map(|command| NewFile { name: format!("{}.1", name(command)), content: page(command) })
        .collect();
    let Err(not_written) = replace_all(folder, &pages, MARK) else {
        let wrote = |page: &NewFile| format!("wrote {}\n", one_line(&folder.join(&page.name).display().to_string()));
        let written: Vec<String> = pages.iter().map(wrote).collect();
        return console.print(written.concat().as_bytes(), ExitStatus::Success);
    };
    let path = folder.join(&not_written.name);
    let (path, folder) = (path.display(), folder.display());
    let (diagnostic, status) = match not_written.problem {
        WriteProblem::NoFolder => {
            let missing = Diagnostic::error("cli::not_a_folder", format!("there is no folder `{folder}`"));
            (missing.with_help("`--all` takes a folder that is there"), ExitStatus::WrongUse)
        }
        WriteProblem::Exists => {
            let exists = Diagnostic::error("man::exists", format!("`{path}` is there and no page of `dsh man`"));
            (exists.with_help("nothing was written: take another folder, or the file away"), ExitStatus::Findings)
        }
        WriteProblem::Failed(error) => (
            Diagnostic::error("man::not_written", format!("`{path}` cannot be written: {}", in_words(&error)))
                .with_help_if(may_write(&error).map(str::to_owned)),
            ExitStatus::Findings,
        ),
    };
    console.report(&[diagnostic], &Sources::new());
    status
}

/// `dsh`, or `dsh-prompt`.
fn name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// The page of a command that was built.
fn page(command: &Command) -> String {
    let version = Arguments::command().get_version().unwrap_or_default().to_owned();
    let man = Man::new(command.clone()).title(name(command)).source(format!("dsh {version}")).manual("dsh");
    let mut sections: Vec<u8> = Vec::new();
    // Writing to a vector does not fail.
    let written = man
        .render_title(&mut sections)
        .and_then(|()| man.render_name_section(&mut sections))
        .and_then(|()| man.render_synopsis_section(&mut sections))
        .and_then(|()| man.render_description_section(&mut sections))
        .and_then(|()| man.render_options_section(&mut sections))
        .and_then(|()| if command.has_subcommands() { man.render_subcommands_section(&mut sections) } else { Ok(()) });
    drop(written);
    let sections = String::from_utf8_lossy(&sections).into_owned() + &further(command).render();
    // Each section begins with the same definition; once is enough.
    let preamble = Roff::new().render();
    format!("{MARK}{preamble}{}", sections.replace(&preamble, ""))
}

/// The sections that clap does not know of.
fn further(command: &Command) -> Roff {
    let mut page = Roff::new();
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (status, notes): (Vec<&str>, Vec<&str>) =
        after.split("\n\n").filter(|part| !part.is_empty()).partition(|part| part.starts_with(EXIT_STATUS));
    for (index, note) in notes.iter().enumerate() {
        if index == 0 {
            page.control("SH", ["NOTES"])
        } else {
            page.control("PP", [])
        };
        // A line that begins with blanks stays a line of its own.
        for line in note.lines() {
            page.text([roman(line)]);
        }
    }
    page.control("SH", ["EXIT STATUS"]);
    if status.is_empty() {
        for (status, meaning) in ExitStatus::MEANINGS {
            page.control("TP", []).text([bold(status.code().to_string())]).text([roman(meaning)]);
        }
    }
    for status in status {
        page.text([roman(status.trim_start_matches(EXIT_STATUS))]);
    }
    if command.has_subcommands() {
        page.control("SH", ["ENVIRONMENT"]).text([roman(ENVIRONMENT_INTRO)]);
        for (name, says) in variables() {
            page.control("TP", []).text([bold(name)]).text([roman(says)]);
        }
        page.control("PP", []).text([roman(ENVIRONMENT_MORE)]);
        page.control("SH", ["FILES"]);
        for (name, says) in FILES {
            page.control("TP", []).text([bold(name)]).text([roman(says)]);
        }
    } else {
        page.control("SH", ["SEE ALSO"]).text([bold("dsh"), roman("(1)")]);
    }
    page
}

/// The files that dsh reads of itself.
const FILES: [(&str, &str); 2] = [
    ("dsh.toml", "the configuration of a project; its folder is the project's"),
    ("~/.config/dsh/config.toml", "your own configuration, of the same form, under that of each project"),
];
