//! What waits for an agent: messages, and whoever waits for it to be idle.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dsh_agent::{AgentStatus, TurnSummary};
use dsh_kernel::{Cancel, Canceller};
use dsh_llm::Message;
use dsh_session::Via;

/// The messages that wait for one agent's loop, and what its loop does.
pub(crate) struct Mailbox {
    state: Mutex<State>,
    /// Fired when the loop is over.
    ended: Canceller,
}

struct State {
    phase: Phase,
    /// Each begins a turn.
    prompts: VecDeque<Message>,
    /// The first of them waits for another to be sent: the log would not take it.
    is_held: bool,
    /// What comes into the turn under way at its next step.
    pending: VecDeque<(Via, Message)>,
    /// How often all that waits was forgotten: what was taken before that is not given back.
    cancels: u64,
    /// Somebody is writing into the log what was put in without a turn, and what comes meanwhile.
    is_writing: bool,
    /// Fired when something comes while the loop waits.
    arrival: Option<Canceller>,
    /// Fired when there is nothing to do.
    idle: Option<Canceller>,
    last_turn: Option<TurnSummary>,
}

impl State {
    /// Whether a message is to begin a turn now.
    fn has_next(&self) -> bool {
        !self.prompts.is_empty() && !self.is_held
    }

    /// Takes all that waits, to be dropped without the lock.
    fn forget(&mut self) -> impl Sized + use<> {
        self.cancels += 1;
        self.is_held = false;
        (std::mem::take(&mut self.prompts), std::mem::take(&mut self.pending))
    }

    fn pop_injected(&mut self) -> Option<Message> {
        let at = self.pending.iter().position(|(via, _)| *via == Via::Inject)?;
        self.pending.remove(at).map(|(_, message)| message)
    }

    /// Whether there is nothing to do, and nobody does anything.
    fn is_idle(&self) -> bool {
        match self.phase {
            Phase::Starting | Phase::Waiting => !self.has_next(),
            Phase::InTurn(_) | Phase::Ending => false,
            Phase::Stopped { was_started } => !was_started,
        }
    }
}

enum Phase {
    /// The loop has not begun.
    Starting,
    Waiting,
    /// A turn is under way; this cancels it.
    InTurn(Arc<Canceller>),
    /// A turn is over as far as the model is concerned; what is said from now on begins another.
    Ending,
    /// Nothing is taken in any more.
    Stopped {
        was_started: bool,
    },
}

/// What the loop is to do next.
pub(crate) enum Next {
    Turn(Begun),
    /// Wait for this.
    Wait(Cancel),
    /// End.
    Stop,
}

/// A turn that this message begins, and that this token cancels.
pub(crate) struct Begun {
    pub(crate) message: Message,
    pub(crate) token: Cancel,
    /// [`State::cancels`] when it was taken.
    pub(crate) cancels: u64,
}

/// What becomes of a message that is put in.
pub(crate) enum Inject<'a> {
    /// The turn under way, or somebody who is writing already, takes it in.
    Taken,
    /// The caller puts it into the log, behind those that are waiting.
    Write(Message, Writing<'a>),
}

/// The right to write into the log what was put in, one at a time and in its order. What it has given out and nobody says was written waits
/// on, before all others, however it ends.
pub(crate) struct Writing<'a> {
    mailbox: Option<&'a Mailbox>,
    /// How many messages waited when it was given.
    waiting: usize,
    /// [`State::cancels`] then.
    cancels: u64,
    given: Option<Message>,
}

impl<'a> Writing<'a> {
    fn new(mailbox: &'a Mailbox, state: &mut State) -> Self {
        state.is_writing = true;
        let waiting = state.pending.iter().filter(|(via, _)| *via == Via::Inject).count();
        Self { mailbox: Some(mailbox), waiting, cancels: state.cancels, given: None }
    }

    /// The next message of those that waited already when the right was given; the one before is written.
    pub(crate) fn next_earlier(&mut self) -> Option<Message> {
        self.given = None;
        self.waiting = self.waiting.checked_sub(1)?;
        let mut state = self.mailbox?.state();
        self.given = if state.cancels == self.cancels { state.pop_injected() } else { None };
        self.given.clone()
    }

    /// The next message that waits; the one before is written. Where none waits, whoever comes next writes for himself.
    pub(crate) fn next_or_end(&mut self) -> Option<Message> {
        self.given = None;
        let mut state = self.mailbox?.state();
        self.cancels = state.cancels;
        self.given = state.pop_injected();
        if self.given.is_none() {
            state.is_writing = false;
            self.mailbox = None;
        }
        self.given.clone()
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        let Some(mailbox) = self.mailbox else { return };
        let mut state = mailbox.state();
        state.is_writing = false;
        if let Some(message) = self.given.take() {
            give_back(state, self.cancels, message, |state, message| state.pending.push_front((Via::Inject, message)));
        }
    }
}

/// What has come for a turn, and is not in its log yet: it waits on, before all that has come since, when this is dropped.
pub(crate) struct Pending<'a> {
    mailbox: &'a Mailbox,
    messages: VecDeque<(Via, Message)>,
    /// [`State::cancels`] when it was taken.
    cancels: u64,
}

