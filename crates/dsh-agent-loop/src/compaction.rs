//! A session that grows too long: the oldest part of it gives way to a summary.

mod cut;
mod due;
mod size;
mod summary;

use std::fmt;
use std::sync::Arc;

use dsh_agent::{AgentCompacted, AgentPreStep, PreStepDecision};
use dsh_kernel::{BoxFuture, Context, Failure, Plugin, Quiet};
use dsh_llm::{Message, Model};
use dsh_session::{Compacted, Record, derive};

use cut::{cut, standing, was_tried};
use due::{Length, due};
use size::{BYTES_PER_TOKEN, size_of};
use summary::{Asking, ModelSummariser};

use crate::turn::emit;

/// Makes a summary of the oldest part of a conversation.
///
/// What one of your own asks of a model is neither in the session's log nor charged to the turn; what
/// [`with_model`](CompactionConfig::with_model) asks is both.
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
    maker: Arc<Maker>,
    /// In bytes.
    over: Option<usize>,
    keep: Option<usize>,
}

/// Who makes the summaries.
enum Maker {
    Model(Quiet<ModelSummariser>),
    Own(Quiet<Box<dyn Summariser>>),
}

impl CompactionConfig {
    /// This model makes the summaries. What it is asked is in the session's log, and what it costs is charged to the turn. Without a
    /// threshold nothing is ever compacted.
    pub fn with_model(model: Arc<dyn Model>) -> Self {
        Self::made_by(Maker::Model(Quiet::new(ModelSummariser::new(model))))
    }

    /// This makes the summaries. Without a threshold nothing is ever compacted.
    pub fn new(summariser: impl Summariser) -> Self {
        Self::made_by(Maker::Own(Quiet::new(Box::new(summariser))))
    }

    fn made_by(maker: Maker) -> Self {
        Self { maker: Arc::new(maker), over: None, keep: None }
    }

    /// Compacts when a request (prompt, tools and messages) is estimated at more tokens than this, a token for four bytes, and there is room
    /// for what is to be kept ([`keep_tokens`](Self::keep_tokens) says what is done where there is none).
    #[must_use]
    pub fn over_tokens(self, tokens: usize) -> Self {
        self.over_bytes(tokens.saturating_mul(BYTES_PER_TOKEN))
    }

    /// The same in bytes.
    #[must_use]
    pub fn over_bytes(mut self, bytes: usize) -> Self {
        self.over = Some(bytes);
        self
    }

    /// How much of the latest messages is kept as it is, in estimated tokens; a quarter of the threshold unless set. Where prompt, tools
    /// and summary leave room for hardly more, up to a fifth less is kept, so that not every step makes a summary; where they leave no room
    /// for it, it is kept all the same, and a quarter of it more has to come first. The newest results of tools are kept in any case.
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
/// stay together. The log keeps everything, and says what was done (`compacted`); so does `agent/compacted` ([`AgentCompacted`]). Where no whole summary can be made, the turn goes on as
/// it is, the log says so, and none is asked for before the turn has had as many steps again.
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
        let (maker, owner) = (Arc::clone(&self.config.maker), ctx.clone());
        ctx.on_serial(move |event: Arc<AgentPreStep>| {
            let (maker, owner) = (Arc::clone(&maker), owner.clone());
            async move { Ok(compact(&event, over, keep, &owner, &maker).await) }
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
    maker: &Maker,
) -> Option<PreStepDecision> {
    let session = event.agent.session();
    let fixed = event.system.len() + event.tools.iter().map(|tool| tool.json().len()).sum::<usize>();
    let messages: usize = session.messages().iter().map(size_of).sum();
    if fixed.saturating_add(messages) <= over {
        return None;
    }
    let records = session.records();
    let summary = standing(&records);
    let length = Length { fixed: fixed.saturating_add(summary), fresh: messages.saturating_sub(summary) };
    let keep = due(length, over, keep)?;
    if was_tried(&records, event.turn, event.step) {
        return None;
    }
    let through = cut(&records, keep)?;
    let until = usize::try_from(through).ok()?.checked_add(1)?;
    let oldest: &[Arc<Record>] = records.get(..until)?;
    let agent = event.agent.id();
    let mut asking = Asking::new(event);
    let made = match maker {
        Maker::Own(own) => {
            let made = owner.call_async(|| own.summarise(derive(oldest))).await;
            made.map(|made| made.map(|summary| (summary, None)))
        }
        Maker::Model(model) => {
            let request = model.request(derive(oldest));
            let appended = contained(owner, || session.append_summary_request(event.step, through, &request));
            if let Err(failure) = appended {
                let failure = owner.shown(&failure);
                tracing::warn!(%agent, failure, "a session is too long, and the request for its summary could not be written");
                asking.ends(None);
                return None;
            }
            owner.call_async(|| model.summarise(request, &mut asking)).await
        }
    };
    let done = match made {
        Ok(Ok((summary, usage))) => {
            let compacted = Compacted::new(through, summary).usage(usage);
            contained(owner, || session.append(compacted.clone())).map(|_| compacted)
        }
        Ok(Err(failure)) | Err(failure) => Err(failure),
    };
    match done {
        Ok(compacted) => {
            asking.ends(None);
            tracing::info!(%agent, through, bytes = messages, "the oldest part of a session gave way to a summary");
            emit(owner, &event.agent, &AgentCompacted::new(event.agent.clone(), event.turn, event.step, compacted));
            Some(PreStepDecision::Compacted)
        }
        Err(failure) => {
            let failure = owner.shown(&failure);
            tracing::warn!(%agent, failure, "a session is too long, and no summary stands for its oldest part");
            asking.ends(Some(failure));
            None
        }
    }
}

/// Has the session do something; a panic of its store is a failure of it.
fn contained<T>(ctx: &Context, code: impl FnOnce() -> Result<T, dsh_session::Error>) -> Result<T, Failure> {
    Ok(ctx.call(code)??)
}
