//! The variables that are always there: `date`, `platform`, `git_branch`.
//!
//! A variable that the project gives all its agents under one of these names takes its place.

use std::ffi::OsStr;
use std::sync::Arc;

use dsh_kernel::{Context, Failure, Plugin};
use dsh_system_prompt::{AssembledVariable, PromptRegistry, PromptVariable, RunFacts, SystemPromptExt, show_hidden};

use crate::calendar::{SECONDS_A_DAY, day};
use crate::diagnostic::{Diagnostic, Report};
use crate::outside::{Environment, Repository};
use crate::trust::Resolved;

/// The second that `date` is of, in place of the present one, so that a prompt can be made anew to the byte.
const SOURCE_DATE: &str = "SOURCE_DATE_EPOCH";

/// The last second of the year 9999, counted from the start of 1970.
const LAST_SECOND: u64 = 253_402_300_799;

/// The built-in variables, with their values in this run.
#[derive(Clone, Debug, Default)]
pub(crate) struct BuiltIns(Vec<(&'static str, Option<Arc<str>>)>);

impl BuiltIns {
    /// What they are in this run.
    pub(super) fn read(environment: &Environment, repository: Option<&Repository>, report: &mut Report) -> Self {
        let date = date(environment, report);
        // Whoever made the repository chose it (X12).
        let branch = repository.and_then(Repository::branch).map(|branch| Arc::from(show_hidden(&branch)));
        Self(vec![
            ("date", Some(date.into())),
            ("platform", Some(environment.platform().into())),
            ("git_branch", branch),
        ])
    }

    /// Those whose names the project leaves to them.
    pub(super) fn beside(&self, own: &[Resolved]) -> Self {
        let is_own = |name: &str| own.iter().any(|variable| variable.name.value == name);
        Self(self.0.iter().filter(|(name, _)| !is_own(name)).cloned().collect())
    }
}

/// Whether a variable is one of these: what the project gives has another owner.
pub(super) fn is_built_in(variable: &AssembledVariable<'_>) -> bool {
    let owner = variable.owner().map(ToString::to_string);
    owner.is_some_and(|owner| [BuiltIns::NAME, RunFacts::NAME].contains(&owner.as_str()))
}

/// What to do where a text refers to a built-in variable that has no value.
pub(super) fn help_without_value(name: &str) -> Option<&'static str> {
    match name {
        "git_branch" => Some(
            "it is what `.git/HEAD` names: there is none outside a repository, and none where no branch is checked out",
        ),
        "model" => Some("write `model = \"…\"` at the top of dsh.toml, or set the environment variable DSH_MODEL"),
        _ => None,
    }
}

impl Plugin for BuiltIns {
    const NAME: &'static str = "built-ins";
    type Inject = (PromptRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        for (name, value) in &self.0 {
            ctx.system_prompt().variable(PromptVariable::new(*name, value.clone()))?;
        }
        Ok(())
    }
}

/// The day of this run, in UTC.
fn date(environment: &Environment, report: &mut Report) -> String {
    let given = environment.var(SOURCE_DATE).filter(|given| !given.is_empty());
    let chosen = given.as_deref().map(seconds);
    if chosen == Some(None) {
        let headline = format!("`{SOURCE_DATE}` is not a number of seconds, so `date` is the day of today");
        report.push(Diagnostic::warning("cli::source_date", headline).with_help(format!(
            "write digits alone: the seconds since the start of 1970 in UTC, {LAST_SECOND} at most"
        )));
    }
    let seconds = chosen.flatten().unwrap_or_else(|| environment.now().as_secs().min(LAST_SECOND));
    day(seconds / SECONDS_A_DAY)
}

/// The seconds that the environment gives.
fn seconds(given: &OsStr) -> Option<u64> {
    let digits = given.to_str().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok().filter(|seconds| *seconds <= LAST_SECOND)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::seconds;

    #[test]
    fn seconds_are_digits_and_not_too_many() {
        assert_eq!(seconds(OsStr::new("1735689600")), Some(1_735_689_600));
        assert_eq!(seconds(OsStr::new("0")), Some(0));
        for wrong in ["-1", "+1", " 1", "1.5", "today", "253402300800", "99999999999999999999999"] {
            assert_eq!(seconds(OsStr::new(wrong)), None, "{wrong}");
        }
    }
}