impl Pending<'_> {
    pub(crate) fn first(&self) -> Option<&(Via, Message)> {
        self.messages.front()
    }

    /// The first one is in the log.
    pub(crate) fn is_written(&mut self) {
        drop(self.messages.pop_front());
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        give_back(self.mailbox.state(), self.cancels, std::mem::take(&mut self.messages), |state, mut unwritten| {
            unwritten.append(&mut state.pending);
            state.pending = unwritten;
        });
    }
}

/// A message that begins a turn, for as long as it is neither in the log nor refused. Dropped, it waits for the next message that is sent, and
/// all that wait behind it do: to begin its turn again at once would fail again, without end, as on a full disk.
pub(crate) struct Prompt<'a> {
    mailbox: &'a Mailbox,
    message: Option<Message>,
    /// [`State::cancels`] when it was taken.
    cancels: u64,
}

impl<'a> Prompt<'a> {
    pub(crate) fn new(mailbox: &'a Mailbox, message: Message, cancels: u64) -> Self {
        Self { mailbox, message: Some(message), cancels }
    }

    /// It has got where it was to go.
    pub(crate) fn is_done(&mut self) {
        self.message = None;
    }
}

impl Drop for Prompt<'_> {
    fn drop(&mut self) {
        let Some(message) = self.message.take() else { return };
        give_back(self.mailbox.state(), self.cancels, message, |state, message| {
            state.prompts.push_front(message);
            state.is_held = true;
        });
    }
}

/// Gives back what was taken and not used. What waited was forgotten meanwhile, and so is this, where somebody has cancelled or stopped.
fn give_back<T>(mut state: MutexGuard<'_, State>, cancels: u64, unused: T, put: impl FnOnce(&mut State, T)) {
    if state.cancels == cancels {
        return put(&mut state, unused);
    }
    drop(state);
    drop(unused);
}

/// Nothing is taken in any more.
pub(crate) struct Stopped;

impl Mailbox {
    pub(crate) fn new() -> Self {
        let state = State {
            phase: Phase::Starting,
            prompts: VecDeque::new(),
            is_held: false,
            pending: VecDeque::new(),
            cancels: 0,
            is_writing: false,
            arrival: None,
            idle: None,
            last_turn: None,
        };
        Self { state: Mutex::new(state), ended: Canceller::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The loop begins; not where it has been stopped.
    pub(crate) fn start(&self) -> Result<(), Stopped> {
        let mut state = self.state();
        if matches!(state.phase, Phase::Stopped { .. }) {
            return Err(Stopped);
        }
        state.phase = Phase::Waiting;
        Ok(())
    }

    pub(crate) fn send(&self, message: Message) -> Result<(), Stopped> {
        let arrival = {
            let mut state = self.state();
            if matches!(state.phase, Phase::Stopped { .. }) {
                return Err(Stopped);
            }
            state.is_held = false;
            state.prompts.push_back(message);
            state.arrival.take()
        };
        fire(arrival);
        Ok(())
    }

    /// For the turn under way, or the one that is about to begin; where none is, it begins one.
    pub(crate) fn steer(&self, message: Message) -> Result<(), Stopped> {
        {
            let mut state = self.state();
            let is_about_to = matches!(state.phase, Phase::Starting | Phase::Waiting) && state.has_next();
            if is_about_to || matches!(state.phase, Phase::InTurn(_)) {
                state.pending.push_back((Via::Steer, message));
                return Ok(());
            }
        }
        self.send(message)
    }

    pub(crate) fn inject(&self, message: Message) -> Result<Inject<'_>, Stopped> {
        let mut state = self.state();
        match state.phase {
            Phase::Stopped { .. } => return Err(Stopped),
            Phase::Starting | Phase::Waiting | Phase::Ending if !state.is_writing => {
                return Ok(Inject::Write(message, Writing::new(self, &mut state)));
            }
            Phase::InTurn(_) | Phase::Starting | Phase::Waiting | Phase::Ending => {}
        }
        state.pending.push_back((Via::Inject, message));
        Ok(Inject::Taken)
    }

    /// The right to write what was put in; not where somebody has it, who then does.
    pub(crate) fn writing(&self) -> Option<Writing<'_>> {
        let mut state = self.state();
        if state.is_writing { None } else { Some(Writing::new(self, &mut state)) }
    }

    /// Forgets what waits, and cancels the turn under way.
    pub(crate) fn cancel(&self) {
        let (forgotten, turn, idle) = {
            let mut state = self.state();
            let forgotten = state.forget();
            let turn = if let Phase::InTurn(turn) = &state.phase { Some(Arc::clone(turn)) } else { None };
            let idle = if state.is_idle() { state.idle.take() } else { None };
            (forgotten, turn, idle)
        };
        drop(forgotten);
        if let Some(turn) = turn {
            turn.cancel();
        }
        fire(idle);
    }

