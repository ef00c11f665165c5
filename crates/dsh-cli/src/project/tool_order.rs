//! What is wrong with `tool_order`: all of it, at its places. The registry refuses such an order too, for the first mistake alone.

use std::collections::{BTreeMap, BTreeSet};

use dsh_system_prompt::TOOL_ORDER_REST;

use super::tools::Tools;
use crate::config::At;
use crate::diagnostic::{Diagnostic, Report, Span};
use crate::names::{list, quoted};

/// An order of tools, as it is written.
type Order = At<Vec<At<String>>>;

/// The order, if it can be kept; what is wrong with it is reported. Where a file of tools is missing, any name may be right.
pub(super) fn checked(order: Option<Order>, tools: &Tools, report: &mut Report) -> Option<Order> {
    let order = order?;
    let mut is_right = is_distinct(&order, report);
    let (rest, mistyped) = rest(&order, report);
    if !rest {
        report.push(without_rest(&order, mistyped));
        is_right = false;
    }
    let mut told = BTreeSet::from([TOOL_ORDER_REST]);
    let unknown: Vec<&At<String>> = order
        .value
        .iter()
        .filter(|entry| Some(entry.span) != mistyped && tools.place(&entry.value).is_none())
        .filter(|entry| told.insert(&entry.value))
        .collect();
    if !unknown.is_empty() {
        is_right = false;
        if tools.is_complete() {
            report.push(of_unknown(&unknown, tools, report));
        }
    }
    is_right.then_some(order)
}

/// Whether no name stands in it twice.
fn is_distinct(order: &Order, report: &mut Report) -> bool {
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    let mut is_distinct = true;
    for entry in &order.value {
        if let Some(first) = first.get(entry.value.as_str()) {
            is_distinct = false;
            let headline = format!("`tool_order` lists {} twice", quoted(&entry.value));
            report.push(
                Diagnostic::error("prompt::tool_order_duplicate", headline)
                    .at(entry.span, "the second")
                    .at(*first, "the first")
                    .with_help("list each name once"),
            );
        } else {
            first.insert(&entry.value, entry.span);
        }
    }
    is_distinct
}

/// Whether the order says where the other tools go; where it does not, the entry that most likely was meant to.
fn rest(order: &Order, report: &Report) -> (bool, Option<Span>) {
    if order.value.iter().any(|entry| entry.value == TOOL_ORDER_REST) {
        return (true, None);
    }
    let mistyped = order.value.iter().find(|entry| report.guesses.nearest(&entry.value, [TOOL_ORDER_REST]).is_some());
    (false, mistyped.map(|entry| entry.span))
}

fn without_rest(order: &Order, mistyped: Option<Span>) -> Diagnostic {
    let headline = "`tool_order` does not say where the other tools go";
    let diagnostic = Diagnostic::error("prompt::tool_order_missing_rest", headline);
    match mistyped {
        Some(mistyped) => diagnostic.at(mistyped, format!("did you mean \"{TOOL_ORDER_REST}\"?")),
        None => diagnostic
            .at(order.span, format!("no \"{TOOL_ORDER_REST}\" in it"))
            .with_help(format!("add \"{TOOL_ORDER_REST}\" once, where the tools that are not listed shall stand")),
    }
}

fn of_unknown(unknown: &[&At<String>], tools: &Tools, report: &Report) -> Diagnostic {
    let known = || tools.names();
    let names = list(unknown.iter().map(|entry| entry.value.as_str()));
    let headline = format!("`tool_order` lists what no schema file knows: {names}");
    let mut diagnostic = Diagnostic::error("prompt::tool_order_unknown", headline);
    for entry in unknown {
        let label = match report.guesses.nearest(&entry.value, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "no tool of this name".to_owned(),
        };
        diagnostic = diagnostic.at(entry.span, label);
    }
    if tools.is_empty() {
        return diagnostic.with_note("there are no tools: `tool_schemas` names the files that describe them, and `[[tools]]` makes one of a command");
    }
    // The order in which the registry would list them.
    let mut known: Vec<&str> = known().collect();
    known.sort_unstable();
    diagnostic.with_note(format!("the tools are {}", list(known)))
}
