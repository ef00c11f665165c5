//! The tests: by nextest where it is on the path, else by cargo, then the examples in the documentation.
//!
//! A disposal that gets lost shows as a test that never ends. So the whole run has a limit, and what was running when
//! it was reached is named. Compiling is not counted: how long that takes says nothing about the tests.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::{self, End};
use crate::{Error, Metadata, Outcome};

/// How long the tests may run, all together.
const LIMIT: Duration = Duration::from_mins(15);

/// What the arguments after `cargo xtask test` select.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The packages named with `-p`; none means all.
    pub packages: Vec<String>,
    /// Everything else, for the test runner.
    pub rest: Vec<String>,
}

impl Selection {
    /// Takes the packages out of the arguments: `-p NAME`, `-pNAME`, `--package NAME`, `--package=NAME`.
    pub fn parse(args: &[String]) -> Result<Self, Error> {
        let mut selection = Self::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if arg == "--" {
                selection.rest.push(arg.clone());
                selection.rest.extend(args.by_ref().cloned());
            } else if arg == "-p" || arg == "--package" {
                let name = args.next().ok_or_else(|| Error::new(format!("`{arg}` needs the name of a package")))?;
                selection.packages.push(name.clone());
            } else if let Some(name) = arg.strip_prefix("--package=").or_else(|| arg.strip_prefix("-p")) {
                selection.packages.push(name.to_owned());
            } else {
                selection.rest.push(arg.clone());
            }
        }
        Ok(selection)
    }

    fn select(&self, command: &mut Command, packages: &[String]) {
        if self.packages.is_empty() {
            command.arg("--workspace");
        }
        for package in packages {
            command.args(["--package", package]);
        }
    }
}

/// Runs the tests. Whatever fails, the rest runs too.
pub fn run(root: &Path, args: &[String]) -> Result<Outcome, Error> {
    let selection = Selection::parse(args)?;
    let nextest = process::on_path("cargo-nextest");
    if !process::run(tests(root, &selection, nextest, Step::Build))? {
        return Ok(Outcome::Findings);
    }
    let limit = process::now() + LIMIT;
    let mut runs = vec![tests(root, &selection, nextest, Step::Run)];
    match documentation(root, &selection)? {
        Documentation::Run(command) => runs.push(command),
        Documentation::Skip(why) => process::say(&format!("documentation examples skipped: {why}")),
    }
    let mut fine = true;
    for command in runs {
        match process::run_watched(command, limit)? {
            End::Success => {}
            End::Failure => fine = false,
            End::OverLimit(last) => {
                let limit = process::spoken(LIMIT);
                process::say(&format!("error: the tests were ended after {limit}; the last test begun: {last}"));
                return Ok(Outcome::Findings);
            }
        }
    }
    Ok(Outcome::fine_if(fine))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Build,
    Run,
}

fn tests(root: &Path, selection: &Selection, nextest: bool, step: Step) -> Command {
    let mut command = cargo(root);
    command.args(if nextest { ["nextest", "run"].as_slice() } else { &["test"] });
    selection.select(&mut command, &selection.packages);
    command.args(["--all-features", "--locked"]);
    if !nextest {
        // `--tests` includes the unit tests of libraries; `--lib` itself fails for a package that has none.
        command.args(["--no-fail-fast", "--tests", "--bins", "--examples"]);
    }
    match step {
        Step::Build => {
            command.arg("--no-run");
        }
        // A package without tests is no failure. The limit per test stands in .config/nextest.toml.
        Step::Run if nextest => {
            command.arg("--no-tests=pass");
        }
        Step::Run => {}
    }
    command.args(&selection.rest);
    command
}

enum Documentation {
    Run(Command),
    Skip(&'static str),
}

fn documentation(root: &Path, selection: &Selection) -> Result<Documentation, Error> {
    if !selection.rest.is_empty() {
        return Ok(Documentation::Skip("tests were chosen by hand; `cargo test --doc` takes the same filters"));
    }
    // Cargo refuses `--doc` for a package without a library.
    let metadata = Metadata::of_workspace(root)?;
    let has_library = |name: &String| metadata.get(name).is_none_or(|package| package.has_library);
    let packages: Vec<String> = selection.packages.iter().filter(|name| has_library(name)).cloned().collect();
    if packages.is_empty() && !selection.packages.is_empty() {
        return Ok(Documentation::Skip("no library among the packages"));
    }
    let mut command = cargo(root);
    command.arg("test");
    selection.select(&mut command, &packages);
    // Of all features, as the tests above: the library is not built twice, and every example runs.
    command.args(["--all-features", "--doc", "--locked", "--no-fail-fast"]);
    Ok(Documentation::Run(command))
}

fn cargo(root: &Path) -> Command {
    use std::io::IsTerminal;

    let mut command = Command::new(process::cargo());
    // A changed snapshot is a failure here and is accepted by hand (`cargo insta review`).
    command.current_dir(root).env("INSTA_UPDATE", "no");
    // The output goes through a pipe, where cargo would leave the colours out.
    if std::io::stderr().is_terminal() && process::variable("NO_COLOR").is_none() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    command
}

#[cfg(test)]
mod tests {
    use super::{Selection, Step, tests as command};
    use crate::process::shown;

    fn parse(args: &[&str]) -> Selection {
        Selection::parse(&args.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn packages_are_taken_out_of_the_arguments_in_all_their_forms() {
        let selection = parse(&["-p", "a", "-pb", "--package", "c", "--package=d", "name", "--", "-p"]);
        assert_eq!(selection.packages, ["a", "b", "c", "d"]);
        assert_eq!(selection.rest, ["name", "--", "-p"]);
        assert!(Selection::parse(&["-p".to_owned()]).is_err());
    }

    #[test]
    fn without_a_package_the_whole_workspace_is_tested() {
        let all = |nextest, step| {
            shown(&command(std::path::Path::new("."), &parse(&[]), nextest, step)).split_once(' ').unwrap().1.to_owned()
        };
        assert_eq!(all(true, Step::Run), "nextest run --workspace --all-features --locked --no-tests=pass");
        assert_eq!(
            all(false, Step::Build),
            "test --workspace --all-features --locked --no-fail-fast --tests --bins --examples --no-run"
        );
    }

    #[test]
    fn arguments_for_the_tests_themselves_stay_last() {
        let command =
            command(std::path::Path::new("."), &parse(&["-p", "a", "b", "--", "--nocapture"]), false, Step::Run);
        assert!(shown(&command).ends_with("--examples b -- --nocapture"), "{}", shown(&command));
        assert!(shown(&command).contains("test --package a --all-features"), "{}", shown(&command));
    }
}
