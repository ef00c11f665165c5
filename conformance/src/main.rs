//! `dsh-conformance`: prints traces, makes random scenarios, compares with the npm package.

#![expect(clippy::disallowed_methods, reason = "a development tool, which reads its own environment and files")]

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use dsh_conformance::{ConformError, ConformOptions, Conformity, conform, generate, trace_files};

const USAGE: &str = "usage: dsh-conformance trace FILE...
       dsh-conformance generate [--start SEED]
       dsh-conformance conform [--seeds N] [--start SEED] [--batch B] [--jobs J]

trace     prints one JSON object, scenario name to trace (*.trace.json are passed over)
generate  prints the scenario of a seed
conform   compares N random scenarios with the npm package (node; conformance/upstream after `npm ci`,
          or the folder that DSH_UPSTREAM names)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut out = io::stdout().lock();
    match run(&arguments, &mut out) {
        Ok(status) => ExitCode::from(status),
        // Whoever read has seen enough.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(stop) => {
            let _told = writeln!(io::stderr(), "dsh-conformance: {stop}");
            ExitCode::from(2)
        }
    }
}

/// Why there is nothing to show.
enum Stop {
    /// Wrong use.
    Usage(String),
    /// The comparison cannot be made.
    Conform(ConformError),
    /// The output cannot be written.
    Output(io::Error),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(what) => write!(f, "{what}\n{USAGE}"),
            Self::Conform(error) => error.fmt(f),
            Self::Output(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<ConformError> for Stop {
    fn from(error: ConformError) -> Self {
        if let ConformError::Report(error) = error { Self::Output(error) } else { Self::Conform(error) }
    }
}

fn run(arguments: &[String], out: &mut dyn Write) -> Result<u8, Stop> {
    let Some((command, rest)) = arguments.split_first() else { return Err(Stop::Usage("no command".to_owned())) };
    match command.as_str() {
        "trace" => writeln!(out, "{}", trace_files(rest.iter().map(String::as_str)))?,
        "generate" => write!(out, "{}", generate(options(rest)?.start).to_text())?,
        "conform" => {
            return Ok(match conform(&options(rest)?, out)? {
                Conformity::Equal => 0,
                Conformity::Differs => 1,
            });
        }
        "help" | "--help" | "-h" => out.write_all(USAGE.as_bytes())?,
        _ => return Err(Stop::Usage(format!("no command {command:?}"))),
    }
    Ok(0)
}

fn options(arguments: &[String]) -> Result<ConformOptions, Stop> {
    let mut options = ConformOptions::default();
    options.upstream = std::env::var_os("DSH_UPSTREAM").map(Into::into);
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        let Some(number) = rest.next().and_then(|value| value.parse::<u64>().ok()) else {
            return Err(Stop::Usage(format!("{name} wants a number")));
        };
        let small = usize::try_from(number).unwrap_or(usize::MAX);
        match name.as_str() {
            "--seeds" => options.seeds = number,
            "--start" => options.start = number,
            "--batch" => options.batch = small,
            "--jobs" => options.jobs = small,
            _ => return Err(Stop::Usage(format!("no option {name:?}"))),
        }
    }
    Ok(options)
}
