//! Which model is asked.

use std::path::Path;
use std::sync::Arc;

use dsh_kernel::Kernel;
use dsh_llm::{Model, ScriptedModel};

use crate::diagnostic::{Diagnostic, Report, Sources, Span};
use crate::outside::{in_words, read_named};
use crate::project::{NoModel, Project};
use crate::status::ExitStatus;

/// Longer scripts are refused.
const LIMIT: u64 = 4 << 20;

/// The model that the command line names, or else the one that is configured; where there is none, that is reported and wrong use.
pub(super) fn model(
    named: Option<&Path>,
    project: &Project,
    sources: &mut Sources,
    report: &mut Report,
) -> Result<Arc<dyn Model>, ExitStatus> {
    // That of the runtime, which every kernel has that is given no other.
    let clock = Kernel::new().root().clock();
    let sleep = move |duration| clock.sleep(duration);
    let Some(path) = named else {
        return project.model.model(sleep).map_err(|why| match no_model(why) {
            Some(diagnostic) => {
                report.push(diagnostic);
                ExitStatus::WrongUse
            }
            None => ExitStatus::Findings,
        });
    };
    let text = read_named(path, LIMIT).map_err(|error| {
        let headline = format!("the script `{}` cannot be read: {}", path.display(), in_words(&error));
        report.push(Diagnostic::error("cli::no_model", headline));
        ExitStatus::WrongUse
    })?;
    let source = sources.add(path.display().to_string(), text);
    match ScriptedModel::parse(sources.text(source)) {
        Ok(model) => Ok(Arc::new(model.sleep(sleep))),
        Err(error) => {
            let diagnostic = Diagnostic::error(error.code(), error.message());
            report.push(match error.range() {
                Some(range) => diagnostic.at(Span::new(source, range), ""),
                None => diagnostic,
            });
            Err(ExitStatus::WrongUse)
        }
    }
}

fn no_model(why: NoModel) -> Option<Diagnostic> {
    Some(match why {
        NoModel::NotConfigured => Diagnostic::error("cli::no_model", "there is no model to ask").with_help(
            "set `model = { scripted = \"FILE\" }` in dsh.toml, or give `--scripted FILE`: a scripted model needs no network",
        ),
        NoModel::Untrusted => Diagnostic::error("cli::no_model", "the project's model is left out: this folder is not trusted")
            .with_help("`dsh trust` shows what the folder asks for, and asks whether to trust it"),
        NoModel::Faulty => return None,
    })
}
