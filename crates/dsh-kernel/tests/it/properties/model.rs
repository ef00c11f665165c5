//! The model: what the contract says happens, in the plainest way. No locks, no futures, ids into vectors.

use std::collections::VecDeque;

use super::SERVICES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Pending,
    Active,
    Unloading,
    Disposed,
}

impl State {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Unloading => "unloading",
            Self::Disposed => "disposed",
        }
    }
}

pub(super) struct Fiber {
    pub(super) parent: Option<usize>,
    pub(super) name: String,
    pub(super) state: State,
    pub(super) tag: Option<usize>,
    /// `None` for the root and scopes.
    pub(super) plugin: Option<Plugin>,
    dispose_asked: bool,
    swept: bool,
    /// What it holds, in order, less what was adopted.
    pub(super) listed: Vec<usize>,
    /// The effect that it is in its parent.
    pub(super) effect: Option<usize>,
    runs_on: Vec<usize>,
}

#[derive(Clone)]
pub(super) struct Plugin {
    pub(super) inject: Vec<usize>,
    pub(super) provides: Option<usize>,
    pub(super) parts: usize,
}

#[derive(Clone)]
pub(super) enum Link {
    Line(String),
    Gate(String, usize),
    Adopted(usize),
    Withdraw(usize),
    Deafen(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Live,
    Unwinding,
    Gone,
}

pub(super) struct Effect {
    pub(super) owner: usize,
    pub(super) label: String,
    links: Vec<Link>,
    phase: Phase,
    pub(super) child: Option<usize>,
}

struct Provision {
    service: usize,
    owner: usize,
    withdrawn: bool,
    users: Vec<usize>,
}

struct Listener {
    line: String,
    tag: Option<usize>,
    hears: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Gate(usize),
    Effect(usize),
    Provision(usize),
}

/// An effect that is being undone.
struct Chain {
    effect: usize,
    links: Vec<Link>,
    /// What it waits for, and the line that is logged when that comes.
    wait: Option<(Wait, Option<String>)>,
    /// It has waited within a call.
    takes_turns: bool,
}

#[derive(Default)]
pub(super) struct Model {
    pub(super) log: Vec<String>,
    pub(super) fibers: Vec<Fiber>,
    pub(super) effects: Vec<Effect>,
    provisions: Vec<Provision>,
    held: [Option<usize>; SERVICES],
    gates: Vec<bool>,
    listeners: Vec<Listener>,
    unloads: VecDeque<usize>,
    /// Chains that have just begun to wait: they go on at once if that ends within the same call.
    trying: VecDeque<Chain>,
    starts: VecDeque<usize>,
    /// Chains that have become tasks, in the order in which these run.
    tasks: VecDeque<Chain>,
    waiting: Vec<Chain>,
}

impl Model {
    pub(super) fn new() -> Self {
        let mut model = Self::default();
        model.fibers.push(fiber(None, "root".to_owned(), State::Active, None, None));
        model
    }

    // What is asked of it.

    pub(super) fn is_active(&self, fiber: usize) -> bool {
        self.fibers[fiber].state == State::Active
    }

    pub(super) fn scope(&mut self, owner: usize) -> usize {
        let id = self.fibers.len();
        self.mount(owner, State::Active, Some(id), None)
    }

    pub(super) fn plugin(&mut self, owner: usize, plugin: Plugin) -> usize {
        let tag = self.fibers[owner].tag;
        let id = self.mount(owner, State::Pending, tag, Some(plugin));
        self.refresh(id);
        self.settle();
        id
    }

    pub(super) fn gate(&mut self) -> usize {
        self.gates.push(false);
        self.gates.len() - 1
    }

    pub(super) fn gates(&self) -> usize {
        self.gates.len()
    }

    pub(super) fn open(&mut self, gate: usize) {
        self.gates[gate] = true;
        self.wake(Wait::Gate(gate));
        self.settle();
    }

    /// Takes the name, or says that it is taken.
    pub(super) fn provide(&mut self, owner: usize, service: usize) -> Option<Link> {
        if self.held[service].is_some() {
            return None;
        }
        let id = self.provisions.len();
        self.provisions.push(Provision { service, owner, withdrawn: false, users: Vec::new() });
        self.held[service] = Some(id);
        if self.is_active(owner) {
            self.notify(service);
        }
        Some(Link::Withdraw(id))
    }

    pub(super) fn listen(&mut self, owner: usize, line: String) -> Link {
        self.listeners.push(Listener { line, tag: self.fibers[owner].tag, hears: true });
        Link::Deafen(self.listeners.len() - 1)
    }

    pub(super) fn effect(&mut self, owner: usize, label: String, links: Vec<Link>) -> usize {
        let id = self.effects.len();
        self.effects.push(Effect { owner, label, links, phase: Phase::Live, child: None });
        self.fibers[owner].listed.push(id);
        id
    }

    pub(super) fn is_live(&self, effect: usize) -> bool {
        self.effects[effect].phase == Phase::Live
    }

