//! The variables that are always there: `date`, `platform`, `git_branch`.
//!
//! A variable that the project gives all its agents under one of these names takes its place.

use std::ffi::OsStr;
use std::sync::Arc;

use dsh_kernel::{Context, Failure, Plugin};
use dsh_system_prompt::{AssembledVariable, PromptRegistry, PromptVariable, RunFacts, SystemPromptExt, show_hidden};

use crate::diagnostic::{Diagnostic, Report};
use crate::outside::{Environment, Repository};
use crate::trust::Resolved;

/// The second that `date` is of, in place of the present one, so that a prompt can be made anew to the byte.
const SOURCE_DATE: &str = "SOURCE_DATE_EPOCH";

/// The last second of the year 9999, counted from the start of 1970.
const LAST_SECOND: u64 = 253_402_300_799;

const SECONDS_A_DAY: u64 = 86_400;

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

/// The day that is so many days after the first of 1970, as `YYYY-MM-DD`.
///
/// Years begin in March here, so that a leap day is a year's last; 400 years have 146,097 days, and then everything comes again.
fn day(days: u64) -> String {
    let days = days + 719_468; // from the first of March of the year 0 to 1970
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{LAST_SECOND, SECONDS_A_DAY, day, seconds};

    #[test]
    fn days_are_those_of_the_calendar() {
        let right = [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (789, "1972-02-29"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_088, "2024-12-31"),
            (20_089, "2025-01-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
            (LAST_SECOND / SECONDS_A_DAY, "9999-12-31"),
        ];
        for (days, date) in right {
            assert_eq!(day(days), date);
        }
    }

    #[test]
    fn each_day_is_the_one_after_the_day_before() {
        let lengths = |year: u64| {
            let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
            [31, 28 + u64::from(leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        };
        let dates = (1970..2410).flat_map(|year| {
            let months = lengths(year).into_iter().zip(1..);
            months
                .flat_map(move |(length, month)| (1..=length).map(move |day| format!("{year:04}-{month:02}-{day:02}")))
        });
        for (days, date) in (0..).zip(dates) {
            assert_eq!(day(days), date);
        }
    }

    #[test]
    fn seconds_are_digits_and_not_too_many() {
        assert_eq!(seconds(OsStr::new("1735689600")), Some(1_735_689_600));
        assert_eq!(seconds(OsStr::new("0")), Some(0));
        for wrong in ["-1", "+1", " 1", "1.5", "today", "253402300800", "99999999999999999999999"] {
            assert_eq!(seconds(OsStr::new(wrong)), None, "{wrong}");
        }
    }
}
