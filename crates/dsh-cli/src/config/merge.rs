//! Several documents made one (C5): tables merge, everything else is replaced by what comes later.

use super::tree::{Branch, Field, Node, Value};

/// Lays `over` on `base`: what both have is `over`'s, tables excepted, which merge in the same way.
///
/// Keys keep the order in which they were first given. Where two keys are two ways of saying one thing, the later one takes the
/// earlier one's place.
pub(crate) fn overlay(base: &mut Branch, over: Branch) {
    overlay_layer(base, over);
}

/// As [`overlay`], for a table that is a layer: it has a persona, variables, sections.
fn overlay_layer(base: &mut Branch, over: Branch) {
    for (one, other) in [("persona", "persona_file"), ("persona_file", "persona")] {
        if over.fields.contains_key(one) && !over.fields.contains_key(other) {
            base.fields.shift_remove(other);
        }
    }
    overlay_with(base, over, |name, base, over| match name {
        "agents" => overlay_with(base, over, |_, base, over| overlay_layer(base, over)),
        "profiles" => overlay_with(base, over, |_, base, over| overlay_layer(base, over)),
        _ => overlay_plain(base, over),
    });
}

fn overlay_plain(base: &mut Branch, over: Branch) {
    overlay_with(base, over, |_, base, over| overlay_plain(base, over));
}

/// Lays `over` on `base`, and each table on the table of its name as `both` says.
fn overlay_with(base: &mut Branch, over: Branch, both: impl Fn(&str, &mut Branch, Branch)) {
    base.allow_outside.extend(over.allow_outside);
    for (name, field) in over.fields {
        match (base.fields.get_mut(&name), field) {
            (
                Some(Field { key, node: Node { span, tier, value: Value::Table(old) } }),
                Field { key: new_key, node: Node { span: new_span, tier: new_tier, value: Value::Table(new) } },
            ) => {
                (*key, *span, *tier) = (new_key, new_span, new_tier);
                both(&name, old, new);
            }
            (_, field) => {
                base.fields.insert(name, field);
            }
        }
    }
}

/// Marks everything in a table as said by a profile.
pub(super) fn into_profile(branch: &mut Branch) {
    let fields = branch.fields.values_mut().chain(&mut branch.allow_outside);
    fields.for_each(|field| mark(&mut field.node));
}

fn mark(node: &mut Node) {
    node.tier = node.tier.in_profile();
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(mark),
        Value::Table(table) => into_profile(table),
        Value::String(_) | Value::Integer(..) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}
