//! The registry: layers of tools and restrictions (T1, T2), and what the prompt is told of them (T3).

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{
    Audience, Context, Disposer, EventInfo, Failure, Layers, Method, Name, Registered, ScopeKey, Service, nearest,
};
use dsh_llm::utf16_cmp;
use dsh_system_prompt::{ProvidedTool, TOOL_ORDER_REST, ToolProviderResult};

use crate::bound::Bound;
use crate::check::{Checker, unusable_pattern};
use crate::config::ToolsConfig;
use crate::entry::{Restriction, ToolEntry, ToolFacts};
use crate::error::{Detail, Error, UnknownName};
use crate::events::{ChangeKind, PostExecuteEvent, PreExecuteEvent, ToolChange};
use crate::filter::ToolFilter;
use crate::layer::ToolLayer;
use crate::sight::{Seen, Sight};
use crate::tool::Tool;

/// The service `tools`; used through [`ToolsHandle`](crate::ToolsHandle).
pub struct ToolRegistry {
    pub(crate) config: ToolsConfig,
    pub(crate) layers: Arc<Layers<ToolLayer>>,
}

impl Service for ToolRegistry {
    const NAME: &'static str = "tools";
    const DOC: &'static str = "The tools that agents have: who may see and call which, and the way of a call.";
    const METHODS: &'static [Method] = &[
        Method::new(
            "register",
            "(tool: impl Into<Tool>) -> Result<Disposer, Error>",
            "Registers a tool in the context's layer; a scoped one shadows the global one of its name.",
        ),
        Method::new(
            "restrict",
            "(filter: ToolFilter) -> Result<Disposer, Error>",
            "Restricts which of the global tools the context's scope has; several restrictions intersect.",
        ),
        Method::new(
            "bound_by",
            "(other: &Context) -> Result<Disposer, Error>",
            "Bounds what the context's scope has by what another scope has, also when that changes.",
        ),
    ];
    const EVENTS: &'static [EventInfo] =
        &[EventInfo::of::<PreExecuteEvent>(), EventInfo::of::<PostExecuteEvent>(), EventInfo::of::<ToolChange>()];
}

impl ToolRegistry {
    pub(crate) fn new(config: ToolsConfig) -> Self {
        Self { config, layers: Arc::new(Layers::new()) }
    }

    pub(crate) fn register(&self, ctx: &Context, tool: Tool) -> Result<Disposer, Error> {
        let Tool { name, schema, exclusive, timeout, run } = tool;
        let name = Name::from(String::from(name));
        let usable = schema.and_then(|schema| unusable_pattern(&schema).map_or(Ok(schema), Err));
        let schema = match usable {
            Ok(schema) => schema,
            Err(problem) => return Err(Error::about(Detail::InvalidSchema { name, problem }, ctx.owner(), None)),
        };
        if name.as_str() == TOOL_ORDER_REST {
            return Err(Error::about(Detail::ReservedName, ctx.owner(), None));
        }
        let label = Name::from(format!("tool {name}"));
        let facts = ToolFacts {
            name: name.clone(),
            label: Name::from(format!("call {name}")),
            schema,
            owner: ctx.owner(),
            scope: ctx.scope_key(),
            exclusive,
            timeout,
        };
        let entry = Arc::new(ToolEntry { facts: Arc::new(facts), ctx: ctx.clone(), run, checker: Checker::default() });
        let change = change(ctx, ChangeKind::Tool, Some(name));
        self.effect(ctx, label, change, move |layer: &mut ToolLayer| {
            let facts = &entry.facts;
            if let Some(first) = layer.tools.get(&facts.name) {
                let detail = Detail::DuplicateTool { name: facts.name.clone(), scoped: facts.scope.is_some() };
                return Err(Error::about(detail, facts.owner.clone(), Some(first.facts.owner.clone())).into());
            }
            layer.tools.insert_mut(facts.name.clone(), Arc::clone(&entry));
            let name = facts.name.clone();
            Ok(move |layer: &mut ToolLayer| {
                layer.tools.remove_mut(&name);
            })
        })
    }

    pub(crate) fn restrict(&self, ctx: &Context, filter: ToolFilter) -> Result<Disposer, Error> {
        let owner = ctx.owner();
        if ctx.scope_key().is_none() {
            return Err(Error::about(Detail::UnscopedRestriction, owner, None));
        }
        if filter.is_empty() {
            return Err(Error::about(Detail::EmptyFilter, owner, None));
        }
        let unknown = self.unknown(ctx.scope_key(), &filter);
        if !unknown.is_empty() {
            return Err(Error::about(Detail::UnknownTool { unknown }, owner, None));
        }
        let restriction = Arc::new(Restriction::new(owner, filter));
        let change = change(ctx, ChangeKind::Restriction, None);
        self.effect(ctx, Name::fixed("restriction"), change, move |layer: &mut ToolLayer| {
            let place = layer.restrict(Arc::clone(&restriction));
            Ok(move |layer: &mut ToolLayer| {
                layer.restrictions.remove_mut(&place);
            })
        })
    }

