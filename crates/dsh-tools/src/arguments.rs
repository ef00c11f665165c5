//! What a tool is called with: arguments that its schema allows.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::ToolFailure;

/// The arguments of one call, checked against the tool's schema before the tool sees them (T4).
#[derive(Clone, Debug)]
pub struct Arguments {
    text: String,
    value: Value,
}

impl Arguments {
    pub(crate) fn new(text: String, value: Value) -> Self {
        Self { text, value }
    }

    /// The JSON text as the model wrote it; `{}` where it wrote nothing.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same, read.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value alone.
    pub fn into_value(self) -> Value {
        self.value
    }

    /// Reads them into a type.
    ///
    /// # Errors
    ///
    /// One for the model, saying what does not fit.
    pub fn parse<T: DeserializeOwned>(self) -> Result<T, ToolFailure> {
        serde_json::from_value(self.value)
            .map_err(|error| ToolFailure::Model(format!("the arguments do not fit: {error}")))
    }
}
