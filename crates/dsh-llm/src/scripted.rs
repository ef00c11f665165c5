//! A model that needs no network: it answers by rules (A6).

mod error;
mod play;
mod rule;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::model::{Model, ModelError, ModelErrorKind, ModelStream};
use crate::request::ModelRequest;

pub use error::ScriptError;
use play::{Play, steps};
use rule::Rules;

/// Waits, for a script that streams slowly.
type Sleep = dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send + Sync;

/// A model that answers by the rules of a script: for examples, tests and demos without a network.
///
/// The first rule that fits the conversation answers. What a rule looks at is the request alone, never how often the model was
/// asked before; so a conversation that is resumed in another process goes on as if nothing had happened.
///
/// ```
/// use dsh_llm::{Message, Model, ModelEvent, ModelRequest, ScriptedModel};
///
/// let model = ScriptedModel::parse(r#"
///     [[rules]]
///     from = "user"
///     contains = "how many words"
///     calls = [{ tool = "count", arguments = { path = "notes.md" } }]
///
///     [[rules]]
///     tool = "count"                      # the last message has a result of this tool
///     answer = "There are {{last}}."
/// "#)?;
/// # use futures_util::StreamExt;
/// # futures_util::future::FutureExt::now_or_never(async {
/// let mut stream = model.stream(ModelRequest::new("scripted", [Message::user("How many words?")]));
/// let Some(Ok(ModelEvent::ToolCallStart { name, .. })) = stream.next().await else { panic!() };
/// assert_eq!(name, "count");
/// # }).unwrap();
/// # Ok::<(), dsh_llm::ScriptError>(())
/// ```
///
/// # The script
///
/// TOML: `name` (what the model is called; `scripted` if not given) and `[[rules]]`. A rule's conditions all have to hold; a rule
/// without conditions always fits.
///
/// | condition | holds when |
/// | --- | --- |
/// | `from = "user"` or `"tool"` | the last message is a user's, or holds results of tools |
/// | `contains = "…"` | the text of the last message has this in it, whatever the case of its letters |
/// | `equals = "…"` | the text of the last message is this, blanks at its ends aside |
/// | `tool = "…"` | the last message holds a result of this tool |
/// | `error = true` | one of the results in the last message is an error (`false`: none is) |
/// | `step = 2` | it is the second answer since the user's last message |
/// | `system = "…"` | the system prompt has this in it, to the letter |
///
/// | action | the answer |
/// | --- | --- |
/// | `reasoning = "…"` | begins with this thought |
/// | `answer = "…"` | says this; `{{last}}` in it stands for the text of the last message, blanks at its ends aside |
/// | `calls = [{ tool = "…", arguments = { … } }]` | calls these tools; `raw = "…"` in place of `arguments` gives them to the letter |
/// | `stop = "max_tokens"` | ends for this reason: `end_turn`, `tool_calls`, `max_tokens`, `stop_sequence`, `refusal` |
/// | `usage = { input = 10, output = 3 }` | costs this |
/// | `chunk = 4`, `delay_ms = 50` | comes in pieces of so many characters, with a pause before each |
/// | `fail = "overloaded"` | fails after what it has said: `rate_limited`, `overloaded`, `network`, … as the codes of [`ModelErrorKind`] end |
/// | `break_off = true` | ends without an end, in the midst of its last call's arguments where it has calls |
#[derive(Clone)]
pub struct ScriptedModel {
    name: Arc<str>,
    rules: Arc<Rules>,
    sleep: Option<Arc<Sleep>>,
}

impl ScriptedModel {
    /// A model from the TOML text of its script.
    ///
    /// # Errors
    ///
    /// `script::syntax` where it is no TOML, or has a key or a value that there is not; `script::invalid_rule` where a rule
    /// contradicts itself. Both say where.
    pub fn parse(script: &str) -> Result<Self, ScriptError> {
        let (name, rules) = Rules::parse(script)?;
        Ok(Self { name, rules: Arc::new(rules), sleep: None })
    }

    /// The same, waiting with this where the script says `delay_ms`. Without it a delay lets others run, and passes no time.
    #[must_use]
    pub fn sleep<F>(mut self, sleep: impl Fn(Duration) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.sleep = Some(Arc::new(move |duration| Box::pin(sleep(duration))));
        self
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let steps = match self.rules.fitting(&request) {
            Some((rule, talk)) => steps(rule, &talk),
            None => vec![play::Step::Give(Err(no_rule(&request)))],
        };
        Box::pin(Play::new(steps, self.sleep.clone()))
    }
}

fn no_rule(request: &ModelRequest) -> ModelError {
    let messages = request.messages.len();
    ModelError::new(
        ModelErrorKind::NoRule,
        format!(
            "no rule of the scripted model fits a conversation of {messages} messages; add one, or one without conditions at the end"
        ),
    )
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScriptedModel({}, {} rules)", self.name, self.rules.count())
    }
}
