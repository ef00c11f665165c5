//! Inputs that are right, or nearly so: the grammar's own forms, glued together.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Some of these, one after the other, with this behind each.
pub(crate) fn glued(fragments: Vec<Vec<u8>>, most: usize, glue: &'static [u8]) -> BoxedStrategy<Vec<u8>> {
    vec(select(fragments), 0..most)
        .prop_map(move |parts| parts.into_iter().flat_map(|part| [part, glue.to_vec()].concat()).collect())
        .boxed()
}

/// A schema, or a list of tools.
pub(crate) fn tools() -> BoxedStrategy<Vec<u8>> {
    let tool =
        (select(vec!["a", "b", "\u{e9} x"]), select(vec!["parameters", "inputSchema", "input_schema"]), schema());
    let tool = tool.prop_map(|(name, key, schema)| {
        format!("{{\"title\": \"T\", \"name\": \"{name}\", \"description\": \"d\\n\", \"{key}\": {schema}}}")
    });
    let list = vec(tool, 0..4).prop_map(|tools| tools.join(", "));
    prop_oneof![
        schema().prop_map(String::into_bytes),
        list.clone().prop_map(|list| format!("[{list}]").into_bytes()),
        list.clone().prop_map(|list| format!("{{\"tools\":[{list}], \"nextCursor\": \"c\"}}").into_bytes()),
        list.prop_map(|list| format!("{{\"result\": {{\"tools\":[{list}]}}}}").into_bytes()),
    ]
    .boxed()
}

/// A JSON Schema, more or less.
fn schema() -> BoxedStrategy<String> {
    let keys = vec![
        "properties",
        "patternProperties",
        "$defs",
        "required",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
        "items",
        "prefixItems",
        "allOf",
        "not",
        "additionalProperties",
        "default",
        "const",
        "enum",
        "examples",
        "type",
        "x-data",
        "",
        "\u{1f600}",
        "\u{ff5e}",
        "\\u0061",
    ];
    let leaf = select(vec![
        "null",
        "true",
        "0",
        "-0",
        "1.0",
        "1E-7",
        "9007199254740993",
        "1e400",
        "\"b\"",
        "\"a\"",
        "\"\\u00e9\\/\"",
        "\"\\ud83d\\ude00\"",
        "[\"b\", \"a\"]",
        "[\"b\", 1, \"a\"]",
        "{}",
        "[]",
    ]);
    leaf.prop_map(str::to_owned)
        .prop_recursive(5, 32, 5, move |inner| {
            let member = (select(keys.clone()), inner.clone()).prop_map(|(key, value)| format!("\"{key}\" :{value}"));
            prop_oneof![
                4 => vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(","))),
                1 => vec(inner, 0..4).prop_map(|items| format!("[ {}]", items.join(" ,"))),
            ]
        })
        .boxed()
}

/// A `dsh.toml`: keys of the whole file, then tables with keys of theirs.
pub(crate) fn configuration() -> BoxedStrategy<Vec<u8>> {
    let text = select(vec![
        "''",
        "'a'",
        "\"\"",
        "\"{{a}}\"",
        "\"\\u00e9 \\U0001F600\\t\"",
        "\"\"\"\nA.\n\\\n  B {{ c }}.\n\"\"\"",
        "'''\nA 'b'.\n'''",
        "1",
        "1.5",
        "true",
        "[]",
        "['a', \"b*\"]",
        "[1]",
        "{ env = 'HOME' }",
        "{ env = '', default = 1 }",
        "07:32:00",
        "-inf",
    ]);
    let line =
        |keys: Vec<&'static str>| (select(keys), text.clone()).prop_map(|(key, value)| format!("{key} = {value}\n"));
    let whole = line(vec![
        "persona",
        "persona_file",
        "identity",
        "model",
        "tool_order",
        "tool_schemas",
        "include",
        "allow_outside",
        "instructions",
        "variables.a",
        "agents.x.persona",
        "persona.x",
        "\"per\\u0073ona\"",
        "stranger",
        "profiles",
    ]);
    let table = select(vec![
        "instructions",
        "variables",
        "[sections]",
        "agents",
        "agents.coder",
        "agents.\"a b\"",
        "[agents.coder.sections]",
        "agents.coder.variables",
        "agents.coder.tools",
        "profiles.ci",
        "profiles.ci.agents.coder",
        "[profiles.ci.sections]",
        "stranger",
        "[include]",
    ]);
    let inner = line(vec![
        "name",
        "order",
        "text",
        "file",
        "format",
        "allow_outside",
        "names",
        "max_bytes",
        "a",
        "Team",
        "persona",
        "description",
        "tools",
        "allow",
        "deny",
        "model",
        "include",
    ]);
    let table = (table, vec(inner, 0..5)).prop_map(|(header, lines)| format!("[{header}]\n{}", lines.concat()));
    (vec(whole, 0..6), vec(table, 0..5))
        .prop_map(|(lines, tables)| (lines.concat() + &tables.concat()).into_bytes())
        .boxed()
}

/// An agent's file: front matter of these lines, and a body.
pub(crate) fn agent_file(fragments: Vec<Vec<u8>>) -> BoxedStrategy<Vec<u8>> {
    let line = (
        select(vec!["name", "description", "tools", "deny_tools", "format", "model", "allowed-tools"]),
        select(vec![
            "a",
            "'a b'",
            "\"\\x61, b\"",
            "read, write,",
            "[read, 'x*']",
            "[]",
            "",
            "~",
            "raw",
            "template",
            "3",
            "{a: b}",
            "*x",
            "!x [a]",
            ">-\n  read,\n  b",
            "\n- a\n- b",
            "|\n  one\n\n  two",
            "a: b",
            "[a",
            "x*y, \u{e9}",
        ]),
    );
    let line = prop_oneof![
        4 => line.prop_map(|(key, value)| format!("{key}: {value}\n").into_bytes()),
        1 => select(fragments.clone()),
    ];
    let fence = || select(vec!["---\n", "---\n", "---\n", "--- \t\n", "---\r\n", "----\n", "\n---\n", "---"]);
    (fence(), vec(line, 0..6), fence(), glued(fragments, 6, b" "))
        .prop_map(|(open, lines, close, body)| [open.as_bytes(), &lines.concat(), close.as_bytes(), &body].concat())
        .boxed()
}

/// A scenario of the generator, its steps cut down, doubled and exchanged.
pub(crate) fn scenario(most: usize) -> BoxedStrategy<Vec<u8>> {
    (any::<u64>(), vec((any::<prop::sample::Index>(), any::<bool>()), 0..4), 0..most)
        .prop_map(|(seed, changes, length)| {
            let mut scenario = dsh_conformance::generate(seed);
            scenario.steps.truncate(length);
            for (at, is_double) in changes {
                if !scenario.steps.is_empty() {
                    let step = scenario.steps.remove(at.index(scenario.steps.len()));
                    let again = at.index(scenario.steps.len() + 1);
                    scenario.steps.insert(again, step.clone());
                    if is_double {
                        scenario.steps.push(step);
                    }
                }
            }
            scenario.to_text().into_bytes()
        })
        .boxed()
}
