//! Several documents made one (C5): tables merge, what is denied stays denied, everything else is replaced by what comes later, but what is
//! written so wrong that a denial may be lost in it: that stays, to be told of.

use super::tree::{Branch, Field, Kind, Node, Value};

/// Lays `over` on `base`: what both have is `over`'s, tables excepted, which merge in the same way.
///
/// Keys keep the order in which they were first given. Where two keys are two ways of saying one thing, the later one takes the
/// earlier one's place.
pub(crate) fn overlay(base: &mut Branch, over: Branch) {
    overlay_kind(Kind::Settings, base, over);
}

/// As [`overlay`], for tables of this kind.
pub(super) fn overlay_kind(kind: Kind, base: &mut Branch, over: Branch) {
    if kind.is_layer() {
        for (one, other) in [("persona", "persona_file"), ("persona_file", "persona")] {
            if over.fields.contains_key(one) && !over.fields.contains_key(other) {
                base.fields.shift_remove(other);
            }
        }
    }
    base.allow_outside.extend(over.allow_outside);
    for (name, mut field) in over.fields {
        // Else nobody would read it, and what stands in the table in its place would pass for all that was said.
        if base.fields.get(&name).is_some_and(|said| kind.is_wrong(&name, &said.node.value)) {
            continue;
        }
        if kind == Kind::Settings && name == "model" {
            alike(base, &mut field);
        }
        if kind == Kind::Permissions && name == "deny" {
            keep_denied(base, &mut field);
        }
        match (base.fields.get_mut(&name), field) {
            (
                Some(Field { key, node: Node { span, tier, value: Value::Table(old) } }),
                Field { key: new_key, node: Node { span: new_span, tier: new_tier, value: Value::Table(new) } },
            ) => {
                (*key, *span, *tier) = (new_key, new_span, new_tier);
                overlay_kind(kind.of(&name), old, new);
            }
            (_, field) => {
                base.fields.insert(name, field);
            }
        }
    }
}

/// What somebody denies, nobody permits by saying less: what comes later adds to it, and who was first is who says it.
fn keep_denied(base: &Branch, over: &mut Field) {
    let Some(Value::Array(denied)) = base.fields.get("deny").map(|field| &field.node.value) else { return };
    let Value::Array(more) = &mut over.node.value else { return };
    let said: Vec<&str> = denied.iter().filter_map(|node| node.value.as_str()).collect();
    more.retain(|node| node.value.as_str().is_none_or(|entry| !said.contains(&entry)));
    more.splice(0..0, denied.iter().cloned());
}

/// `model = "…"` says the name alone of what `[model]` is: where one document has it so and another one so, both are made tables.
fn alike(base: &mut Branch, over: &mut Field) {
    let Some(under) = base.fields.get_mut("model") else { return };
    match (&under.node.value, &over.node.value) {
        (Value::String(_), Value::Table(_)) => named(under),
        (Value::Table(_), Value::String(_)) => named(over),
        _ => {}
    }
}

