//! One session as a program has it: numbers events, checks their place, and keeps what they make.

pub(crate) mod place;

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dsh_kernel::Owner;
use dsh_llm::{Message, ModelRequest};

use crate::damage::{Damage, DamageKind};
use crate::derive::{Derivation, OpenCall};
use crate::error::{Error, ErrorKind};
use crate::event::{
    CallEnded, FORMAT_VERSION, Opened, Origin, Prompt, Repaired, Request, SessionEvent, TurnEnd, TurnEnded,
};
use crate::hash::Digest;
use crate::id::SessionId;
use crate::record::Record;
use crate::store::{SessionStore, SessionWriter};

/// The wall clock, as the host passes it in: milliseconds since the Unix epoch.
pub type WallClock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// A session that is open for writing: a cheap handle, whose clones are the same session.
///
/// It numbers what is appended, refuses what cannot come now, and keeps the messages as they grow. Each method takes the session's own
/// lock for a short time; a file store's `append` is one write into the system's cache.
///
/// ```
/// use dsh_llm::{Message, ModelRequest};
/// use dsh_session::{Input, MemoryStore, Opened, Session, SessionId, TurnEnd, TurnEnded, TurnStarted, Via};
///
/// let store = MemoryStore::new();
/// let session = Session::create(&store, Opened::new(SessionId::new(1_760_000_000_000, 7)).agent("main"))?;
/// session.append(TurnStarted::new())?;
/// session.append(Input::new(Message::user("Hello"), Via::Prompt))?;
/// assert_eq!(session.messages(), [Message::user("Hello")]);
///
/// let refused = session.append(TurnStarted::new()).unwrap_err();
/// assert_eq!(refused.code(), "session::out_of_place");
/// session.append(TurnEnded::new(TurnEnd::Completed))?;
/// assert_eq!(session.records().len(), 4);
/// # Ok::<(), dsh_session::Error>(())
/// ```
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    id: SessionId,
    opened: Opened,
    clock: Option<WallClock>,
    damage: Vec<Damage>,
    state: Mutex<State>,
}

struct State {
    /// `None` when the session has been left and its last flush is done.
    writer: Option<Box<dyn SessionWriter>>,
    detached: bool,
    entered: Option<Owner>,
    records: Vec<Arc<Record>>,
    turn: u32,
    turn_open: bool,
    derivation: Derivation<Arc<Record>>,
    /// The records of prompts by hash.
    prompts: HashMap<[u8; 32], Arc<Record>>,
    last_prompt: Option<Arc<Record>>,
}

impl Session {
    /// Makes a session in a store, without a wall clock.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::create`].
    pub fn create(store: &dyn SessionStore, opened: Opened) -> Result<Self, Error> {
        Self::create_at(store, opened, None)
    }

    /// Opens a session of a store for writing, without a wall clock. Where its end was torn, the log says so from now on.
    ///
    /// # Errors
    ///
    /// As [`SessionStore::open`].
    pub fn open(store: &dyn SessionStore, id: &SessionId) -> Result<Self, Error> {
        Self::open_at(store, id, None)
    }

    pub(crate) fn create_at(store: &dyn SessionStore, opened: Opened, clock: Option<WallClock>) -> Result<Self, Error> {
        let header = Opened { version: FORMAT_VERSION, ..opened };
        let log = vec![Record::new(0, 0, now(clock.as_ref()), header)];
        Self::made(store, log, clock)
    }

    /// A new session with the turns of another up to `turn`.
    pub(crate) fn fork_at(
        store: &dyn SessionStore,
        source: &SessionId,
        turn: u32,
        new: Opened,
        clock: Option<WallClock>,
    ) -> Result<Self, Error> {
        // What is damaged behind that turn is in nobody's way.
        let (log, damaged) = store.read_sound(source)?;
        let mut log = place::through_turn(log.records, turn).map_err(|error| damaged.unwrap_or(error).about(source))?;
        let Some(Record { event: SessionEvent::Opened(opened), at_ms, .. }) = log.first_mut() else {
            return Err(Error::new(ErrorKind::Corrupt, "the log does not begin with its header").about(source));
        };
        *opened = Opened {
            version: FORMAT_VERSION,
            id: new.id,
            agent: if new.agent.is_empty() { std::mem::take(&mut opened.agent) } else { new.agent },
            model: new.model.or(opened.model.take()),
            cwd: new.cwd.or(opened.cwd.take()),
            // Whose work the other one was is told by that one.
            parent: new.parent,
            forked_from: Some(Origin::new(source.clone(), turn)),
        };
        *at_ms = now(clock.as_ref());
        Self::made(store, log, clock)
    }

