//! What a project contributes, as plugins: one for each concern, the same ones for the shared layer and for an agent's.
//!
//! The persona of the shared layer is the registry's own (its configuration); an agent's is a section of that name in its scope.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use dsh_kernel::{Context, Disposer, Error, Failure, Layer, Layers, Method, Name, Plugin, ScopeKey, Service};
use dsh_llm::ToolSchema;
use dsh_system_prompt::{
    PromptRegistry, PromptSection, PromptVariable, Source, SystemPromptExt, ToolProvider, ToolProviderResult,
};
use dsh_template::Text;
use dsh_tools::{ToolRegistry, ToolsExt};

use super::ToolFilter;
use super::commands::{Command, Surroundings};
use crate::trust::Resolved;

/// A section that is ready to be registered.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) name: String,
    pub(super) order: f64,
    pub(super) text: Text,
    pub(super) source: Source,
    pub(super) requires_tools: Vec<String>,
}

impl Piece {
    fn register(&self, ctx: &Context) -> Result<(), Failure> {
        let section = PromptSection::new(self.name.clone(), self.order, self.text.clone());
        let section = section.source(self.source.clone()).requires_tools(self.requires_tools.iter().cloned());
        ctx.system_prompt().section(section)?;
        Ok(())
    }
}

/// An agent's persona: it takes the place of the shared one.
#[derive(Debug)]
pub(super) struct Persona(pub(super) Piece);

impl Plugin for Persona {
    const NAME: &'static str = "persona";
    type Inject = (PromptRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        self.0.register(ctx)
    }
}

/// The variables of a layer.
#[derive(Debug)]
pub(super) struct Variables(pub(super) Vec<Resolved>);

impl Plugin for Variables {
    const NAME: &'static str = "variables";
    type Inject = (PromptRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        for variable in &self.0 {
            let value = variable.value.as_ref().ok().cloned();
            let registered = PromptVariable::new(variable.name.value.clone(), value).stability(variable.stability);
            ctx.system_prompt().variable(registered)?;
        }
        Ok(())
    }
}

/// The sections of a layer.
#[derive(Debug)]
pub(super) struct Sections(pub(super) Vec<Piece>);

impl Plugin for Sections {
    const NAME: &'static str = "sections";
    type Inject = (PromptRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        self.0.iter().try_for_each(|piece| piece.register(ctx))
    }
}

/// The sections of the instruction files that were found.
#[derive(Debug)]
pub(super) struct Instructions(pub(super) Vec<Piece>);

impl Plugin for Instructions {
    const NAME: &'static str = "instructions";
    type Inject = (PromptRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        self.0.iter().try_for_each(|piece| piece.register(ctx))
    }
}

/// The tools of the schema files, for everyone, less what filters leave out for their scopes.
#[derive(Debug)]
pub(crate) struct ToolSchemas {
    /// Those that are shown.
    pub(super) shown: Vec<ToolSchema>,
    /// The names of those that are known and not shown to anybody: nothing runs them.
    pub(super) left_out: Vec<String>,
}

impl Plugin for ToolSchemas {
    const NAME: &'static str = "tool-schemas";
    type Inject = (PromptRegistry,);

    fn provides(&self) -> Vec<Name> {
        vec![Name::fixed(ToolSource::NAME)]
    }

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let source = Arc::new(ToolSource::new(self.shown.clone(), &self.left_out));
        let asked = Arc::clone(&source);
        ctx.system_prompt().tools(ToolProvider::computed(move |cx| asked.visible(cx.scope())))?;
        ctx.provide_shared(source)?;
        Ok(())
    }
}

/// The tools of a project, and which of them each scope sees.
#[derive(Debug)]
pub(crate) struct ToolSource {
    all: ToolProviderResult,
    /// The names of all.
    known: Vec<Name>,
    /// The answers that were made for scopes, by the places of what they see: many agents see the same.
    answers: Mutex<HashMap<Box<[u32]>, ToolProviderResult>>,
    seen: Arc<Layers<Seen>>,
}

