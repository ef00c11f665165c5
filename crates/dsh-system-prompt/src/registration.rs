//! What the registry keeps of each registration: the part itself, and where it comes from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dsh_kernel::{Context, Failure, FiberState, Name, Owner};
use dsh_template::{Template, Text};

use crate::assembly::AssembledSection;
use crate::context::AssembleContext;
use crate::error::{Detail, Error, FailedPart};
use crate::events::PartKind;
use crate::layer::{PromptLayer, Shelf};
use crate::provenance::{Layer, Source, Stability};
use crate::section::{PromptSection, SectionBody, TextProvider};
use crate::state::Unfinished;
use crate::tools::{SchemaProvider, ToolBody, ToolProvider, ToolProviderResult};
use crate::value::Value;
use crate::variable::{PromptVariable, ValueProvider, VariableBody};

/// Whose a registration is, in which layer, and whether it went with its owner.
pub(crate) struct Origin {
    ctx: Context,
    owner: Owner,
    layer: Layer,
    /// Set when the registration was undone because its owner left, not by its disposer alone.
    left: AtomicBool,
}

impl Origin {
    pub(crate) fn new(ctx: &Context) -> Self {
        Self { owner: ctx.owner(), layer: ctx.scope_key().into(), left: AtomicBool::new(false), ctx: ctx.clone() }
    }

    pub(crate) fn owner(&self) -> &Owner {
        &self.owner
    }

    pub(crate) fn layer(&self) -> Layer {
        self.layer
    }

    /// Notes that the registration is being undone; returns whether its owner is leaving.
    pub(crate) fn removed(&self) -> bool {
        let leaves = !is_live(&self.owner);
        if leaves {
            self.left.store(true, Ordering::Release);
        }
        leaves
    }

    /// Whether the owner has left, and taken the registration with it.
    pub(crate) fn has_left(&self) -> bool {
        self.left.load(Ordering::Acquire)
    }

    /// Refuses to go on with a part whose owner has left: none of its code is called any more (K9).
    pub(crate) fn stays(&self) -> Result<(), Unfinished> {
        if self.has_left() { Err(Unfinished::Left(self.owner.clone())) } else { Ok(()) }
    }

    /// Calls a provider: its failure, or its panic, becomes an error that names owner and part (S8, K13).
    fn ask<T>(
        &self,
        cx: &AssembleContext,
        provider: &dyn Fn(&AssembleContext) -> Result<T, Failure>,
        part: impl FnOnce() -> FailedPart,
    ) -> Result<T, Error> {
        let answer = self.ctx.call(|| provider(cx)).and_then(|answer| answer);
        answer.map_err(|failure| {
            let detail = Detail::ProviderFailed { part: part(), failure };
            Error::about(detail, Some(self.owner.clone()), None)
        })
    }
}

/// Whether code of this owner may run.
pub(crate) fn is_live(owner: &Owner) -> bool {
    matches!(owner.state(), FiberState::Loading | FiberState::Active)
}

/// What all three kinds of registration have in common.
pub(crate) trait Entry: Sized + Send + Sync + 'static {
    const KIND: PartKind;
    /// What the label of its effect begins with.
    const LABEL: &'static str;

    fn origin(&self) -> &Origin;
    fn name(&self) -> Option<&Name>;
    fn shelf(layer: &mut PromptLayer) -> &mut Shelf<Self>;
    /// Refuses it for the one of its name that was there first.
    fn taken(&self, first: &Origin) -> Error;
}

/// A registered section.
pub(crate) struct SectionEntry {
    pub(crate) origin: Origin,
    pub(crate) name: Name,
    pub(crate) order: f64,
    pub(crate) stability: Stability,
    pub(crate) source: Option<Source>,
    pub(crate) text: SectionText,
}

pub(crate) enum SectionText {
    /// Compiled once, here; every assembly shares it.
    Fixed(AssembledSection),
    Computed(Box<TextProvider>),
}

