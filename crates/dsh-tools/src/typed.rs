//! Tools that are types: parameters derive their JSON Schema.

use std::sync::Arc;
use std::time::Duration;

use dsh_llm::ToolSchema;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::ToolFailure;
use crate::output::ToolOutput;
use crate::tool::Tool;
use crate::tool_context::ToolContext;

/// A tool as a type, for one that has state or stands in a crate of its own (T4).
///
/// ```
/// use dsh_tools::{Tool, ToolContext, ToolFailure, TypedTool};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// struct Greet {
///     word: &'static str,
/// }
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Whom {
///     name: String,
/// }
///
/// impl TypedTool for Greet {
///     const NAME: &'static str = "greet";
///     const DESCRIPTION: &'static str = "Greets somebody.";
///     type Params = Whom;
///     type Output = String;
///
///     async fn run(&self, whom: Whom, _cx: ToolContext) -> Result<String, ToolFailure> {
///         Ok(format!("{}, {}", self.word, whom.name))
///     }
/// }
///
/// assert_eq!(Tool::from(Greet { word: "Hello" }).name(), "greet");
/// ```
pub trait TypedTool: Send + Sync + 'static {
    /// The name that the model calls.
    const NAME: &'static str;
    /// What it does, for the model.
    const DESCRIPTION: &'static str;
    /// No other call of the same step runs while this one does (T5).
    const EXCLUSIVE: bool = false;
    /// How long one run may take.
    const TIMEOUT: Option<Duration> = None;
    /// The parameters: a struct that derives `Deserialize` and `JsonSchema`.
    type Params: DeserializeOwned + JsonSchema + Send + 'static;
    /// What it answers, a string for example.
    type Output: Into<ToolOutput>;

    /// Runs one call.
    ///
    /// # Errors
    ///
    /// For the model or for the host; see [`ToolFailure`].
    fn run(
        &self,
        parameters: Self::Params,
        cx: ToolContext,
    ) -> impl Future<Output = Result<Self::Output, ToolFailure>> + Send;
}

impl<T: TypedTool> From<T> for Tool {
    fn from(tool: T) -> Self {
        let tool = Arc::new(tool);
        let mut made = Self::typed(T::NAME, T::DESCRIPTION, move |parameters: T::Params, cx| {
            let tool = Arc::clone(&tool);
            async move { tool.run(parameters, cx).await.map(Into::<ToolOutput>::into) }
        });
        made.exclusive = T::EXCLUSIVE;
        made.timeout = T::TIMEOUT;
        made
    }
}

/// The schema of a tool whose parameters are a `P`. What says nothing to a model is left out: the dialect, which is the default
/// one, and the type's name.
pub(crate) fn schema_of<P: JsonSchema>(name: &str, description: Box<str>) -> Result<ToolSchema, String> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let mut schema = settings.into_generator().into_root_schema_for::<P>();
    schema.remove("title");
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(format!(
            "`{}` is no type for the parameters of a tool: its JSON Schema is not of an object; use a struct",
            P::schema_name()
        ));
    }
    ToolSchema::new(name, description, &Value::from(schema).to_string()).map_err(|error| error.to_string())
}
