//! The driver of one agent: its mailbox, and the task that empties it.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use dsh_agent::{Agent, AgentDriver, AgentStatus, Error, TurnSummary};
use dsh_kernel::{BoxFuture, Cancel, Context, Failure, Name};
use dsh_llm::{Message, ToolSchema};
use dsh_session::{Input, Session, TurnEnd, Via};

use crate::budget::Budget;
use crate::config::Settings;
use crate::mailbox::{Inject, Mailbox, Next, Stopped, Writing};
use crate::turn::turn;

/// Drives one agent. It holds no agent: the task does, for as long as it runs.
pub(crate) struct LoopDriver {
    shared: Arc<Shared>,
}

/// What a driver and its task share.
pub(crate) struct Shared {
    /// The plugin's.
    pub(crate) ctx: Context,
    pub(crate) settings: Settings,
    pub(crate) session: Session,
    pub(crate) mailbox: Mailbox,
    /// That of the turn under way.
    pub(crate) budget: Mutex<Option<Budget>>,
}

impl Shared {
    pub(crate) fn set_budget(&self, budget: Option<Budget>) {
        let before = std::mem::replace(&mut *self.budget.lock().unwrap_or_else(PoisonError::into_inner), budget);
        drop(before);
    }

    /// Writes down what waits for it, then this, then what has come meanwhile. What could not be written waits on, but this.
    pub(crate) fn write_down(
        &self,
        mut writing: Writing<'_>,
        mut own: Option<Message>,
    ) -> Result<(), dsh_session::Error> {
        let append = |message| self.session.append(Input::new(message, Via::Inject));
        let mut refused = None;
        loop {
            let waiting = if own.is_some() { writing.next_earlier() } else { writing.next_or_end() };
            if let Some(message) = waiting {
                append(message)?;
            } else if let Some(own) = own.take() {
                // Whoever has come meanwhile is not to wait for it.
                refused = append(own).err();
            } else {
                return refused.map_or(Ok(()), Err);
            }
        }
    }
}

impl LoopDriver {
    pub(crate) fn new(ctx: Context, settings: Settings, session: Session) -> Self {
        Self { shared: Arc::new(Shared { ctx, settings, session, mailbox: Mailbox::new(), budget: Mutex::default() }) }
    }

    fn taken(&self, result: Result<(), Stopped>) -> Result<(), Error> {
        result.map_err(|Stopped| Error::stopped(self.shared.session.id()))
    }
}

impl AgentDriver for LoopDriver {
    fn start(&self, agent: &Agent) -> Result<(), Failure> {
        self.taken(self.shared.mailbox.start())?;
        let ending = Ending(Arc::clone(&self.shared));
        let agent_of_task = agent.clone();
        agent.ctx().spawn(Name::fixed("agent loop"), move |cancel| run(ending, agent_of_task, cancel))?;
        Ok(())
    }

    fn stop(&self) -> BoxFuture<'static, Result<(), Failure>> {
        let ended = self.shared.mailbox.stop();
        let session = self.shared.session.clone();
        Box::pin(async move {
            if let Some(ended) = ended {
                ended.cancelled().await;
            }
            // Nothing, where the loop could end its turn itself.
            if session.is_turn_open() && !session.is_detached() {
                session.interrupt(TurnEnd::Cancelled)?;
            }
            Ok(())
        })
    }

    fn send(&self, message: Message) -> Result<(), Error> {
        Input::check(&message)?;
        self.taken(self.shared.mailbox.send(message))
    }

    fn steer(&self, message: Message) -> Result<(), Error> {
        Input::check(&message)?;
        self.taken(self.shared.mailbox.steer(message))
    }

    fn inject_message(&self, message: Message) -> Result<(), Error> {
        Input::check(&message)?;
        match self.shared.mailbox.inject(message) {
            Ok(Inject::Taken) => Ok(()),
            Ok(Inject::Write(message, writing)) => Ok(self.shared.write_down(writing, Some(message))?),
            Err(stopped) => self.taken(Err(stopped)),
        }
    }

    fn cancel(&self) {
        self.shared.mailbox.cancel();
    }

    fn when_idle(&self) -> BoxFuture<'static, ()> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            while let Some(idle) = shared.mailbox.idle() {
                idle.cancelled().await;
            }
        })
    }

    fn status(&self) -> AgentStatus {
        self.shared.mailbox.status()
    }

    fn last_turn(&self) -> Option<TurnSummary> {
        self.shared.mailbox.last_turn()
    }

    fn working_with(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        let budget = self.shared.budget.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        Some(Arc::new(budget))
    }
}

/// Tells of the end of the task, however it goes.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.mailbox.end();
    }
}

/// The task of one agent. What a turn needs is on the heap for as long as it lasts, so that an idle agent is small.
async fn run(ending: Ending, agent: Agent, task: Cancel) {
    let shared = &ending.0;
    let mut tools: Arc<[ToolSchema]> = Arc::new([]);
    loop {
        match shared.mailbox.next() {
            Next::Stop => return,
            Next::Wait(arrival) => {
                if !either(&arrival, &task).await {
                    return;
                }
            }
            Next::Turn(begun) => turn(shared, &agent, begun, &task, &mut tools).await,
        }
    }
}

/// Waits for an arrival; `false` where the task is to end.
async fn either(arrival: &Cancel, task: &Cancel) -> bool {
    let (mut arrived, mut ended) = (arrival.cancelled(), task.cancelled());
    std::future::poll_fn(|cx| {
        use std::pin::Pin;
        use std::task::Poll;
        if Pin::new(&mut ended).poll(cx).is_ready() {
            return Poll::Ready(false);
        }
        Pin::new(&mut arrived).poll(cx).map(|()| true)
    })
    .await
}

/// Lets others run.
pub(crate) async fn breathe() {
    let mut has_waited = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut has_waited, true) {
            return std::task::Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}
