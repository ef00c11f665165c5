//! The two streams: what a command is for goes to standard output, everything else to standard error (C2).

use std::io::{self, ErrorKind, Write};

use anstream::AutoStream;

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
        Self { stdout: io::stdout(), stderr: AutoStream::auto(io::stderr()) }
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
        match answer.print() {
            Ok(()) => status,
            // A message about wrong use that nobody reads is still wrong use.
            Err(_) if answer.use_stderr() => status,
            Err(error) => self.lost_output(&error),
        }
    }

    /// Reports on standard error, in the order given, with a count where there is more than one error.
    pub(crate) fn report(&mut self, diagnostics: &[Diagnostic], sources: &Sources) {
        let shown = diagnostics.get(..MOST_SHOWN).unwrap_or(diagnostics);
        let mut text: String =
            shown.iter().map(|diagnostic| render::human(diagnostic, sources)).collect::<Vec<_>>().join("\n\n");
        if !text.is_empty() {
            text.push('\n');
        }
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
        let count = match errors {
            0 | 1 => String::new(),
            _ if shown.len() < diagnostics.len() => {
                format!("\ndsh: {errors} errors, of which the first {MOST_SHOWN} are shown\n")
            }
            _ => format!("\ndsh: {errors} errors\n"),
        };
        text.push_str(&count);
        // Nobody is left to be told that standard error cannot be written.
        drop(self.stderr.write_all(text.as_bytes()));
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
