//! `dsh config`: the configuration as it was merged, and where each value of it comes from (C5).

mod print;

#[cfg(feature = "fuzzing")]
pub(crate) use self::print::document;

use crate::args::{ConfigArgs, GlobalArgs};
use crate::commands::{open_folder, read_project, reported};
use crate::diagnostic::{Report, Sources};
use crate::outside::Console;
use crate::status::ExitStatus;

/// The JSON Schema of `dsh.toml`, for editors.
pub(crate) const SCHEMA: &str = include_str!("../../schema/dsh.schema.json");

/// Runs the command. Nothing is left out of it for want of trust: it shows which variables are read, and no values of the environment.
/// What is wrong with the configuration is reported, and what was read of it printed all the same.
pub(crate) fn run(global: &GlobalArgs, arguments: &ConfigArgs, console: &mut Console) -> ExitStatus {
    if arguments.schema {
        return console.print(SCHEMA.as_bytes(), ExitStatus::Success);
    }
    let mut sources = Sources::new();
    let mut report = Report::new();
    let project =
        open_folder(global, &mut report).and_then(|folder| read_project(&folder, global, &mut sources, &mut report));
    let status = reported(&project, report, &sources, console);
    let Ok(project) = project else { return status };
    let values = print::values(&project, &sources);
    let text = if arguments.json { print::json(&project, &values) } else { print::toml(&values, arguments.origins) };
    console.print(text.as_bytes(), status)
}
