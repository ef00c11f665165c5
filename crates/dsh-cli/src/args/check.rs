//! What can be asked of `dsh check`.

use clap::{Args, ValueEnum};

/// The arguments of `dsh check`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 fine, warnings or not; 1 the project has findings; 2 wrong use, or a dsh.toml that is not readable as TOML."
)]
pub(crate) struct CheckArgs {
    /// Report only what is about this agent or about all of them; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Vec<String>,
    /// How to print what was found, always on standard output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// What makes the exit status 1
    #[arg(long, value_name = "SEVERITY", value_enum, default_value_t = FailOn::Error)]
    pub(crate) fail_on: FailOn,
}

/// A form of what was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// With the lines in question, and what would be right
    Human,
    /// A line each: `file:line:column: error[code]: what is wrong`
    Concise,
    /// One JSON object (see docs/json.md of dsh-cli)
    Json,
    /// Commands that make a job on GitHub annotate the files
    Github,
    /// SARIF 2.1.0, for code hosts and editors
    Sarif,
}

/// The least severity that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Errors alone
    Error,
    /// Warnings too
    Warning,
}
