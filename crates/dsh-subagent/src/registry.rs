//! The service: which providers there are, which runs, and how one begins.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dsh_agent::{Agent, AgentsExt};
use dsh_agent_loop::Budget;
use dsh_kernel::{
    Audience, BoxFuture, Context, Disposer, Emit, Event, EventInfo, Failure, Method, Name, Owner, Quiet, Service,
};

use crate::capability::Capabilities;
use crate::config::SubagentsConfig;
use crate::drive::{Ending, drive};
use crate::error::{Error, ErrorKind};
use crate::events::{SubagentEnd, SubagentProviderAdded, SubagentProviderRemoved, SubagentStart};
use crate::job::{Inner, SubagentJob};
use crate::lineage::Lineage;
use crate::output::OutputSchema;
use crate::provider::{ProviderInfo, SubagentProvider};
use crate::request::SubagentRequest;
use crate::result::{SubagentResult, SubagentStop};
use crate::run::{Run, SubagentRun};

/// The service `subagents`; used through [`SubagentsHandle`](crate::SubagentsHandle).
pub struct SubagentRegistry {
    /// The plugin's own: it injects what a child needs, so that who starts one need not.
    pub(crate) ctx: Context,
    config: SubagentsConfig,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// In order of registration.
    providers: Vec<Arc<Entry>>,
    /// In order of their beginning.
    runs: BTreeMap<u64, Arc<Run>>,
    /// Tools that offer subagents to models.
    offers: Vec<Name>,
    next: u64,
}

impl State {
    fn no_provider(&self, name: &str) -> Error {
        let known: Vec<Name> = self.providers.iter().map(|entry| entry.info.name.clone()).collect();
        Error::no_provider(name, &known)
    }
}

/// A registered provider.
pub(crate) struct Entry {
    place: u64,
    pub(crate) info: ProviderInfo,
    pub(crate) ctx: Context,
    provider: Quiet<Box<dyn SubagentProvider>>,
}

impl Entry {
    pub(crate) fn run(&self, job: SubagentJob) -> BoxFuture<'static, Result<SubagentResult, Failure>> {
        self.provider.run(job)
    }
}

impl Service for SubagentRegistry {
    const NAME: &'static str = "subagents";
    const DOC: &'static str = "Agents that work for agents: who runs them, and which run.";
    const METHODS: &'static [Method] = &[
        Method::new(
            "register_provider",
            "(provider: impl SubagentProvider) -> Result<Disposer, Error>",
            "Registers who runs subagents under a name; leaving ends its runs.",
        ),
        Method::new(
            "start",
            "(provider: &str, request: SubagentRequest) -> Result<SubagentRun, Error>",
            "Begins a run, as an effect of the context's owner that ends with it.",
        ),
    ];
    const EVENTS: &'static [EventInfo] = &[
        EventInfo::of::<SubagentProviderAdded>(),
        EventInfo::of::<SubagentProviderRemoved>(),
        EventInfo::of::<SubagentStart>(),
        EventInfo::of::<SubagentEnd>(),
    ];
}

