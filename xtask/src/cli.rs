//! The command line: which chore, with which arguments.

use std::io::Write as _;
use std::path::Path;

use crate::{
    Error, Finding, Outcome, bench, catalog, ci, conform, layers, model, process, stress, test, tidy, workspace,
};

const HELP: &str = "\
Every repository chore. Run as `cargo xtask COMMAND`.

  test [-p CRATE]... [ARGS]     all tests and documentation examples; ARGS go to the test runner
  tidy                          the house rules: file heads, lengths, invariants, READMEs, ...
  layers                        the level rule: which crate may depend on which
  catalog [--check]             write docs/catalog.md and the READMEs' API tables; --check only compares
  model [NAME]                  the kernel's models, in every interleaving within a bound; NAME picks some
  conform --seeds N [--start S] N random scenarios against the npm package (needs node)
  bench [--quick] [--rounds N] [--only P1,P2,...] [--json FILE]
                                speed beside the npm package, template engines and a concatenation by hand, and how
                                cost grows (`--only growth`); a run without --quick, --rounds and --only
                                writes docs/performance.md
  stress [--seconds N] [--seed S]
                                many threads at once, compared with a model after each round; 120 s unless told
  ci                            every gate that CI runs, cheapest first (the same as `bash .ci/run`)
  help                          this text

Exit status: 0 fine, 1 findings or failures, 2 wrong use or a tool that did not start.
";

/// Runs the chore that the arguments name and says on standard error what went wrong.
pub fn run(args: &[String]) -> Outcome {
    let (name, rest) = match args.split_first() {
        Some((name, rest)) => (name.as_str(), rest),
        None => ("", [].as_slice()),
    };
    dispatch(name, rest).unwrap_or_else(|error| {
        process::say(&format!("error: {error}"));
        Outcome::Broken
    })
}

fn dispatch(name: &str, args: &[String]) -> Result<Outcome, Error> {
    // The help of `conform` is the child's, which knows more options than this text.
    let asks = |arg: &String| arg == "--help" || arg == "-h";
    if matches!(name, "help" | "--help" | "-h") || (name != "conform" && args.first().is_some_and(asks)) {
        // A closed pipe is no failure.
        drop(std::io::stdout().write_all(HELP.as_bytes()));
        return Ok(Outcome::Fine);
    }
    let chore: fn(&Path, &[String]) -> Result<Outcome, Error> = match name {
        "test" => test::run,
        "tidy" => |root, args| no_arguments(args).and_then(|()| Ok(report("tidy", &tidy::check_repository(root)?))),
        "layers" => {
            |root, args| no_arguments(args).and_then(|()| Ok(report("layers", &layers::check_workspace(root)?)))
        }
        "catalog" => |root, args| match args {
            [] => catalog::write(root),
            [check] if check == "--check" => Ok(report("catalog", &catalog::check(root)?)),
            _ => Err(Error::new("`catalog` knows one argument, `--check`")),
        },
        "model" => model::run,
        "conform" => conform::run,
        "stress" => stress::run,
        "bench" => bench::run,
        "ci" => |root, args| no_arguments(args).and_then(|()| ci::run(root)),
        "" => return Err(Error::new(format!("which chore?\n\n{HELP}"))),
        other => return Err(Error::new(format!("there is no chore `{other}`\n\n{HELP}"))),
    };
    chore(&workspace::root()?, args)
}

fn no_arguments(args: &[String]) -> Result<(), Error> {
    match args.first() {
        None => Ok(()),
        Some(arg) => Err(Error::new(format!("`{arg}` is not known here; `cargo xtask help` lists what is"))),
    }
}

/// Prints the findings of a chore on standard output, and how many there are.
pub(crate) fn report(chore: &str, findings: &[Finding]) -> Outcome {
    let mut lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    lines.push(match findings.len() {
        0 => format!("{chore}: fine\n"),
        1 => format!("{chore}: 1 finding\n"),
        many => format!("{chore}: {many} findings\n"),
    });
    drop(std::io::stdout().write_all(lines.join("\n").as_bytes()));
    Outcome::fine_if(findings.is_empty())
}
