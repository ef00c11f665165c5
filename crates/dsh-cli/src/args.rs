//! What can be asked on the command line.

mod assignment;
mod check;
mod global;
mod run;
mod sessions;
mod setup;
mod sides;
mod stray;
mod tools;

use clap::{Args, Parser, Subcommand};

pub(crate) use self::assignment::Assignment;
pub(crate) use self::check::{CheckArgs, FailOn, Format};
pub(crate) use self::global::{ColorWhen, GlobalArgs};
pub(crate) use self::run::RunArgs;
pub(crate) use self::sessions::{SessionsAction, SessionsArgs};
pub(crate) use self::setup::{CompletionsArgs, HelpArgs, InitArgs, ManArgs};
pub(crate) use self::sides::{color_asked, on_one_side};
pub(crate) use self::stray::with_hint;
pub(crate) use self::tools::ToolsArgs;

const BEGINNING: &str = "\
To begin, `dsh init` writes a small project. `dsh help env` lists the environment variables that dsh reads, \
`dsh help exit-status` says what each exit status means.";

/// Assemble the system prompt that a project folder describes, and say where every part of it comes from.
#[derive(Debug, Parser)]
#[command(
    name = "dsh",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    subcommand_value_name = "COMMAND",
    term_width = 100,
    after_help = BEGINNING
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands, one module of `commands` each. None has commands of its own: `sides` counts on that.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a small project to begin with: dsh.toml, and its JSON Schema for editors
    Init(InitArgs),
    /// Say something to an agent, and show what it answers and does
    Run(RunArgs),
    /// List, show, export, fork or remove the sessions that `dsh run` keeps
    Sessions(SessionsArgs),
    /// Print the prompt that the project makes, byte for byte, and a newline
    Prompt(PromptArgs),
    /// Show what the prompt is made of: each part with its owner, layer, source and place
    Explain(ExplainArgs),
    /// Print the configuration as it was merged from all files, the environment and flags
    Config(ConfigArgs),
    /// Check the project: assemble every agent's prompt and print all that is wrong
    Check(CheckArgs),
    /// List the project's tools, show one, or call one
    Tools(ToolsArgs),
    /// Show what the project's files ask for beyond being text, and trust it
    Trust(TrustArgs),
    /// Explain a diagnostic code with an example; without one, list all codes
    Rule(RuleArgs),
    /// Print what makes a shell complete the words of dsh
    Completions(CompletionsArgs),
    /// Print the manual page of dsh or of a command, or write all of them
    Man(ManArgs),
    /// Print the help of dsh or of a command, or on the topics `env` and `exit-status`
    Help(HelpArgs),
}

/// The arguments of `dsh prompt`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 fine; 1 the project has findings; 2 wrong use, or a dsh.toml that is not readable as TOML."
)]
pub(crate) struct PromptArgs {
    /// The agent whose prompt is asked for; without it, the prompt that all agents share
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Print the tool block as canonical JSON in place of the prompt
    #[arg(long)]
    pub(crate) tools: bool,
    /// Print one JSON object: prompt, sections with their places in it, tools, variables (see docs/json.md of dsh-cli)
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `dsh explain`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 fine; 1 the project has findings; 2 wrong use, an unknown name, or a dsh.toml that is not readable as TOML."
)]
pub(crate) struct ExplainArgs {
    /// A section, tool or variable: everything about it, and a section's text with its variables marked
    pub(crate) name: Option<String>,
    /// The agent whose prompt is explained; without it, the prompt that all agents share
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Print one JSON object (see docs/json.md of dsh-cli)
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `dsh config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Say of each value where it comes from
    #[arg(long, conflicts_with = "schema")]
    pub(crate) origins: bool,
    /// Print one JSON object, origins included (see docs/json.md of dsh-cli)
    #[arg(long, conflicts_with = "schema")]
    pub(crate) json: bool,
    /// Print the JSON Schema of dsh.toml
    #[arg(long)]
    pub(crate) schema: bool,
}

/// The arguments of `dsh trust`.
#[derive(Debug, Args)]
#[command(
    after_help = "On a terminal it asks; elsewhere `--trust HASH` is the answer yes to what has this hash.\n\nExit status: 0 trusted, or nothing asked for; 1 not trusted, or findings; 2 wrong use, or a dsh.toml that is not readable as TOML."
)]
pub(crate) struct TrustArgs {
    /// Forget what was trusted of this folder
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Print one JSON object, and ask and store nothing (see docs/json.md of dsh-cli)
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) json: bool,
}

/// The arguments of `dsh rule`.
#[derive(Debug, Args)]
#[command(after_help = "Exit status: 0 fine; 2 an unknown code.")]
pub(crate) struct RuleArgs {
    /// A code, such as `config::unknown_key`; its name alone will do where one area has it
    pub(crate) code: Option<String>,
    /// Print one JSON object: code, severity, summary and text of each (see docs/json.md of dsh-cli)
    #[arg(long)]
    pub(crate) json: bool,
}
