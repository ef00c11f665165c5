//! The shell round [`xtask::run`]: arguments in, exit status out.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    xtask::run(&args).into()
}
