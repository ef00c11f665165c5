//! A JSON Schema that values are checked with, whoever wrote either of them.

use std::fmt::{self, Write as _};

use jsonschema::{Draft, PatternOptions, ValidationError, ValidationOptions, Validator};
use serde_json::Value;

use super::cost;
use super::plain::Plain;

/// A pattern that is larger than this when it is compiled is refused: a few characters can mean very much.
const PATTERN_LIMIT: usize = 1 << 20;

/// At most so many violations are told of one by one; that there are more is said.
const LISTED: usize = 500;

/// At most so many characters of one violation: it may name what the schema or the model wrote.
const SHOWN: usize = 300;

/// A JSON Schema, compiled, that neither its author nor that of a value can make cost too much (K13).
///
/// Its dialect is the one that `$schema` names, 2020-12 otherwise; no reference is fetched; patterns take time linear in what they are
/// matched with; how often a check may branch and how deep it may go is bounded.
///
/// ```
/// use dsh_tools::{JsonSchema, Misfit};
/// use serde_json::json;
///
/// let schema = JsonSchema::compile(&json!({"type": "object", "properties": {"path": {"type": "string"}}}))?;
/// assert_eq!(schema.read(r#"{"path": "a"}"#), Ok(json!({"path": "a"})));
/// assert!(matches!(schema.read(r#"{"path": 1}"#), Err(Misfit::Violations(list)) if list.contains("\n- /path: ")));
/// assert!(matches!(schema.read(r#"{"path": "a", "path": "b"}"#), Err(Misfit::NotJson(_))));
/// # Ok::<(), String>(())
/// ```
pub struct JsonSchema {
    validator: Validator,
    /// How many references the schema has.
    references: usize,
}

/// Why a text is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misfit {
    /// It is no JSON, or JSON that readers disagree about: an object in it has one key twice.
    NotJson(String),
    /// It does not fit. Every violation stands on a line of its own: `\n- ` with the JSON pointer of its place, and what is wrong there.
    Violations(String),
    /// Whether it fits was not found out within the bounds.
    TooCostly(String),
}

impl JsonSchema {
    /// Compiles a schema.
    ///
    /// # Errors
    ///
    /// What is wrong with it, if it is none.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        let mut schema = schema.clone();
        let mut draft = Draft::Draft202012.detect(&schema);
        if draft == Draft::Unknown {
            // A dialect of somebody's own would have to be fetched.
            draft = Draft::Draft202012;
            if let Some(object) = schema.as_object_mut() {
                object.shift_remove("$schema");
            }
        }
        let references = cost::prepare(&mut schema);
        let options = options().with_draft(draft).with_keyword(cost::STEP, |_, _, _| Ok(Box::new(cost::Step)));
        let build = || options.build(&schema).map_err(|error| shown(&error));
        let validator = cost::bounded(cost::Size { references, depth: 0, bytes: 0 }, build)??;
        Ok(Self { validator, references })
    }

    /// Reads a JSON text and checks it: all violations come back at once, without what stands in the text.
    ///
    /// # Errors
    ///
    /// [`Misfit`].
    pub fn read(&self, text: &str) -> Result<Value, Misfit> {
        let Plain(value) = serde_json::from_str(text).map_err(|error| Misfit::NotJson(error.to_string()))?;
        let depth = if self.references == 0 { 0 } else { cost::depth(&value) };
        let size = cost::Size { references: self.references, depth, bytes: text.len() };
        let is_valid = cost::bounded(size, || self.validator.is_valid(&value));
        if is_valid.map_err(|problem| Misfit::TooCostly(problem.to_owned()))? {
            return Ok(value);
        }
        // Where the list would be endless, it is known all the same that it does not fit.
        let list = cost::bounded(size, || violations(&self.validator, &value));
        Err(Misfit::Violations(list.unwrap_or_else(|problem| format!(" where cannot be said, for {problem}"))))
    }
}

impl fmt::Debug for JsonSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonSchema({} references)", self.references)
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(problem) => write!(f, "it is not JSON: {problem}"),
            Self::Violations(list) => write!(f, "it does not fit:{list}"),
            Self::TooCostly(problem) => write!(f, "it cannot be checked: {problem}"),
        }
    }
}

impl std::error::Error for Misfit {}

/// What holds of each schema and each pattern: no reference is fetched, patterns take linear time and bounded space.
pub(super) fn options() -> ValidationOptions<'static> {
    jsonschema::options().offline().with_pattern_options(PatternOptions::regex().size_limit(PATTERN_LIMIT))
}

/// Every violation on a line of its own: the JSON pointer of the place, and what is wrong there.
fn violations(validator: &Validator, value: &Value) -> String {
    let mut list = String::new();
    let mut errors = validator.iter_errors(value);
    for error in errors.by_ref().take(LISTED) {
        let path = error.instance_path().as_str();
        let path = if path.is_empty() { "(the whole)" } else { path };
        // Writing to a string does not fail.
        let _infallible = write!(list, "\n- {}: {}", path.escape_debug(), shown(&error));
    }
    match errors.count() {
        0 => {}
        more => {
            let _infallible = write!(list, "\n- and {more} more");
        }
    }
    list
}

/// What is wrong, without what the model wrote: it knows that, and it may be long.
pub(super) fn shown(error: &ValidationError<'_>) -> String {
    let text = error.masked_with("the value").to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