impl SubagentRegistry {
    pub(crate) fn new(ctx: Context, config: SubagentsConfig) -> Self {
        Self { ctx, config, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn register_provider(
        self: &Arc<Self>,
        ctx: &Context,
        provider: Box<dyn SubagentProvider>,
    ) -> Result<Disposer, Error> {
        let provider = Quiet::new(provider);
        let say = || (provider.name().to_owned(), provider.description().into(), provider.capabilities());
        let (name, description, capabilities): (String, Box<str>, Capabilities) =
            ctx.call(say).map_err(|failure| self.unspoken(&failure))?;
        let name = Name::from(name);
        let info = ProviderInfo { name: name.clone(), description, capabilities, owner: ctx.owner() };
        let entry = Entry { place: self.number(), info, ctx: ctx.clone(), provider };
        let effect = ctx.effect(Name::from(format!("subagent provider {name}")), |fx| {
            let place = entry.place;
            self.insert(entry)?;
            let (registry, leaving) = (Arc::clone(self), Arc::clone(self));
            let owner = ctx.owner();
            let (added, removed) = (
                SubagentProviderAdded { name: name.clone(), owner: owner.clone() },
                SubagentProviderRemoved { name, owner },
            );
            // First nobody finds it any more, then its runs end: they are its code.
            fx.defer_async(move || async move { leaving.end_runs_of(place).await });
            fx.defer(move || {
                let gone = registry.remove(place);
                drop(gone);
                registry.tell_everyone(&removed);
            });
            self.tell_everyone(&added);
            Ok(())
        });
        effect.map_err(Error::of_effect)
    }

    /// The error of a provider that panicked when it was to say what it is.
    fn unspoken(&self, failure: &Failure) -> Error {
        match failure.downcast_ref::<dsh_kernel::Error>() {
            Some(error) => error.clone().into(),
            None => Error::new(
                ErrorKind::ProviderPanicked,
                format!("a provider failed to say what it is: {}", self.ctx.shown(failure)),
                "its name, its description and its capabilities are asked for when it is registered",
            ),
        }
    }

    fn number(&self) -> u64 {
        let mut state = self.state();
        state.next += 1;
        state.next
    }

    fn insert(&self, entry: Entry) -> Result<(), Failure> {
        let mut state = self.state();
        if let Some(first) = state.providers.iter().find(|first| first.info.name == entry.info.name) {
            let refused = Error::duplicate(&entry.info.name, entry.info.owner.clone(), first.info.owner.clone());
            drop(state);
            return Err(refused.into());
        }
        state.providers.push(Arc::new(entry));
        Ok(())
    }

    fn remove(&self, place: u64) -> Option<Arc<Entry>> {
        let mut state = self.state();
        let found = state.providers.iter().position(|entry| entry.place == place)?;
        Some(state.providers.remove(found))
    }

    /// Ends all runs of a registration, side by side.
    async fn end_runs_of(&self, place: u64) {
        let runs: Vec<Arc<Run>> = self.state().runs.values().filter(|run| run.place == place).cloned().collect();
        for run in &runs {
            run.stop(SubagentStop::Disposed);
        }
        for run in runs {
            SubagentRun(Arc::clone(&run)).result().await;
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<ProviderInfo> {
        self.provider(name).ok().map(|entry| entry.info.clone())
    }

    pub(crate) fn list(&self) -> Vec<ProviderInfo> {
        self.state().providers.iter().map(|entry| entry.info.clone()).collect()
    }

    pub(crate) fn running(&self) -> Vec<SubagentRun> {
        self.state().runs.values().map(|run| SubagentRun(Arc::clone(run))).collect()
    }

    fn provider(&self, name: &str) -> Result<Arc<Entry>, Error> {
        let state = self.state();
        let found = state.providers.iter().find(|entry| entry.info.name.as_str() == name);
        found.cloned().ok_or_else(|| state.no_provider(name))
    }

    /// Begins a run; all that can be refused is refused before there is anything of it (G1, G3).
    pub(crate) fn start(
        self: &Arc<Self>,
        ctx: &Context,
        name: &str,
        mut request: SubagentRequest,
    ) -> Result<SubagentRun, Error> {
        let entry = self.provider(name)?;
        if let Some(unmet) = request.first_unmet(|capability| entry.info.capabilities.has(capability)) {
            return Err(Error::unsupported(&entry.info.name, entry.info.owner.clone(), unmet));
        }
        let output = request.output_schema.as_ref().map(OutputSchema::compile).transpose().map_err(|problem| {
            let problem = format!("the schema of the final answer is none: {problem}");
            Error::new(
                ErrorKind::InvalidOutputSchema,
                problem,
                "give a JSON Schema without references to other documents",
            )
        })?;
        let parent = match request.parent.take() {
            Some(parent) => Some(parent),
            None => self.agent_of(ctx)?,
        };
        // What its turn may still take holds for all that is done on its behalf.
        if request.budget.is_none() {
            request.budget = parent.as_ref().and_then(Budget::of);
        }
        let lineage = Lineage::under(parent.as_ref(), self.config.depth, request.depth).ok_or_else(too_deep)?;
        let work = parent.as_ref().map(Agent::work).transpose()?;
        let above = parent.as_ref().map(Agent::cancel_token);
        let run = Arc::new(Run::new(self.number(), (entry.info.name.clone(), entry.place), &request, parent));
        self.reserve(&run)?;
        // From here on, whatever is refused, nothing of the run is left.
        let mut ending = Ending::new(self, &run);
        let home = self.ctx.scope(run.name.clone())?;
        let run_ctx = home.ctx().clone();
        run.set_home(home.fiber().clone());
        run.end_with(ctx)?;
        if let Some(work) = work {
            run.end_with(&work)?;
        }
        let registry = Arc::clone(self);
        let job = SubagentJob::new(Inner { ctx: run_ctx, registry, run: Arc::clone(&run), request, output, lineage });
        let waiting = Arc::clone(&run);
        let driven = self.ctx.effect(Name::from(run.id.to_string()), |fx| {
            // A task is aborted after a grace; what a child has to undo may take longer. So its end is awaited before the task is asked.
            fx.adopt(self.ctx.spawn("drive", move |task| {
                ending.begin();
                drive(ending, entry, job, task, above)
            })?)?;
            fx.defer_async(move || async move { waiting.end().await });
            Ok(())
        })?;
        run.set_driven(driven);
        Ok(SubagentRun(run))
    }

    /// The nearest agent in whose scope a context is, however deep: in a scope of its own within it, or what the agent has begun
    /// elsewhere.
    fn agent_of(&self, ctx: &Context) -> Result<Option<Agent>, Error> {
        let Some(key) = ctx.scope_key() else { return Ok(None) };
        let agents = self.ctx.agents().list()?;
        if let Some(agent) = agents.iter().find(|agent| agent.scope_key() == key) {
            return Ok(Some(agent.clone()));
        }
        let places: Vec<Owner> = agents.iter().map(|agent| agent.ctx().owner()).collect();
        let mut above = std::iter::successors(Some(ctx.owner()), Owner::parent);
        let found = above.find_map(|owner| places.iter().position(|place| *place == owner));
        Ok(found.and_then(|found| agents.get(found).cloned()))
    }

    /// Takes a place among those that run, while the provider is there: when it leaves, it finds the run and ends it.
    fn reserve(&self, run: &Arc<Run>) -> Result<(), Error> {
        let mut state = self.state();
        if !state.providers.iter().any(|entry| entry.place == run.place) {
            return Err(state.no_provider(run.provider.as_str()));
        }
        let refuse = |most: usize, whose: &str| {
            let problem = format!("{most} subagents {whose} run already, which is the limit");
            Error::new(ErrorKind::TooMany, problem, "wait until one has ended")
        };
        if state.runs.len() >= self.config.total {
            return Err(refuse(self.config.total, "in all"));
        }
        if let Some(parent) = &run.parent {
            let siblings = state.runs.values().filter(|other| other.parent.as_ref() == Some(parent)).count();
            if siblings >= self.config.width {
                return Err(refuse(self.config.width, "of this agent"));
            }
        }
        state.runs.insert(run.id.0, Arc::clone(run));
        Ok(())
    }

    /// Gives a place back.
    pub(crate) fn forget(&self, run: &Run) {
        let gone = self.state().runs.remove(&run.id.0);
        drop(gone);
    }

    /// The tools that offer subagents to models: who may have none under it is not offered them.
    pub(crate) fn offers(&self) -> Vec<Name> {
        self.state().offers.clone()
    }

    pub(crate) fn offer(&self, name: Name) {
        self.state().offers.push(name);
    }

    pub(crate) fn withdraw(&self, name: &Name) {
        let mut state = self.state();
        if let Some(found) = state.offers.iter().position(|offer| offer == name) {
            state.offers.remove(found);
        }
    }

    /// Tells whoever listens for a parent; a failing listener is logged (G1).
    pub(crate) fn tell<E: Event<Mode = Emit>>(&self, event: &E, parent: Option<&Agent>) {
        self.tell_audience(event, Audience::from(parent.map(Agent::scope_key)));
    }

    fn tell_everyone<E: Event<Mode = Emit>>(&self, event: &E) {
        self.tell_audience(event, Audience::Everyone);
    }

    fn tell_audience<E: Event<Mode = Emit>>(&self, event: &E, audience: Audience) {
        if let Err(error) = self.ctx.emit(event, audience) {
            tracing::error!(event = E::NAME, failure = self.ctx.shown(&error), "a listener failed");
        }
    }
}

fn too_deep() -> Error {
    let help = "do the work yourself, or raise the limit of the plugin `subagents`";
    Error::new(ErrorKind::TooDeep, "no agent may work under this one", help)
}

impl fmt::Debug for SubagentRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        let names: Vec<&Name> = state.providers.iter().map(|entry| &entry.info.name).collect();
        write!(f, "SubagentRegistry({names:?}, {} runs)", state.runs.len())
    }
}

/// Whose an entry is stays even when the entry has gone.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner: &Owner = &self.info.owner;
        write!(f, "Entry({} of {owner})", self.info.name)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use dsh_kernel::{BoxFuture, Failure, Kernel};

    use super::SubagentRegistry;
    use crate::config::SubagentsConfig;
    use crate::run::Run;
    use crate::{Capabilities, SubagentJob, SubagentProvider, SubagentRequest, SubagentResult};

    struct Quick;

    impl SubagentProvider for Quick {
        fn name(&self) -> &'static str {
            "quick"
        }

        fn capabilities(&self) -> Capabilities {
            Capabilities::none()
        }

        fn run(&self, _: SubagentJob) -> BoxFuture<'static, Result<SubagentResult, Failure>> {
            Box::pin(async { Ok(SubagentResult::completed("")) })
        }
    }

    /// G1: it may leave when it has been found and its run has no place yet; nobody would end that run.
    #[tokio::test]
    async fn no_run_begins_on_a_provider_that_has_gone_meanwhile() {
        let kernel = Kernel::new();
        let root = kernel.root();
        let registry = Arc::new(SubagentRegistry::new(root.clone(), SubagentsConfig::new()));
        let first = registry.register_provider(&root, Box::new(Quick)).unwrap();
        let found = registry.provider("quick").unwrap();
        first.dispose().await.unwrap();
        // Another one of that name is another one.
        registry.register_provider(&root, Box::new(Quick)).unwrap();
        let request = SubagentRequest::new("Work.");
        let run = |entry: &super::Entry| {
            Arc::new(Run::new(registry.number(), (entry.info.name.clone(), entry.place), &request, None))
        };
        assert_eq!(registry.reserve(&run(&found)).unwrap_err().code(), "subagent::no_provider");
        assert!(registry.running().is_empty());
        registry.reserve(&run(&registry.provider("quick").unwrap())).unwrap();
    }
}