impl SectionEntry {
    pub(crate) fn new(ctx: &Context, section: PromptSection) -> Arc<Self> {
        let PromptSection { name, order, body, stability, source } = section;
        let origin = Origin::new(ctx);
        let text = match body {
            SectionBody::Fixed(text) => {
                let template = Arc::new(text.compile());
                let registered = (origin.owner(), origin.layer());
                let named = (name.clone(), order, stability, source.clone());
                SectionText::Fixed(AssembledSection::registered(registered, named, (text, template), None))
            }
            SectionBody::Computed(provider) => SectionText::Computed(provider),
        };
        Arc::new(Self { origin, name, order, stability, source, text })
    }

    /// The section with this text, as it stands in an assembly where it shadows that owner's.
    pub(crate) fn assembled(&self, text: (Text, Arc<Template>), shadows: Option<Owner>) -> AssembledSection {
        let registered = (self.origin.owner(), self.origin.layer());
        let named = (self.name.clone(), self.order, self.stability, self.source.clone());
        AssembledSection::registered(registered, named, text, shadows)
    }

    pub(crate) fn ask(&self, provider: &TextProvider, cx: &AssembleContext) -> Result<Text, Error> {
        self.origin.ask(cx, provider, || FailedPart::Section(self.name.clone()))
    }
}

/// A registered variable.
pub(crate) struct VariableEntry {
    pub(crate) origin: Origin,
    pub(crate) name: Name,
    pub(crate) stability: Stability,
    pub(crate) body: VariableBody,
}

impl VariableEntry {
    pub(crate) fn new(ctx: &Context, variable: PromptVariable) -> Arc<Self> {
        let PromptVariable { name, body, stability } = variable;
        Arc::new(Self { origin: Origin::new(ctx), name, stability, body })
    }

    pub(crate) fn ask(&self, provider: &ValueProvider, cx: &AssembleContext) -> Result<Option<Value>, Error> {
        self.origin.ask(cx, provider, || FailedPart::Variable(self.name.clone()))
    }
}

/// A registered tool provider.
pub(crate) struct ToolEntry {
    pub(crate) origin: Origin,
    pub(crate) body: ToolBody,
}

impl ToolEntry {
    pub(crate) fn new(ctx: &Context, provider: ToolProvider) -> Arc<Self> {
        Arc::new(Self { origin: Origin::new(ctx), body: provider.body })
    }

    pub(crate) fn ask(&self, provider: &SchemaProvider, cx: &AssembleContext) -> Result<ToolProviderResult, Error> {
        self.origin.ask(cx, provider, || FailedPart::Tools)
    }
}

impl Entry for SectionEntry {
    const KIND: PartKind = PartKind::Section;
    const LABEL: &'static str = "section";

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn name(&self) -> Option<&Name> {
        Some(&self.name)
    }

    fn shelf(layer: &mut PromptLayer) -> &mut Shelf<Self> {
        &mut layer.sections
    }

    fn taken(&self, first: &Origin) -> Error {
        let detail = Detail::DuplicateSection { name: self.name.clone(), layer: self.origin.layer };
        Error::about(detail, Some(self.origin.owner.clone()), Some(first.owner.clone()))
    }
}

impl Entry for VariableEntry {
    const KIND: PartKind = PartKind::Variable;
    const LABEL: &'static str = "variable";

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn name(&self) -> Option<&Name> {
        Some(&self.name)
    }

    fn shelf(layer: &mut PromptLayer) -> &mut Shelf<Self> {
        &mut layer.variables
    }

    fn taken(&self, first: &Origin) -> Error {
        let detail = Detail::DuplicateVariable { name: self.name.clone(), layer: self.origin.layer };
        Error::about(detail, Some(self.origin.owner.clone()), Some(first.owner.clone()))
    }
}

impl Entry for ToolEntry {
    const KIND: PartKind = PartKind::ToolProvider;
    const LABEL: &'static str = "tools";

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn name(&self) -> Option<&Name> {
        None
    }

    fn shelf(layer: &mut PromptLayer) -> &mut Shelf<Self> {
        &mut layer.tools
    }

    fn taken(&self, first: &Origin) -> Error {
        // Unnamed, so that none is ever taken.
        Error::about(Detail::ReservedToolName, Some(self.origin.owner.clone()), Some(first.owner.clone()))
    }
}