    pub(crate) fn bound_by(&self, ctx: &Context, other: &Context) -> Result<Disposer, Error> {
        let owner = ctx.owner();
        let (Some(own), Some(by)) = (ctx.scope_key(), other.scope_key()) else {
            return Err(Error::about(Detail::UnscopedRestriction, owner, None));
        };
        if own == by || Sight::new(&self.layers.load(), Some(by)).is_bounded_by(own) {
            return Err(Error::about(Detail::CircularBound, owner, Some(other.owner())));
        }
        let bound = Arc::new(Bound { owner, by, place: other.owner() });
        let change = change(ctx, ChangeKind::Restriction, None);
        self.effect(ctx, Name::fixed("bound"), change, move |layer: &mut ToolLayer| {
            let place = layer.bound(Arc::clone(&bound));
            Ok(move |layer: &mut ToolLayer| {
                layer.bounds.remove_mut(&place);
            })
        })
    }

    /// The names of a filter that are none of everybody's tools, each once.
    fn unknown(&self, scope: Option<ScopeKey>, filter: &ToolFilter) -> Vec<UnknownName> {
        let snapshot = self.layers.load();
        let Sight { global, own, .. } = Sight::new(&snapshot, scope);
        let mut unknown: Vec<UnknownName> = Vec::new();
        for name in filter.names().filter(|name| !global.tools.contains_key(name.as_str())) {
            if unknown.iter().all(|other| other.name != *name) {
                let nearest = nearest(name.as_str(), global.tools.keys().map(Name::as_str));
                unknown.push(UnknownName {
                    name: name.clone(),
                    nearest: nearest.map(|name| Name::from(name.to_owned())),
                    own: own.is_some_and(|own| own.tools.contains_key(name.as_str())),
                });
            }
        }
        unknown
    }

    /// Registers something as an effect of the context's owner, and hands its exact disposer on (K4).
    fn effect<U: FnMut(&mut ToolLayer) + Send + 'static>(
        &self,
        ctx: &Context,
        label: Name,
        change: ToolChange,
        insert: impl FnMut(&mut ToolLayer) -> Result<U, Failure>,
    ) -> Result<Disposer, Error> {
        let to_tell = ctx.clone();
        let notify = move |registered: Registered| {
            let change = ToolChange { change: registered, ..change.clone() };
            Ok(to_tell.emit(&change, Audience::Everyone)?)
        };
        self.layers.effect(ctx, label, insert, notify).map_err(Error::of_effect)
    }

    /// What the prompt is told of a scope's tools: the same answer again where nothing has changed (T3).
    pub(crate) fn told(&self, scope: Option<ScopeKey>) -> ToolProviderResult {
        let snapshot = self.layers.load();
        let generation = snapshot.global_generation();
        let sight = Sight::new(&snapshot, scope);
        let told = &sight.own.unwrap_or(sight.global).told;
        let circumstances = sight.circumstances();
        if let Some(tools) = told.recall(generation, &circumstances) {
            return tools;
        }
        let mut names: Vec<&Name> = sight.names().collect();
        names.sort_by(|a, b| utf16_cmp(a.as_str(), b.as_str()));
        let visible = names.iter().filter_map(|name| match sight.look(name.as_str()) {
            Seen::Visible { entry, shadows } => {
                let facts = &entry.facts;
                let tool = ProvidedTool::new(facts.schema.clone(), facts.owner.clone(), facts.layer());
                Some(shadows.into_iter().fold(tool, |tool, owner| tool.shadowing(owner.clone())))
            }
            Seen::Hidden(_) | Seen::Nothing => None,
        });
        let mut tools = ToolProviderResult::of_owners(visible);
        if tools.schemas().len() < names.len() {
            tools = tools.known_names(names.into_iter().cloned());
        }
        told.keep(generation, circumstances, &tools);
        tools
    }
}

fn change(ctx: &Context, kind: ChangeKind, name: Option<Name>) -> ToolChange {
    ToolChange { kind, name, owner: ctx.owner(), scope: ctx.scope_key(), change: Registered::Added }
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolRegistry({:?})", self.layers)
    }
}
