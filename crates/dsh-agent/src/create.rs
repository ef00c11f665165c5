//! Making an agent: one composite effect, undone in reverse (A2).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dsh_kernel::{Audience, Context, Failure, Fx, Name};
use dsh_session::{Opened, Session, SessionId, SessionRegistry, SessionsExt, SessionsHandle, TurnEnd};
use dsh_system_prompt::{AssembleContext, RunContext};

use crate::agent::Agent;
use crate::agent_handle::AgentHandle;
use crate::error::{Error, ErrorKind};
use crate::events::AgentSessionStart;
use crate::new_session::{Choice, NewSession};
use crate::options::AgentOptions;
use crate::registry::{AgentRegistry, Factory, no_factory};

/// Which session the agent gets.
enum Source {
    New(SessionId, NewSession),
    Resumed(SessionId),
    Open(Session),
}

/// Makes an agent as an effect of the context's owner; `resume` is the session that it goes on with.
pub(crate) async fn create(
    registry: Arc<AgentRegistry>,
    ctx: Context,
    mut options: AgentOptions,
    resume: Option<SessionId>,
) -> Result<AgentHandle, Error> {
    let factory = registry.factory()?;
    let source = match (resume, options.session.take().map(|session| session.0)) {
        (Some(id), None) => Source::Resumed(id),
        (Some(id), Some(_)) => return Err(session_chosen(&id)),
        (None, Some(Choice::Open(session))) => Source::Open(session),
        (None, Some(Choice::New(mut new))) => Source::New(new.id.take().map_or_else(|| registry.fresh_id(), Ok)?, new),
        (None, None) => Source::New(registry.fresh_id()?, NewSession::new()),
    };
    let mut making = Making { registry, factory, ctx: ctx.clone(), options, agent: None };
    let label = Name::from(format!("agent {}", making.options.name));
    let made = ctx.effect_async(label, async |fx| making.run(fx, source).await).await;
    let disposer = made.map_err(Error::of_effect)?;
    let Some(agent) = making.agent.take() else { return Err(no_factory()) };
    Ok(AgentHandle { agent, disposer })
}

struct Making {
    registry: Arc<AgentRegistry>,
    factory: Factory,
    ctx: Context,
    options: AgentOptions,
    agent: Option<Agent>,
}

impl Making {
    async fn run(&mut self, fx: &mut Fx, source: Source) -> Result<(), Failure> {
        let scope = self.ctx.scope(self.options.name.clone())?;
        let (agent_ctx, key) = (scope.ctx().clone(), scope.key());
        fx.adopt(scope.into_disposer())?;

        let mut run = std::mem::take(&mut self.options.run);
        let mut fields = self.options.fill(AssembleContext::for_scope(key));
        // Who asks the model knows which it is.
        if let Some(model) = self.factory.call(|factory| factory.model(&fields))? {
            run = run.model(model);
        }
        fields = fields.with(run.clone());
        let is_made = Arc::new(AtomicBool::new(false));
        let session = self.session(fx, source, &run, &is_made)?;

        let agent = Agent::undriven(self.options.name.clone(), &agent_ctx, session, fields, key);
        let driver = self.factory.call(|factory| factory.make(&agent))??;
        agent.set_driver(self.factory.ctx.clone(), driver, Some(self.factory.number));
        fx.adopt(self.registry.register(&self.ctx, &agent)?)?;

        if let Some(setup) = self.options.setup.take() {
            let setup = setup.into_inner();
            let setup_ctx = agent_ctx.clone();
            // As code of the caller's, whose panic is told from one of ours.
            self.ctx.call_async(move || setup(setup_ctx)).await??;
        }
        let start = Arc::new(AgentSessionStart::new(agent.clone(), agent.session().turn() > 0));
        if let Some(never) = self.ctx.serial(start, Audience::Scope(key)).await? {
            match never {}
        }

        let stopped = agent.clone();
        fx.defer_async(move || async move { stopped.leave().await });
        if !self.registry.is_current(self.factory.number) {
            return Err(no_factory().into());
        }
        agent.start()?;
        is_made.store(true, Ordering::Release);
        self.agent = Some(agent);
        Ok(())
    }

    /// Makes or opens the session, and enters it. What an earlier process left open is ended first.
    fn session(
        &self,
        fx: &mut Fx,
        source: Source,
        run: &RunContext,
        is_made: &Arc<AtomicBool>,
    ) -> Result<Session, Failure> {
        let all = self.registry.ctx.sessions();
        let session = match source {
            Source::New(id, new) => {
                let mut opened = Opened::new(id.clone()).agent(self.options.name.as_str());
                if let Some(parent) = new.parent {
                    opened = opened.parent(parent);
                }
                if let Some(model) = run.model_name() {
                    opened = opened.model(model);
                }
                if let Some(cwd) = run.cwd_shown() {
                    opened = opened.cwd(cwd);
                }
                let session = match new.source {
                    Some((source, turn)) => all.fork_as(&source, turn, opened)?,
                    None => all.create(opened)?,
                };
                goes_unless(is_made, fx, all, id);
                session
            }
            Source::Resumed(id) => all.open(&id)?,
            Source::Open(session) => session,
        };
        let sessions = self.registry.ctx.get::<SessionRegistry>().resolve()?;
        fx.adopt(sessions.enter(&self.ctx, &session)?)?;
        session.interrupt(TurnEnd::Interrupted)?;
        Ok(session)
    }
}

/// A new session whose agent never came to be goes, once it is closed.
fn goes_unless(is_made: &Arc<AtomicBool>, fx: &mut Fx, all: SessionsHandle, id: SessionId) {
    let is_made = Arc::clone(is_made);
    fx.defer(move || if is_made.load(Ordering::Acquire) { Ok(()) } else { all.remove(&id) });
}

/// The error of options that say which session, where that is said already.
fn session_chosen(id: &SessionId) -> Error {
    let problem = format!("the agent goes on with the session `{id}`, and its options name one too");
    let error = Error::new(ErrorKind::SessionChosen, problem);
    error.with_help("leave it out, or make an agent with `create`")
}

impl AgentRegistry {
    pub(crate) fn fresh_id(&self) -> Result<SessionId, Error> {
        let Some(ids) = &self.ids else {
            let error = Error::new(ErrorKind::NoSessionId, "nobody says what the agent's session is called");
            return Err(error
                .with_help("give `AgentOptions::session` a `NewSession` that is `named`, or mount the plugin with `Agents::new().ids(..)`"));
        };
        ids.next()
    }
}