    fn made(store: &dyn SessionStore, log: Vec<Record>, clock: Option<WallClock>) -> Result<Self, Error> {
        let writer = store.create(&log)?;
        Self::of(log, Vec::new(), writer, clock)
    }

    pub(crate) fn open_at(store: &dyn SessionStore, id: &SessionId, clock: Option<WallClock>) -> Result<Self, Error> {
        let (log, writer) = store.open(id)?;
        let torn = log.damage.iter().find_map(|damage| match damage.kind {
            DamageKind::TornEnd { bytes } => Some(Repaired::new(damage.line, bytes)),
            DamageKind::NoLineEnd | DamageKind::LoneSurrogates { .. } | DamageKind::InvalidUtf8 { .. } => None,
        });
        let session = Self::of(log.records, log.damage, writer, clock)?;
        if let Some(repaired) = torn {
            session.append(repaired)?;
        }
        Ok(session)
    }

    fn of(
        records: Vec<Record>,
        damage: Vec<Damage>,
        writer: Box<dyn SessionWriter>,
        clock: Option<WallClock>,
    ) -> Result<Self, Error> {
        let Some(SessionEvent::Opened(opened)) = records.first().map(|record| &record.event) else {
            return Err(Error::new(ErrorKind::Corrupt, "the log does not begin with its header").at_line(1));
        };
        let (id, opened) = (opened.id.clone(), opened.clone());
        let mut state = State {
            writer: Some(writer),
            detached: false,
            entered: None,
            records: Vec::with_capacity(records.len()),
            turn: 0,
            turn_open: false,
            derivation: Derivation::new(),
            prompts: HashMap::new(),
            last_prompt: None,
        };
        for record in records {
            state.keep(Arc::new(record));
        }
        Ok(Self(Arc::new(Inner { id, opened, clock, damage, state: Mutex::new(state) })))
    }

    /// Its name.
    pub fn id(&self) -> &SessionId {
        &self.0.id
    }

    /// Its header.
    pub fn opened(&self) -> &Opened {
        &self.0.opened
    }

    /// What was repaired when it was opened.
    pub fn damage(&self) -> &[Damage] {
        &self.0.damage
    }

    /// Appends an event, and returns its record. When this returns, the record outlives the process.
    ///
    /// # Errors
    ///
    /// `session::out_of_place` for an event that cannot come now, which is never written; `session::detached`; the store's.
    pub fn append(&self, event: impl Into<SessionEvent>) -> Result<Arc<Record>, Error> {
        let event = event.into();
        let at_ms = now(self.0.clock.as_ref());
        self.state().append(&self.0.id, event, at_ms)
    }

    /// Appends that a model is asked this, so that it can be rebuilt to the byte: its prompt, where the log does not have it yet, and
    /// the request, with its messages only where they are not those of [`messages`](Self::messages).
    ///
    /// ```
    /// # use dsh_llm::{Message, ModelRequest};
    /// # use dsh_session::{Input, MemoryStore, Opened, RequestMessages, Session, SessionEvent, SessionId, TurnStarted, Via};
    /// # let session = Session::create(&MemoryStore::new(), Opened::new(SessionId::new(0, 1)))?;
    /// # session.append(TurnStarted::new())?;
    /// # session.append(Input::new(Message::user("Hello"), Via::Prompt))?;
    /// let record = session.append_request(1, &ModelRequest::new("scripted", session.messages()).system("You are dsh."))?;
    /// let SessionEvent::Request(request) = &record.event else { unreachable!() };
    /// assert_eq!(request.messages, RequestMessages::Derived);
    /// # Ok::<(), dsh_session::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append); `session::out_of_place` also while calls are open.
    pub fn append_request(&self, step: u32, request: &ModelRequest) -> Result<Arc<Record>, Error> {
        let at_ms = now(self.0.clock.as_ref());
        let mut state = self.state();
        let prompt = state.prompt_hash(&self.0.id, request, at_ms)?;
        let (digests, are_derived) = state.derivation.digests(&request.messages);
        let digest = Request::digest_of(request, prompt, &digests);
        let event = Request::new(step, &*request.model, prompt, digest).max_output_tokens(request.max_output_tokens);
        let event = if are_derived { event } else { event.edited(request.messages.clone()) };
        state.append(&self.0.id, event.into(), at_ms)
    }

