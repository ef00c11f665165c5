//! The schema of a final answer: an answer is JSON of it, or it is told what is wrong (G2).

use std::fmt::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

/// The schema of a final answer, compiled. A clone is the same schema.
///
/// Its dialect is the one that `$schema` names, 2020-12 otherwise; no reference is fetched; patterns take linear time.
#[derive(Clone)]
pub struct OutputSchema(Arc<Inner>);

struct Inner {
    text: String,
    validator: Validator,
}

/// A pattern that is larger than this when it is compiled is refused: a few characters can mean very much.
const PATTERN_LIMIT: usize = 1 << 20;

/// At most so many violations are told of one by one; that there are more is said.
const LISTED: usize = 100;

/// At most so many characters of one violation: it may name what the schema or the model wrote.
const SHOWN: usize = 300;

impl OutputSchema {
    /// Compiles a schema; what is wrong with it, if it is none.
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        let mut schema = schema.clone();
        let text = format!("{schema:#}");
        let mut draft = Draft::Draft202012.detect(&schema);
        if draft == Draft::Unknown {
            // A dialect of somebody's own would have to be fetched.
            draft = Draft::Draft202012;
            if let Some(object) = schema.as_object_mut() {
                object.shift_remove("$schema");
            }
        }
        let options = jsonschema::options()
            .with_draft(draft)
            .offline()
            .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_LIMIT));
        // It is not our code, and the schema is anybody's (K13).
        let built = catch_unwind(AssertUnwindSafe(|| options.build(&schema).map_err(|error| shown(&error))));
        let validator = built.unwrap_or_else(|_panic| Err("it cannot be compiled".to_owned()))?;
        Ok(Self(Arc::new(Inner { text, validator })))
    }

    /// The schema as JSON text, for a model to read.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Reads an answer: blanks and one fence of code round the JSON are put up with.
    ///
    /// ```
    /// # use dsh_subagent::SubagentJob;
    /// fn check(job: &SubagentJob, answer: &str) -> bool {
    ///     job.output().is_none_or(|schema| schema.read(answer).is_ok())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// What is wrong with it, each violation on a line of its own.
    pub fn read(&self, answer: &str) -> Result<Value, String> {
        let value: Value = serde_json::from_str(unfenced(answer))
            .map_err(|error| format!("\n- (the whole): it is not JSON: {error}"))?;
        let validator = &self.0.validator;
        let checked = catch_unwind(AssertUnwindSafe(|| {
            if validator.is_valid(&value) { None } else { Some(violations(validator, &value)) }
        }));
        match checked {
            Ok(None) => Ok(value),
            Ok(Some(list)) => Err(list),
            Err(_panic) => Err("\n- (the whole): it could not be checked".to_owned()),
        }
    }
}

/// The text within a fence of code, where all of it is one.
fn unfenced(answer: &str) -> &str {
    let answer = answer.trim();
    let within = answer.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    // The first line says which language it is.
    within.and_then(|within| within.split_once('\n')).map_or(answer, |(_language, within)| within.trim())
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

impl fmt::Debug for OutputSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutputSchema({} bytes)", self.0.text.len())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::OutputSchema;

    #[test]
    fn an_answer_is_read_within_blanks_and_one_fence() {
        let schema = OutputSchema::compile(&json!({"type": "object", "required": ["n"]})).unwrap();
        let fenced = "```json\n{\"n\": 1}\n```";
        for answer in ["{\"n\": 1}", " \n{\"n\": 1}\n", fenced] {
            assert_eq!(schema.read(answer), Ok(json!({"n": 1})), "{answer}");
        }
        for answer in ["", "n is 1", "{\"n\": 1} done", "```", "```{\"n\": 1}```"] {
            assert!(schema.read(answer).unwrap_err().contains("it is not JSON"), "{answer}");
        }
    }

    #[test]
    fn all_violations_come_back_with_their_places_and_without_the_values() {
        let schema = OutputSchema::compile(&json!({
            "properties": {"n": {"type": "integer"}, "s": {"maxLength": 2}},
            "additionalProperties": false,
        }));
        let wrong = schema.unwrap().read(r#"{"n": "one", "s": "secret", "x": 0}"#).unwrap_err();
        assert!(
            wrong.contains("\n- /n: ") && wrong.contains("\n- /s: ") && wrong.contains("\n- (the whole): "),
            "{wrong}"
        );
        assert!(!wrong.contains("secret"), "{wrong}");
    }

    #[test]
    fn a_schema_that_is_none_is_refused() {
        for schema in [json!({"type": "thing"}), json!({"$ref": "https://example.org/a.json"}), json!({"pattern": "("})]
        {
            assert!(OutputSchema::compile(&schema).is_err(), "{schema}");
        }
        assert!(OutputSchema::compile(&json!({"$schema": "https://example.org/mine", "type": "string"})).is_ok());
    }
}