/// Makes a name the table that has it for its `name`.
fn named(field: &mut Field) {
    let name = field.clone();
    let mut table = Branch::default();
    table.fields.insert("name".to_owned(), name);
    field.node.value = Value::Table(table);
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

#[cfg(test)]
mod tests {
    use super::super::tree::{Branch, Tier, Value};
    use super::super::{Profiles, parse};
    use super::overlay;
    use crate::diagnostic::{Report, Sources};

    fn tree(text: &str) -> Branch {
        let source = Sources::new().add(String::new(), text.to_owned());
        parse(source, Tier::Project, text, &mut Report::new()).unwrap()
    }

    /// A tree as one line: keys in their order, lists and tables in brackets.
    fn line(branch: &Branch) -> String {
        let value = |value: &Value| match (value.as_table(), value.as_array()) {
            (Some(table), _) => format!("{{{}}}", line(table)),
            (_, Some(items)) => format!("[{}]", items.len()),
            _ => value.as_str().unwrap_or("?").to_owned(),
        };
        let fields: Vec<String> =
            branch.fields.iter().map(|(key, field)| format!("{key}={}", value(&field.node.value))).collect();
        fields.join(" ")
    }

    fn merged(documents: &[&str]) -> String {
        let mut whole = Branch::default();
        for text in documents {
            overlay(&mut whole, tree(text));
        }
        line(&whole)
    }

    #[test]
    fn tables_merge_and_all_else_is_replaced_in_place() {
        // C5
        assert_eq!(
            merged(&["b = 'x'\na = [1, 2]\n[t]\nx = 'o'\ny = 'o'", "a = [3]\n[t]\ny = 'n'\nz = 'n'"]),
            "b=x a=[1] t={x=o y=n z=n}"
        );
        assert_eq!(merged(&["t = 'x'", "[t]\na = 'y'", "t = 'z'"]), "t=z");
    }

    #[test]
    fn what_is_denied_stays_denied_and_what_is_allowed_is_said_anew() {
        let permissions = |documents: &[&str]| {
            let mut whole = Branch::default();
            for text in documents {
                overlay(&mut whole, tree(text));
            }
            let table = whole.fields["permissions"].node.value.as_table().unwrap();
            let entries = |key: &str| -> Vec<String> {
                let list = table.fields.get(key).and_then(|field| field.node.value.as_array());
                list.into_iter().flatten().filter_map(|node| node.value.as_str().map(str::to_owned)).collect()
            };
            (entries("allow"), entries("deny"))
        };
        let own = "[permissions]\nallow = ['a']\ndeny = ['wipe', 'x*']";
        for (project, denied) in [
            ("[permissions]\nallow = ['b']", vec!["wipe", "x*"]),
            ("[permissions]\nallow = ['b']\ndeny = []", vec!["wipe", "x*"]),
            ("[permissions]\nallow = ['b']\ndeny = ['x*', 'c']", vec!["wipe", "x*", "c"]),
        ] {
            let (allow, deny) = permissions(&[own, project]);
            assert_eq!((allow, deny), (vec!["b".to_owned()], denied.into_iter().map(str::to_owned).collect()));
        }
    }

    #[test]
    fn a_persona_takes_the_place_of_the_other_way_to_give_one() {
        assert_eq!(merged(&["persona = 'a'", "persona_file = 'b'"]), "persona_file=b");
        assert_eq!(merged(&["[agents.x]\npersona_file = 'a'", "[agents.x]\npersona = 'b'"]), "agents={x={persona=b}}");
        // In one document it is a mistake, which the reader shall see; and a variable may have any name.
        assert_eq!(merged(&["persona = 'a'", "persona_file = 'b'\npersona = 'c'"]), "persona=c persona_file=b");
        assert_eq!(
            merged(&["[variables]\npersona = 'a'", "[variables]\npersona_file = 'b'"]),
            "variables={persona=a persona_file=b}"
        );
    }

    #[test]
    fn what_may_have_been_a_denial_stays_wrong_whatever_comes_later() {
        let wrong = [
            ("permissions = 'x'", "[permissions]\nallow = ['a']"),
            ("[permissions]\ndeny = 'x'", "[permissions]\ndeny = []"),
            ("agents = 'x'", "[agents.a]\npersona = 'p'"),
            ("[agents]\na = 'x'", "[agents.a]\npersona = 'p'"),
            ("[agents.a]\npermissions = 'x'", "[agents.a.permissions]\nallow = []"),
            ("[agents.a.permissions]\ndeny = 'x'", "[agents.a.permissions]\ndeny = ['b']"),
        ];
        for (wrong, right) in wrong {
            for documents in [
                &[wrong, right][..],
                &["[permissions]\ndeny = ['b']\n[agents.a.permissions]\ndeny = ['b']", wrong, right],
            ] {
                assert!(merged(documents).contains("=x"), "{documents:?}: {}", merged(documents));
            }
        }
    }

    #[test]
    fn what_a_profile_says_is_marked_as_its_own() {
        let mut whole = tree("a = 'x'\n[profiles.ci]\na = 'y'\n[profiles.ci.t]\nb = 'z'\n[profiles.dev]\na = 'w'");
        let mut profiles = Profiles::take(&mut whole, &mut Report::new());
        assert!(!profiles.choose("cd", &mut whole, &mut Report::new()));
        assert!(profiles.choose("ci", &mut whole, &mut Report::new()));
        assert_eq!(line(&whole), "a=y t={b=z}");
        assert!(whole.fields.values().all(|field| field.node.tier == Tier::ProjectProfile));
        assert_eq!(profiles.names().collect::<Vec<_>>(), ["dev"]);
    }
}
