//! Numbers: whole ones in a range, and seconds.

use std::num::ParseIntError;
use std::ops::RangeInclusive;
use std::time::Duration;

use super::At;
use super::read::to_float;
use super::table::{Entry, Table, wrong_type};
use super::tree::Value;
use crate::diagnostic::{Diagnostic, Report};

/// So many seconds may anything take at most.
const LONGEST: f64 = 86_400.0;

/// Something is wrong, and has been reported.
#[derive(Debug)]
pub(super) struct Wrong;

/// The whole number of `key`, which is to be in this range; what is none is reported and left out.
pub(super) fn whole(
    table: &mut Table<'_>,
    key: &'static str,
    range: RangeInclusive<u64>,
    report: &mut Report,
) -> Option<At<u64>> {
    let entry = table.entry(key)?;
    let Some(number) = integer(entry) else {
        let help = entry.value.as_str().map(|_| "leave the quotes out".to_owned());
        report.push(wrong_type(entry, &format!("`{key}`"), "a whole number").with_help_if(help));
        return None;
    };
    let number = number.ok().and_then(|number| u64::try_from(number).ok()).filter(|number| range.contains(number));
    if number.is_none() {
        let headline = format!("`{key}` must be from {} to {}", range.start(), range.end());
        report.push(Diagnostic::error("config::invalid_value", headline).at(entry.span, "out of this range"));
    }
    Some(At { value: number?, span: entry.span })
}

/// The number of an entry that is a whole one, if it is in range.
pub(super) fn integer(entry: Entry<'_>) -> Option<Result<i64, ParseIntError>> {
    let Value::Integer(digits, radix) = entry.value else { return None };
    Some(i64::from_str_radix(digits, *radix))
}

/// The seconds of `key`, of which there are a day's at most.
pub(super) fn seconds(
    table: &mut Table<'_>,
    key: &'static str,
    report: &mut Report,
) -> Result<Option<Duration>, Wrong> {
    let help = format!("write a number of seconds: `{key} = 30`");
    let Some(entry) = table.entry(key) else { return Ok(None) };
    let seconds = match entry.value {
        Value::Integer(..) => integer(entry).and_then(Result::ok).map(to_float),
        Value::Float(float) => float.replace('_', "").parse::<f64>().ok(),
        Value::String(_) | Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
            report.push(wrong_type(entry, &format!("`{key}`"), "a number").with_help(help));
            return Err(Wrong);
        }
    };
    let limit = seconds.filter(|seconds| *seconds > 0.0 && *seconds <= LONGEST);
    limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).map(Some).ok_or_else(|| {
        let headline = format!("`{key}` must be more than 0 seconds, and a day at most");
        let diagnostic = Diagnostic::error("config::invalid_value", headline);
        report.push(diagnostic.at(entry.span, "out of this range").with_help(help));
        Wrong
    })
}
