//! Checking arguments against a tool's schema, before the tool sees them (T4).

mod cost;
mod patterns;

use std::fmt::Write as _;
use std::sync::OnceLock;

use dsh_llm::ToolSchema;
use jsonschema::{Draft, PatternOptions, ValidationError, ValidationOptions, Validator};
use serde_json::Value;

use crate::error::Quoted;

pub(crate) use patterns::unusable_pattern;

/// Checks arguments with a schema that is compiled when it is needed first, and kept.
#[derive(Default)]
pub(crate) struct Checker(OnceLock<Result<Compiled, String>>);

struct Compiled {
    validator: Validator,
    /// How many references the schema has.
    references: usize,
}

/// Why arguments are refused.
pub(crate) enum Refused {
    /// They do not fit; every violation is told of.
    Arguments(String),
    /// The schema is none that anything can be checked with.
    Schema(String),
}

/// A pattern that is larger than this when it is compiled is refused: a few characters can mean very much.
const PATTERN_LIMIT: usize = 1 << 20;

/// At most so many violations are told of one by one; that there are more is said.
const LISTED: usize = 500;

/// At most so many characters of one violation: it may name what the schema or the model wrote.
const SHOWN: usize = 300;

impl Checker {
    /// Reads the arguments and checks them: all violations come back at once.
    pub(crate) fn check(&self, schema: &ToolSchema, text: &str) -> Result<Value, Refused> {
        let name = Quoted(schema.name());
        let value: Value = serde_json::from_str(text)
            .map_err(|error| Refused::Arguments(format!("the arguments of {name} are not JSON: {error}")))?;
        let Compiled { validator, references } =
            self.0.get_or_init(|| Compiled::new(schema)).as_ref().map_err(|problem| {
                Refused::Schema(format!("the schema of {name} is not one to check arguments with: {problem}"))
            })?;
        let depth = if *references == 0 { 0 } else { cost::depth(&value) };
        let size = cost::Size { references: *references, depth, bytes: text.len() };
        let is_valid = cost::bounded(size, || validator.is_valid(&value));
        let is_valid = is_valid.map_err(|problem| {
            Refused::Schema(format!("the arguments of {name} cannot be checked with its schema: {problem}"))
        })?;
        if is_valid {
            return Ok(value);
        }
        // Where the list would be endless, it is known all the same that they do not fit.
        let list = cost::bounded(size, || violations(validator, &value));
        let list = list.unwrap_or_else(|problem| format!(" where cannot be said, for {problem}"));
        Err(Refused::Arguments(format!("the arguments of {name} do not fit its schema:{list}")))
    }
}

impl Compiled {
    /// Compiles a schema: its dialect is the one that `$schema` names, 2020-12 otherwise; no reference is fetched; patterns take
    /// time linear in what they are matched with.
    fn new(schema: &ToolSchema) -> Result<Self, String> {
        let mut parameters = schema.parameters().map_err(|error| error.to_string())?;
        let mut draft = Draft::Draft202012.detect(&parameters);
        if draft == Draft::Unknown {
            // A dialect of somebody's own would have to be fetched.
            draft = Draft::Draft202012;
            if let Some(object) = parameters.as_object_mut() {
                object.shift_remove("$schema");
            }
        }
        let references = cost::prepare(&mut parameters);
        let options = options().with_draft(draft).with_keyword(cost::STEP, |_, _, _| Ok(Box::new(cost::Step)));
        let build = || options.build(&parameters).map_err(|error| shown(&error));
        let validator = cost::bounded(cost::Size { references, depth: 0, bytes: 0 }, build)??;
        Ok(Self { validator, references })
    }
}

/// What holds of each schema and each pattern: no reference is fetched, patterns take linear time and bounded space.
fn options() -> ValidationOptions<'static> {
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
fn shown(error: &ValidationError<'_>) -> String {
    let text = error.masked_with("the value").to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
