//! The plugin that provides the registry and registers the two openers (S3).

use std::sync::Arc;

use dsh_kernel::{Context, Failure, Name, Plugin, Service};
use dsh_template::Text;

use crate::order::ToolOrder;
use crate::provenance::Source;
use crate::registry::PromptRegistry;
use crate::section::PromptSection;

/// The name and place of the harness's own opener.
const IDENTITY: (&str, f64) = ("harness:identity", -100.0);
/// What the harness is, in one sentence: a fact of the harness, not a choice of the deployment.
const IDENTITY_TEXT: &str =
    "You are an agent run by dsh, a harness that gives you this prompt, your tools and your turns.";
/// The name and place of the deployment's opener.
const PERSONA: (&str, f64) = ("deployment:persona", 0.0);

/// Whether the prompt begins with the harness's own sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Identity {
    /// It does.
    #[default]
    Shown,
    /// It does not; the section's name stays reserved (S3).
    Omitted,
}

/// What the deployment decides of every prompt.
///
/// ```
/// use dsh_system_prompt::{Identity, PromptConfig, TOOL_ORDER_REST};
///
/// let config = PromptConfig::new()
///     .persona("You maintain {{project}}.")
///     .identity(Identity::Omitted)
///     .tool_order(["read", TOOL_ORDER_REST, "write"]);
/// # drop(config);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PromptConfig {
    persona: Text,
    persona_source: Option<Source>,
    identity: Identity,
    tool_order: Option<Vec<Name>>,
}

impl PromptConfig {
    /// The identity, no persona, tools in the order of their names.
    pub fn new() -> Self {
        Self { persona: Text::raw(""), persona_source: None, identity: Identity::Shown, tool_order: None }
    }

    /// The deployment's persona: the text of the section `deployment:persona`. A bare string is a template (S3).
    #[must_use]
    pub fn persona(mut self, text: impl Into<Text>) -> Self {
        self.persona = text.into();
        self
    }

    /// The file that the persona was read from (X3).
    #[must_use]
    pub fn persona_source(mut self, source: Source) -> Self {
        self.persona_source = Some(source);
        self
    }

    /// Whether the prompt begins with the harness's own sentence (S3).
    #[must_use]
    pub fn identity(mut self, identity: Identity) -> Self {
        self.identity = identity;
        self
    }

    /// The order of the tools by name, with one [`TOOL_ORDER_REST`](crate::TOOL_ORDER_REST) for all others (S6). Checked when the
    /// plugin starts.
    #[must_use]
    pub fn tool_order<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.tool_order = Some(names.into_iter().map(Into::into).collect());
        self
    }
}

impl Default for PromptConfig {
    fn default() -> Self {
        Self::new()
    }
}

/// The plugin `system-prompt`: provides a [`PromptRegistry`], with `harness:identity` and `deployment:persona` in it (S3).
///
/// Its start is refused for a `tool_order` that lists a name twice (`prompt::tool_order_duplicate`) or has no rest entry
/// (`prompt::tool_order_missing_rest`): the [`Error`](crate::Error) is the failure inside the fiber's `kernel::start_failed`.
///
/// ```
/// use dsh_kernel::Kernel;
/// use dsh_system_prompt::{Error, PromptConfig, SystemPrompt};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let prompt = kernel.root().plugin(SystemPrompt::new(PromptConfig::new().tool_order(["read"])))?;
/// let error = prompt.ready().await.unwrap_err();
/// let refused = error.failure().and_then(|failure| failure.downcast_ref::<Error>());
/// assert_eq!(refused.map(Error::code), Some("prompt::tool_order_missing_rest"));
/// # Ok::<(), dsh_kernel::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug, Default)]
pub struct SystemPrompt {
    config: PromptConfig,
}

impl SystemPrompt {
    /// The plugin, with this configuration.
    pub fn new(config: PromptConfig) -> Self {
        Self { config }
    }
}

impl Plugin for SystemPrompt {
    const NAME: &'static str = "system-prompt";
    type Inject = ();

    fn provides(&self) -> Vec<Name> {
        vec![Name::fixed(PromptRegistry::NAME)]
    }

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let PromptConfig { persona, persona_source, identity, tool_order } = &self.config;
        let order = tool_order.as_deref().map(ToolOrder::new).transpose()?;
        let identity = match identity {
            Identity::Shown => IDENTITY_TEXT,
            Identity::Omitted => "",
        };
        let identity = PromptSection::new(IDENTITY.0, IDENTITY.1, Text::raw(identity));
        let mut opener = PromptSection::new(PERSONA.0, PERSONA.1, persona.clone());
        if let Some(source) = persona_source {
            opener = opener.source(source.clone());
        }
        let registry = Arc::new(PromptRegistry::new(order));
        // Nobody sees the registry without its openers: they are there before it is provided, and they go when its last user
        // has gone.
        ctx.effect("system-prompt", |fx| {
            fx.adopt(registry.section(ctx, identity)?)?;
            fx.adopt(registry.section(ctx, opener)?)?;
            fx.adopt(ctx.provide_shared(registry)?)?;
            Ok(())
        })?;
        Ok(())
    }
}
