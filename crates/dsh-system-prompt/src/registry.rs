//! The registry: layers of registrations, and what is made of them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dsh_kernel::{
    Audience, Context, Disposer, EventInfo, Failure, Layers, Method, Name, Registered, ScopeKey, Service,
};

use crate::context::AssembleContext;
use crate::error::Error;
use crate::events::{AssembleEvent, PromptChange};
use crate::layer::PromptLayer;
use crate::memory::{Memories, Memory};
use crate::order::ToolOrder;
use crate::registration::{Entry, SectionEntry, ToolEntry, VariableEntry};
use crate::section::PromptSection;
use crate::state::{Evaluation, Marks, State};
use crate::tools::ToolProvider;
use crate::variable::PromptVariable;
use crate::view::View;

/// The service `system-prompt`; used through [`PromptHandle`](crate::PromptHandle).
pub struct PromptRegistry {
    order: Option<ToolOrder>,
    layers: Arc<Layers<PromptLayer>>,
    shared: Arc<Shared>,
}

/// What the undoing of a registration needs.
#[derive(Default)]
pub(crate) struct Shared {
    memories: Memories,
    /// Counts the registrations that went with their owner.
    departures: AtomicU64,
}

impl Shared {
    /// How many registrations have gone with their owner so far.
    pub(crate) fn departures(&self) -> u64 {
        self.departures.load(Ordering::Acquire)
    }
}

impl Service for PromptRegistry {
    const NAME: &'static str = "system-prompt";
    const DOC: &'static str = "The sections, tool schemas and variables that a system prompt is assembled from.";
    const METHODS: &'static [Method] = &[
        Method::new(
            "section",
            "(section: PromptSection) -> Result<Disposer, Error>",
            "Registers a section in the context's layer; a scoped one shadows the global one of its name.",
        ),
        Method::new(
            "tools",
            "(provider: impl Into<ToolProvider>) -> Result<Disposer, Error>",
            "Registers a tool provider; a scoped one is asked only for its scope.",
        ),
        Method::new(
            "variable",
            "(variable: PromptVariable) -> Result<Disposer, Error>",
            "Registers a variable in the context's layer; a scoped one shadows the global one of its name.",
        ),
    ];
    const EVENTS: &'static [EventInfo] = &[EventInfo::of::<AssembleEvent>(), EventInfo::of::<PromptChange>()];
}

impl PromptRegistry {
    pub(crate) fn new(order: Option<ToolOrder>) -> Self {
        Self { order, layers: Arc::new(Layers::new()), shared: Arc::default() }
    }

    pub(crate) fn section(&self, ctx: &Context, section: PromptSection) -> Result<Disposer, Error> {
        self.register(ctx, SectionEntry::new(ctx, section))
    }

    pub(crate) fn variable(&self, ctx: &Context, variable: PromptVariable) -> Result<Disposer, Error> {
        self.register(ctx, VariableEntry::new(ctx, variable))
    }

    pub(crate) fn tools(&self, ctx: &Context, provider: ToolProvider) -> Result<Disposer, Error> {
        self.register(ctx, ToolEntry::new(ctx, provider))
    }

    /// Registers an entry as an effect of the context's owner, and hands its exact disposer on (K4).
    fn register<E: Entry>(&self, ctx: &Context, entry: Arc<E>) -> Result<Disposer, Error> {
        let name = entry.named().map(|named| named.name.clone());
        let label = match &name {
            Some(name) => Name::from(format!("{} {name}", E::LABEL)),
            None => Name::fixed(E::LABEL),
        };
        let change =
            PromptChange { kind: E::KIND, name, owner: ctx.owner(), scope: ctx.scope_key(), change: Registered::Added };
        let (shared, registered_entry) = (Arc::clone(&self.shared), Arc::clone(&entry));
        let insert = move |layer: &mut PromptLayer| {
            let shelf = E::shelf(layer);
            if let Some(named) = entry.named()
                && let Some(first) = shelf.named(named.name.as_str())
            {
                return Err(Failure::from(named.refuse(entry.origin(), first.origin())));
            }
            let place = shelf.add(entry.named().map(|named| named.name), Arc::clone(&entry));
            let added = Arc::clone(&entry);
            Ok(move |layer: &mut PromptLayer| E::shelf(layer).remove(added.named().map(|named| named.name), place))
        };
        let to_tell = ctx.clone();
        let notify = move |registered| {
            // The change is visible by now: an assembly that starts anew for a mark finds the registration gone.
            if registered == Registered::Removed && registered_entry.origin().removed() {
                shared.departures.fetch_add(1, Ordering::Release);
            }
            if change.scope.is_none() {
                shared.memories.forget();
            }
            let change = PromptChange { change: registered, ..change.clone() };
            Ok(to_tell.emit(&change, Audience::Everyone)?)
        };
        self.layers.effect(ctx, label, insert, notify).map_err(Error::of_effect)
    }

    /// What outlives the registry for as long as an assembly needs it.
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The view of a scope, or of the global layer alone.
    pub(crate) fn view(&self, scope: Option<ScopeKey>) -> Arc<View> {
        self.with_view(scope, |view, _, _| Arc::clone(view))
    }

    /// Asks the providers of a scope's view; where all answer as the last time, the state is the last one.
    pub(crate) fn evaluate(&self, cx: &AssembleContext) -> Evaluation {
        let departures = self.shared.departures();
        self.with_view(cx.scope(), |view, last, memory| {
            let marks = Marks { unloads: view.shape.unloads(), departures };
            let result = State::evaluate(view, last, self.order.as_ref(), cx).map(|state| {
                if last.is_some_and(|last| Arc::ptr_eq(last, &state)) {
                    return state;
                }
                let state = memory.settle(view, last, state);
                self.note(view, memory);
                state
            });
            let result = result.map_err(|unfinished| (unfinished, Arc::clone(&view.shape)));
            Evaluation { marks, result }
        })
    }

    /// Calls `code` with the view of a scope, the last assembly made from it, and where both are remembered.
    fn with_view<R>(
        &self,
        scope: Option<ScopeKey>,
        code: impl FnOnce(&Arc<View>, Option<&Arc<State>>, &Arc<Memory>) -> R,
    ) -> R {
        let snapshot = self.layers.load();
        let generation = snapshot.global_generation();
        let own = scope.and_then(|key| snapshot.scope(key));
        let memory = &own.unwrap_or_else(|| snapshot.global()).memory;
        if let Some(recalled) = &*memory.recall()
            && recalled.view.global_generation == generation
        {
            return code(&recalled.view, recalled.last.as_ref(), memory);
        }
        let view = Arc::new(View::new(generation, snapshot.global(), own.map(|layer| &**layer)));
        memory.keep(&view, None);
        self.note(&view, memory);
        code(&view, None, memory)
    }

    /// A scope's memory has to be emptied when the global layer changes; the global one's goes with the layer.
    fn note(&self, view: &View, memory: &Arc<Memory>) {
        if view.scoped {
            let is_current = || self.layers.load().global_generation() == view.global_generation;
            self.shared.memories.note(memory, is_current);
        }
    }
}

impl fmt::Debug for PromptRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PromptRegistry({:?})", self.layers)
    }
}
