//! One run: what its handle, its task, and those that it ends with share.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use dsh_agent::Agent;
use dsh_kernel::{Canceller, Context, Disposer, Fiber, Name, Teardown};
use dsh_session::SessionId;

use crate::error::Error;
use crate::request::SubagentRequest;
use crate::result::{SubagentResult, SubagentStop};

/// Which run, of those of one registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubagentId(pub(crate) u64);

impl fmt::Display for SubagentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "subagent-{}", self.0)
    }
}

/// A run, as whoever started it has it. A clone is the same run; dropping all of them ends nothing.
#[derive(Clone)]
pub struct SubagentRun(pub(crate) Arc<Run>);

impl SubagentRun {
    /// Which run it is.
    pub fn id(&self) -> SubagentId {
        self.0.id
    }

    /// Who runs it.
    pub fn provider(&self) -> &str {
        self.0.provider.as_str()
    }

    /// The child, while there is one.
    pub fn agent(&self) -> Option<Agent> {
        self.0.child().map(|(child, _from)| child)
    }

    /// Asks it to end; [`result`](Self::result) tells when it has. Nothing, where it has ended already.
    pub fn cancel(&self) {
        self.0.stop(SubagentStop::Cancelled);
    }

    /// Waits for its end: when this is ready, the child is gone. It never fails: how a run went is in its result.
    ///
    /// In code of the child itself this would wait for itself: do not await it there.
    pub fn result(&self) -> impl Future<Output = Arc<SubagentResult>> + Send + use<> {
        let run = Arc::clone(&self.0);
        async move {
            run.over().await;
            run.gone().await;
            let result = run.state().result.clone();
            // It is set before the end is told.
            result.unwrap_or_else(|| Arc::new(SubagentResult::stopped(SubagentStop::Disposed)))
        }
    }
}

impl fmt::Debug for SubagentRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

pub(crate) struct Run {
    pub(crate) id: SubagentId,
    pub(crate) provider: Name,
    /// Which registration of that name.
    pub(crate) place: u64,
    /// What the child is called.
    pub(crate) name: Name,
    /// What the work is.
    pub(crate) description: Box<str>,
    pub(crate) parent: Option<Agent>,
    /// The scope that owns all that the run makes.
    home: OnceLock<Fiber>,
    asked: Canceller,
    over: Canceller,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    /// Why it was asked to end, by whoever was first.
    stop: Option<SubagentStop>,
    /// The child, and how many records its session had when it was made.
    child: Option<(Agent, usize)>,
    session: Option<SessionId>,
    result: Option<Arc<SubagentResult>>,
    /// The effects of those that it ends with.
    links: Vec<Disposer>,
    /// The effect of its task.
    driven: Option<Disposer>,
    /// The end of that, once it is about to come.
    gone: Option<Teardown>,
    left: bool,
}

impl Run {
    pub(crate) fn new(
        id: u64,
        (provider, place): (Name, u64),
        request: &SubagentRequest,
        parent: Option<Agent>,
    ) -> Self {
        let name = request.name.clone().unwrap_or_else(|| provider.clone());
        let description = request.description.clone();
        Self {
            id: SubagentId(id),
            provider,
            place,
            name,
            description,
            parent,
            home: OnceLock::new(),
            asked: Canceller::new(),
            over: Canceller::new(),
            state: Mutex::default(),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_home(&self, fiber: Fiber) {
        // There is one, set by whoever made the run.
        drop(self.home.set(fiber));
    }

    /// Fired when it is to end.
    pub(crate) fn asked(&self) -> dsh_kernel::Cancel {
        self.asked.token()
    }

    /// Why it is to end.
    pub(crate) fn why(&self) -> SubagentStop {
        self.state().stop.clone().unwrap_or(SubagentStop::Disposed)
    }

    /// Asks it to end. The first reason holds.
    pub(crate) fn stop(&self, stop: SubagentStop) {
        self.state().stop.get_or_insert(stop);
        self.asked.cancel();
    }

    /// The child, and how many records its session had when it was made.
    pub(crate) fn child(&self) -> Option<(Agent, usize)> {
        self.state().child.clone()
    }

    pub(crate) fn set_child(&self, child: &Agent) {
        let mut state = self.state();
        state.session = Some(child.id().clone());
        let before = state.child.replace((child.clone(), child.session().len()));
        drop(state);
        drop(before);
    }

    /// Undoes all that it has made.
    pub(crate) async fn clear(&self) -> Result<(), dsh_kernel::Error> {
        match self.home.get() {
            Some(home) => home.dispose().await,
            None => Ok(()),
        }
    }

    /// Begins to undo all that it has made.
    pub(crate) fn begin_clearing(&self) {
        if let Some(home) = self.home.get() {
            drop(home.dispose());
        }
    }

    async fn over(&self) {
        self.over.token().cancelled().await;
    }

    /// Ends it with whatever this context's owner is: as an effect that waits for its end (G3).
    pub(crate) fn end_with(self: &Arc<Self>, ctx: &Context) -> Result<(), Error> {
        let run = Arc::clone(self);
        let link = ctx.effect(Name::from(format!("{} {}", self.provider, self.id)), |fx| {
            fx.defer_async(move || async move {
                // Undone by the run itself at its end, it waits for nothing.
                if run.state().left {
                    return Ok(());
                }
                run.end().await?;
                run.gone().await;
                Ok::<(), dsh_kernel::Error>(())
            });
            Ok(())
        })?;
        self.state().links.push(link);
        Ok(())
    }

    /// Ends it, and waits until nothing of it is left.
    pub(crate) async fn end(&self) -> Result<(), dsh_kernel::Error> {
        self.stop(SubagentStop::Disposed);
        self.over().await;
        // Where its task did not come to its end, what it had made may be on its way still.
        self.clear().await
    }

    /// Waits until its task has ended too, once it is over.
    async fn gone(&self) {
        let gone = self.state().gone.clone();
        if let Some(gone) = gone {
            // A failure of it is the kernel's to tell.
            drop(gone.await);
        }
    }

    /// Keeps the effect of its task for as long as it runs.
    pub(crate) fn set_driven(&self, driven: Disposer) {
        let mut state = self.state();
        if !state.left {
            state.driven = Some(driven);
            return;
        }
        drop(state);
        let gone = driven.dispose();
        self.state().gone = Some(gone);
    }

    /// Keeps how it went; what it kept of others goes.
    pub(crate) fn keep(&self, mut result: SubagentResult) -> Arc<SubagentResult> {
        let mut state = self.state();
        result.session = state.session.take().or(result.session);
        let result = Arc::new(result);
        state.result = Some(Arc::clone(&result));
        let child = state.child.take();
        drop(state);
        drop(child);
        result
    }

    /// Tells whoever waits, and leaves those that it would have ended with.
    pub(crate) fn leave(&self) {
        let (links, driven) = {
            let mut state = self.state();
            state.left = true;
            (std::mem::take(&mut state.links), state.driven.take())
        };
        for link in links {
            drop(link.dispose());
        }
        if let Some(driven) = driven {
            let gone = driven.dispose();
            self.state().gone = Some(gone);
        }
        self.over.cancel();
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.state().result.clone();
        let stop = result.as_ref().map(|result| result.stop.as_str());
        write!(f, "SubagentRun({}, {}, {})", self.id, self.provider, stop.unwrap_or("running"))
    }
}
