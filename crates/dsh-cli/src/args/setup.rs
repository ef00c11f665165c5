//! The arguments of the commands that are about beginning and about dsh itself: init, completions, man, help.

use std::path::PathBuf;

use clap::{Args, ValueHint};

const WHERE_INIT_WRITES: &str = "\
Without --dir it writes into the working folder itself. It looks at what is there (AGENTS.md, CLAUDE.md, .mcp.json, \
agents/, .claude/agents/) and says how that comes in. What is there it never changes.

Exit status: 0 both files are written; 1 neither is, as where one of them is there already; 2 wrong use.";

const WHERE_COMPLETIONS_GO: &str = "\
Where shells look for it:
  bash  ~/.local/share/bash-completion/completions/dsh
  fish  ~/.config/fish/completions/dsh.fish
  zsh   a file `_dsh` in a folder of $fpath

The others run it when they start.";

/// The arguments of `dsh init`: none but the global ones.
#[derive(Debug, Args)]
#[command(after_help = WHERE_INIT_WRITES)]
pub(crate) struct InitArgs {}

/// The arguments of `dsh completions`.
#[derive(Debug, Args)]
#[command(after_help = WHERE_COMPLETIONS_GO)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// The arguments of `dsh man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command whose page is asked for; without it, the page of dsh
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
    /// Write the pages of dsh and of all its commands into this folder, over those that it wrote before
    #[arg(long, value_name = "FOLDER", conflicts_with = "command", value_hint = ValueHint::DirPath)]
    pub(crate) all: Option<PathBuf>,
}

/// The arguments of `dsh help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// A command, `env` or `exit-status`; without it, dsh itself
    #[arg(value_name = "TOPIC")]
    pub(crate) topic: Option<String>,
}
