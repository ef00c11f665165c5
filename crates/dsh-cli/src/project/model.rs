//! The model that a run speaks to.

use std::sync::Arc;

use dsh_llm::{Model, ScriptedModel};

use super::files::{Files, TEXT_LIMIT};
use crate::config;
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::trust::{Trust, TrustItem, TrustSet, comes_from_project};

/// Where answers come from. A provider is to be one more of these.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelSource {
    /// What it is called: as the configuration says, or as the script does.
    pub(crate) name: Option<String>,
    /// The script, if there is one that is right.
    script: Option<Script>,
    /// Whether there is one that is not.
    is_faulty: bool,
}

#[derive(Clone, Debug)]
struct Script {
    model: ScriptedModel,
    may_run: bool,
}

/// Why there is no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoModel {
    /// Nothing is configured that answers.
    NotConfigured,
    /// The project is not trusted, and its script is left out (C4).
    Untrusted,
    /// What is configured cannot be used, and has been reported.
    Faulty,
}

impl ModelSource {
    /// Reads what `[model]` names; what is wrong with it is reported.
    pub(super) fn read(
        written: &config::Model,
        trust: Trust,
        asks: &TrustSet,
        files: &mut Files<'_>,
        report: &mut Report,
    ) -> Self {
        let script = written.scripted.as_ref().and_then(|file| {
            let source = files.named(file, TEXT_LIMIT, report)?;
            match ScriptedModel::parse(files.sources.text(source)) {
                Ok(model) => {
                    let is_own = !comes_from_project(files.sources, file.path.span);
                    let item = TrustItem::ScriptedModel { path: file.path.value.clone() };
                    Some(Script { model, may_run: is_own || (trust.is_trusted() && asks.contains(&item)) })
                }
                Err(error) => {
                    let diagnostic =
                        Diagnostic::error(error.code(), format!("the script of the model: {}", error.message()));
                    let diagnostic = match error.range() {
                        Some(range) => diagnostic.at(Span::new(source, range), ""),
                        None => diagnostic,
                    };
                    report.push(diagnostic.at(file.path.span, "named here"));
                    None
                }
            }
        });
        let own = || script.as_ref().map(|script| script.model.name().to_owned());
        let name = written.name.as_ref().map(|name| name.value.clone()).or_else(own);
        let is_faulty = written.scripted.is_some() && script.is_none();
        Self { name, script, is_faulty }
    }

    /// The model; `sleep` is what its script waits with.
    pub(crate) fn model<F>(
        &self,
        sleep: impl Fn(std::time::Duration) -> F + Send + Sync + 'static,
    ) -> Result<Arc<dyn Model>, NoModel>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        match &self.script {
            None if self.is_faulty => Err(NoModel::Faulty),
            None => Err(NoModel::NotConfigured),
            Some(Script { may_run: false, .. }) => Err(NoModel::Untrusted),
            Some(script) => Ok(Arc::new(script.model.clone().sleep(sleep))),
        }
    }
}
