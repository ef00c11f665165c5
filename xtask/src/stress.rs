//! The stress tests for as long as one likes: child processes in release, one after the other, told by their environment how long and
//! from which seed. The registry's search for residue runs beside the first; in release that is a million rounds.

use std::path::Path;
use std::process::Command;

use crate::{Error, Outcome, process};

/// What is passed on, and how the test is told.
const OPTIONS: [(&str, &str); 2] = [("--seconds", "DSH_STRESS_SECONDS"), ("--seed", "DSH_STRESS_SEED")];
/// Whose tests of that name run: the heart, and the loop that drives agents.
const PACKAGES: [&str; 2] = ["dsh-system-prompt", "dsh-agent-loop"];
/// How long each runs unless it is told.
const SECONDS: &str = "120";

/// Runs both; a fault is a finding, and the output names the seed that it can be seen with again.
pub fn run(root: &Path, args: &[String]) -> Result<Outcome, Error> {
    let variables = variables(args)?;
    let mut is_fine = true;
    for package in PACKAGES {
        let mut command = Command::new(process::cargo());
        command
            .current_dir(root)
            .args(["test", "--quiet", "--release", "--locked", "--package", package, "--test", "stress"])
            .args(["--", "--nocapture"])
            .envs(variables.clone());
        is_fine &= process::run(command)?;
    }
    Ok(Outcome::fine_if(is_fine))
}

fn variables(args: &[String]) -> Result<Vec<(&'static str, String)>, Error> {
    let mut variables = vec![("DSH_STRESS_SECONDS", SECONDS.to_owned())];
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let Some((option, variable)) = OPTIONS.iter().find(|(option, _)| option == arg) else {
            return Err(Error::new(format!("`{arg}` is not known here: `stress [--seconds N] [--seed S]`")));
        };
        let number = args.next().filter(|value| value.parse::<u64>().is_ok());
        let value = number.ok_or_else(|| Error::new(format!("`{option}` needs a number")))?;
        variables.retain(|(known, _)| known != variable);
        variables.push((variable, value.clone()));
    }
    Ok(variables)
}

#[cfg(test)]
mod tests {
    use super::variables;

    fn told(line: &str) -> Result<Vec<(&'static str, String)>, String> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        variables(&args).map_err(|error| error.to_string())
    }

    #[test]
    fn it_is_told_how_long_and_from_which_seed() {
        assert_eq!(told(""), Ok(vec![("DSH_STRESS_SECONDS", "120".to_owned())]));
        let both = vec![("DSH_STRESS_SEED", "7".to_owned()), ("DSH_STRESS_SECONDS", "5".to_owned())];
        assert_eq!(told("--seed 7 --seconds 5"), Ok(both));
    }

    #[test]
    fn what_it_is_told_otherwise_is_refused() {
        assert_eq!(told("--seed"), Err("`--seed` needs a number".to_owned()));
        assert_eq!(told("--seconds soon"), Err("`--seconds` needs a number".to_owned()));
        assert!(told("--rounds 3").unwrap_err().contains("`--rounds` is not known"));
    }
}
