//! The way of a call: look-up, arguments, `tools/pre-execute`, approval, the tool, `tools/post-execute` (T4).

pub(crate) mod batch;
mod handoff;
mod limits;
mod run;
mod say;

use std::sync::Arc;

use dsh_kernel::{Audience, Context, Failure, FiberState, Handle, ScopeKey};
use dsh_llm::{ToolCall, ToolResult};
use serde_json::Value;

use crate::approval::{Approval, ApprovalRequest};
use crate::arguments::Arguments;
use crate::bounds::{bound, bound_messages};
use crate::check::Refused;
use crate::code;
use crate::config::ToolsConfig;
use crate::entry::{ToolEntry, ToolFacts};
use crate::error::Error;
use crate::events::{Decision, EventFacts, PostExecute, PostExecuteEvent, PreExecute, PreExecuteEvent};
use crate::execute_context::ExecuteContext;
use crate::executed::Executed;
use crate::failure::ToolFailure;
use crate::registry::ToolRegistry;
use crate::sight::{Seen, Sight};

use limits::{Limits, Stop};
use run::{Inactive, Ran, run};

/// One call on its way.
struct Execution {
    registry: Handle<ToolRegistry>,
    cx: ExecuteContext,
    config: ToolsConfig,
    call: ToolCall,
}

/// Runs one call to its result.
pub(crate) async fn execute(registry: Handle<ToolRegistry>, mut call: ToolCall, cx: ExecuteContext) -> Executed {
    if call.arguments.trim().is_empty() {
        // What a model writes for a tool that takes nothing.
        call.arguments = String::from("{}");
    }
    let config = match registry.with(|registry| registry.config.clone()) {
        Ok(config) => config,
        Err(error) => {
            let executed = unavailable(&call, error.into());
            tell_end(&registry, &cx, &call, &executed);
            return executed;
        }
    };
    let mut limits = Limits::new(&cx, || registry.ctx().clock());
    let mut execution = Execution { registry, cx, config, call };
    let mut executed = match execution.go(&mut limits).await {
        Ok(executed) => executed,
        Err(refusal) => *refusal,
    };
    executed.result.content = bound(std::mem::take(&mut executed.result.content), &execution.config);
    tell_end(&execution.registry, &execution.cx, &execution.call, &executed);
    executed
}

/// Tells the observer, if there is one, what came of a call.
fn tell_end(registry: &Handle<ToolRegistry>, cx: &ExecuteContext, call: &ToolCall, executed: &Executed) {
    if let Some(observer) = &cx.observer
        && let Err(failure) = registry.ctx().call(|| observer.ended(call, executed))
    {
        let panic = failure.panic_message();
        tracing::error!(tool = call.name, panic, "the observer of a call failed");
    }
}

/// The result of a call whose tool was not run.
type Refusal = Box<Executed>;

fn unavailable(call: &ToolCall, error: Error) -> Executed {
    Executed::error(&call.id, code::UNAVAILABLE, say::UNAVAILABLE).with_failure(error.into())
}

impl Execution {
    /// The whole way; an error is a result too, of a call whose tool was not run.
    async fn go(&mut self, limits: &mut Limits) -> Result<Executed, Refusal> {
        if let Some(stop) = limits.reached() {
            return Err(self.stopped_before(stop).into());
        }
        let entry = self.look()?;
        let value = self.check(&entry)?;
        let audience = Audience::from(self.cx.scope);
        let (entry, value) = if self.ctx().hears::<PreExecuteEvent>(audience) {
            self.decide(entry, value, limits).await?
        } else {
            (entry, value)
        };
        let facts = Arc::clone(&entry.facts);
        if let Some(observer) = &self.cx.observer
            && let Err(failure) = self.ctx().call(|| observer.begins(&self.call)).and_then(|begins| begins)
        {
            return Err(self.hook_failed(&facts, failure, say::HOOK_BEFORE).into());
        }
        let arguments = Arguments::new(self.call.arguments.clone(), value);
        let ran = match run(entry, arguments, &self.call.id, &self.cx, limits).await {
            Ok(ran) => ran,
            Err(Inactive) => return Err(self.error(code::UNLOADED, say::unloading(facts.name.as_str())).into()),
        };
        let stop = ran.stop;
        let mut executed = self.outcome(&facts, ran).begun();
        // A caller that has given up waits for no listener.
        let is_given_up = matches!(stop, Some(Stop::Cancelled | Stop::Overdue));
        if !is_given_up && self.ctx().hears::<PostExecuteEvent>(audience) {
            executed = self.review(&facts, executed, limits).await;
        }
        Ok(executed)
    }

    fn ctx(&self) -> &Context {
        self.registry.ctx()
    }