    pub(super) fn adopt(&mut self, effect: usize) -> Link {
        let owner = self.effects[effect].owner;
        self.fibers[owner].listed.retain(|listed| *listed != effect);
        Link::Adopted(effect)
    }

    pub(super) fn dispose_effect(&mut self, effect: usize) {
        self.end(effect);
        self.settle();
    }

    pub(super) fn dispose_fiber(&mut self, fiber: usize) {
        if let Some(effect) = self.fibers[fiber].effect
            && self.effects[effect].phase != Phase::Gone
        {
            self.effects[effect].phase = Phase::Unwinding;
        }
        self.ask(fiber);
        self.settle();
    }

    /// To everyone, or to those who hear what is for a fiber's scope.
    pub(super) fn emit(&mut self, heard_as: Option<usize>) {
        let tag = heard_as.map(|fiber| self.fibers[fiber].tag);
        for listener in &self.listeners {
            let audible = tag.is_none_or(|tag| listener.tag.is_none() || listener.tag == tag);
            if listener.hears && audible {
                self.log.push(listener.line.clone());
            }
        }
    }

    // What follows.

    pub(super) fn settle(&mut self) {
        loop {
            if let Some(fiber) = self.unloads.pop_front() {
                self.sweep(fiber);
            } else if let Some(fiber) = self.starts.pop_front() {
                self.start(fiber);
            } else if let Some(chain) = self.trying.pop_front() {
                match &chain.wait {
                    Some((wait, _)) if !self.is_over(*wait) => self.tasks.push_back(chain),
                    _ => self.go_on(Chain { takes_turns: true, ..chain }),
                }
            } else if let Some(chain) = self.tasks.pop_front() {
                match &chain.wait {
                    Some((wait, _)) if !self.is_over(*wait) => self.waiting.push(chain),
                    _ => self.go_on(chain),
                }
            } else {
                return;
            }
        }
    }

    fn mount(&mut self, owner: usize, state: State, tag: Option<usize>, plugin: Option<Plugin>) -> usize {
        let id = self.fibers.len();
        let effect = self.effect(owner, String::new(), Vec::new());
        self.effects[effect].child = Some(id);
        let mut made = fiber(Some(owner), format!("f{id}"), state, tag, plugin);
        made.effect = Some(effect);
        self.fibers.push(made);
        id
    }

    fn wanted(&self, fiber: usize) -> Option<Vec<usize>> {
        let plugin = self.fibers[fiber].plugin.as_ref()?;
        let visible = |service: &usize| {
            self.held[*service].filter(|provision| {
                let provision = &self.provisions[*provision];
                !provision.withdrawn && self.is_active(provision.owner)
            })
        };
        plugin.inject.iter().map(visible).collect()
    }

    fn refresh(&mut self, fiber: usize) {
        let pending = self.fibers[fiber].state == State::Pending && !self.fibers[fiber].dispose_asked;
        if pending && self.wanted(fiber).is_some() && !self.starts.contains(&fiber) {
            self.starts.push_back(fiber);
        }
    }

    fn notify(&mut self, service: usize) {
        for fiber in 0..self.fibers.len() {
            let injects = self.fibers[fiber].plugin.as_ref().is_some_and(|plugin| plugin.inject.contains(&service));
            if injects {
                self.refresh(fiber);
            }
        }
    }

    fn start(&mut self, id: usize) {
        let Some(wanted) = self.wanted(id).filter(|_| self.fibers[id].state == State::Pending) else { return };
        let Some(plugin) = self.fibers[id].plugin.clone() else { return };
        for provision in &wanted {
            self.provisions[*provision].users.push(id);
            self.provisions[*provision].users.sort_unstable();
        }
        self.fibers[id].runs_on = wanted;
        self.log.push(format!("start f{id}"));
        for part in 0..plugin.parts {
            self.effect(id, format!("part {part}"), vec![Link::Line(format!("f{id} part {part}"))]);
        }
        if let Some(service) = plugin.provides
            && let Some(link) = self.provide(id, service)
        {
            self.effect(id, format!("s{service}"), vec![link]);
        }
        self.fibers[id].state = State::Active;
        for provision in self.provided(id) {
            self.notify(self.provisions[provision].service);
        }
    }

    fn provided(&self, owner: usize) -> Vec<usize> {
        let is_there = |id: &usize| self.provisions[*id].owner == owner && !self.provisions[*id].withdrawn;
        (0..self.provisions.len()).filter(is_there).collect()
    }

    fn ask(&mut self, id: usize) {
        self.fibers[id].dispose_asked = true;
        match self.fibers[id].state {
            State::Active => self.unload(id),
            State::Pending => self.finish(id),
            State::Unloading | State::Disposed => {}
        }
    }

