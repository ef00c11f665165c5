//! What can be asked of `dsh tools`.

use clap::Args;

/// The arguments of `dsh tools`.
#[derive(Debug, Args)]
#[command(
    override_usage = "dsh tools [NAME] [OPTIONS]\n       dsh tools call NAME [--args JSON] [OPTIONS]",
    after_help = "`dsh tools call NAME` runs a tool as an agent's call would: its arguments are checked, permissions hold, and what they do \
                  not allow is asked on a terminal and denied elsewhere. Commands of a project run once it is trusted.\n\nExit status: 0 \
                  fine; 1 the tool failed or was not run, or the project has findings; 2 wrong use, an unknown name, or a dsh.toml that is \
                  not readable as TOML."
)]
pub(crate) struct ToolsArgs {
    /// A tool: everything about it; or `call` and a tool, to run it
    #[arg(value_name = "NAME", num_args = 0..=2)]
    pub(crate) words: Vec<String>,
    /// What the tool is called with, a JSON object; `-` reads it from standard input
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Option<String>,
    /// The agent whose tools are meant; without it, those of all
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Print one JSON object (see docs/json.md of dsh-cli)
    #[arg(long)]
    pub(crate) json: bool,
}
