//! Which calls run without anybody being asked, and which never run: `[permissions]` as it holds in this run.

use std::sync::Arc;

use dsh_kernel::{Context, Failure, Plugin};
use dsh_tools::{Decision, PreExecute, PreExecuteEvent};

use super::tools::Tools;
use crate::config;
use crate::diagnostic::{Diagnostic, Report, Sources, one_line};
use crate::names::{fits, quoted};
use crate::trust::{Trust, comes_from_project};

/// The permissions of a layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Permissions {
    /// Names of tools, or beginnings and `*`.
    allow: Vec<String>,
    deny: Vec<Denied>,
}

/// An entry of `deny`, and the place that says it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Denied {
    entry: String,
    /// As words behind it.
    place: String,
}

impl Permissions {
    /// What holds of a configuration. What a project permits holds if it is trusted; what it denies holds anyway (C4). An entry that
    /// means no tool of the project is told: it may be another plugin's, or mistyped.
    pub(super) fn read(
        written: config::Permissions,
        trust: Trust,
        tools: &Tools,
        sources: &Sources,
        report: &mut Report,
    ) -> Self {
        for entry in written.allow.iter().chain(&written.deny) {
            if tools.is_complete() && tools.names_that_fit(&entry.value).next().is_none() {
                let guess = tools.guess(entry.value.trim_end_matches('*'), report);
                report.push(
                    Diagnostic::warning(
                        "config::unmatched_permission",
                        format!("`permissions` means no tool of this project by {}", quoted(&entry.value)),
                    )
                    .at(entry.span, "matches no tool")
                    .with_help_if(guess),
                );
            }
        }
        let holds = |entry: &config::At<String>| trust.is_trusted() || !comes_from_project(sources, entry.span);
        let allow = written.allow.into_iter().filter(holds).map(|entry| entry.value).collect();
        let denied = |entry: config::At<String>| {
            let place = sources.locate(entry.span);
            let place =
                place.map(|place| one_line(&format!(" ({}:{})", place.path, place.start.line))).unwrap_or_default();
            Denied { entry: entry.value, place }
        };
        Self { allow, deny: written.deny.into_iter().map(denied).collect() }
    }

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty()
    }

    fn allows(&self, tool: &str) -> bool {
        self.allow.iter().any(|entry| fits(entry, tool))
    }

    pub(super) fn denies(&self, tool: &str) -> bool {
        self.denied(tool).is_some()
    }

    fn denied(&self, tool: &str) -> Option<&Denied> {
        self.deny.iter().find(|denied| fits(&denied.entry, tool))
    }
}

/// Listens to `tools/pre-execute`, before all others, so that it hears what they have decided: a call that somebody wants to be asked
/// about is allowed where permissions say so, and one that they deny is denied.
///
/// For everyone it also has the host asked about calls of command tools, which nobody else does. For an agent, mounted later, it has
/// the last word.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) permissions: Permissions,
    /// The tools that are asked about.
    pub(super) asked: Vec<String>,
}

impl Plugin for Rules {
    const NAME: &'static str = "permissions";
    type Inject = ();

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let rules = Arc::new(Self { permissions: self.permissions.clone(), asked: self.asked.clone() });
        ctx.prepended().on_waterfall::<PreExecuteEvent, _>(move |call, _event, next| {
            let rules = Arc::clone(&rules);
            async move {
                let mut call = next.run(call).await?;
                rules.decide(&mut call);
                Ok::<_, Failure>(call)
            }
        })?;
        Ok(())
    }
}

impl Rules {
    fn decide(&self, call: &mut PreExecute) {
        let name = call.call().name.clone();
        if let Some(Denied { entry, place }) = self.permissions.denied(&name) {
            call.deny(format!("{} in `permissions.deny`{place} keeps this tool back", quoted(entry)));
        } else if matches!(call.decision(), Decision::Ask { .. }) && self.permissions.allows(&name) {
            call.allow();
        } else if *call.decision() == Decision::Allow && self.asked.contains(&name) && !self.permissions.allows(&name) {
            call.ask("it runs a command");
        }
    }
}
