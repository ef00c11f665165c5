//! `dsh completions`: what makes a shell complete the words of dsh.

use clap::CommandFactory;

use crate::args::{Arguments, CompletionsArgs};
use crate::outside::Console;
use crate::status::ExitStatus;

/// Runs the command.
pub(crate) fn run(arguments: &CompletionsArgs, console: &mut Console) -> ExitStatus {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "dsh", &mut script);
    console.print(&script, ExitStatus::Success)
}