    /// Appends that a model is asked for a summary of the records up to and including that of `through_seq`: what they make, and
    /// then what it is asked for. It is rebuilt like any other request, and changes nothing in what later ones say.
    ///
    /// # Errors
    ///
    /// As [`append_request`](Self::append_request).
    pub fn append_summary_request(
        &self,
        step: u32,
        through_seq: u64,
        request: &ModelRequest,
    ) -> Result<Arc<Record>, Error> {
        let at_ms = now(self.0.clock.as_ref());
        let mut state = self.state();
        let prompt = state.prompt_hash(&self.0.id, request, at_ms)?;
        let digests: Vec<Digest> = request.messages.iter().map(Digest::of_message).collect();
        let digest = Request::digest_of(request, prompt, &digests);
        let event = Request::new(step, &*request.model, prompt, digest).max_output_tokens(request.max_output_tokens);
        let until = usize::try_from(through_seq).unwrap_or(usize::MAX).saturating_add(1);
        let made = crate::derive(state.records.get(..until).unwrap_or_default());
        let event = match request.messages.strip_prefix(&*made) {
            Some(then) => event.through(through_seq, then.to_vec()),
            None => event.edited(request.messages.clone()),
        };
        state.append(&self.0.id, event.into(), at_ms)
    }

    /// All records until now; each is shared, not copied.
    pub fn records(&self) -> Vec<Arc<Record>> {
        self.state().records.clone()
    }

    /// The records from this `seq` on.
    pub fn records_from(&self, seq: u64) -> Vec<Arc<Record>> {
        let from = usize::try_from(seq).unwrap_or(usize::MAX);
        self.state().records.get(from..).unwrap_or_default().to_vec()
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.state().records.len()
    }

    /// Never: a session has its header.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The messages that a request would have now: those of [`derive`](fn@crate::derive), kept as they grow.
    pub fn messages(&self) -> Vec<Message> {
        self.state().derivation.messages()
    }

    /// The turn that began last, from 1; 0 before the first.
    pub fn turn(&self) -> u32 {
        self.state().turn
    }

    /// Whether that turn has not ended.
    pub fn is_turn_open(&self) -> bool {
        self.state().turn_open
    }

    /// The calls that have no result yet: see [`open_calls`](crate::open_calls).
    pub fn open_calls(&self) -> Vec<OpenCall> {
        self.state().derivation.open_calls()
    }

    /// Ends the open turn in the middle: each open call gets an error result that says whether it may have run, then the turn ends so.
    /// Nothing, where no turn is open. Returns the calls.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append).
    pub fn interrupt(&self, end: TurnEnd) -> Result<Vec<OpenCall>, Error> {
        let at_ms = now(self.0.clock.as_ref());
        let mut state = self.state();
        let open = state.derivation.open_calls();
        for OpenCall { call, may_have_run } in &open {
            let result = crate::derive::interrupted(&call.id, *may_have_run);
            state.append(&self.0.id, CallEnded::new(result).code("session::interrupted").into(), at_ms)?;
        }
        if state.turn_open {
            state.append(&self.0.id, TurnEnded::new(end).into(), at_ms)?;
        }
        Ok(open)
    }

