//! The kernel's models: small worlds of a few threads, under a checker that runs each in every interleaving within a bound.
//!
//! `cfg(dsh_model)` puts the checker behind the kernel's primitives. It holds for the whole build, dependencies too, so that
//! this build has a folder of its own under `target` and leaves the other builds' artifacts alone.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::{self, End};
use crate::{Error, Outcome};

/// How long the models may run, all together. What a model's threads wait for in vain is found by the checker; this is for
/// what the checker does not see.
const LIMIT: Duration = Duration::from_mins(10);

/// Builds and runs the models; the arguments go to the test runner.
pub fn run(root: &Path, args: &[String]) -> Result<Outcome, Error> {
    if !process::run(models(root, &["--no-run".to_owned()]))? {
        return Ok(Outcome::Findings);
    }
    let mut rest = vec!["--".to_owned(), "--nocapture".to_owned()];
    rest.extend(args.iter().cloned());
    match process::run_watched(models(root, &rest), process::now() + LIMIT)? {
        End::Success => Ok(Outcome::Fine),
        End::Failure => Ok(Outcome::Findings),
        End::OverLimit(last) => {
            let limit = process::spoken(LIMIT);
            process::say(&format!("error: the models were ended after {limit}; the last one begun: {last}"));
            Ok(Outcome::Findings)
        }
    }
}

fn models(root: &Path, rest: &[String]) -> Command {
    let mut command = Command::new(process::cargo());
    command
        .current_dir(root)
        .args(["test", "--release", "--locked", "--package", "dsh-kernel", "--test", "model"])
        .args(["--target-dir", "target/model"])
        .args(rest)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", flags(process::variable("RUSTFLAGS")));
    command
}

/// The flags that are set already, and the switch.
fn flags(known: Option<OsString>) -> OsString {
    let mut flags = known.unwrap_or_default();
    flags.push(" --cfg dsh_model");
    flags
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::{flags, models};

    #[test]
    fn the_switch_is_added_to_the_flags_of_the_user() {
        assert_eq!(flags(Some("-C debuginfo=1".into())), "-C debuginfo=1 --cfg dsh_model");
        assert_eq!(flags(None), " --cfg dsh_model");
    }

    #[test]
    fn models_are_built_apart_from_everything_else() {
        let command = models(Path::new("."), &[]);
        let args: Vec<&OsStr> = command.get_args().collect();
        assert!(args.windows(2).any(|pair| pair == ["--target-dir", "target/model"]), "{args:?}");
    }
}
