//! A session that grows too long: the oldest part of it gives way to a summary.

mod cut;
mod size;
mod summary;

use std::fmt;
use std::sync::Arc;

use dsh_agent::{AgentPreStep, PreStepDecision};
use dsh_kernel::{BoxFuture, Context, Failure, Plugin, Quiet};
use dsh_llm::{Message, Model};
use dsh_session::{Compacted, Record, derive};

use cut::cut;
use size::{BYTES_PER_TOKEN, size_of};
pub(crate) use summary::ModelSummariser;

/// Makes a summary of the oldest part of a conversation.
pub trait Summariser: Send + Sync + 'static {
    /// Summarises these messages, oldest first, an earlier summary included. What it answers stands in their place, first of all
    /// that the model reads.
    fn summarise(&self, messages: Vec<Message>) -> BoxFuture<'static, Result<Message, Failure>>;
}

/// When a session is compacted, how far, and by whom.
///
/// ```
/// use std::sync::Arc;
/// use dsh_agent_loop::CompactionConfig;
/// use dsh_llm::ScriptedModel;
///
/// let model = ScriptedModel::parse("[[rules]]\nanswer = \"They said hello.\"")?;
/// let config = CompactionConfig::with_model(Arc::new(model)).over_tokens(100_000).keep_tokens(20_000);
/// # drop(config);
/// # Ok::<(), dsh_llm::ScriptError>(())
/// ```
#[derive(Clone)]
pub struct CompactionConfig {
    summariser: Arc<Quiet<Box<dyn Summariser>>>,
    /// In bytes.
    over: Option<usize>,
    keep: Option<usize>,
}

impl CompactionConfig {
    /// This model makes the summaries. Without a threshold nothing is ever compacted.
    pub fn with_model(model: Arc<dyn Model>) -> Self {
        Self::new(ModelSummariser::new(model))
    }

    /// This makes the summaries. Without a threshold nothing is ever compacted.
    pub fn new(summariser: impl Summariser) -> Self {
        Self { summariser: Arc::new(Quiet::new(Box::new(summariser))), over: None, keep: None }
    }

    /// Compacts when a request (prompt, tools and messages) is estimated at more tokens than this: a token for four bytes.
    #[must_use]
    pub fn over_tokens(self, tokens: usize) -> Self {
        self.over_bytes(tokens.saturating_mul(BYTES_PER_TOKEN))
    }

    /// Compacts when a request is estimated at more bytes than this.
    #[must_use]
    pub fn over_bytes(mut self, bytes: usize) -> Self {
        self.over = Some(bytes);
        self
    }

    /// How much of the latest messages is kept as it is, in estimated tokens; a quarter of the threshold unless set.
    #[must_use]
    pub fn keep_tokens(self, tokens: usize) -> Self {
        self.keep_bytes(tokens.saturating_mul(BYTES_PER_TOKEN))
    }

    /// The same in bytes.
    #[must_use]
    pub fn keep_bytes(mut self, bytes: usize) -> Self {
        self.keep = Some(bytes);
        self
    }
}

impl fmt::Debug for CompactionConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompactionConfig").field("over", &self.over).field("keep", &self.keep).finish_non_exhaustive()
    }
}

/// The plugin `compaction`: before a step whose request would be too long, the oldest turns give way to a summary. Mounted under an
/// agent's scope, it is for that agent alone.
///
/// It cuts at the end of a turn; where that is not enough, at the end of a step of the turn under way. A call and its result go or
/// stay together. The log keeps everything, and says what was done (`compacted`). Where no summary can be made, the turn goes on as
/// it is, and a warning says so.
#[derive(Clone, Debug)]
pub struct Compaction {
    config: CompactionConfig,
}

impl Compaction {
    /// The plugin, with this configuration.
    pub fn new(config: CompactionConfig) -> Self {
        Self { config }
    }
}

impl Plugin for Compaction {
    const NAME: &'static str = "compaction";
    type Inject = ();

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let Some(over) = self.config.over else { return Ok(()) };
        let keep = self.config.keep.unwrap_or(over / 4);
        let (summariser, owner) = (Arc::clone(&self.config.summariser), ctx.clone());
        ctx.on_serial(move |event: Arc<AgentPreStep>| {
            let (summariser, owner) = (Arc::clone(&summariser), owner.clone());
            async move { Ok(compact(&event, over, keep, &owner, &summariser).await) }
        })?;
        Ok(())
    }
}

/// Compacts a session, if it is too long and something can go.
async fn compact(
    event: &AgentPreStep,
    over: usize,
    keep: usize,
    owner: &Context,
    summariser: &Quiet<Box<dyn Summariser>>,
) -> Option<PreStepDecision> {
    let session = event.agent.session();
    let fixed = event.system.len() + event.tools.iter().map(|tool| tool.json().len()).sum::<usize>();
    let messages: usize = session.messages().iter().map(size_of).sum();
    if fixed.saturating_add(messages) <= over {
        return None;
    }
    let records = session.records();
    let through = cut(&records, keep)?;
    let until = usize::try_from(through).ok()?.checked_add(1)?;
    let oldest: &[Arc<Record>] = records.get(..until)?;
    let agent = event.agent.id();
    let made = owner.call_async(|| summariser.summarise(derive(oldest))).await;
    let summary = match made {
        Ok(Ok(summary)) => summary,
        Ok(Err(failure)) | Err(failure) => {
            let failure = owner.call(|| failure.to_string()).unwrap_or_default();
            tracing::warn!(%agent, failure, "a session is too long, and no summary could be made of its oldest part");
            return None;
        }
    };
    match session.append(Compacted::new(through, summary)) {
        Ok(_) => {
            tracing::info!(%agent, through, bytes = messages, "the oldest part of a session gave way to a summary");
            Some(PreStepDecision::Compacted)
        }
        Err(error) => {
            tracing::warn!(%agent, %error, "a session is too long, and its summary could not be written");
            None
        }
    }
}
