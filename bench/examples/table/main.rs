//! Ours beside what a user would pick instead, in one run: `cargo xtask bench` starts it and `docs/performance.md` is its page.
//!
//! In reading order: what is asked (`options`), how a time is taken (`timing`, `rounds`), what a row is (`row`), the rows by
//! clause (`rows`), the curves (`growth`), the other sides (`rivals`), the machine, and the three forms that rows are written in (`report`).

#![expect(
    clippy::disallowed_methods,
    reason = "a development tool: it measures time, and reads its own arguments and files"
)]

mod growth;
mod machine;
mod options;
mod report;
mod rivals;
mod round;
mod row;
mod rows;
mod timing;

use std::io::Write as _;
use std::process::ExitCode;

use dsh_kernel::Failure;

use machine::Machine;
use options::{Options, USAGE};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = match Options::parse(&arguments) {
        Ok(Some(options)) => options,
        Ok(None) => {
            drop(std::io::stdout().write_all(USAGE.as_bytes()));
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            say(&format!("error: {problem}\n\n{USAGE}"));
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(failure) => {
            say(&format!("error: {failure}"));
            ExitCode::from(2)
        }
    }
}

/// Measures, prints, writes; whether every row that was measured holds.
fn run(options: &Options) -> Result<bool, Failure> {
    let runtime = dsh_bench::runtime()?;
    let _inside = runtime.enter();
    let rows = rows::measure(options)?;
    let machine = Machine::read();
    let table = report::text(&rows, &machine);
    // Nobody may be reading any more; the files are written all the same.
    drop(std::io::stdout().write_all(table.as_bytes()));
    if let Some(path) = &options.json {
        write(path, &report::json(&rows)?)?;
    }
    if let Some(path) = &options.page {
        write(path, &report::page(&rows, &machine, options.rounds))?;
    }
    Ok(rows.iter().all(|row| row.holds() != Some(false)))
}

fn write(path: &std::path::Path, text: &str) -> Result<(), Failure> {
    // Whole or not at all: beside its place first.
    let beside = path.with_added_extension("new");
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        drop(std::fs::remove_file(&beside));
        Failure::msg(format!("cannot write `{}`: {error}", path.display()))
    })
}

/// A line on standard error.
fn say(line: &str) {
    drop(writeln!(std::io::stderr(), "{line}"));
}
