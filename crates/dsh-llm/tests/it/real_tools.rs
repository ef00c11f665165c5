//! The lists of real servers.

use dsh_llm::{keep_old_bytes, parse_tool_list};
use serde_json::Value;

use crate::support::{REAL_LISTS, canonical, list, refused, with_sorted_sets};

#[test]
fn every_real_list_is_read_whole() {
    for (server, source, count) in REAL_LISTS {
        let list = list(source);
        let entries: Value = serde_json::from_str(source).unwrap();
        let entries = entries["tools"].as_array().unwrap();
        assert_eq!((list.tools().len(), entries.len()), (count, count), "{server}");
        for (tool, entry) in list.tools().iter().zip(entries) {
            assert_eq!(tool.schema.name(), entry["name"]);
            assert_eq!(tool.schema.description(), entry["description"]);
            let fields = entry.as_object().unwrap().keys().map(String::as_str);
            let others: Vec<&str> =
                fields.filter(|key| !["name", "description", "inputSchema"].contains(key)).collect();
            assert_eq!(tool.dropped.iter().map(|field| &*field.name).collect::<Vec<_>>(), others);
            assert_eq!(serde_json::from_str::<Value>(source.get(tool.range.clone()).unwrap()).unwrap(), *entry);
        }
    }
}

/// X5
#[test]
fn canonical_parameters_of_real_tools_say_what_the_server_said() {
    for (server, source, _) in REAL_LISTS {
        let entries: Value = serde_json::from_str(source).unwrap();
        for (index, tool) in list(source).tools().iter().enumerate() {
            let text = tool.schema.parameters_json();
            assert_eq!(canonical(text), text, "{server}");
            let original = entries["tools"][index]["inputSchema"].clone();
            assert_eq!(
                with_sorted_sets(tool.schema.parameters().unwrap()),
                with_sorted_sets(original.clone()),
                "{server}"
            );
            // The order in which the server lists its properties is kept.
            let order = |value: &Value| value["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            assert_eq!(order(&tool.schema.parameters().unwrap()), order(&original), "{server}");
        }
    }
}

/// X5
#[test]
fn a_real_list_with_all_its_keys_reversed_keeps_its_old_bytes() {
    fn reversed(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                members.iter().rev().map(|(key, member)| (key.clone(), reversed(member))).collect()
            }
            Value::Array(items) => items.iter().map(reversed).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }
    for (server, source, _) in REAL_LISTS {
        let old = list(source).into_schemas();
        let again = reversed(&serde_json::from_str(source).unwrap()).to_string();
        let kept = keep_old_bytes(&old, list(&again).into_schemas());
        assert_eq!(kept, old, "{server}");
    }
}

#[test]
fn a_real_list_that_is_cut_anywhere_is_refused_within_itself() {
    for (_, source, _) in REAL_LISTS {
        let whole = source.trim_end();
        for end in (0..whole.len()).filter(|&end| whole.is_char_boundary(end)).step_by(7) {
            let cut = whole.get(..end).unwrap();
            let (_, offset) = refused(cut, parse_tool_list(cut));
            assert!(offset <= end);
        }
    }
}
