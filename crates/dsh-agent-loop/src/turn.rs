//! A turn: from the message that begins it to its end in the log (A4, A5).

use std::sync::Arc;

use dsh_agent::{
    Agent, AgentPromptSubmit, AgentTurnContinuation, AgentTurnEnd, AgentTurnStart, Continuation, PromptDecision,
    TurnSummary,
};
use dsh_kernel::{Audience, Cancel, Context, Emit, Event, Failure};
use dsh_llm::{Message, StopReason, ToolSchema, Usage};
use dsh_session::{Attached, Input, SessionEvent, TurnEnd, TurnStarted, Via};

use crate::budget::Budget;
use crate::code;
use crate::driver::Shared;
use crate::halt::Halt;
use crate::mailbox::{Begun, Prompt};
use crate::repeats::Repeats;
use crate::step::After;

/// A turn under way.
pub(crate) struct Turn<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) agent: &'a Agent,
    pub(crate) halt: Halt,
    pub(crate) budget: Budget,
    /// The tools of the last request, to be handed out again where they are the same.
    pub(crate) tools: &'a mut Arc<[ToolSchema]>,
    pub(crate) repeats: Repeats,
    pub(crate) step: u32,
    pub(crate) number: u32,
    pub(crate) usage: Usage,
    /// Why the last answer ended.
    pub(crate) stop: Option<StopReason>,
    pub(crate) denied_for_want_of_approver: bool,
}

/// Runs one turn to its end, in the log too.
pub(crate) async fn turn(shared: &Shared, agent: &Agent, begun: Begun, task: &Cancel, tools: &mut Arc<[ToolSchema]>) {
    let clock = shared.ctx.clock();
    let now = clock.now();
    let budget = Budget::begin(&shared.settings.limits, now, shared.settings.above.clone());
    shared.set_budget(Some(budget.clone()));
    let time = budget.deadline().map(|deadline| clock.sleep(deadline.saturating_sub(now)));
    let mut turn = Turn {
        shared,
        agent,
        halt: Halt::new(begun.token, task, time),
        budget,
        tools,
        repeats: Repeats::default(),
        step: 0,
        number: shared.session.turn().saturating_add(1),
        usage: Usage::default(),
        stop: None,
        denied_for_want_of_approver: false,
    };
    // What panics here is contained nowhere nearer: a session's store, for example.
    let prompt = Prompt::new(&shared.mailbox, begun.message.clone(), begun.cancels);
    let worked = shared.ctx.call_async(|| turn.work(begun.message, prompt)).await;
    let end = match worked {
        Ok(Ok(())) => TurnEnd::Completed,
        Ok(Err(end)) => end,
        Err(failure) => TurnEnd::failed(code::PANICKED, shared.ctx.shown(&failure)),
    };
    shared.set_budget(None);
    turn.end(end).await;
}

