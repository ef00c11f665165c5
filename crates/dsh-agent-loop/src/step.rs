//! A step: prompt, request, answer, calls (A4).

use std::sync::Arc;

use dsh_agent::{AgentPreStep, AgentRequest, AgentStepResult, PreStepDecision, StepDecision, assemble_context_for};
use dsh_llm::{Answer, Message, ModelRequest, ToolSchema, Usage};
use dsh_session::{Answered, Attached, Input, StepFailed, TurnEnd};
use dsh_system_prompt::{AssembleContext, AssembledTool, SystemPromptExt, render_prompt};

use crate::code;
use crate::stream::Asked;
use crate::turn::{Turn, failed};

/// What comes after a step.
pub(crate) enum After {
    /// Another.
    GoOn,
    /// Nothing, as far as the model is concerned: this is what it said.
    Said(Message),
}

impl Turn<'_> {
    pub(crate) async fn step(&mut self) -> Result<After, TurnEnd> {
        let mut pending = self.shared.mailbox.take_pending();
        while let Some((via, message)) = pending.first() {
            self.append(Input::new(message.clone(), *via))?;
            pending.is_written();
        }
        drop(pending);
        let request = self.request().await?;
        let offered = Arc::clone(&request.tools);
        let answer = self.ask_again(request).await?;
        let message = answer.message();
        let calls: Vec<_> = answer.calls().cloned().collect();
        let cut = answer.cut_calls().count();
        self.stop = answer.stop();
        self.append(
            Answered::new(self.step, message.clone())
                .usage(answer.usage())
                .stop(answer.stop())
                .cut_calls(answer.cut_calls().cloned()),
        )?;
        let decision = self.step_result(&message, &answer).await?;
        let more = match decision {
            Some(StepDecision::EndTurn { reason, .. }) => return Err(TurnEnd::ended(reason)),
            Some(StepDecision::Continue { message, .. }) => Some(message),
            Some(_) | None => None,
        };
        if calls.is_empty() && cut > 0 && more.is_none() {
            let problem = "the answer reached its limit in the midst of its calls, and none of them is whole";
            return Err(self.step_failed(code::CALLS_CUT, problem.to_owned(), None));
        }
        let has_calls = !calls.is_empty();
        if has_calls {
            self.run_calls(calls, offered).await?;
        }
        let goes_on = has_calls || more.is_some();
        if let Some(more) = more {
            self.append(Attached::new(more))?;
        }
        Ok(if goes_on { After::GoOn } else { After::Said(message) })
    }

    /// What the prompt is assembled with and the tools run with.
    pub(crate) fn assemble_context(&self) -> AssembleContext {
        assemble_context_for(self.agent).with(self.budget.clone())
    }

    /// Assembles and renders, once; asks the listeners; makes the request.
    async fn request(&mut self) -> Result<ModelRequest, TurnEnd> {
        let cx = self.assemble_context();
        let assembled = self.halt.within(self.shared.ctx.system_prompt().assemble(cx)).await?;
        let assembly = assembled.map_err(|error| self.prompt_failed(&error))?;
        let system = render_prompt(&assembly).map_err(|error| self.prompt_failed(&error))?;
        let schemas = assembly.tools().iter().map(AssembledTool::schema);
        if !is_same(self.tools, schemas.clone()) {
            *self.tools = schemas.cloned().collect();
        }
        drop(assembly);
        self.pre_step(&system).await?;
        let settings = &self.shared.settings;
        let mut request = ModelRequest::new(Arc::clone(&settings.model.name), self.shared.session.messages());
        request.system = system;
        request.tools = Arc::clone(self.tools);
        request.max_output_tokens = settings.max_output_tokens;
        if !self.hears::<AgentRequest>() {
            return Ok(request);
        }
        let event = Arc::new(AgentRequest::new(self.agent.clone(), self.number, self.step));
        let edited = self.halt.within(self.shared.ctx.waterfall(event, request, self.audience())).await?;
        edited.map_err(|error| self.step_failed_by(&error))
    }

    async fn pre_step(&mut self, system: &Arc<str>) -> Result<(), TurnEnd> {
        if !self.hears::<AgentPreStep>() {
            return Ok(());
        }
        let (agent, system, tools) = (self.agent.clone(), Arc::clone(system), Arc::clone(self.tools));
        let event = Arc::new(AgentPreStep::new(agent, self.number, self.step, system, tools));
        let answer = self.halt.within(self.shared.ctx.serial(Arc::clone(&event), self.audience())).await;
        self.charge(event.charged());
        match answer?.map_err(|error| self.step_failed_by(&error))? {
            Some(PreStepDecision::EndTurn { reason, .. }) => Err(TurnEnd::ended(reason)),
            Some(_) | None => Ok(()),
        }
    }

    /// Asks the model, and again where that may help and nothing of the answer had come (A6).
    async fn ask_again(&mut self, request: ModelRequest) -> Result<Answer, TurnEnd> {
        let mut again = 0;
        loop {
            self.shared.session.append_request(self.step, &request).map_err(|error| failed(&error))?;
            let (error, wait) = match self.ask(request.clone()).await? {
                Asked::Answered(answer) => return Ok(answer),
                Asked::Failed { error, partial, has_come } => {
                    again += 1;
                    let may_help = error.is_retryable() && !has_come;
                    let wait = self.shared.settings.retries.wait(again, error.wait()).filter(|_| may_help);
                    let end = self.step_failed(error.code(), error.to_string(), Some(&partial));
                    match wait {
                        None => return Err(end),
                        Some(wait) => (error, wait),
                    }
                }
                Asked::Panicked { failure, partial } => {
                    return Err(self.step_failed(
                        code::MODEL_PANICKED,
                        self.shared.ctx.shown(&failure),
                        Some(&partial),
                    ));
                }
            };
            tracing::debug!(agent = %self.agent.id(), code = error.code(), again, ?wait, "a request is tried again");
            self.halt.within(self.shared.ctx.clock().sleep(wait)).await?;
        }
    }

    async fn step_result(&mut self, message: &Message, answer: &Answer) -> Result<Option<StepDecision>, TurnEnd> {
        if !self.hears::<AgentStepResult>() {
            return Ok(None);
        }
        let event = AgentStepResult::new(self.agent.clone(), self.number, self.step, message.clone())
            .usage(answer.usage())
            .stop(answer.stop());
        let answer = self.halt.within(self.shared.ctx.serial(Arc::new(event), self.audience())).await?;
        answer.map_err(|error| self.step_failed_by(&error))
    }

    pub(crate) fn charge(&mut self, usage: Option<Usage>) {
        let Some(usage) = usage else { return };
        self.usage += usage;
        self.budget.charge(usage.input_tokens.saturating_add(usage.output_tokens));
    }

    /// Puts into the log that the step has failed, and answers how the turn ends.
    pub(crate) fn step_failed(&self, code: &str, problem: String, partial: Option<&Answer>) -> TurnEnd {
        match self.log_failed(code, &problem, partial) {
            Ok(()) => TurnEnd::failed(code, problem),
            Err(end) => end,
        }
    }

    /// Puts into the log that the step has failed, with what had come of an answer.
    pub(crate) fn log_failed(&self, code: &str, problem: &str, partial: Option<&Answer>) -> Result<(), TurnEnd> {
        let said = partial.filter(|partial| !partial.is_empty()).map(Answer::message);
        let event = StepFailed::new(self.step, code, problem).partial(said).usage(partial.and_then(Answer::usage));
        self.append(event).map(drop)
    }

    pub(crate) fn step_failed_by(&self, error: &dsh_kernel::Error) -> TurnEnd {
        self.step_failed(error.code(), self.shared.ctx.shown(error), None)
    }

    fn prompt_failed(&self, error: &dsh_system_prompt::Error) -> TurnEnd {
        self.step_failed(error.code(), self.shared.ctx.shown(error), None)
    }
}

/// Whether these are the very tools of the last request.
fn is_same<'a>(last: &[ToolSchema], mut now: impl Iterator<Item = &'a ToolSchema>) -> bool {
    last.iter().all(|last| now.next() == Some(last)) && now.next().is_none()
}
