//! The arguments of `dsh sessions`.

use clap::{Args, ValueEnum};

/// What is done with sessions. Words rather than commands of a command: `sides` counts on there being none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SessionsAction {
    /// List those of this folder, the last used first
    List,
    /// Show what was said and done in one
    Show,
    /// Print one as its records, a line of JSON each
    Export,
    /// Make a new one of the turns of another, a session of this folder, and print its name
    Fork,
    /// Remove one for good
    Remove,
}

/// The arguments of `dsh sessions`.
#[derive(Debug, Args)]
#[command(
    after_help = "A session is of the folder in which it began, or was forked, wherever it goes on. A session can be named by the beginning of its name, where only one begins so; `last` is the one of this folder that was used last.\n\nExit status: 0 fine; 1 a session that cannot be read, written or removed; 2 wrong use, or a session that is not there."
)]
pub(crate) struct SessionsArgs {
    /// What to do
    #[arg(value_enum, default_value_t = SessionsAction::List)]
    pub(crate) action: SessionsAction,
    /// The session; all but `list` need one
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Of `fork`: the last turn to take over; without it, the last one that has ended
    #[arg(long, value_name = "TURN")]
    pub(crate) turn: Option<u32>,
    /// Of `list`: the sessions of all folders
    #[arg(long)]
    pub(crate) all: bool,
    /// Of `list` and `show`: print one JSON object (see docs/json.md of dsh-cli)
    #[arg(long)]
    pub(crate) json: bool,
}
