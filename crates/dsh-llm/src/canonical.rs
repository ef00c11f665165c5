//! Canonical JSON of a schema (contract X5): one text for all spellings of the same schema.

mod position;

use position::Position;

use crate::error::Error;
use crate::json::{Member, Node, Value, parse, push_string, utf16_cmp};

/// The canonical JSON of a JSON Schema, made from its source text (contract X5).
///
/// * No white space between tokens; a byte order mark at the start goes.
/// * Keys stand in the order of their UTF-16 code units, but those of `properties`, `patternProperties`, `$defs` and
///   `definitions` in the order of the source, since models write arguments in it.
/// * `required`, and the arrays of `dependentRequired`, are sorted by UTF-16 code units, if all their elements are strings. No
///   other array is.
/// * The values of `default`, `const`, `enum` and `examples` keep the order of their keys.
/// * Numbers are copied digit for digit: `9007199254740993`, `1.0`, `1e400` and `-0` come out as they went in.
/// * A string has one form: `\"`, `\\`, `\b`, `\t`, `\n`, `\f`, `\r`, `\u00xx` for other control characters, all else
///   literally.
///
/// These are rules about **keywords**, and a keyword is one only where a schema stands: at the root, in the values of `properties`,
/// `patternProperties`, `$defs`, `definitions`, `dependentSchemas` and `dependencies`, in `items`, `prefixItems`, `allOf`,
/// `anyOf`, `oneOf`, `not`, `if`, `then`, `else`, `contains`, `additionalProperties`, `additionalItems`, `propertyNames`,
/// `unevaluatedItems`, `unevaluatedProperties` and `contentSchema`. So a property that is called `required` or `enum` is a
/// property. The value of any other keyword (`x-…`, `$vocabulary`) is plain data: keys sorted at every level, arrays as they are.
///
/// The result is canonical itself: applying the function again changes nothing.
///
/// # Errors
///
/// `llm::json_syntax`, `llm::lone_surrogate`, `llm::duplicate_key` and `llm::too_deep` (past
/// [`MAX_DEPTH`](crate::MAX_DEPTH)), each with its byte offset in `source`.
///
/// ```
/// # fn main() -> Result<(), dsh_llm::Error> {
/// let text = dsh_llm::canonical_json(
///     r#"{ "type": "object", "required": ["b", "a"],
///          "properties": { "b": { "type": "number", "default": 1.0 }, "a": { "enum": ["z", "y"] } } }"#,
/// )?;
/// assert_eq!(
///     text,
///     r#"{"properties":{"b":{"default":1.0,"type":"number"},"a":{"enum":["z","y"]}},"required":["a","b"],"type":"object"}"#
/// );
/// # Ok(())
/// # }
/// ```
pub fn canonical_json(source: &str) -> Result<String, Error> {
    let root = parse(source)?;
    let mut out = String::with_capacity(source.len());
    write_schema(&mut out, &root, Keys::Canonical);
    Ok(out)
}

/// Which keys are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// Those that X5 sorts.
    Canonical,
    /// All of them: equal texts in this form are schemas that are equal up to order.
    AllSorted,
}

/// Appends the schema `node`.
pub(crate) fn write_schema(out: &mut String, node: &Node<'_>, keys: Keys) {
    write(out, node, Position::Schema, keys);
}

/// Recursion is bounded: no tree is deeper than `MAX_DEPTH`.
fn write(out: &mut String, node: &Node<'_>, position: Position, keys: Keys) {
    match &node.value {
        Value::Plain(text) => out.push_str(text),
        Value::String(text) => push_string(out, text),
        Value::Array(items) => {
            let sorted = if position == Position::NameSet { sorted_names(items) } else { None };
            out.push('[');
            match sorted {
                Some(names) => list(out, names, push_string),
                None => list(out, items, |out, item| write(out, item, position.element(), keys)),
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<&Member<'_>> = members.iter().collect();
            if keys == Keys::AllSorted || !position.keeps_order() {
                members.sort_by(|a, b| utf16_cmp(&a.key, &b.key));
            }
            out.push('{');
            list(out, members, |out, member| {
                push_string(out, &member.key);
                out.push(':');
                write(out, &member.node, position.member(&member.key), keys);
            });
            out.push('}');
        }
    }
}

fn sorted_names<'t>(items: &'t [Node<'_>]) -> Option<Vec<&'t str>> {
    let mut names = items.iter().map(Node::as_str).collect::<Option<Vec<_>>>()?;
    names.sort_by(|a, b| utf16_cmp(a, b));
    Some(names)
}

fn list<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut String, T)) {
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
}
