//! Ours beside what a user would pick instead: a program of its own, so that this crate stays light.

use std::path::Path;
use std::process::Command;

use crate::{Error, Outcome, process};

/// The page that a whole run writes.
const PAGE: &str = "docs/performance.md";

/// The clauses that rows can be asked for by, as the program knows them.
const CLAUSES: [&str; 7] = ["P1", "P2", "P3", "P4", "P5", "P6", "growth"];

/// Builds `dsh` and the side-by-side program as they are shipped, and runs the program. What it prints, and whether a target
/// is missed, is its to say.
pub fn run(root: &Path, args: &[String]) -> Result<Outcome, Error> {
    let asked = Asked::parse(args)?;
    let mut dsh = Command::new(process::cargo());
    dsh.current_dir(root).args(["build", "--quiet", "--profile", "dist", "--locked", "--package", "dsh-cli"]);
    let dsh = process::executable_of(dsh, "dsh")?;
    let mut table = Command::new(process::cargo());
    table
        .current_dir(root)
        .args(["run", "--quiet", "--profile", "dist", "--locked", "--package", "dsh-bench", "--example", "table", "--"])
        .args(asked.passed_on)
        .args(["--dsh", &dsh]);
    if asked.is_whole {
        table.args(["--page", PAGE]);
    }
    process::run_to_outcome(table)
}

/// What is asked of the program, looked through before anything is built for it.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    passed_on: Vec<String>,
    /// All rows, in as many rounds as a figure needs.
    is_whole: bool,
}

impl Asked {
    fn parse(args: &[String]) -> Result<Self, Error> {
        let mut asked = Self { passed_on: Vec::new(), is_whole: true };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || {
                let value = args.next().filter(|value| !value.starts_with("--"));
                value.ok_or_else(|| Error::new(format!("`{arg}` needs a value")))
            };
            let value = match arg.as_str() {
                "--quick" => {
                    asked.is_whole = false;
                    None
                }
                "--only" => {
                    let clauses = value()?;
                    if let Some(unknown) = clauses.split(',').find(|clause| !CLAUSES.contains(clause)) {
                        let known = CLAUSES.join(", ");
                        return Err(Error::new(format!("`--only {unknown}`: the clauses are {known}")));
                    }
                    asked.is_whole = false;
                    Some(clauses.clone())
                }
                "--rounds" => {
                    let rounds = value()?;
                    if rounds.parse::<u32>().unwrap_or(0) == 0 {
                        return Err(Error::new(format!("`--rounds {rounds}`: a number of rounds is 1 or more")));
                    }
                    asked.is_whole = false;
                    Some(rounds.clone())
                }
                // Relative to where the caller is, not to the root, where the program runs.
                "--json" => {
                    let path = std::path::absolute(value()?);
                    let path = path.map_err(|error| Error::new(format!("`--json`: {error}")))?;
                    Some(path.display().to_string())
                }
                other => {
                    return Err(Error::new(format!(
                        "`bench` does not know `{other}`; `cargo xtask help` says what it knows"
                    )));
                }
            };
            asked.passed_on.push(arg.clone());
            asked.passed_on.extend(value);
        }
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, CLAUSES};

    fn parse(line: &str) -> Result<Asked, crate::Error> {
        Asked::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_short_run_and_one_of_some_rows_leave_the_page_alone() {
        assert!(parse("").unwrap().is_whole && !parse("--rounds 1").unwrap().is_whole);
        assert!(!parse("--quick").unwrap().is_whole && !parse("--only P1").unwrap().is_whole);
    }

    #[test]
    fn a_file_is_named_from_where_the_caller_is() {
        let asked = parse("--quick --json figures.json").unwrap();
        assert_eq!(asked.passed_on[..2], ["--quick", "--json"]);
        assert!(std::path::Path::new(&asked.passed_on[2]).is_absolute());
    }

    #[test]
    fn wrong_use_is_refused_before_anything_is_built() {
        for line in ["--fast", "--rounds 0", "--rounds", "--json", "--page x", "--only", "--only P9", "--only P1,"] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("--only P9").unwrap_err().to_string().contains("`--only P9`: the clauses are P1, "));
        assert!(parse("--only P1,growth").is_ok());
    }

    #[test]
    fn the_clauses_are_those_that_the_program_knows() {
        let options = include_str!("../../bench/examples/table/options.rs");
        let known = format!("const CLAUSES: [&str; {}] = {:?};", CLAUSES.len(), CLAUSES);
        assert!(options.contains(&known), "{known}");
    }
}
