//! From arguments to an exit status.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use crate::args::{Arguments, ColorWhen, Command, InitArgs, color_asked, on_one_side, with_hint};
use crate::commands;
use crate::diagnostic::one_line;
use crate::outside::environment::variable;
use crate::outside::{Colors, Console, Verbosity};
use crate::status::ExitStatus;

/// Runs `dsh` with these arguments, the program's own name first, and with what the environment says where they say nothing (C5);
/// prints as C2 says.
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
    let arguments = on_one_side(arguments.into_iter().map(Into::into).collect());
    match parsed_visibly(&arguments) {
        Ok(arguments) => {
            let mut console = Console::new(colors(arguments.global.color), arguments.global.verbosity());
            dispatch(&arguments, &mut console)
        }
        Err(answer) => {
            let by_environment = || ColorWhen::of_environment(variable).ok().flatten();
            let colors = colors(color_asked(&arguments).or_else(by_environment));
            Console::new(colors, Verbosity::Normal).print_usage(&visibly(answer, &arguments))
        }
    }
}

/// As [`parsed`]; what is said of wrong arguments has what nobody sees in them as escapes (X12), as all messages have. Clap shows
/// arguments as they are, with its own colours around them.
fn parsed_visibly(arguments: &[OsString]) -> Result<Arguments, clap::Error> {
    parsed(arguments).map_err(|answer| {
        let visible: Vec<OsString> = arguments
            .iter()
            .map(|argument| argument.to_str().map_or_else(|| argument.clone(), |text| one_line(text).into()))
            .collect();
        let is_visible = visible == arguments;
        if is_visible { answer } else { parsed(&visible).err().unwrap_or(answer) }
    })
}

fn parsed(arguments: &[OsString]) -> Result<Arguments, clap::Error> {
    let Arguments { global, command } = Arguments::try_parse_from(arguments).map_err(with_hint)?;
    let global = global.with_environment(variable);
    let global = global.map_err(|problem| Arguments::command().error(ErrorKind::InvalidValue, one_line(&problem)))?;
    Ok(Arguments { global, command })
}

/// The answer as it is to arguments whose hidden characters are written as escapes: what it quotes of them can be seen, and moves
/// nothing on a terminal (X12). No option or command has such a character, so the answer is the same one.
fn visibly(answer: clap::Error, arguments: &[OsString]) -> clap::Error {
    if answer.kind() == ErrorKind::InvalidUtf8 {
        // It quotes nothing.
        return answer;
    }
    let visible = |argument: &OsString| OsString::from(one_line(&argument.to_string_lossy()));
    let visible: Vec<OsString> = arguments.iter().map(visible).collect();
    if visible == arguments {
        return answer;
    }
    match parsed(&visible) {
        Err(visible) => visible,
        // Only an answer about something else than the arguments can be gone with them.
        Ok(_) => answer,
    }
}

fn colors(when: Option<ColorWhen>) -> Colors {
    match when.unwrap_or_default() {
        ColorWhen::Auto => Colors::Auto,
        ColorWhen::Always => Colors::Always,
        ColorWhen::Never => Colors::Never,
    }
}

fn dispatch(Arguments { global, command }: &Arguments, console: &mut Console) -> ExitStatus {
    match command {
        Command::Check(check) => commands::check::run(global, check, console),
        Command::Config(config) => commands::config::run(global, config, console),
        Command::Explain(explain) => commands::explain::run(global, explain, console),
        Command::Prompt(prompt) => commands::prompt::run(global, prompt, console),
        Command::Tools(tools) => commands::tools::run(global, tools, console),
        Command::Run(run) => commands::run::run(global, run, console),
        Command::Sessions(sessions) => commands::sessions::run(global, sessions, console),
        Command::Trust(trust) => commands::trust::run(global, trust, console),
        Command::Rule(rule) => commands::rule::run(rule, console),
        Command::Init(InitArgs {}) => commands::init::run(global, console),
        Command::Completions(completions) => commands::completions::run(completions, console),
        Command::Man(man) => commands::man::run(man, console),
        Command::Help(help) => commands::help::run(help, console),
    }
}
