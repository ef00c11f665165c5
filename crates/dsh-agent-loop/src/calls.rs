//! The calls of one answer: each is in the log before it runs, and has exactly one result (A5).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dsh_agent::{Agent, AgentToolCall, AgentToolResult};
use dsh_kernel::{Audience, Context, Failure};
use dsh_llm::{Message, ToolCall, ToolSchema};
use dsh_session::{Attached, CallEnded, CallStarted, Session, SessionEvent, TurnEnd, TurnLimit};
use dsh_tools::{CallObserver, ExecuteContext, Executed, ToolsExt, code};

use crate::code::PANICKED;
use crate::turn::{Turn, emit, failed};

impl Turn<'_> {
    /// Runs the calls of an answer, as far as the request had offered their tools, and puts their results into the log as they come.
    pub(crate) async fn run_calls(&mut self, calls: Vec<ToolCall>, offered: Arc<[ToolSchema]>) -> Result<(), TurnEnd> {
        if let Some(limit) = self.shared.settings.limits.same_calls
            && calls.iter().any(|call| self.repeats.note(call) >= limit)
        {
            return Err(TurnEnd::limit(TurnLimit::SameCalls));
        }
        for call in &calls {
            self.tell(|turn| AgentToolCall::new(turn.agent.clone(), turn.number, turn.step, call.clone()));
            // A listener may have ended the turn.
            self.halt.check()?;
        }
        let log = Arc::new(CallLog {
            ctx: self.shared.ctx.clone(),
            agent: self.agent.clone(),
            session: self.shared.session.clone(),
            turn: self.number,
            step: self.step,
            problem: Mutex::new(None),
            denied: AtomicBool::new(false),
        });
        let settings = &self.shared.settings;
        let mut cx = ExecuteContext::from(self.assemble_context())
            .cancel(self.halt.token())
            .offered(offered)
            .part_of(self.agent.ctx())
            .observer(Arc::clone(&log) as Arc<dyn CallObserver>);
        if let Some(deadline) = self.budget.deadline() {
            cx = cx.deadline(deadline);
        }
        if let Some(limit) = settings.tool_timeout {
            cx = cx.timeout(limit);
        }
        if let Some(approver) = &settings.approver {
            cx = cx.approver(Arc::clone(approver));
        }
        // Not dropped where the turn is to end: the tools are told to end, and their results are awaited.
        let executed = self.shared.ctx.tools().execute_all(calls, cx).await;
        self.denied_for_want_of_approver |= log.denied.load(Ordering::Acquire);
        let problem = log.problem.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(problem) = problem {
            return Err(problem);
        }
        let attached: VecDeque<Message> = executed.into_iter().flat_map(|executed| executed.attached).collect();
        for message in attached {
            self.append(Attached::new(message))?;
        }
        self.halt.check()
    }
}

/// Keeps the log of the calls of one answer.
struct CallLog {
    ctx: Context,
    agent: Agent,
    session: Session,
    turn: u32,
    step: u32,
    /// Why a beginning or a result could not be written.
    problem: Mutex<Option<TurnEnd>>,
    denied: AtomicBool,
}

impl CallLog {
    /// Appends; what cannot be written ends the turn, once the calls under way have ended.
    fn append(&self, event: impl Into<SessionEvent>) -> Result<(), Failure> {
        let (end, failure) = match self.ctx.call(|| self.session.append(event)) {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => (failed(&error), error.into()),
            Err(failure) => (TurnEnd::failed(PANICKED, "the session's store panicked"), failure),
        };
        let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        problem.get_or_insert(end);
        Err(failure)
    }
}

impl CallObserver for CallLog {
    fn begins(&self, call: &ToolCall) -> Result<(), Failure> {
        self.append(CallStarted::new(&*call.id))
    }

    fn ended(&self, call: &ToolCall, executed: &Executed) {
        if executed.denied_for_want_of_approver {
            self.denied.store(true, Ordering::Release);
        }
        let is_denied = matches!(executed.code, Some(code::DENIED | code::NO_APPROVER));
        let ended = CallEnded::new(executed.result.clone()).code::<&str>(executed.code).denied(is_denied);
        if self.append(ended).is_err() {
            return;
        }
        let audience = Audience::Scope(self.agent.scope_key());
        if !self.ctx.hears::<AgentToolResult>(audience) {
            return;
        }
        let event =
            AgentToolResult::new(self.agent.clone(), self.turn, self.step, call.clone(), executed.result.clone())
                .code(executed.code)
                .failure(executed.failure().map(|failure| self.ctx.shown(failure)));
        emit(&self.ctx, &self.agent, &event);
    }
}
