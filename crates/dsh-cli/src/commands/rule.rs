//! `dsh rule`: what a diagnostic code means.

use serde_json::json;

use crate::args::RuleArgs;
use crate::diagnostic::{Diagnostic, Sources};
use crate::names::{list, nearest, quoted};
use crate::outside::Console;
use crate::rules::{self, Rule};
use crate::status::ExitStatus;

/// The version of the JSON's shape: docs/json.md describes it.
const VERSION: u32 = 1;

/// Runs the command: prints the rule of the code that was asked for, or a line for each.
pub(crate) fn run(arguments: &RuleArgs, console: &mut Console) -> ExitStatus {
    let text = match arguments.code.as_deref() {
        None if arguments.json => json(rules::all()),
        None => lines(rules::all()),
        Some(asked) => match look_up(asked) {
            Ok(rule) if arguments.json => json(&[*rule]),
            Ok(rule) => rule.text.to_owned(),
            Err(diagnostic) => {
                console.report(&[*diagnostic], &Sources::new());
                return ExitStatus::WrongUse;
            }
        },
    };
    console.print(text.as_bytes(), ExitStatus::Success)
}

/// The rule of a code, or of a name that is in one area alone.
fn look_up(asked: &str) -> Result<&'static Rule, Box<Diagnostic>> {
    if let Some(rule) = rules::find(asked) {
        return Ok(rule);
    }
    let named: Vec<&Rule> = rules::all().iter().filter(|rule| rule.name() == asked).collect();
    match named.as_slice() {
        [rule] => Ok(rule),
        [] => Err(Box::new(unknown(asked))),
        several => {
            let codes = list(several.iter().map(|rule| rule.code));
            let headline = format!("several codes end in {}", quoted(asked));
            Err(Box::new(Diagnostic::error("cli::unknown_rule", headline).with_help(format!("they are {codes}"))))
        }
    }
}

fn unknown(asked: &str) -> Diagnostic {
    let rules = rules::all();
    // The area may be wrong, or missing, and the name right or nearly so.
    let name = asked.rsplit("::").next().unwrap_or(asked);
    let of_name = || {
        let near = nearest(name, rules.iter().map(Rule::name));
        rules.iter().filter(|rule| Some(rule.name()) == near).map(|rule| quoted(rule.code)).collect()
    };
    let near: Vec<String> =
        nearest(asked, rules.iter().map(|rule| rule.code)).map_or_else(of_name, |code| vec![quoted(code)]);
    let help = match near.as_slice() {
        [] => "`dsh rule` lists all codes".to_owned(),
        near => format!("did you mean {}?", near.join(" or ")),
    };
    Diagnostic::error("cli::unknown_rule", format!("there is no code {}", quoted(asked))).with_help(help)
}

/// A line for each: code, severity, summary.
fn lines(rules: &[Rule]) -> String {
    let width = rules.iter().map(|rule| rule.code.len()).max().unwrap_or(0);
    let line = |rule: &Rule| format!("{:width$}  {:7}  {}\n", rule.code, rule.severity, rule.summary);
    rules.iter().map(line).collect()
}

fn json(rules: &[Rule]) -> String {
    let rule = |rule: &Rule| json!({"code": rule.code, "severity": rule.severity.to_string(), "summary": rule.summary, "text": rule.text});
    let rules: Vec<_> = rules.iter().map(rule).collect();
    format!("{}\n", json!({"version": VERSION, "rules": rules}))
}
