//! The JSON of `dsh trust`, version 1: docs/json.md describes it.

use serde_json::{Value, json};

use super::list::line_and_column;
use crate::diagnostic::Sources;
use crate::diagnostic::json::printed;
use crate::trust::{Asker, Asking, Reason, Trust, TrustItem, TrustSet};

/// The shape's version.
const VERSION: u32 = 1;

/// The whole, and a newline.
pub(super) fn answer(set: &TrustSet, trust: Trust, sources: &Sources) -> String {
    let items: Vec<Value> = set
        .iter()
        .map(|(item, askers)| {
            let asked_by: Vec<Value> = askers.iter().map(|asker| asked_by(asker, sources)).collect();
            let kind = item.kind();
            match item {
                TrustItem::EnvironmentVariable { name } => json!({"kind": kind, "name": name, "asked_by": asked_by}),
                TrustItem::Command { words } => json!({"kind": kind, "command": words, "asked_by": asked_by}),
                TrustItem::ScriptedModel { path } => json!({"kind": kind, "path": path, "asked_by": asked_by}),
                TrustItem::Subagents { agents, usual, bounds } => {
                    let bound = |key: &str| bounds.iter().find(|(own, _)| *own == key).map(|(_, number)| *number);
                    json!({
                        "kind": kind,
                        "agents": agents,
                        "usual": usual,
                        "depth": bound("depth"),
                        "width": bound("width"),
                        "total": bound("total"),
                        "asked_by": asked_by,
                    })
                }
                TrustItem::Permissions { agent, allow, deny } => {
                    json!({"kind": kind, "agent": agent, "allow": allow, "deny": deny, "asked_by": asked_by})
                }
            }
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
    let (by, name) = match &asker.by {
        Asking::Variable(name) => ("variable", name.as_str()),
        Asking::Tool(name) => ("tool", name.as_str()),
        Asking::Key(key) => ("key", *key),
    };
    json!({
        by: name,
        "agent": asker.agent,
        "profile": asker.profile,
        "file": sources.get(asker.span.source).map(|source| source.path.as_str()),
        "line": line,
        "column": column,
    })
}
