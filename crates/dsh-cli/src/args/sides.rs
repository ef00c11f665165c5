//! Global options may stand before a command or behind it. clap hears each side for itself, and what stands behind hides what stands
//! before: `--set a=1` would be lost, and a folder named twice would not be told. So what stands before is put behind, first.

use std::ffi::{OsStr, OsString};

use clap::builder::ArgAction;
use clap::{Arg, CommandFactory, ValueEnum};

use super::{Arguments, ColorWhen};

/// The arguments with all global options behind the command.
pub(crate) fn on_one_side(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let root = Arguments::command();
    let mut at = 1;
    while let Some(width) = arguments.get(at).and_then(|argument| width(&root, argument)) {
        at += width;
    }
    let names_a_command = |argument: &OsString| !argument.as_encoded_bytes().starts_with(b"-");
    if arguments.get(at).is_some_and(names_a_command)
        && let Some(side) = arguments.get_mut(1..=at)
    {
        side.rotate_right(1);
    }
    arguments
}

/// How many arguments the global option takes that begins here; nothing, if none does.
fn width(root: &clap::Command, argument: &OsStr) -> Option<usize> {
    let globals = || root.get_arguments().filter(|arg| arg.is_global_set());
    if let Some(long) = argument.as_encoded_bytes().strip_prefix(b"--") {
        let mut halves = long.splitn(2, |byte| *byte == b'=');
        let name = halves.next()?;
        let arg = globals().find(|arg| arg.get_long().is_some_and(|long| long.as_bytes() == name))?;
        return Some(if halves.next().is_none() && takes_value(arg) { 2 } else { 1 });
    }
    let shorts = argument.to_str()?.strip_prefix('-')?;
    let is_flag = |short| globals().any(|arg| arg.get_short() == Some(short) && !takes_value(arg));
    (!shorts.is_empty() && shorts.chars().all(is_flag)).then_some(1)
}

fn takes_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
}

/// When to use colours, of arguments that clap refuses: its message is to have them or not, too.
pub(crate) fn color_asked(arguments: &[OsString]) -> Option<ColorWhen> {
    let mut arguments = arguments.iter().skip(1).map(|argument| argument.to_str());
    loop {
        let when = match arguments.next()? {
            Some("--color") => arguments.next()?,
            argument => argument.and_then(|argument| argument.strip_prefix("--color=")),
        };
        if let Some(when) = when.and_then(|when| ColorWhen::from_str(when, false).ok()) {
            return Some(when);
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::Arguments;
    use super::{ColorWhen, color_asked, on_one_side};

    fn moved(line: &str) -> String {
        let arguments = on_one_side(line.split(' ').map(Into::into).collect());
        arguments.iter().map(|argument| argument.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_stands_before_the_command_is_put_behind_it() {
        assert_eq!(moved("dsh --dir a -qv --set=x=1 --color never prompt --dir b"), {
            "dsh prompt --dir a -qv --set=x=1 --color never --dir b"
        });
        assert_eq!(moved("dsh --quiet promt x"), "dsh promt --quiet x");
    }

    #[test]
    fn what_is_no_global_option_stays_where_it_is() {
        for line in [
            "dsh",
            "dsh prompt --dir a",
            "dsh --dir",
            "dsh --dir prompt",
            "dsh --help prompt",
            "dsh -q --help prompt",
            "dsh --dirs a prompt",
            "dsh -qx prompt",
            "dsh - prompt",
            "dsh -- prompt",
            "dsh --quiet",
        ] {
            assert_eq!(moved(line), line);
        }
    }

    #[test]
    fn no_command_has_commands_of_its_own() {
        let root = Arguments::command();
        assert!(root.get_subcommands().all(|command| command.get_subcommands().next().is_none()));
    }

    #[test]
    fn colours_are_heard_in_arguments_that_are_wrong() {
        let asked = |line: &str| color_asked(&line.split(' ').map(Into::into).collect::<Vec<_>>());
        assert_eq!(asked("dsh promt --color always"), Some(ColorWhen::Always));
        assert_eq!(asked("dsh --color=never promt"), Some(ColorWhen::Never));
        assert_eq!(asked("dsh promt --color"), None);
        assert_eq!(asked("dsh promt --color often"), None);
    }

    #[test]
    fn the_description_of_the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
