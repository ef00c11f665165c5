//! `dsh config`: the configuration as it was merged, and where each value of it comes from (C5).

mod print;

use crate::args::{ConfigArgs, GlobalArgs};
use crate::commands::open_project;
use crate::diagnostic::{Report, Sources};
use crate::outside::Console;
use crate::status::ExitStatus;

/// The JSON Schema of `dsh.toml`, for editors.
pub(crate) const SCHEMA: &str = include_str!("../../schema/dsh.schema.json");

/// Runs the command. What is wrong with the configuration is reported, and what was read of it printed all the same.
pub(crate) fn run(global: &GlobalArgs, arguments: &ConfigArgs, console: &mut Console) -> ExitStatus {
    if arguments.schema {
        return console.print(SCHEMA.as_bytes(), ExitStatus::Success);
    }
    let mut sources = Sources::new();
    let mut report = Report::new();
    let project = open_project(global, &mut sources, &mut report);
    let status = match &project {
        Err(status) => *status,
        Ok(_) if report.has_errors() => ExitStatus::Findings,
        Ok(_) => ExitStatus::Success,
    };
    console.conclude(report, &sources);
    let Ok(project) = project else { return status };
    let values = print::values(&project, &sources);
    let text = if arguments.json { print::json(&project, &values) } else { print::toml(&values, arguments.origins) };
    console.print(text.as_bytes(), status)
}
