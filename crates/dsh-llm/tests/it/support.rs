//! Helpers shared by the tests: every call of the crate that may fail goes through one of these.
#![expect(clippy::panic, clippy::expect_used, reason = "a helper of tests fails the test by panicking")]

use dsh_llm::{Error, ToolList, ToolSchema, canonical_json, parse_tool_list};
use serde_json::Value;

/// The real lists, by server, with the number of their tools.
pub(crate) const REAL_LISTS: [(&str, &str, usize); 4] = [
    ("everything", include_str!("../data/real-tools/everything.json"), 13),
    ("filesystem", include_str!("../data/real-tools/filesystem.json"), 14),
    ("playwright", include_str!("../data/real-tools/playwright.json"), 25),
    ("sequential-thinking", include_str!("../data/real-tools/sequential-thinking.json"), 1),
];

#[track_caller]
pub(crate) fn canonical(source: &str) -> String {
    canonical_json(source).unwrap_or_else(|error| panic!("{error} in {source}"))
}

#[track_caller]
pub(crate) fn list(source: &str) -> ToolList {
    parse_tool_list(source).unwrap_or_else(|error| panic!("{error} in {source}"))
}

/// A tool called `t` with these parameters.
#[track_caller]
pub(crate) fn tool(parameters: &str) -> ToolSchema {
    ToolSchema::new("t", "d", parameters).unwrap_or_else(|error| panic!("{error} in {parameters}"))
}

/// The code and the place of the error with which `source` was refused; the place lies in `source`, between two characters.
#[track_caller]
pub(crate) fn refused<T>(source: &str, result: Result<T, Error>) -> (&'static str, usize) {
    let Err(error) = result else { panic!("accepted: {source}") };
    let offset = error.offset().expect("an error in a text has a place");
    assert!(source.is_char_boundary(offset), "{error} in {source}");
    (error.code(), offset)
}

/// A value in which what X5 sorts is sorted everywhere, so that equal values are schemas equal up to order. Sorting more
/// than X5 does is fine here: it is done to both sides.
pub(crate) fn with_sorted_sets(mut value: Value) -> Value {
    sort_sets(&mut value, false);
    value
}

fn sort_sets(value: &mut Value, is_set: bool) {
    match value {
        Value::Array(items) => {
            for item in items.iter_mut() {
                sort_sets(item, false);
            }
            if is_set && items.iter().all(Value::is_string) {
                items.sort_by_key(|item| item.as_str().map(|text| text.encode_utf16().collect::<Vec<_>>()));
            }
        }
        Value::Object(members) => {
            for (key, member) in members.iter_mut() {
                if let (true, Value::Object(sets)) = (key == "dependentRequired", &mut *member) {
                    for (_, set) in sets {
                        sort_sets(set, true);
                    }
                } else {
                    sort_sets(member, key == "required");
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