    fn error(&self, code: &'static str, text: impl Into<String>) -> Executed {
        Executed::error(&self.call.id, code, text)
    }

    /// What the scope has under the name; asked anew whenever somebody may have changed it (T3).
    fn look(&self) -> Result<Arc<ToolEntry>, Refusal> {
        let name = self.call.name.as_str();
        // Without its scope a call would see what everybody sees, and no restriction.
        if self.cx.scope.is_some_and(|key| !is_open(self.ctx(), key)) {
            return Err(self.error(code::SCOPE_CLOSED, say::scope_closed(name)).into());
        }
        let looked = self.registry.with(|registry| {
            let snapshot = registry.layers.load();
            let sight = Sight::new(&snapshot, self.cx.scope);
            match sight.look(name) {
                Seen::Visible { entry, .. } if self.cx.offers(name) => Ok(Arc::clone(entry)),
                Seen::Visible { .. } => Err(say::not_offered(name)),
                Seen::Hidden(_) => Err(say::hidden(name)),
                Seen::Nothing => Err(say::unknown(name, sight)),
            }
        });
        match looked {
            Ok(Ok(entry)) => Ok(entry),
            Ok(Err(text)) => Err(self.error(code::UNKNOWN_TOOL, text).into()),
            Err(error) => Err(unavailable(&self.call, error.into()).into()),
        }
    }

    fn check(&self, entry: &ToolEntry) -> Result<Value, Refusal> {
        entry.checker.check(&entry.facts.schema, &self.call.arguments).map_err(|refused| match refused {
            Refused::Arguments(text) => self.error(code::INVALID_ARGUMENTS, text).into(),
            Refused::Schema(problem) => {
                tracing::error!(owner = %entry.facts.owner, problem, "a tool cannot be called");
                self.error(code::INVALID_SCHEMA, say::invalid_schema(entry.facts.name.as_str()))
                    .with_failure(Failure::msg(problem))
                    .into()
            }
        })
    }

    /// Asks the listeners, and whoever they want to be asked. Meanwhile nothing of the tool's code is kept: it is looked up anew
    /// afterwards, for it may have left, or been hidden.
    async fn decide(
        &mut self,
        entry: Arc<ToolEntry>,
        value: Value,
        limits: &mut Limits,
    ) -> Result<(Arc<ToolEntry>, Value), Refusal> {
        let facts = Arc::clone(&entry.facts);
        drop(entry);
        let event = Arc::new(PreExecuteEvent { facts: self.event_facts(&facts) });
        let asked = PreExecute::new(self.call.clone());
        let audience = Audience::from(self.cx.scope);
        let decided = limits.within(self.ctx().waterfall(event, asked, audience)).await;
        let PreExecute { call, decision } = match decided {
            Ok(Ok(decided)) => decided,
            Ok(Err(error)) => return Err(self.hook_failed(&facts, error.into(), say::HOOK_BEFORE).into()),
            Err(stop) => return Err(self.stopped_before(stop).into()),
        };
        let is_changed = call.arguments != self.call.arguments;
        // The id and the name stay: the model has written them, and a result refers to them.
        self.call.arguments = call.arguments;
        match decision {
            Decision::Allow => {}
            Decision::Deny { reason } => return Err(self.error(code::DENIED, say::denied(&reason)).into()),
            Decision::Ask { reason } => {
                if is_changed {
                    // Nobody is asked about what would not run.
                    let entry = self.look()?;
                    self.check(&entry)?;
                }
                self.ask(&facts, reason, limits).await?;
            }
        }
        let entry = self.look()?;
        let is_same = !is_changed && Arc::ptr_eq(&entry.facts, &facts);
        let value = if is_same { value } else { self.check(&entry)? };
        Ok((entry, value))
    }

    async fn ask(&self, facts: &ToolFacts, reason: String, limits: &mut Limits) -> Result<(), Refusal> {
        let Some(approver) = self.cx.approver.clone() else {
            let mut executed = self.error(code::NO_APPROVER, say::no_approver(&reason));
            executed.denied_for_want_of_approver = true;
            return Err(executed.into());
        };
        let request =
            ApprovalRequest { call: self.call.clone(), owner: facts.owner.clone(), scope: self.cx.scope, reason };
        let answered = limits.within(self.ctx().call_async(|| approver.ask(&request))).await;
        match answered {
            Ok(Ok(Approval::Allow)) => Ok(()),
            Ok(Ok(Approval::Deny { reason })) => Err(self.error(code::DENIED, say::denied(&reason)).into()),
            Ok(Err(failure)) => Err(self.hook_failed(facts, failure, say::HOOK_BEFORE).into()),
            Err(stop) => Err(self.stopped_before(stop).into()),
        }
    }

