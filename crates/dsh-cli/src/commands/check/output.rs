//! What `dsh check` prints.

use serde_json::json;

use crate::args::Format;
use crate::diagnostic::listing::{Listing, MOST_SHOWN};
use crate::diagnostic::{Counts, Diagnostic, Sources, concise, counted, github, json, sarif};
use crate::outside::Console;
use crate::status::ExitStatus;

/// The version of the JSON's shape.
const VERSION: u32 = 1;

/// Where people find more on what they are told.
const MORE: &str = "for more about a code: dsh rule CODE\n";

/// Whose prompts were looked at.
#[derive(Debug)]
pub(super) enum Checked {
    /// Nobody's: the configuration could not be read.
    Nothing,
    /// The one that a project without agents makes.
    Shared,
    /// Those of these agents.
    Agents(Vec<String>),
}

/// Prints it in this form, and ends the command with `status`.
pub(super) fn print(
    format: Format,
    checked: &Checked,
    diagnostics: &[Diagnostic],
    sources: &Sources,
    status: ExitStatus,
    console: &mut Console,
) -> ExitStatus {
    if matches!(format, Format::Sarif) {
        // Who shows the log shows places in files: the rest is for whoever reads what the job printed.
        let unplaced: Vec<Diagnostic> =
            diagnostics.iter().filter(|diagnostic| !sarif::is_placed(diagnostic, sources)).cloned().collect();
        console.report(&unplaced, sources);
    }
    let text = match format {
        Format::Human => return console.print_styled(&human(checked, diagnostics, sources), status),
        Format::Concise => concise::text(diagnostics, sources),
        Format::Json => object(checked, diagnostics, sources, status),
        Format::Github => github::text(diagnostics, sources),
        Format::Sarif => json::printed(&sarif::log(diagnostics, sources, status.code())),
    };
    console.print(text.as_bytes(), status)
}

fn human(checked: &Checked, diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let Listing { mut text, whole } = Listing::of(&diagnostics.iter().collect::<Vec<_>>(), sources);
    if !text.is_empty() {
        text.push('\n');
    }
    let checked = match checked {
        Checked::Nothing => "nothing could be checked".to_owned(),
        Checked::Shared => "1 prompt checked".to_owned(),
        Checked::Agents(names) => format!("{} checked", counted(names.len(), "agent")),
    };
    let counts = Counts::of(diagnostics);
    let cut = if whole { String::new() } else { format!("; {MOST_SHOWN} are shown, `--format concise` shows all") };
    let more = if counts.errors + counts.warnings > 0 { MORE } else { "" };
    format!("{text}dsh: {checked}, {counts}{cut}\n{more}")
}

fn object(checked: &Checked, diagnostics: &[Diagnostic], sources: &Sources, status: ExitStatus) -> String {
    let agents = match checked {
        Checked::Nothing | Checked::Shared => &[],
        Checked::Agents(names) => names.as_slice(),
    };
    json::printed(&json!({
        "version": VERSION,
        "status": status.code(),
        "agents": agents,
        "diagnostics": json::diagnostics(diagnostics, sources),
        "counts": json::counts(Counts::of(diagnostics)),
    }))
}