    /// Brings what was appended until now to where it outlives a loss of power. The work begins at once, and goes on when the future is
    /// dropped.
    pub fn flush(&self) -> impl Future<Output = Result<(), Error>> + Send + 'static {
        let flush = self.state().writer.as_mut().map(|writer| writer.flush());
        async {
            match flush {
                Some(flush) => flush.await,
                None => Ok(()),
            }
        }
    }

    /// Whether it has been left, and takes no events any more.
    pub fn is_detached(&self) -> bool {
        self.state().detached
    }

    /// Marks it as entered by this owner; tells who was first.
    pub(crate) fn enter(&self, owner: &Owner) -> Result<(), Error> {
        let mut state = self.state();
        if state.detached {
            return Err(detached(&self.0.id));
        }
        if let Some(first) = &state.entered {
            let error = Error::new(ErrorKind::AlreadyEntered, "the session has been entered");
            let error = error.with_help("a session has one owner; fork it to go on from it twice");
            return Err(error.about(&self.0.id).owners(owner.clone(), first.clone()));
        }
        state.entered = Some(owner.clone());
        Ok(())
    }

    /// From now on nothing is appended.
    pub(crate) fn detach(&self) {
        self.state().detached = true;
    }

    /// Gives up the right to write.
    pub(crate) fn close(&self) {
        // A writer may be foreign code: it is dropped when the lock is free.
        let writer = self.state().writer.take();
        drop(writer);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn append(&mut self, id: &SessionId, event: SessionEvent, at_ms: u64) -> Result<Arc<Record>, Error> {
        if self.detached {
            return Err(detached(id));
        }
        place::check(self, &event).map_err(|error| error.about(id))?;
        let turn = self.turn + u32::from(matches!(event, SessionEvent::TurnStarted(_)));
        let seq = u64::try_from(self.records.len()).unwrap_or(u64::MAX);
        let record = Arc::new(Record { seq, turn, at_ms, event });
        let writer = self.writer.as_mut().ok_or_else(|| detached(id))?;
        writer.append(&record).map_err(|error| error.about(id))?;
        self.keep(Arc::clone(&record));
        Ok(record)
    }

    /// The hash of a request's prompt, which the log has from now on.
    fn prompt_hash(&mut self, id: &SessionId, request: &ModelRequest, at_ms: u64) -> Result<Digest, Error> {
        let last = self.last_prompt.as_deref().and_then(prompt_of);
        if let Some(last) = last.filter(|last| last.is(&request.system, &request.tools)) {
            return Ok(last.hash);
        }
        let prompt = Prompt::new(Arc::clone(&request.system), Arc::clone(&request.tools));
        let hash = prompt.hash;
        match self.prompts.get(hash.as_bytes()) {
            Some(known) => self.last_prompt = Some(Arc::clone(known)),
            None => drop(self.append(id, prompt.into(), at_ms)?),
        }
        Ok(hash)
    }

    /// Goes on by a record that is in the store.
    fn keep(&mut self, record: Arc<Record>) {
        self.turn = record.turn;
        match &record.event {
            SessionEvent::TurnStarted(_) => self.turn_open = true,
            SessionEvent::TurnEnded(_) => self.turn_open = false,
            SessionEvent::Prompt(prompt) => {
                self.prompts.insert(*prompt.hash.as_bytes(), Arc::clone(&record));
                self.last_prompt = Some(Arc::clone(&record));
            }
            SessionEvent::Opened(_)
            | SessionEvent::Input(_)
            | SessionEvent::Request(_)
            | SessionEvent::Answered(_)
            | SessionEvent::StepFailed(_)
            | SessionEvent::CallStarted(_)
            | SessionEvent::CallEnded(_)
            | SessionEvent::Attached(_)
            | SessionEvent::Compacted(_)
            | SessionEvent::Repaired(_) => {}
        }
        self.derivation.push(Arc::clone(&record));
        self.records.push(record);
    }
}

fn now(clock: Option<&WallClock>) -> u64 {
    clock.map_or(0, |clock| clock())
}

fn detached(id: &SessionId) -> Error {
    let error = Error::new(ErrorKind::Detached, "the session has been left and takes no events");
    error.with_help("open it again from its store").about(id)
}

/// The prompt of a record.
fn prompt_of(record: &Record) -> Option<&Prompt> {
    if let SessionEvent::Prompt(prompt) = &record.event { Some(prompt) } else { None }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Session({})", self.0.id)
    }
}