    /// What a run comes to, before the listeners see it.
    fn outcome(&self, facts: &ToolFacts, ran: Ran) -> Executed {
        let name = facts.name.as_str();
        let executed = match ran.answer {
            None => self.error(code::FAILED, ""),
            Some(Ok(Ok(output))) => Executed::new(ToolResult::new(&self.call.id, output.into_content())),
            Some(Ok(Err(ToolFailure::Model(text)))) if text.is_empty() => self.error(code::FAILED, say::failed(name)),
            Some(Ok(Err(ToolFailure::Model(text)))) => self.error(code::FAILED, text),
            Some(Ok(Err(ToolFailure::Host(failure)))) => {
                self.log(facts, &failure, "a tool failed");
                self.error(code::FAILED, say::failed(name)).with_failure(failure)
            }
            Some(Err(failure)) if failure.panic_message().is_some() => {
                self.log(facts, &failure, "a tool panicked");
                self.error(code::PANICKED, say::panicked(name)).with_failure(failure)
            }
            // The owner was gone before its code was called.
            Some(Err(failure)) => self.error(code::UNLOADED, say::unloading(name)).with_failure(failure),
        };
        let mut executed = executed;
        if let Some(stop) = ran.stop {
            stopped_within(name, stop, &mut executed);
        }
        executed.result.content = bound(executed.result.content, &self.config);
        executed
    }

    /// Asks the listeners that look at results.
    async fn review(&self, facts: &ToolFacts, executed: Executed, limits: &mut Limits) -> Executed {
        let event = Arc::new(PostExecuteEvent { facts: self.event_facts(facts) });
        let value = PostExecute {
            call: self.call.clone(),
            content: executed.result.content.clone(),
            code: executed.code,
            blocked: None,
            attached: Vec::new(),
        };
        let reviewed = limits.within(self.ctx().waterfall(event, value, Audience::from(self.cx.scope))).await;
        let reviewed = match reviewed {
            Ok(Ok(reviewed)) => reviewed,
            Ok(Err(error)) => {
                let failed = self.hook_failed(facts, error.into(), say::HOOK_AFTER);
                return failed.begun();
            }
            Err(stop) => {
                let (code, text) = say::withheld(facts.name.as_str(), stop);
                return self.error(code, text).begun();
            }
        };
        let PostExecute { content, blocked, attached, .. } = reviewed;
        let mut executed = executed;
        executed.attached = bound_messages(attached, &self.config);
        match blocked {
            None => executed.result.content = content,
            Some(feedback) => {
                executed.code = Some(code::BLOCKED);
                executed.result = ToolResult::error(&self.call.id, feedback);
            }
        }
        executed
    }

    fn event_facts(&self, facts: &ToolFacts) -> EventFacts {
        EventFacts { owner: facts.owner.clone(), scope: self.cx.scope, fields: self.cx.fields.clone() }
    }

    fn stopped_before(&self, stop: Stop) -> Executed {
        let (code, text) = say::stopped_before(&self.call.name, stop);
        self.error(code, text)
    }

    fn hook_failed(&self, facts: &ToolFacts, failure: Failure, text: &str) -> Executed {
        self.log(facts, &failure, "a check of a tool's call failed");
        self.error(code::HOOK_FAILED, text).with_failure(failure)
    }

    /// Tells the host.
    fn log(&self, facts: &ToolFacts, failure: &Failure, what: &str) {
        let failure = self.ctx().shown(failure);
        tracing::error!(owner = %facts.owner, tool = facts.name.as_str(), failure, "{what}");
    }
}

/// Whether a scope takes part in anything still.
fn is_open(ctx: &Context, key: ScopeKey) -> bool {
    ctx.scope_owner(key).is_some_and(|owner| owner.state() == FiberState::Active)
}

/// Makes the result of a run that was stopped: that it was, and what it had by then.
fn stopped_within(name: &str, stop: Stop, executed: &mut Executed) {
    let (code, mut text) = say::stopped_within(name, stop);
    let is_given_up = matches!(stop, Stop::Cancelled | Stop::Overdue);
    let had = std::mem::take(&mut executed.result.content);
    let had_text = executed.code != Some(code::PANICKED) && had.iter().any(|block| block.as_text() != Some(""));
    if is_given_up || !had_text {
        executed.result.content = vec![dsh_llm::ContentBlock::text(text)];
    } else {
        text.push_str(say::HAD);
        executed.result.content = vec![dsh_llm::ContentBlock::text(text)];
        executed.result.content.extend(had);
    }
    executed.result.is_error = true;
    executed.code = Some(code);
}
