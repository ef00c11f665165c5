//! The JSON of `dsh trust`, version 1: docs/json.md describes it.

use serde_json::{Value, json};

use super::list::line_and_column;
use crate::diagnostic::Sources;
use crate::diagnostic::json::printed;
use crate::trust::{Asker, Reason, Trust, TrustItem, TrustSet};

/// The shape's version.
const VERSION: u32 = 1;

/// The whole, and a newline.
pub(super) fn answer(set: &TrustSet, trust: Trust, sources: &Sources) -> String {
    let items: Vec<Value> = set
        .iter()
        .map(|(item, askers)| {
            let TrustItem::EnvironmentVariable { name } = item;
            let asked_by: Vec<Value> = askers.iter().map(|asker| asked_by(asker, sources)).collect();
            json!({"kind": item.kind(), "name": name, "asked_by": asked_by})
        })
        .collect();
    printed(&json!({
        "version": VERSION,
        "status": status(set, trust),
        "hash": set.hash().to_string(),
        "items": items,
    }))
}

fn status(set: &TrustSet, trust: Trust) -> &'static str {
    match trust {
        Trust::Trusted if set.is_empty() => "nothing-to-trust",
        Trust::Trusted => "trusted",
        Trust::Untrusted(Reason::NeverTrusted) => "untrusted",
        Trust::Untrusted(Reason::Changed) => "changed",
        Trust::Untrusted(Reason::OtherHash { .. }) => "other-hash",
    }
}

fn asked_by(asker: &Asker, sources: &Sources) -> Value {
    let (line, column) = line_and_column(asker.span, sources);
    json!({
        "variable": asker.variable,
        "agent": asker.agent,
        "profile": asker.profile,
        "file": sources.get(asker.span.source).map(|source| source.path.as_str()),
        "line": line,
        "column": column,
    })
}
