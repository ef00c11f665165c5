//! What is asked of the program.

use std::path::PathBuf;
use std::time::Duration;

/// The help.
pub(crate) const USAGE: &str = "\
usage: table [--rounds N] [--quick] [--only P1,P2,...] [--json FILE] [--page FILE] [--dsh PROGRAM]

--rounds N     so many rounds (15 unless given); in each round every side is measured once
--quick        few rounds, short ones, and no curve's last decade: a look, not a figure
--only IDS     only the rows of these clauses, P1 to P6, or `growth`, the curves
--json FILE    writes the figures
--page FILE    writes the page
--dsh PROGRAM  the command `dsh` that P6 starts and weighs; without it P6 is skipped

To be started in the repository's root. Exit status: 0 every measured row holds, 1 one misses its target, 2 wrong use.
";

/// The clauses that rows can be asked for by.
const CLAUSES: [&str; 7] = ["P1", "P2", "P3", "P4", "P5", "P6", "growth"];

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// So often is every side measured.
    pub(crate) rounds: usize,
    /// So long at least is one side measured in one round.
    pub(crate) sample: Duration,
    /// A look is asked for, not a figure.
    pub(crate) is_quick: bool,
    /// The clauses asked for; all where it is empty.
    pub(crate) only: Vec<String>,
    /// Where the figures go.
    pub(crate) json: Option<PathBuf>,
    /// Where the page goes.
    pub(crate) page: Option<PathBuf>,
    /// The command `dsh`.
    pub(crate) dsh: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments; `None` where the help is asked for.
    pub(crate) fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut options = Self {
            rounds: 15,
            sample: Duration::from_millis(80),
            is_quick: false,
            only: Vec::new(),
            json: None,
            page: None,
            dsh: None,
        };
        let mut rounds = None;
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("`{argument}` needs a value"));
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quick" => (options.rounds, options.sample, options.is_quick) = (3, Duration::from_millis(20), true),
                "--rounds" => rounds = Some(number(value()?)?),
                "--only" => options.only = clauses(value()?)?,
                "--json" => options.json = Some(value()?.into()),
                "--page" => options.page = Some(value()?.into()),
                "--dsh" => options.dsh = Some(value()?.into()),
                other => return Err(format!("`{other}` is not known here")),
            }
        }
        options.rounds = rounds.unwrap_or(options.rounds);
        Ok(Some(options))
    }

    /// Whether rows of this clause are asked for.
    pub(crate) fn wants(&self, clause: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == clause)
    }
}

fn number(text: &str) -> Result<usize, String> {
    let rounds = text.parse().ok().filter(|rounds| *rounds > 0);
    rounds.ok_or_else(|| format!("`--rounds {text}`: a number of rounds is 1 or more"))
}

fn clauses(text: &str) -> Result<Vec<String>, String> {
    let clause = |clause: &str| {
        let known = CLAUSES.contains(&clause).then(|| clause.to_owned());
        known.ok_or_else(|| format!("`--only {clause}`: the clauses are {}", CLAUSES.join(", ")))
    };
    text.split(',').map(clause).collect()
}

#[cfg(test)]
mod tests {
    use super::{Duration, Options};

    fn parse(line: &str) -> Result<Option<Options>, String> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_number_of_rounds_stands_over_the_quick_ones_wherever_it_is_given() {
        for line in ["--quick --rounds 5", "--rounds 5 --quick"] {
            let options = parse(line).unwrap().unwrap();
            assert_eq!((options.rounds, options.sample), (5, Duration::from_millis(20)), "{line}");
        }
    }

    #[test]
    fn the_rows_of_some_clauses_alone_can_be_asked_for() {
        let options = parse("--only P1,P6").unwrap().unwrap();
        assert!(options.wants("P1") && options.wants("P6") && !options.wants("P2"));
        assert!(parse("").unwrap().unwrap().wants("P2"));
    }

    #[test]
    fn wrong_use_is_named() {
        for (line, named) in [
            ("--rounds 0", "--rounds 0"),
            ("--rounds many", "--rounds many"),
            ("--json", "`--json` needs a value"),
            ("--only P9", "--only P9"),
            ("--fast", "`--fast` is not known"),
        ] {
            let problem = parse(line).unwrap_err();
            assert!(problem.contains(named), "{line}: {problem}");
        }
        assert_eq!(parse("--quick --help"), Ok(None));
    }
}
