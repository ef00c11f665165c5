//! The three forms that rows are written in: for a terminal, as JSON, and as the page `docs/performance.md`.

mod json;
mod page;
mod words;

use crate::machine::Machine;
use crate::row::Row;

pub(crate) use json::json;
pub(crate) use page::page;

/// The table for a terminal, and what came of it.
pub(crate) fn text(rows: &[Row], machine: &Machine) -> String {
    let head = ["", "what", "ours", "against", "theirs", "ratio", "target", "holds"].map(str::to_owned);
    let cells: Vec<[String; 8]> = std::iter::once(head).chain(rows.iter().map(words::cells)).collect();
    let mut widths = [0; 8];
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in &cells {
        let line: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    format!("{text}\n{}\n{}\n", machine.line, conclusion(rows))
}

/// How many rows hold, miss, were skipped.
fn conclusion(rows: &[Row]) -> String {
    let judged = |verdict| rows.iter().filter(|row| row.holds() == Some(verdict)).count();
    let skipped = rows.iter().filter(|row| row.measured.is_err()).count();
    let unjudged = rows.iter().filter(|row| row.unjudged.is_some()).count();
    let without = if unjudged == 0 { String::new() } else { format!(", {unjudged} without a verdict") };
    format!("{} rows hold, {} miss their target{without}, {skipped} skipped", judged(true), judged(false))
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::round::Figure;
    use crate::row::{Measured, Row, Target, Unit};

    /// A made-up result with a row of every kind.
    fn made_up() -> (Vec<Row>, Machine) {
        let figure = |median, spread| Figure { median, spread };
        let row = Row {
            id: "P1",
            what: "one step",
            against: Some("npm package"),
            unit: Unit::Nanoseconds,
            target: Some(Target::AtMost(0.01)),
            function: "step::measure",
            measured: Ok(Measured { ours: figure(3_456.7, 0.012), theirs: Some(figure(987_654.0, 0.03)), ratio: None }),
            curve: Vec::new(),
            unjudged: None,
        };
        let limit = Row {
            against: None,
            target: Some(Target::Limit(6_000.0)),
            measured: Ok(Measured { ours: figure(3_456.7, 0.012), theirs: None, ratio: None }),
            ..row.clone()
        };
        let missed = Row {
            id: "P5",
            what: "two threads",
            against: Some("private arithmetic"),
            unit: Unit::Speedup,
            target: Some(Target::AtLeast(0.95)),
            function: "threads::measure",
            measured: Ok(Measured {
                ours: figure(1.7, 0.01),
                theirs: Some(figure(2.0, 0.0)),
                ratio: Some(figure(0.86, 0.02)),
            }),
            ..row.clone()
        };
        let informs = Row { what: "two threads, one string", target: None, ..missed.clone() };
        let unjudged = Row { unjudged: Some("the other side scales 1.7 × alone".to_owned()), ..missed.clone() };
        let skipped = Row {
            id: "P6",
            what: "binary",
            against: None,
            unit: Unit::Megabytes,
            target: Some(Target::Limit(15.0)),
            function: "process::measure",
            measured: Err("no `dsh` given".to_owned()),
            ..row.clone()
        };
        let curve = Row {
            id: "growth: step over sections",
            what: "a step",
            unit: Unit::Exponent,
            target: Some(Target::Limit(1.3)),
            function: "prompt.rs: steps",
            measured: Ok(Measured { ours: figure(1.0216, 0.0), theirs: None, ratio: None }),
            curve: vec![(1, 123.4), (10, 543.2), (1_000, 45_678.0), (10_000, 567_890.0)],
            ..skipped.clone()
        };
        let machine = Machine { line: "Some CPU, 2 cores, Linux 6.18, rustc 1.95.0, node v20".to_owned() };
        (vec![row, limit, missed, informs, unjudged, skipped, curve], machine)
    }

    #[test]
    fn the_table_for_a_terminal() {
        let (rows, machine) = made_up();
        insta::assert_snapshot!(super::text(&rows, &machine));
    }

    #[test]
    fn the_page() {
        let (rows, machine) = made_up();
        insta::assert_snapshot!(super::page(&rows, &machine, 15));
    }

    #[test]
    fn the_figures_as_json() {
        let (rows, _) = made_up();
        insta::assert_snapshot!(super::json(&rows).unwrap());
    }
}
