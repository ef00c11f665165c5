//! The two streams: what a command is for goes to standard output, everything else to standard error (C2).

use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};

use super::ask::ask;
use super::environment::variable;
use super::failure::in_words;
use crate::diagnostic::listing::{Listing, MOST_SHOWN};
use crate::diagnostic::{Counts, Diagnostic, Report, Severity, Sources, render};
use crate::status::ExitStatus;

/// Where a command prints.
#[derive(Debug)]
pub(crate) struct Console {
    /// Bytes as they are: what a command is for has no colours of its own.
    stdout: io::Stdout,
    /// Takes colours out where they are not wanted.
    stderr: AutoStream<io::Stderr>,
    colors: Colors,
    verbosity: Verbosity,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Colors {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How much is said on standard error; what a command is for is printed whole, whatever this says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// Errors alone.
    Quiet,
    /// Warnings and notes, too.
    #[default]
    Normal,
    /// And what was read, from where.
    Verbose,
}

impl Console {
    /// The console of this process.
    pub(crate) fn new(colors: Colors, verbosity: Verbosity) -> Self {
        Self { stdout: io::stdout(), stderr: coloured(io::stderr(), colors), colors, verbosity }
    }

    /// Prints what the command is for, exactly these bytes, and ends the command with `status`.
    ///
    /// A reader that closed its end has what it wanted: that is quiet, and changes nothing of what was found (C2).
    pub(crate) fn print(&mut self, bytes: &[u8], status: ExitStatus) -> ExitStatus {
        match self.stdout.write_all(bytes).and_then(|()| self.stdout.flush()) {
            Ok(()) => status,
            Err(error) => self.lost_output(&error, status),
        }
    }

    /// Prints clap's answer: help and version are what was asked for, all else is wrong use.
    pub(crate) fn print_usage(&mut self, answer: &clap::Error) -> ExitStatus {
        let status = if answer.use_stderr() { ExitStatus::WrongUse } else { ExitStatus::Success };
        let text = answer.render().ansi().to_string();
        if answer.use_stderr() {
            // A message about wrong use that nobody reads is still wrong use.
            drop(self.stderr.write_all(text.as_bytes()));
            return status;
        }
        self.print_styled(&text, status)
    }

    /// Prints what the command is for where that is for people, with colours where they are wanted; otherwise as [`Console::print`].
    pub(crate) fn print_styled(&mut self, text: &str, status: ExitStatus) -> ExitStatus {
        let mut stdout = coloured(io::stdout(), self.colors);
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => status,
            Err(error) => self.lost_output(&error, status),
        }
    }

    /// Says all that a run of a command has to say on standard error: where more is wanted, what was done and read; then what was found.
    pub(crate) fn conclude(&mut self, report: Report, sources: &Sources) {
        self.say_more(&report, sources);
        self.report(&report.into_sorted(), sources);
    }

    /// Says what was done and which files were read, a line each, where more is wanted.
    pub(crate) fn say_more(&mut self, report: &Report, sources: &Sources) {
        if self.verbosity != Verbosity::Verbose {
            return;
        }
        // What was looked for in vain stands among the sources without a text.
        let read = sources.iter().filter(|source| !source.text.is_empty()).map(|source| {
            let verb = if source.is_file() { "read" } else { "heard" };
            format!("{verb} {}", source.path)
        });
        let lines = report.told().iter().cloned().chain(read);
        // A blank line keeps them apart from what was found.
        let text: String = lines.map(|line| render::note(&line) + "\n").chain(["\n".to_owned()]).collect();
        drop(self.stderr.write_all(text.as_bytes()));
    }

