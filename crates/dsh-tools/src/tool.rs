//! A tool: what a model is told of it, and what runs when it is called.

use std::fmt;
use std::time::Duration;

use dsh_kernel::{BoxFuture, Quiet};
use dsh_llm::ToolSchema;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::arguments::Arguments;
use crate::failure::ToolFailure;
use crate::output::ToolOutput;
use crate::tool_context::ToolContext;
use crate::typed;

/// What runs when a tool is called. Whoever lets go of it last, a panic of its destructor is contained (K13).
pub(crate) type Run =
    Quiet<Box<dyn Fn(Arguments, ToolContext) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> + Send + Sync>>;

/// A tool to be registered: a schema, and code that is run with arguments which the schema allows (T1, T4).
///
/// ```
/// use dsh_llm::ToolSchema;
/// use dsh_tools::Tool;
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Count {
///     /// What to count the words of.
///     text: String,
/// }
///
/// let typed = Tool::typed("count", "Counts words.", |count: Count, _cx| async move {
///     Ok(count.text.split_whitespace().count().to_string())
/// });
/// let schema = ToolSchema::new("now", "Tells the time.", dsh_llm::NO_PARAMETERS)?;
/// let raw = Tool::raw(schema, |_arguments, _cx| async { Ok("noon") }).exclusive();
/// assert_eq!((typed.name(), raw.name()), ("count", "now"));
/// # Ok::<(), dsh_llm::Error>(())
/// ```
pub struct Tool {
    pub(crate) name: Box<str>,
    /// Made from a type, a schema may turn out to be none for a tool; that is told when it is registered.
    pub(crate) schema: Result<ToolSchema, String>,
    pub(crate) exclusive: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) run: Run,
}

impl Tool {
    /// A tool of a schema that is at hand as JSON.
    pub fn raw<O, F>(schema: ToolSchema, run: impl Fn(Arguments, ToolContext) -> F + Send + Sync + 'static) -> Self
    where
        O: Into<ToolOutput>,
        F: Future<Output = Result<O, ToolFailure>> + Send + 'static,
    {
        let name = schema.name().into();
        Self::build(name, Ok(schema), move |arguments, cx| {
            let future = run(arguments, cx);
            Box::pin(async move { future.await.map(Into::into) })
        })
    }

    /// A tool whose parameters are a type: its fields and their doc comments make the schema (T4).
    ///
    /// The type is a struct. That its schema is none for a tool is told when the tool is registered.
    pub fn typed<P, O, F>(
        name: impl Into<Box<str>>,
        description: impl Into<Box<str>>,
        run: impl Fn(P, ToolContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        P: DeserializeOwned + JsonSchema,
        O: Into<ToolOutput>,
        F: Future<Output = Result<O, ToolFailure>> + Send + 'static,
    {
        let name = name.into();
        let schema = typed::schema_of::<P>(&name, description.into());
        Self::build(name, schema, move |arguments, cx| match arguments.parse::<P>() {
            Ok(parameters) => {
                let future = run(parameters, cx);
                Box::pin(async move { future.await.map(Into::into) })
            }
            Err(failure) => Box::pin(std::future::ready(Err(failure))),
        })
    }

    pub(crate) fn build(
        name: Box<str>,
        schema: Result<ToolSchema, String>,
        run: impl Fn(Arguments, ToolContext) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> + Send + Sync + 'static,
    ) -> Self {
        Self { name, schema, exclusive: false, timeout: None, run: Quiet::new(Box::new(run)) }
    }

    /// No other call of the same step runs while this one does (T5).
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// How long one run may take; the caller's limit holds too, the smaller one first.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a model is told of it; `None` where the type of its parameters makes no schema for a tool, which
    /// [`register`](crate::ToolsHandle::register) refuses.
    pub fn schema(&self) -> Option<&ToolSchema> {
        self.schema.as_ref().ok()
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.name)
            .field("exclusive", &self.exclusive)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
