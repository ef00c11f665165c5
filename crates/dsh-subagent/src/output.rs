//! The schema of a final answer: an answer is JSON of it, or it is told what is wrong (G2).

use std::fmt;
use std::sync::Arc;

use dsh_tools::{JsonSchema, Misfit};
use serde_json::Value;

/// The schema of a final answer, compiled. A clone is the same schema.
///
/// It is checked with as the arguments of a tool are: see [`JsonSchema`].
#[derive(Clone)]
pub struct OutputSchema(Arc<Inner>);

struct Inner {
    text: String,
    schema: JsonSchema,
}

impl OutputSchema {
    /// Compiles a schema; what is wrong with it, if it is none.
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        let text = format!("{schema:#}");
        Ok(Self(Arc::new(Inner { text, schema: JsonSchema::compile(schema)? })))
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
        self.0.schema.read(unfenced(answer)).map_err(|misfit| match misfit {
            Misfit::Violations(list) => list,
            misfit @ (Misfit::NotJson(_) | Misfit::TooCostly(_) | _) => format!("\n- (the whole): {misfit}"),
        })
    }
}

/// The text within a fence of code, where all of it is one.
fn unfenced(answer: &str) -> &str {
    let answer = answer.trim();
    let within = answer.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    // The first line says which language it is.
    within.and_then(|within| within.split_once('\n')).map_or(answer, |(_language, within)| within.trim())
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

    // K13
    #[test]
    fn a_schema_that_means_more_than_it_says_costs_no_more() {
        let level = |at: usize| {
            (
                format!("d{at}"),
                json!({"anyOf": [{"$ref": format!("#/$defs/d{}", at + 1)}, {"$ref": format!("#/$defs/d{}", at + 1)}]}),
            )
        };
        let mut named: serde_json::Map<_, _> = (0..40).map(level).collect();
        named.insert("d40".to_owned(), json!({"type": "string"}));
        let schema = OutputSchema::compile(&json!({"$ref": "#/$defs/d0", "$defs": named})).unwrap();
        assert_eq!(schema.read("\"x\""), Ok(json!("x")));
        assert!(schema.read("1").unwrap_err().contains("branches, too often"));
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
