//! From arguments to an exit status.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::args::{Arguments, Command};
use crate::commands;
use crate::outside::Console;
use crate::status::ExitStatus;

/// Runs `dsh` with these arguments, the program's own name first, and prints as C2 says.
///
/// It never panics on any input: what is wrong is printed on standard error and told by the [`ExitStatus`].
///
/// ```
/// use dsh_cli::{ExitStatus, run};
///
/// assert_eq!(run(["dsh", "promt"]), ExitStatus::WrongUse);
/// ```
pub fn run<I>(arguments: I) -> ExitStatus
where
    I: IntoIterator,
    I::Item: Into<OsString> + Clone,
{
    let mut console = Console::new();
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let folders = arguments.iter().filter(|argument| names_a_folder(argument)).count();
    let arguments = match Arguments::try_parse_from(arguments) {
        // clap lets a global option be given once before the command and once after it.
        Ok(_) if folders > 1 => {
            let twice = "the argument '--dir <DIR>' cannot be used multiple times";
            return console.print_usage(&Arguments::command().error(ErrorKind::ArgumentConflict, twice));
        }
        Ok(arguments) => arguments,
        Err(answer) => return console.print_usage(&answer),
    };
    match arguments.command {
        Command::Prompt(prompt) => commands::prompt::run(&arguments.global, &prompt, &mut console),
        Command::Trust(trust) => commands::trust::run(&arguments.global, &trust, &mut console),
    }
}

fn names_a_folder(argument: &OsString) -> bool {
    argument == "--dir" || argument.as_encoded_bytes().starts_with(b"--dir=")
}