    /// Reports on standard error, in the order given, with a count where there is more than one error.
    pub(crate) fn report(&mut self, diagnostics: &[Diagnostic], sources: &Sources) {
        let wanted =
            |diagnostic: &&Diagnostic| self.verbosity != Verbosity::Quiet || diagnostic.severity == Severity::Error;
        let diagnostics: Vec<&Diagnostic> = diagnostics.iter().filter(wanted).collect();
        let Listing { mut text, whole } = Listing::of(&diagnostics, sources);
        let errors = Counts::of(diagnostics.iter().copied()).errors;
        let others = diagnostics.len() - errors;
        let count = match errors {
            _ if errors > MOST_SHOWN => format!("\ndsh: {errors} errors, of which the first {MOST_SHOWN} are shown\n"),
            0 | 1 if whole => String::new(),
            _ if whole => format!("\ndsh: {errors} errors\n"),
            _ => format!("\ndsh: {errors} errors and {others} warnings, of which the first {MOST_SHOWN} are shown\n"),
        };
        text.push_str(&count);
        // Nobody is left to be told that standard error cannot be written.
        drop(self.stderr.write_all(text.as_bytes()));
    }

    /// Says something on standard error that is no diagnostic: how a conversation goes on.
    pub(crate) fn say(&mut self, text: &str) {
        if self.verbosity != Verbosity::Quiet {
            // Nobody is left to be told that standard error cannot be written.
            drop(self.stderr.write_all(text.as_bytes()));
        }
    }

    /// Whether somebody can be asked: standard input and standard error are a terminal.
    pub(crate) fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && self.stderr.is_terminal()
    }

    /// Whether what is printed is seen on a terminal.
    pub(crate) fn shows_output(&self) -> bool {
        self.stdout.is_terminal()
    }

    /// Asks on standard error, and takes a line of standard input; an answer that cannot be had is a no.
    pub(crate) fn ask(&mut self, question: &str) -> bool {
        ask(question, &mut io::stdin().lock(), &mut self.stderr).unwrap_or(false)
    }

    /// When colours are used, for whoever prints while the command goes on.
    pub(crate) fn colors(&self) -> Colors {
        self.colors
    }

    /// How much is said, for whoever prints while the command goes on.
    pub(crate) fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// What a command ends with whose output could not be written, and that would have ended with `status`.
    fn lost_output(&mut self, error: &io::Error, status: ExitStatus) -> ExitStatus {
        if error.kind() == ErrorKind::BrokenPipe {
            return status;
        }
        self.report(&[output_lost(error)], &Sources::new());
        // Nothing was used wrongly but what was before.
        if status == ExitStatus::WrongUse { status } else { ExitStatus::Findings }
    }
}

/// Standard output could not be written.
pub(crate) fn output_lost(error: &io::Error) -> Diagnostic {
    Diagnostic::error("cli::output_lost", format!("standard output cannot be written: {}", in_words(error)))
}

/// Takes colours out where they are not wanted.
pub(super) fn coloured<S: anstream::stream::RawStream>(stream: S, colors: Colors) -> AutoStream<S> {
    let choice = if wanted(colors, stream.is_terminal(), variable) { ColorChoice::Always } else { ColorChoice::Never };
    AutoStream::new(stream, choice)
}

/// The environment can take a terminal its colours. It never gives them to what is none (C2): `--color` does.
fn wanted(colors: Colors, is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    match colors {
        Colors::Always => true,
        Colors::Never => false,
        Colors::Auto => {
            is_terminal
                && variable("NO_COLOR").is_none()
                && variable("CLICOLOR").is_none_or(|value| value != "0")
                && variable("TERM").is_none_or(|value| value != "dumb")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Colors, wanted};

    #[test]
    fn a_terminal_has_colours_unless_the_environment_takes_them() {
        // C2
        let auto = |is_terminal, set: &[(&str, &str)]| {
            wanted(Colors::Auto, is_terminal, |name| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into())
            })
        };
        assert!(auto(true, &[]) && auto(true, &[("TERM", "xterm"), ("CLICOLOR", "1")]));
        for set in [("NO_COLOR", "1"), ("NO_COLOR", "0"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
            assert!(!auto(true, &[set]), "{set:?}");
        }
        assert!(!auto(false, &[]) && !auto(false, &[("CLICOLOR_FORCE", "1")]));
    }

    #[test]
    fn who_asks_for_colours_or_for_none_is_heard() {
        assert!(wanted(Colors::Always, false, |_| Some("1".into())));
        assert!(!wanted(Colors::Never, true, |_| None));
    }
}
