//! The page `docs/performance.md`.

use crate::machine::Machine;
use crate::row::Row;

use super::{conclusion, words};

/// The page, of a run of so many rounds.
pub(crate) fn page(rows: &[Row], machine: &Machine, rounds: usize) -> String {
    let mut page = format!(
        "# Performance\n\n\
         Written by `cargo xtask bench`; not checked by any gate, since figures differ from machine to machine. The ratios\n\
         are what counts: both sides of each were measured in the same run, {rounds} rounds, in each round one side after the\n\
         other.\n\n\
         {}\n\n\
         | | what | ours | against | theirs | ratio | target | holds |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        machine.line
    );
    let (curves, compared): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| !row.curve.is_empty());
    page.extend(compared.iter().map(|row| format!("| {} |\n", words::cells(row).join(" | "))));
    page.extend(["\n", &conclusion(rows), ".\n\n"]);
    page.push_str(include_str!("growth.md"));
    page.extend(curves.iter().map(|row| format!("| {} |\n", words::curve_cells(row).join(" | "))));
    page.push('\n');
    page.push_str(include_str!("page.md"));
    page.extend(compared.into_iter().map(source));
    page
}

/// Where a figure comes from.
fn source(row: &Row) -> String {
    let what = format!("| {} | {}{} |", row.id, row.what, against(row));
    format!("{what} `cargo xtask bench --only {}` | `{}` |\n", row.id, row.function)
}

fn against(row: &Row) -> String {
    row.against.map(|against| format!(", against {against}")).unwrap_or_default()
}
