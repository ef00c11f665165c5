//! Random scenarios against the npm package that dsh descends from: a child process, so that this crate stays light.

use std::path::Path;
use std::process::Command;

use crate::{Error, Outcome, process};

/// Runs `dsh-conformance conform` with the arguments given; what they mean, and the exit status, is its to say.
pub fn run(root: &Path, args: &[String]) -> Result<Outcome, Error> {
    let mut command = Command::new(process::cargo());
    command
        .current_dir(root)
        .args(["run", "--quiet", "--release", "--locked", "--package", "dsh-conformance", "--", "conform"])
        .args(args);
    process::run_to_outcome(command)
}