impl Turn<'_> {
    async fn work(&mut self, message: Message, mut prompt: Prompt<'_>) -> Result<(), TurnEnd> {
        if self.shared.session.is_turn_open() {
            // An earlier turn could not be ended: a full disk, for example.
            self.shared.session.interrupt(TurnEnd::Interrupted).map_err(|error| failed(&error))?;
        }
        self.number = self.append(TurnStarted::new())?;
        self.tell(|turn| AgentTurnStart::new(turn.agent.clone(), turn.number));
        self.submit(message, &mut prompt).await?;
        drop(prompt);
        loop {
            let now = self.shared.ctx.clock().now();
            self.halt.check()?;
            self.budget.take_step(now).map_err(TurnEnd::limit)?;
            self.step = self.step.saturating_add(1);
            let said = match self.step().await? {
                After::GoOn => continue,
                After::Said(said) => said,
            };
            // Whoever has spoken in the meantime is answered first.
            if self.shared.mailbox.is_steered() {
                continue;
            }
            if let Some(Continuation::Continue(message)) = self.continuation(said).await? {
                self.append(Attached::new(message))?;
                continue;
            }
            if self.shared.mailbox.close_turn() {
                return Ok(());
            }
        }
    }

    /// Has the listeners look at the message, and puts what they make of it into the log.
    async fn submit(&mut self, message: Message, prompt: &mut Prompt<'_>) -> Result<(), TurnEnd> {
        let decision = if self.hears::<AgentPromptSubmit>() {
            let event = Arc::new(AgentPromptSubmit::new(self.agent.clone(), self.number));
            let asked = PromptDecision::Submit(message.clone());
            let decided = self.halt.within(self.shared.ctx.waterfall(event, asked, self.audience())).await;
            let decided = decided.and_then(|decided| decided.map_err(|error| self.failed_by(&error)));
            // Whoever decided nothing in time would take as long again.
            decided.inspect_err(|_| prompt.is_done())?
        } else {
            PromptDecision::Submit(message.clone())
        };
        match decision {
            PromptDecision::Submit(submitted) => {
                self.append(Input::new(submitted, Via::Prompt))?;
                prompt.is_done();
                Ok(())
            }
            PromptDecision::Block { reason, .. } => {
                prompt.is_done();
                self.append(Input::new(message, Via::Prompt))?;
                Err(TurnEnd::refused(reason))
            }
            _ => {
                prompt.is_done();
                Err(TurnEnd::refused("a listener decided what this version does not know"))
            }
        }
    }

    async fn continuation(&mut self, said: Message) -> Result<Option<Continuation>, TurnEnd> {
        if !self.hears::<AgentTurnContinuation>() {
            return Ok(None);
        }
        let event = Arc::new(AgentTurnContinuation::new(self.agent.clone(), self.number, self.step, said));
        let answer = self.halt.within(self.shared.ctx.serial(event, self.audience())).await?;
        answer.map_err(|error| self.step_failed_by(&error))
    }

    /// Ends the turn in the log, each open call with a result; then flushes, and tells. Whatever the store does, the turn is over then.
    async fn end(&mut self, mut end: TurnEnd) {
        let session = &self.shared.session;
        if let Err(failure) = self.contained(|| session.interrupt(end.clone())) {
            tracing::error!(agent = %self.agent.id(), %failure, "the end of a turn could not be written");
            end = failure_of(end, failure);
        }
        // Not dropped where the turn is cancelled: what is in the log is to be on the disk when the turn is over.
        let flushed = self.shared.ctx.call_async(|| session.flush()).await;
        if let Err(failure) = self.told(flushed) {
            tracing::error!(agent = %self.agent.id(), %failure, "a session could not be flushed");
            // The log says how it ended, and whoever waits has to know that the log may be lost.
            end = failure_of(end, failure);
        }
        let summary = self.summary(end);
        self.shared.mailbox.turn_over(summary.clone());
        if let Some(writing) = self.shared.mailbox.writing()
            && let Err(failure) = self.contained(|| self.shared.write_down(writing, None))
        {
            tracing::error!(agent = %self.agent.id(), %failure, "a message that was put in could not be written yet");
        }
        self.tell(|turn| AgentTurnEnd::new(turn.agent.clone(), summary));
    }

    /// Has the session do something; a panic of its store is a failure of it.
    fn contained<T>(&self, code: impl FnOnce() -> Result<T, dsh_session::Error>) -> Result<T, TurnEnd> {
        self.told(self.shared.ctx.call(code))
    }

    /// What came of something that the session was to do, as the end of a turn.
    fn told<T>(&self, done: Result<Result<T, dsh_session::Error>, Failure>) -> Result<T, TurnEnd> {
        match done {
            Ok(done) => done.map_err(|error| failed(&error)),
            Err(failure) => Err(TurnEnd::failed(code::PANICKED, self.shared.ctx.shown(&failure))),
        }
    }

    fn summary(&self, end: TurnEnd) -> TurnSummary {
        let mut summary = TurnSummary::new(self.number, end);
        summary.steps = self.step;
        summary.usage = self.usage;
        summary.stop = self.stop;
        summary.denied_for_want_of_approver = self.denied_for_want_of_approver;
        summary
    }

    pub(crate) fn audience(&self) -> Audience {
        Audience::Scope(self.agent.scope_key())
    }

    pub(crate) fn hears<E: Event>(&self) -> bool {
        self.shared.ctx.hears::<E>(self.audience())
    }

    /// Appends to the log, and answers the turn that the record belongs to.
    pub(crate) fn append(&self, event: impl Into<SessionEvent>) -> Result<u32, TurnEnd> {
        self.shared.session.append(event).map(|record| record.turn).map_err(|error| failed(&error))
    }

    /// Tells the listeners of the agent; the event is made only where there are any, and a failing one is logged.
    pub(crate) fn tell<E: Event<Mode = Emit>>(&self, event: impl FnOnce(&Self) -> E) {
        if self.hears::<E>() {
            emit(&self.shared.ctx, self.agent, &event(self));
        }
    }

    /// How a turn ends whose listener failed.
    pub(crate) fn failed_by(&self, error: &dsh_kernel::Error) -> TurnEnd {
        TurnEnd::failed(error.code(), self.shared.ctx.shown(error))
    }
}

/// Tells the listeners of an agent; a failing one is logged.
pub(crate) fn emit<E: Event<Mode = Emit>>(ctx: &Context, agent: &Agent, event: &E) {
    if let Err(error) = ctx.emit(event, Audience::Scope(agent.scope_key())) {
        let failure = ctx.shown(&error);
        tracing::error!(agent = %agent.id(), event = E::NAME, failure, "a listener failed");
    }
}

/// How a turn ends that went well until this.
fn failure_of(end: TurnEnd, failure: TurnEnd) -> TurnEnd {
    if let TurnEnd::Completed = end { failure } else { end }
}

/// How a turn ends whose session takes no event.
pub(crate) fn failed(error: &dsh_session::Error) -> TurnEnd {
    TurnEnd::failed(error.code(), error.to_string())
}
