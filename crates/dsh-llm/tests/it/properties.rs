//! Properties of canonical JSON on random texts.

use dsh_llm::{MAX_DEPTH, ToolSchema, canonical_json, parse_each_tool, parse_tool_list};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

use crate::support::{REAL_LISTS, canonical, tool, with_sorted_sets};

/// Keys that mean something in a schema, names that do not, and some that order or escapes could trip over.
const KEYS: [&str; 20] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "required",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "items",
    "allOf",
    "additionalProperties",
    "default",
    "const",
    "enum",
    "examples",
    "type",
    "x-data",
    "",
    "\u{1f600}\"",
    "\u{ff5e}",
];

/// Entries of a list that are no tools, each for one reason.
const WRONG: [&str; 7] = [
    "7",
    "{}",
    r#"{"name": ""}"#,
    r#"{"name": 5}"#,
    r#"{"name": "w", "description": []}"#,
    r#"{"name": "w", "parameters": null}"#,
    r#"{"function": "w"}"#,
];

/// Keys under which neither the order of keys nor that of an array is special.
const PLAIN_KEYS: [&str; 10] = [
    "items",
    "allOf",
    "additionalProperties",
    "dependentSchemas",
    "type",
    "x-data",
    "title",
    "",
    "\u{1f600}\"",
    "\u{ff5e}",
];

/// A JSON text to be: members in an order, numbers as digits.
#[derive(Clone, Debug)]
enum Json {
    Plain(&'static str),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

fn json(keys: &'static [&'static str]) -> impl Strategy<Value = Json> {
    let plain =
        select(vec!["null", "true", "0", "-0", "1.0", "9007199254740993", "1e-7", "0.10"]).prop_map(Json::Plain);
    let text = prop_oneof![select(vec!["b", "a", "\u{1f600}", "\u{ff5e}"]).prop_map(String::from), any::<String>()];
    let names = vec(select(vec!["b", "a", "\u{1f600}", "\u{ff5e}"]).prop_map(|name| Json::Text(name.into())), 0..4);
    let leaf = prop_oneof![plain, text.prop_map(Json::Text), names.prop_map(Json::Array)];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        let object = vec((select(keys), inner.clone()), 0..6).prop_map(|mut members: Vec<(&str, Json)>| {
            let mut seen = std::collections::BTreeSet::new();
            members.retain(|(key, _)| seen.insert(*key));
            Json::Object(members)
        });
        prop_oneof![1 => vec(inner, 0..4).prop_map(Json::Array), 3 => object]
    })
}

/// A spelling of `json`: the seed decides on white space, on escapes and, where asked, on the order of members.
struct Spelling {
    seed: u64,
    shuffle: bool,
}

impl Spelling {
    fn dice(&mut self, sides: usize) -> usize {
        // The constants of Knuth's MMIX generator; the high bits are good enough for tests.
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.seed >> 40).unwrap_or_default() % sides
    }

    fn space(&mut self, out: &mut String) {
        let spaces = ["", "", " ", "\n\t", "\r\n"];
        out.push_str(spaces.get(self.dice(spaces.len())).copied().unwrap_or_default());
    }

    fn text(&mut self, out: &mut String, text: &str) {
        out.push('"');
        for c in text.chars() {
            if c < ' ' || c == '"' || c == '\\' || self.dice(4) == 0 {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.extend(["\\u", &format!("{unit:04X}")]);
                }
            } else {
                out.push(c);
            }
        }
        out.push('"');
    }

    fn write(&mut self, out: &mut String, json: &Json) {
        self.space(out);
        match json {
            Json::Plain(text) => out.push_str(text),
            Json::Text(text) => self.text(out, text),
            Json::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    self.write(out, item);
                }
                out.push(']');
            }
            Json::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                let swaps = if self.shuffle { 1..members.len() } else { 0..0 };
                for last in swaps.rev() {
                    let other = self.dice(last + 1);
                    members.swap(last, other);
                }
                out.push('{');
                for (index, (key, member)) in members.into_iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    self.space(out);
                    self.text(out, key);
                    self.space(out);
                    out.push(':');
                    self.write(out, member);
                }
                out.push('}');
            }
        }
        self.space(out);
    }
}

fn spelled(json: &Json, seed: u64, shuffle: bool) -> String {
    let mut out = String::new();
    Spelling { seed, shuffle }.write(&mut out, json);
    out
}

