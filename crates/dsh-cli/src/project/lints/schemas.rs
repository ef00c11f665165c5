//! Tools that are commands, with parameters that no arguments can be checked with: every call of such a tool would fail.

use dsh_tools::JsonSchema;

use crate::diagnostic::{Diagnostic, Report};
use crate::names::quoted;
use crate::project::Project;

const CODE: &str = "tools::invalid_schema";

/// Reports each such tool, but those that were refused already.
pub(super) fn report(project: &Project, report: &mut Report) {
    for command in &project.tools.commands {
        let name = command.schema.name();
        let place = project.tools.place(name).unwrap_or(command.place);
        if report.has(CODE, place) {
            continue;
        }
        let compiled = command.schema.parameters().map_err(|error| error.to_string());
        let Err(problem) = compiled.and_then(|parameters| JsonSchema::compile(&parameters)) else { continue };
        let headline =
            format!("the parameters of tool {} are no schema that arguments can be checked with", quoted(name));
        report.push(
            Diagnostic::error(CODE, headline)
                .at(place, "every call of it would fail")
                .with_note(problem)
                .with_help("write them as JSON Schema of the dialect that `$schema` names, 2020-12 otherwise; no reference is fetched"),
        );
    }
}
