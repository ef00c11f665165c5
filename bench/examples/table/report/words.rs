//! How figures, ratios and verdicts are written for people.

use crate::round::Figure;
use crate::row::{Row, Target, Unit};

/// The cells of a row: clause, what, ours, against, theirs, ratio, target, holds.
pub(super) fn cells(row: &Row) -> [String; 8] {
    let (ours, theirs) = match &row.measured {
        Ok(measured) => (figure(measured.ours, row.unit), measured.theirs.map(|theirs| figure(theirs, row.unit))),
        Err(why) => (format!("skipped: {why}"), None),
    };
    [
        row.id.to_owned(),
        row.what.to_owned(),
        ours,
        row.against.unwrap_or_default().to_owned(),
        theirs.unwrap_or_default(),
        row.ratio().map(|of| spread(ratio(of.median), of)).unwrap_or_default(),
        row.target.map(|asked| target(asked, row.unit)).unwrap_or_default(),
        verdict(row),
    ]
}

/// The cells of a curve: what grows over what, what is measured, the figures, the exponent, its limit, holds, the function.
pub(super) fn curve_cells(row: &Row) -> [String; 6] {
    let [_, what, exponent, _, _, _, limit, holds] = cells(row);
    let points =
        row.curve.iter().map(|(size, time)| format!("{}: {}", number(*size), amount(*time, Unit::Nanoseconds)));
    let over = row.id.strip_prefix("growth: ").unwrap_or(row.id);
    [
        format!("{over}: {what}"),
        points.collect::<Vec<_>>().join("; "),
        exponent,
        limit,
        holds,
        format!("`{}`", row.function),
    ]
}

/// A number with its thousands apart.
fn number(size: usize) -> String {
    let digits = size.to_string();
    let groups: Vec<String> =
        digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    groups.join(",")
}

fn verdict(row: &Row) -> String {
    match (row.holds(), &row.unjudged) {
        (Some(true), _) => "yes".to_owned(),
        (Some(false), _) => "NO".to_owned(),
        (None, Some(why)) => format!("no verdict: {why}"),
        (None, None) => String::new(),
    }
}

fn figure(figure: Figure, unit: Unit) -> String {
    spread(amount(figure.median, unit), figure)
}

/// An amount with how far its rounds spread.
fn spread(amount: String, figure: Figure) -> String {
    if figure.spread == 0.0 { amount } else { format!("{amount} ±{:.1} %", figure.spread * 100.0) }
}

fn amount(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Nanoseconds if value < 1_000.0 => format!("{value:.0} ns"),
        Unit::Nanoseconds if value < 1_000_000.0 => format!("{:.2} µs", value / 1e3),
        Unit::Nanoseconds => format!("{:.2} ms", value / 1e6),
        Unit::Milliseconds => format!("{value:.2} ms"),
        Unit::Megabytes => format!("{value:.1} MB"),
        Unit::Speedup => format!("{value:.3} ×"),
        Unit::Exponent => format!("n^{value:.2}"),
    }
}

/// Small ones as a fraction of one, as the targets are written.
fn ratio(ratio: f64) -> String {
    if ratio < 0.2 { format!("1/{:.0}", 1.0 / ratio) } else { format!("{ratio:.2}") }
}

fn target(target: Target, unit: Unit) -> String {
    let number = |number: f64| if number < 0.2 { ratio(number) } else { format!("{number}") };
    match target {
        Target::AtMost(most) => format!("≤ {}", number(most)),
        Target::Below(limit) => format!("< {}", number(limit)),
        Target::AtLeast(least) => format!("≥ {}", number(least)),
        Target::Limit(most) => format!("≤ {}", amount(most, unit)),
    }
}
