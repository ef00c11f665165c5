//! `dsh help`: the help of dsh or of a command, and topics that are no command's.

mod environment;

use clap::{CommandFactory, Parser};

use crate::args::{Arguments, HelpArgs};
use crate::config::ENVIRONMENT;
use crate::diagnostic::{Diagnostic, Sources};
use crate::names::{nearest, quoted};
use crate::outside::Console;
use crate::status::ExitStatus;
use environment::VARIABLES;

/// What is said of the environment before its variables are listed.
pub(super) const ENVIRONMENT_INTRO: &str =
    "An option on the command line wins over the environment. A variable that is empty counts as not set.";

/// What is said of the environment after that (C4).
pub(super) const ENVIRONMENT_MORE: &str = "The files of a project may name more, as in `token = { env = \"TOKEN\" }` under [variables]: \
                                           these are read once the project is trusted, and `dsh trust` lists them. Commands that are tools \
                                           see no more than PATH, HOME, USER, LOGNAME, SHELL, LANG, LANGUAGE, LC_ALL, LC_CTYPE, LC_MESSAGES, TZ and \
                                           TMPDIR (on Windows SYSTEMROOT, PATHEXT, TEMP and USERPROFILE too).";

/// A topic that is no command's, and what is said on it.
type Topic = (&'static str, fn() -> String);

const TOPICS: [Topic; 2] = [("env", environment), ("exit-status", exit_status)];

/// Runs the command.
pub(crate) fn run(arguments: &HelpArgs, console: &mut Console) -> ExitStatus {
    let Some(topic) = arguments.topic.as_deref() else { return of_command(&["dsh", "--help"], console) };
    if let Some((_, text)) = TOPICS.iter().find(|(name, _)| *name == topic) {
        return console.print(text().as_bytes(), ExitStatus::Success);
    }
    let root = Arguments::command();
    let commands: Vec<&str> = root.get_subcommands().map(clap::Command::get_name).collect();
    if commands.contains(&topic) {
        return of_command(&["dsh", topic, "--help"], console);
    }
    let topics = || commands.iter().copied().chain(TOPICS.map(|(name, _)| name));
    let help = match nearest(topic, topics()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there is on {}", topics().map(quoted).collect::<Vec<_>>().join(", ")),
    };
    let unknown = Diagnostic::error("cli::unknown_topic", format!("there is no help on {}", quoted(topic)));
    console.report(&[unknown.with_help(help)], &Sources::new());
    ExitStatus::WrongUse
}

/// What clap answers to these arguments: the same as to a person's `--help`.
fn of_command(arguments: &[&str], console: &mut Console) -> ExitStatus {
    match Arguments::try_parse_from(arguments) {
        Ok(_) => ExitStatus::Success,
        Err(answer) => console.print_usage(&answer),
    }
}

/// The variables that dsh reads, and what each does: its own first, keys of the configuration among them.
pub(super) fn variables() -> impl Iterator<Item = (&'static str, String)> {
    let keys = ENVIRONMENT.iter().map(|(name, key)| (*name, format!("the key `{key}` of dsh.toml")));
    let listed = |own: bool| {
        let listed = VARIABLES.iter().filter(move |variable| variable.name.starts_with("DSH_") == own);
        listed.map(|variable| (variable.name, variable.says.to_owned()))
    };
    listed(true).chain(keys).chain(listed(false))
}

fn environment() -> String {
    let mut text = wrapped(0, "", &format!("The environment variables that dsh reads. {ENVIRONMENT_INTRO}")) + "\n";
    let width = variables().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, says) in variables() {
        text += &wrapped(width + 4, &format!("  {name}"), &says);
    }
    text + "\n" + &wrapped(0, "", ENVIRONMENT_MORE)
}

fn exit_status() -> String {
    let mut text = "The number that dsh ends with:\n\n".to_owned();
    for (status, meaning) in ExitStatus::MEANINGS {
        text += &wrapped(7, &format!("  {}", status.code()), meaning);
    }
    text + "\nWarnings and notes change none of these.\n"
}

/// The words of a text in lines, from this column on, the first of them behind `first`.
fn wrapped(column: usize, first: &str, text: &str) -> String {
    const WIDTH: usize = 100;
    let mut lines = vec![format!("{first:column$}")];
    let mut left = WIDTH - column;
    for (index, word) in text.split(' ').enumerate() {
        let length = word.chars().count() + usize::from(index > 0);
        if index > 0 && length > left {
            lines.push(format!("\n{:column$}{word}", ""));
            left = (WIDTH - column).saturating_sub(length - 1);
        } else {
            lines.push(if index > 0 { format!(" {word}") } else { word.to_owned() });
            left = left.saturating_sub(length);
        }
    }
    lines.concat() + "\n"
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn words_stay_whole_and_lines_short() {
        assert_eq!(wrapped(4, "  a", "b c"), "  a b c\n");
        let lines = wrapped(6, "", &["word"; 30].join(" "));
        assert_eq!(lines.lines().count(), 2);
        assert!(lines.lines().all(|line| line.len() <= 100 && line.starts_with("      word")));
        assert_eq!(wrapped(0, "", &"x".repeat(200)), "x".repeat(200) + "\n");
    }
}
