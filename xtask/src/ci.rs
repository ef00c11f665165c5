//! Every gate that CI runs, in order of cost. All run whatever fails, so that one run shows all there is to repair.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::{self, say, spoken};
use crate::{Error, Outcome, catalog, cli, layers, model, stress, test, tidy};

/// A target that has to compile wherever it is installed: nothing ties dsh to Linux without need.
const OTHER_TARGET: &str = "aarch64-apple-darwin";

/// What a gate does.
enum Gate {
    /// A chore of this program.
    Chore(fn(&Path) -> Result<Outcome, Error>),
    /// A cargo command, with variables for its environment.
    Cargo(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// A cargo command that needs the program named first on the path.
    CargoWith(&'static str, &'static [&'static str]),
    /// A program of its own.
    Program(&'static str),
    /// `cargo check` for a target that may not be installed.
    Target(&'static str),
}

const GATES: [(&str, Gate); 14] = [
    ("format", Gate::Cargo(&["fmt", "--all", "--check"], &[])),
    ("tidy", Gate::Chore(|root| Ok(cli::report("tidy", &tidy::check_repository(root)?)))),
    ("layers", Gate::Chore(|root| Ok(cli::report("layers", &layers::check_workspace(root)?)))),
    (
        "clippy",
        // The only place where warnings become errors.
        Gate::Cargo(
            &["clippy", "--workspace", "--all-targets", "--all-features", "--locked", "--", "-D", "warnings"],
            &[],
        ),
    ),
    ("test", Gate::Chore(|root| test::run(root, &[]))),
    (
        "snapshots",
        Gate::CargoWith(
            "cargo-insta",
            &["insta", "test", "--workspace", "--all-features", "--unreferenced", "reject", "--test-runner", "nextest"],
        ),
    ),
    (
        "docs",
        Gate::Cargo(
            &["doc", "--workspace", "--all-features", "--no-deps", "--document-private-items", "--locked"],
            &[("RUSTDOCFLAGS", "-D warnings")],
        ),
    ),
    ("catalog", Gate::Chore(|root| Ok(cli::report("catalog", &catalog::check(root)?)))),
    ("deny", Gate::CargoWith("cargo-deny", &["deny", "check", "bans", "licenses", "sources"])),
    ("shear", Gate::CargoWith("cargo-shear", &["shear"])),
    ("typos", Gate::Program("typos")),
    ("other target", Gate::Target(OTHER_TARGET)),
    ("models", Gate::Chore(|root| model::run(root, &[]))),
    // A look at it; `cargo xtask stress` alone takes its two minutes.
    ("stress", Gate::Chore(|root| stress::run(root, &["--seconds".to_owned(), "20".to_owned()]))),
];

enum Ended {
    Passed,
    Failed,
    Skipped(String),
}

/// Runs the gates and prints what became of each.
pub fn run(root: &Path) -> Result<Outcome, Error> {
    let begun = process::now();
    let mut rows = Vec::new();
    for (index, (name, gate)) in GATES.iter().enumerate() {
        say(&format!("\n==> gate {} of {}: {name}", index + 1, GATES.len()));
        let from = process::now();
        let ended = gate.run(root).unwrap_or_else(|error| {
            say(&format!("error: {error}"));
            Ended::Failed
        });
        rows.push((*name, ended, from.elapsed()));
    }
    say(&format!("\nGates, {}:\n{}", spoken(begun.elapsed()), table(&rows)));
    let failed: Vec<&str> =
        rows.iter().filter(|(_, ended, _)| matches!(ended, Ended::Failed)).map(|(name, ..)| *name).collect();
    match failed.as_slice() {
        [] => say("conclusion: all gates that could run have passed"),
        names => say(&format!("conclusion: failed: {}", names.join(", "))),
    }
    Ok(Outcome::fine_if(failed.is_empty()))
}

impl Gate {
    fn run(&self, root: &Path) -> Result<Ended, Error> {
        let missing = |program: &str| Ok(Ended::Skipped(format!("`{program}` is not on the path")));
        match self {
            Self::Chore(chore) => Ok(passed_if(chore(root)? == Outcome::Fine)),
            Self::Cargo(args, variables) => cargo(root, args, variables),
            Self::CargoWith(program, _) | Self::Program(program) if !process::on_path(program) => missing(program),
            // `insta test` runs nextest.
            Self::CargoWith("cargo-insta", _) if !process::on_path("cargo-nextest") => missing("cargo-nextest"),
            Self::CargoWith(_, args) => cargo(root, args, &[]),
            Self::Program(program) => {
                let mut command = Command::new(program);
                command.current_dir(root);
                Ok(passed_if(process::run(command)?))
            }
            Self::Target(target) if !installed(target)? => {
                Ok(Ended::Skipped(format!("the target {target} is not installed")))
            }
            Self::Target(target) => cargo(root, &["check", "--workspace", "--locked", "--target", target], &[]),
        }
    }
}

fn cargo(root: &Path, args: &[&str], variables: &[(&str, &str)]) -> Result<Ended, Error> {
    let mut command = Command::new(process::cargo());
    command.current_dir(root).args(args).env("INSTA_UPDATE", "no").envs(variables.iter().copied());
    Ok(passed_if(process::run(command)?))
}

fn installed(target: &str) -> Result<bool, Error> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "sysroot"]);
    let sysroot = process::stdout_of(rustc)?;
    Ok(Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib").is_dir())
}

const fn passed_if(passed: bool) -> Ended {
    if passed { Ended::Passed } else { Ended::Failed }
}

fn table(rows: &[(&str, Ended, Duration)]) -> String {
    let row = |(name, ended, time): &(&str, Ended, Duration)| match ended {
        Ended::Passed => format!("  passed   {name:<13} {}\n", spoken(*time)),
        Ended::Failed => format!("  FAILED   {name:<13} {}\n", spoken(*time)),
        Ended::Skipped(why) => format!("  skipped  {name:<13} {why}\n"),
    };
    rows.iter().map(row).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::{Ended, Gate, table};

    #[test]
    fn a_gate_whose_tool_is_missing_is_skipped_by_name() {
        for gate in
            [Gate::CargoWith("no-such-program", &[]), Gate::Program("no-such-program"), Gate::Target("no-such-target")]
        {
            let Ok(Ended::Skipped(why)) = gate.run(Path::new(".")) else { panic!("not skipped") };
            assert!(why.contains("no-such-"), "{why}");
        }
    }

    #[test]
    fn the_table_says_what_became_of_each_gate() {
        let rows = [
            ("format", Ended::Passed, Duration::from_millis(120)),
            ("test", Ended::Failed, Duration::from_secs(75)),
            ("typos", Ended::Skipped("`typos` is not on the path".to_owned()), Duration::ZERO),
        ];
        let wanted = "  passed   format        0.1 s\n  FAILED   test          1 min 15 s\n  skipped  typos         `typos` is not on the path\n";
        assert_eq!(table(&rows), wanted);
    }
}