proptest! {
    /// X5
    #[test]
    fn canonical_text_is_its_own_canonical_form(json in json(&KEYS), seed: u64) {
        let once = canonical(&spelled(&json, seed, true));
        prop_assert_eq!(canonical(&once), once);
    }

    /// X5
    #[test]
    fn white_space_and_escapes_never_matter(json in json(&KEYS), one: u64, two: u64) {
        prop_assert_eq!(canonical(&spelled(&json, one, false)), canonical(&spelled(&json, two, false)));
    }

    /// X5
    #[test]
    fn canonical_text_says_what_the_source_says(json in json(&KEYS), seed: u64) {
        let source = spelled(&json, seed, true);
        let value = |text: &str| with_sorted_sets(serde_json::from_str::<Value>(text).unwrap());
        prop_assert_eq!(value(&canonical(&source)), value(&source));
    }

    /// X5
    #[test]
    fn the_order_of_keys_does_not_matter_outside_the_keywords_that_keep_it(json in json(&PLAIN_KEYS), one: u64, two: u64) {
        prop_assert_eq!(canonical(&spelled(&json, one, true)), canonical(&spelled(&json, two, true)));
    }

    /// X5
    #[test]
    fn schemas_that_differ_in_the_order_of_keys_are_equal_up_to_order(json in json(&KEYS), one: u64, two: u64) {
        let schema = |seed| tool(&format!("{{\"not\":{}}}", spelled(&json, seed, true)));
        prop_assert!(schema(one).equal_up_to_order(&schema(two)));
    }

    #[test]
    fn any_text_is_read_or_refused_within_itself(source in "[\\[\\]{}:,\"\\\\a-fu0-9.eE+\\- \u{e9}\u{1f600}]{0,40}") {
        match canonical_json(&source) {
            Ok(text) => prop_assert!(serde_json::from_str::<Value>(&text).is_ok() || text.contains(['e', 'E'])),
            Err(error) => prop_assert!(source.is_char_boundary(error.offset().unwrap())),
        }
    }

    #[test]
    fn what_serde_json_reads_is_read_unless_a_key_stands_twice(source in "[\\[\\]{}:,\"\\\\a0-9.eE+\\- ]{0,12}") {
        let ours = canonical_json(&source);
        if serde_json::from_str::<Value>(&source).is_ok() {
            prop_assert!(!ours.is_err_and(|error| error.code() != "llm::duplicate_key"));
        }
    }

    #[test]
    fn a_garbled_real_list_is_read_or_refused_within_itself(
        which in 0..REAL_LISTS.len(), place: Index, length in 0_usize..9, put in select(vec!["", "\"", "{", "]", "\\", "\u{e9}", "1e", "\\ud800"]),
    ) {
        let source = REAL_LISTS[which].1;
        let (start, end) = { let at = place.index(source.len()); (at, (at + length).min(source.len())) };
        prop_assume!(source.is_char_boundary(start) && source.is_char_boundary(end));
        let mut garbled = source.to_owned();
        garbled.replace_range(start..end, put);
        if let Err(error) = parse_tool_list(&garbled) {
            prop_assert!(garbled.is_char_boundary(error.offset().unwrap()), "{error}");
        }
    }

    #[test]
    fn of_a_list_the_right_tools_are_read_and_each_wrong_one_is_told(right in vec(any::<bool>(), 0..20), kinds in vec(0_usize..WRONG.len(), 20)) {
        let entry = |(index, (right, kind)): (usize, (&bool, &usize))| {
            if *right { format!("{{\"name\": \"t{index}\"}}") } else { WRONG[*kind].to_owned() }
        };
        let entries: Vec<String> = right.iter().zip(&kinds).enumerate().map(entry).collect();
        let source = format!("[{}]", entries.join(", "));
        let (list, errors) = parse_each_tool(&source).unwrap();
        let indices = |wanted: bool| right.iter().enumerate().filter(move |(_, right)| **right == wanted).map(|(index, _)| index);
        let names: Vec<&str> = list.schemas().map(ToolSchema::name).collect();
        prop_assert_eq!(names, indices(true).map(|index| format!("t{index}")).collect::<Vec<_>>());
        let wrong: Vec<usize> = errors.iter().filter_map(dsh_llm::Error::tool_index).collect();
        prop_assert_eq!(wrong, indices(false).collect::<Vec<_>>());
        // The strict reader tells the first.
        let strict = parse_tool_list(&source).map_err(|error| error.to_string());
        prop_assert_eq!(strict.err(), errors.first().map(ToString::to_string));
    }

    #[test]
    fn brackets_of_any_kind_and_number_never_crash(opens in vec(select(vec!["[", "{\"a\":", "[{\"b\":["]), 0..400)) {
        let source = opens.concat();
        let error = canonical_json(&source).unwrap_err();
        let depth = source.matches(['[', '{']).count();
        prop_assert_eq!(error.code(), if depth > MAX_DEPTH { "llm::too_deep" } else { "llm::json_syntax" });
    }
}