    /// K6: the plugins that lose a service by it follow, each with those that lose one by them.
    fn unload(&mut self, id: usize) {
        if self.fibers[id].state != State::Active {
            return;
        }
        self.fibers[id].state = State::Unloading;
        self.fibers[id].swept = false;
        self.unloads.push_back(id);
        for provision in self.provided(id) {
            for user in self.provisions[provision].users.clone() {
                self.unload(user);
            }
        }
    }

    fn sweep(&mut self, id: usize) {
        for effect in self.fibers[id].listed.clone().into_iter().rev() {
            self.end(effect);
        }
        self.fibers[id].swept = true;
        self.finish_if_empty(id);
    }

    fn end(&mut self, id: usize) {
        if self.effects[id].phase != Phase::Live {
            return;
        }
        self.effects[id].phase = Phase::Unwinding;
        if let Some(fiber) = self.effects[id].child {
            self.ask(fiber);
        } else {
            let links = std::mem::take(&mut self.effects[id].links);
            self.go_on(Chain { effect: id, links, wait: None, takes_turns: false });
        }
    }

    fn go_on(&mut self, mut chain: Chain) {
        if let Some((_, Some(line))) = chain.wait.take() {
            self.log.push(line);
        }
        while let Some(link) = chain.links.pop() {
            let spreads = matches!(link, Link::Adopted(_));
            match link {
                Link::Line(line) => self.log.push(line),
                Link::Deafen(listener) => self.listeners[listener].hears = false,
                Link::Gate(line, gate) => {
                    self.log.push(format!("{line} begin"));
                    let end = format!("{line} end");
                    if !self.gates[gate] {
                        chain.wait = Some((Wait::Gate(gate), Some(end)));
                        self.tasks.push_back(chain);
                        return;
                    }
                    self.log.push(end);
                }
                Link::Withdraw(provision) => {
                    self.withdraw(provision);
                    chain.wait = Some((Wait::Provision(provision), None));
                    self.trying.push_back(chain);
                    return;
                }
                Link::Adopted(inner) => match (self.effects[inner].phase, self.effects[inner].child) {
                    (Phase::Gone, _) => {}
                    (Phase::Live, None) => {
                        self.effects[inner].phase = Phase::Gone;
                        let links = std::mem::take(&mut self.effects[inner].links);
                        chain.links.extend(links);
                    }
                    (Phase::Live | Phase::Unwinding, _) => {
                        // A fiber that never started ends within the call too, but not within this link.
                        self.end(inner);
                        chain.wait = Some((Wait::Effect(inner), None));
                        self.trying.push_back(chain);
                        return;
                    }
                },
            }
            // Chains that go on together take turns.
            if chain.takes_turns && !spreads && !chain.links.is_empty() {
                self.trying.push_back(chain);
                return;
            }
        }
        self.ended(chain.effect);
    }

    fn withdraw(&mut self, id: usize) {
        self.provisions[id].withdrawn = true;
        self.held[self.provisions[id].service] = None;
        for user in self.provisions[id].users.clone() {
            self.unload(user);
        }
    }

    fn is_over(&self, wait: Wait) -> bool {
        match wait {
            Wait::Gate(gate) => self.gates[gate],
            Wait::Effect(effect) => self.effects[effect].phase == Phase::Gone,
            Wait::Provision(id) => self.provisions[id].withdrawn && self.provisions[id].users.is_empty(),
        }
    }

    fn wake(&mut self, on: Wait) {
        let (woken, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|chain| chain.wait.as_ref().is_some_and(|(wait, _)| *wait == on));
        self.waiting = waiting;
        self.tasks.extend(woken);
    }

    fn ended(&mut self, id: usize) {
        self.effects[id].phase = Phase::Gone;
        let owner = self.effects[id].owner;
        self.fibers[owner].listed.retain(|listed| *listed != id);
        self.wake(Wait::Effect(id));
        self.finish_if_empty(owner);
    }

    fn finish_if_empty(&mut self, id: usize) {
        let fiber = &self.fibers[id];
        if fiber.state == State::Unloading && fiber.swept && fiber.listed.is_empty() {
            self.finish(id);
        }
    }

    fn finish(&mut self, id: usize) {
        self.fibers[id].swept = false;
        for provision in std::mem::take(&mut self.fibers[id].runs_on) {
            self.provisions[provision].users.retain(|user| *user != id);
            if self.is_over(Wait::Provision(provision)) {
                self.wake(Wait::Provision(provision));
            }
        }
        if self.fibers[id].dispose_asked {
            self.fibers[id].state = State::Disposed;
            if let Some(effect) = self.fibers[id].effect {
                self.ended(effect);
            }
        } else {
            self.fibers[id].state = State::Pending;
            self.refresh(id);
        }
    }
}

fn fiber(parent: Option<usize>, name: String, state: State, tag: Option<usize>, plugin: Option<Plugin>) -> Fiber {
    Fiber {
        parent,
        name,
        state,
        tag,
        plugin,
        dispose_asked: false,
        swept: false,
        listed: Vec::new(),
        effect: None,
        runs_on: Vec::new(),
    }
}