/// What one scope sees, where that is not everything.
#[derive(Clone, Debug, Default)]
struct Seen(Option<ToolProviderResult>);

impl Layer for Seen {
    fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

impl Service for ToolSource {
    const NAME: &'static str = "tool-source";
    const DOC: &'static str = "The tools of a project's schema files, and which of them each scope sees.";
    const METHODS: &'static [Method] = &[];
}

impl ToolSource {
    fn new(schemas: Vec<ToolSchema>, left_out: &[String]) -> Self {
        let names = schemas.iter().map(|schema| schema.name().to_owned()).chain(left_out.iter().cloned());
        let known: Vec<Name> = names.map(Name::from).collect();
        let mut all = ToolProviderResult::new(schemas);
        if !left_out.is_empty() {
            all = all.known_names(known.iter().cloned());
        }
        Self { all, known, answers: Mutex::default(), seen: Arc::default() }
    }

    /// The answer for a scope: kept, and handed out again at each step.
    fn visible(&self, scope: Option<ScopeKey>) -> ToolProviderResult {
        let seen = self.seen.load();
        let own = scope.and_then(|key| seen.scope(key)).and_then(|seen| seen.0.as_ref());
        own.unwrap_or(&self.all).clone()
    }

    /// What is seen through a filter; the same answer again where the same is seen.
    fn answer(&self, filter: &ToolFilter) -> ToolProviderResult {
        let places = self.all.schemas().iter().zip(0..);
        let places: Box<[u32]> =
            places.filter(|(schema, _)| filter.admits(schema.name())).map(|(_, place)| place).collect();
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let admitted = self.all.schemas().iter().filter(|schema| filter.admits(schema.name())).cloned();
        let make = || ToolProviderResult::new(admitted).known_names(self.known.iter().cloned());
        answers.entry(places).or_insert_with(make).clone()
    }

    /// Keeps from the context's scope what the filter leaves out. The names stay known: an order that lists them is no
    /// mistake (S5).
    fn restrict(&self, ctx: &Context, filter: &ToolFilter) -> Result<Disposer, Error> {
        let answer = self.answer(filter);
        let insert = |seen: &mut Seen| {
            seen.0 = Some(answer.clone());
            Ok(|seen: &mut Seen| seen.0 = None)
        };
        self.seen.effect(ctx, "filter", insert, |_| Ok(()))
    }
}

/// The filter of an agent's scope.
#[derive(Debug)]
pub(crate) struct Tools(pub(super) ToolFilter);

impl Plugin for Tools {
    const NAME: &'static str = "tools";
    type Inject = (ToolSource,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        ctx.get::<ToolSource>().resolve()?.restrict(ctx, &self.0)?;
        Ok(())
    }
}

/// The tools that are commands, for everyone.
#[derive(Debug)]
pub(super) struct CommandTools {
    pub(super) commands: Vec<Command>,
    /// Where they run.
    pub(super) folder: PathBuf,
    /// What they see of the environment.
    pub(super) environment: Vec<(OsString, OsString)>,
}

impl Plugin for CommandTools {
    const NAME: &'static str = "command-tools";
    type Inject = (ToolRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        let around = Surroundings { folder: &self.folder, environment: &self.environment };
        for command in &self.commands {
            ctx.tools().register(command.tool(around)?)?;
        }
        Ok(())
    }
}

/// The filter of an agent's scope, for the tools that are commands.
#[derive(Debug)]
pub(super) struct CommandFilter(pub(super) dsh_tools::ToolFilter);

impl Plugin for CommandFilter {
    const NAME: &'static str = "tool-filter";
    type Inject = (ToolRegistry,);

    async fn start(&self, ctx: &Context) -> Result<(), Failure> {
        ctx.tools().restrict(self.0.clone())?;
        Ok(())
    }
}
