//! Checking arguments against a tool's schema, before the tool sees them (T4).

mod cost;
mod keywords;
mod patterns;
mod plain;
mod schema;

use std::sync::OnceLock;

use dsh_llm::ToolSchema;
use serde_json::Value;

use crate::error::Quoted;

pub(crate) use patterns::unusable_pattern;
pub use schema::{JsonSchema, Misfit};

/// Checks arguments with a schema that is compiled when it is needed first, and kept.
#[derive(Default)]
pub(crate) struct Checker(OnceLock<Result<JsonSchema, String>>);

/// Why arguments are refused.
pub(crate) enum Refused {
    /// They do not fit; every violation is told of.
    Arguments(String),
    /// The schema is none that anything can be checked with.
    Schema(String),
}

impl Checker {
    /// Reads the arguments and checks them: all violations come back at once.
    pub(crate) fn check(&self, schema: &ToolSchema, text: &str) -> Result<Value, Refused> {
        let name = Quoted(schema.name());
        let compiled = self.0.get_or_init(|| {
            let parameters = schema.parameters().map_err(|error| error.to_string())?;
            JsonSchema::compile(&parameters)
        });
        let compiled = compiled.as_ref().map_err(|problem| {
            Refused::Schema(format!("the schema of {name} is not one to check arguments with: {problem}"))
        })?;
        compiled.read(text).map_err(|misfit| match misfit {
            Misfit::NotJson(problem) => Refused::Arguments(format!("the arguments of {name} are not JSON: {problem}")),
            Misfit::Violations(list) => {
                Refused::Arguments(format!("the arguments of {name} do not fit its schema:{list}"))
            }
            Misfit::TooCostly(problem) => {
                Refused::Schema(format!("the arguments of {name} cannot be checked with its schema: {problem}"))
            }
        })
    }
}
