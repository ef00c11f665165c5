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
        row.ratio().map(ratio).unwrap_or_default(),
        row.target.map(|asked| target(asked, row.unit)).unwrap_or_default(),
        verdict(row).to_owned(),
    ]
}

fn verdict(row: &Row) -> &'static str {
    match row.holds() {
        Some(true) => "yes",
        Some(false) => "NO",
        None => "",
    }
}

fn figure(figure: Figure, unit: Unit) -> String {
    let amount = amount(figure.median, unit);
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
