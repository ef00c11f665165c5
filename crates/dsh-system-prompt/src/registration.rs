//! What the registry keeps of each registration: the part itself, where it comes from, and the code that it is computed by.

use std::sync::Arc;

use dsh_kernel::{Context, Name};
use dsh_template::Text;

use crate::assembly::AssembledSection;
use crate::error::{Detail, Error};
use crate::events::PartKind;
use crate::layer::{PromptLayer, Shelf};
use crate::origin::Origin;
use crate::provenance::Stability;
use crate::provider::Provider;
use crate::section::{PromptSection, SectionBody};
use crate::tools::{ToolBody, ToolProvider, ToolProviderResult};
use crate::value::Value;
use crate::variable::{PromptVariable, VariableBody};

/// What all three kinds of registration have in common.
pub(crate) trait Entry: Sized + Send + Sync + 'static {
    const KIND: PartKind;
    /// What the label of its effect begins with.
    const LABEL: &'static str;

    fn origin(&self) -> &Origin;
    fn shelf(layer: &mut PromptLayer) -> &mut Shelf<Self>;
    /// What it is called, if its kind has names.
    fn named(&self) -> Option<Named<'_>>;
}

/// The name of a registration, which no other one of its layer may have.
pub(crate) struct Named<'a> {
    pub(crate) name: &'a Name,
    /// What to refuse it with where the name is taken.
    taken: fn(Name, &Origin) -> Detail,
}

impl Named<'_> {
    /// Refuses `own` for the one of its name that was there first.
    pub(crate) fn refuse(&self, own: &Origin, first: &Origin) -> Error {
        let detail = (self.taken)(self.name.clone(), own);
        Error::about(detail, Some(own.owner().clone()), Some(first.owner().clone()))
    }
}

/// A registered section.
pub(crate) struct SectionEntry {
    pub(crate) origin: Arc<Origin>,
    /// As it stands in every assembly. Its fixed text is compiled once, here; a computed one is empty until it is asked for.
    pub(crate) section: AssembledSection,
    pub(crate) provider: Option<Provider<Text>>,
}

impl SectionEntry {
    pub(crate) fn new(ctx: &Context, section: PromptSection) -> Arc<Self> {
        let PromptSection { name, order, body, stability, source, requires_tools } = section;
        let origin = Origin::new(ctx);
        let (text, provider) = match body {
            SectionBody::Fixed(text) => (text, None),
            SectionBody::Computed(code) => (Text::raw(""), Some(Provider::new(ctx, code))),
        };
        let section = AssembledSection::registered(&origin, name, order, text, stability, source)
            .with_requires_tools(requires_tools);
        Arc::new(Self { origin, section, provider })
    }
}

/// A registered variable.
pub(crate) struct VariableEntry {
    pub(crate) origin: Arc<Origin>,
    pub(crate) name: Name,
    pub(crate) stability: Stability,
    pub(crate) body: Body<Option<Value>>,
}

impl VariableEntry {
    pub(crate) fn new(ctx: &Context, variable: PromptVariable) -> Arc<Self> {
        let PromptVariable { name, body, stability } = variable;
        let body = match body {
            VariableBody::Fixed(value) => Body::Fixed(value),
            VariableBody::Computed(code) => Body::Computed(Provider::new(ctx, code)),
        };
        Arc::new(Self { origin: Origin::new(ctx), name, stability, body })
    }
}

/// A registered tool provider.
pub(crate) struct ToolEntry {
    pub(crate) origin: Arc<Origin>,
    pub(crate) body: Body<ToolProviderResult>,
}

impl ToolEntry {
    pub(crate) fn new(ctx: &Context, provider: ToolProvider) -> Arc<Self> {
        let body = match provider.body {
            ToolBody::Fixed(tools) => Body::Fixed(tools),
            ToolBody::Computed(code) => Body::Computed(Provider::new(ctx, code)),
        };
        Arc::new(Self { origin: Origin::new(ctx), body })
    }
}

/// An answer that is known, or the code to ask.
pub(crate) enum Body<T> {
    Fixed(T),
    Computed(Provider<T>),
}

impl Entry for SectionEntry {
    const KIND: PartKind = PartKind::Section;
    const LABEL: &'static str = "section";

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn shelf(layer: &mut PromptLayer) -> &mut Shelf<Self> {
        &mut layer.sections
    }

    fn named(&self) -> Option<Named<'_>> {
        let taken = |name, own: &Origin| Detail::DuplicateSection { name, layer: own.layer() };
        Some(Named { name: self.section.shared_name(), taken })
    }
}

impl Entry for VariableEntry {
    const KIND: PartKind = PartKind::Variable;
    const LABEL: &'static str = "variable";

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn shelf(layer: &mut PromptLayer) -> &mut Shelf<Self> {
        &mut layer.variables
    }

    fn named(&self) -> Option<Named<'_>> {
        let taken = |name, own: &Origin| Detail::DuplicateVariable { name, layer: own.layer() };
        Some(Named { name: &self.name, taken })
    }
}

impl Entry for ToolEntry {
    const KIND: PartKind = PartKind::ToolProvider;
    const LABEL: &'static str = "tools";

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn shelf(layer: &mut PromptLayer) -> &mut Shelf<Self> {
        &mut layer.tools
    }

    fn named(&self) -> Option<Named<'_>> {
        None
    }
}
