//! The arguments of `dsh run`.

use std::path::PathBuf;

use clap::Args;

/// The arguments of `dsh run`.
#[derive(Debug, Args)]
#[command(
    after_help = "Standard input that is not a terminal is read to its end, and put behind the message. Ctrl-C cancels the turn, a second one quits; the session stays whole.\n\nExit status: 0 completed; 1 the turn failed, or the project has findings; 2 wrong use, or no model; 3 a limit was reached; 4 the turn ended, and a call was denied since there was nobody to ask; 130 interrupted."
)]
pub(crate) struct RunArgs {
    /// What to say; `-` is all of standard input
    pub(crate) message: Option<String>,
    /// The agent that is to answer; without it, one that has what all agents share
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Go on with this session; the beginning of its name will do where only one begins so
    #[arg(long, value_name = "SESSION", conflicts_with = "continue_last")]
    pub(crate) session: Option<String>,
    /// Go on with the session that began in this folder, and with this agent if one is named, and was used last
    #[arg(long = "continue")]
    pub(crate) continue_last: bool,
    /// Ask the scripted model of this file, relative to the working folder, in place of the configured model
    #[arg(long, value_name = "FILE")]
    pub(crate) scripted: Option<PathBuf>,
    /// Print events, a line of JSON each (see docs/json.md of dsh-cli)
    #[arg(long)]
    pub(crate) json: bool,
}
