//! The two streams: what a command is for goes to standard output, everything else to standard error (C2).

use std::io::{self, ErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};

use super::ask::ask;
use crate::diagnostic::{Diagnostic, Severity, Sources, render};
use crate::status::ExitStatus;

/// At most so many diagnostics are shown: a file that is of another kind altogether may have one for each of its lines.
const MOST_SHOWN: usize = 200;

/// Where a command prints.
#[derive(Debug)]
pub(crate) struct Console {
    /// Bytes as they are: what a command is for has no colours of its own.
    stdout: io::Stdout,
    /// Takes colours out where they are not wanted.
    stderr: AutoStream<io::Stderr>,
}

impl Console {
    /// The console of this process.
    pub(crate) fn new() -> Self {
        Self { stdout: io::stdout(), stderr: coloured(io::stderr()) }
    }

    /// Prints what the command is for, exactly these bytes, and ends the command with `status`.
    ///
    /// A reader that closed its end has what it wanted: that is quiet and 0, whatever `status` is.
    pub(crate) fn print(&mut self, bytes: &[u8], status: ExitStatus) -> ExitStatus {
        match self.stdout.write_all(bytes).and_then(|()| self.stdout.flush()) {
            Ok(()) => status,
            Err(error) => self.lost_output(&error),
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
        let mut stdout = coloured(io::stdout());
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Ok(()) => status,
            Err(error) => self.lost_output(&error),
        }
    }

    /// Reports on standard error, in the order given, with a count where there is more than one error. Where not all can be shown, errors
    /// come before what is none.
    pub(crate) fn report(&mut self, diagnostics: &[Diagnostic], sources: &Sources) {
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        let errors = diagnostics.iter().filter(|diagnostic| is_error(diagnostic)).count();
        let mut others_shown = MOST_SHOWN.saturating_sub(errors);
        let mut fits = |diagnostic: &&Diagnostic| {
            is_error(diagnostic) || others_shown.checked_sub(1).map(|left| others_shown = left).is_some()
        };
        let shown: Vec<&Diagnostic> =
            diagnostics.iter().filter(|diagnostic| fits(diagnostic)).take(MOST_SHOWN).collect();
        let mut text: String =
            shown.iter().map(|diagnostic| render::human(diagnostic, sources)).collect::<Vec<_>>().join("\n\n");
        if !text.is_empty() {
            text.push('\n');
        }
        let others = diagnostics.len() - errors;
        let count = match errors {
            _ if errors > MOST_SHOWN => format!("\ndsh: {errors} errors, of which the first {MOST_SHOWN} are shown\n"),
            0 | 1 if shown.len() == diagnostics.len() => String::new(),
            _ if shown.len() == diagnostics.len() => format!("\ndsh: {errors} errors\n"),
            _ => format!("\ndsh: {errors} errors and {others} warnings, of which the first {MOST_SHOWN} are shown\n"),
        };
        text.push_str(&count);
        // Nobody is left to be told that standard error cannot be written.
        drop(self.stderr.write_all(text.as_bytes()));
    }

    /// Says something on standard error that is no diagnostic: how a conversation goes on.
    pub(crate) fn say(&mut self, text: &str) {
        // Nobody is left to be told that standard error cannot be written.
        drop(self.stderr.write_all(text.as_bytes()));
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

    fn lost_output(&mut self, error: &io::Error) -> ExitStatus {
        if error.kind() == ErrorKind::BrokenPipe {
            return ExitStatus::Success;
        }
        let lost = Diagnostic::error("cli::output_lost", format!("standard output cannot be written: {error}"));
        self.report(&[lost], &Sources::new());
        ExitStatus::WrongUse
    }
}

/// Takes colours out unless this is a terminal, whatever the environment asks for; on one, `NO_COLOR` and the like are heard (C2).
fn coloured<S: anstream::stream::RawStream>(stream: S) -> AutoStream<S> {
    let choice = if stream.is_terminal() { AutoStream::choice(&stream) } else { ColorChoice::Never };
    AutoStream::new(stream, choice)
}
