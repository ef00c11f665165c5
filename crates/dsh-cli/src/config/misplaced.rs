//! Keys of the whole file that stand below a header: TOML takes them for keys of that table.

use super::tree::Value;
use crate::names::quoted;

/// The keys of the whole file that nobody would call a variable.
const NO_VARIABLES: [&str; 13] = [
    "persona",
    "persona_file",
    "tool_schemas",
    "tool_order",
    "identity",
    "include",
    "instructions",
    "sections",
    "agents",
    "profiles",
    "permissions",
    "compaction",
    "subagents",
];

/// What to do with a key of the whole file in a table that does not know it.
pub(super) fn of_the_whole_file(key: &str, value: &Value) -> Option<String> {
    (matches!(key, "model" | "limits") || NO_VARIABLES.contains(&key)).then(|| match value.as_table() {
        Some(_) => format!("{} is a table of the whole file: its header is `[{key}]`", quoted(key)),
        None => above_the_first(key),
    })
}

/// What to do with a variable whose name is most likely meant as a key of the whole file.
pub(crate) fn no_variable(name: &str) -> Option<String> {
    NO_VARIABLES.contains(&name).then(|| above_the_first(name))
}

fn above_the_first(key: &str) -> String {
    format!("{} is a key of the whole file: put it above the first `[table]`", quoted(key))
}