    /// From now on nothing is taken in; the turn under way is cancelled. Answers what tells of the loop's end, if it has begun.
    pub(crate) fn stop(&self) -> Option<Cancel> {
        let (was_started, turn, woken, forgotten) = {
            let mut state = self.state();
            let forgotten = state.forget();
            let (was_started, turn) = match &state.phase {
                Phase::Starting => (false, None),
                Phase::Waiting | Phase::Ending => (true, None),
                Phase::InTurn(turn) => (true, Some(Arc::clone(turn))),
                Phase::Stopped { was_started } => (*was_started, None),
            };
            state.phase = Phase::Stopped { was_started };
            let idle = if was_started { None } else { state.idle.take() };
            (was_started, turn, [state.arrival.take(), idle], forgotten)
        };
        drop(forgotten);
        if let Some(turn) = turn {
            turn.cancel();
        }
        woken.into_iter().for_each(fire);
        was_started.then(|| self.ended.token())
    }

    /// What the loop is to do next, when no turn is under way.
    pub(crate) fn next(&self) -> Next {
        let (next, idle) = {
            let mut state = self.state();
            if matches!(state.phase, Phase::Stopped { .. }) {
                return Next::Stop;
            }
            if state.has_next()
                && let Some(message) = state.prompts.pop_front()
            {
                let turn = Arc::new(Canceller::new());
                let token = turn.token();
                state.phase = Phase::InTurn(turn);
                state.arrival = None;
                return Next::Turn(Begun { message, token, cancels: state.cancels });
            }
            state.phase = Phase::Waiting;
            let arrival = Canceller::new();
            let token = arrival.token();
            state.arrival = Some(arrival);
            (Next::Wait(token), state.idle.take())
        };
        fire(idle);
        next
    }

    /// What has come for the turn under way; where somebody is writing, what was put in is left to him.
    pub(crate) fn take_pending(&self) -> Pending<'_> {
        let mut state = self.state();
        let mut messages = std::mem::take(&mut state.pending);
        if state.is_writing {
            (state.pending, messages) = messages.into_iter().partition(|(via, _)| *via == Via::Inject);
        }
        Pending { mailbox: self, messages, cancels: state.cancels }
    }

    /// Whether somebody has said something to the turn under way.
    pub(crate) fn is_steered(&self) -> bool {
        self.state().pending.iter().any(|(via, _)| *via == Via::Steer)
    }

    /// The turn ends, if nobody has steered it; from now on steering begins another.
    pub(crate) fn close_turn(&self) -> bool {
        let mut state = self.state();
        if state.pending.iter().any(|(via, _)| *via == Via::Steer) {
            return false;
        }
        if matches!(state.phase, Phase::InTurn(_)) {
            state.phase = Phase::Ending;
        }
        true
    }

    /// The turn is over, however it went: what it was told too late begins the next one. What was put in waits to be written.
    pub(crate) fn turn_over(&self, summary: TurnSummary) {
        let turn = {
            let mut state = self.state();
            let (injected, steering) = state.pending.drain(..).partition(|(via, _)| *via == Via::Inject);
            state.pending = injected;
            let steering: VecDeque<_> = steering;
            // Behind the message of that turn, where that is to be tried again.
            let at = usize::from(state.is_held);
            for (_, message) in steering.into_iter().rev() {
                state.prompts.insert(at, message);
            }
            state.last_turn = Some(summary);
            match std::mem::replace(&mut state.phase, Phase::Ending) {
                Phase::InTurn(turn) => Some(turn),
                stopped @ Phase::Stopped { .. } => {
                    state.phase = stopped;
                    None
                }
                Phase::Starting | Phase::Waiting | Phase::Ending => None,
            }
        };
        drop(turn);
    }

    /// The loop is over, whoever has ended it: nothing is taken in any more.
    pub(crate) fn end(&self) {
        drop(self.stop());
        // In this order: whoever asks in between finds the end, or is in what is taken.
        self.ended.cancel();
        let idle = self.state().idle.take();
        fire(idle);
    }

    /// What tells that there is nothing to do; `None` where that is so now.
    pub(crate) fn idle(&self) -> Option<Cancel> {
        let mut state = self.state();
        let is_over = matches!(state.phase, Phase::Stopped { was_started: true }) && self.ended.token().is_cancelled();
        if is_over || state.is_idle() {
            return None;
        }
        Some(state.idle.get_or_insert_with(Canceller::new).token())
    }

    pub(crate) fn status(&self) -> AgentStatus {
        let state = self.state();
        match state.phase {
            Phase::Starting => AgentStatus::Starting,
            Phase::Waiting if state.is_idle() => AgentStatus::Idle,
            Phase::Waiting | Phase::InTurn(_) | Phase::Ending => AgentStatus::Running,
            Phase::Stopped { .. } => AgentStatus::Stopped,
        }
    }

    pub(crate) fn last_turn(&self) -> Option<TurnSummary> {
        self.state().last_turn.clone()
    }
}

fn fire(canceller: Option<Canceller>) {
    if let Some(canceller) = canceller {
        canceller.cancel();
    }
}
