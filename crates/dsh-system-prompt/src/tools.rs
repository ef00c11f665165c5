//! Tool providers: who tells which tools an agent has (S5).

use std::fmt;
use std::sync::Arc;

use dsh_kernel::{Failure, Name, Owner};
use dsh_llm::ToolSchema;

use crate::context::AssembleContext;
use crate::provenance::PartLayer;
use crate::provider::Code;

/// What a tool provider answers: the schemas that are visible there, and the names that it knows before restriction (S5).
///
/// A clone is one reference count. A provider that keeps its answer and hands out clones lets a step see at once that no tool
/// has changed.
///
/// ```
/// use dsh_llm::{NO_PARAMETERS, ToolSchema};
/// use dsh_system_prompt::ToolProviderResult;
///
/// # fn main() -> Result<(), dsh_llm::Error> {
/// let read = ToolSchema::new("read", "Reads a file.", NO_PARAMETERS)?;
/// // `write` exists, but not for this agent: naming it in `tool_order` is no error.
/// let tools = ToolProviderResult::new([read]).known_names(["read", "write"]);
/// assert_eq!(tools.schemas().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ToolProviderResult(Arc<Answer>);

#[derive(Clone)]
struct Answer {
    schemas: Vec<ToolSchema>,
    known: Option<Vec<Name>>,
    /// Whose each schema is, where the provider tells of other people's.
    origins: Option<Vec<ToolOrigin>>,
}

/// Whose a provided tool is.
#[derive(Clone, PartialEq)]
pub(crate) struct ToolOrigin {
    pub(crate) owner: Owner,
    pub(crate) layer: PartLayer,
    pub(crate) shadows: Option<Owner>,
}

/// A tool that a provider tells of and that somebody else has registered with it, so that the assembly names whose it is (X3).
#[derive(Clone)]
pub struct ProvidedTool {
    schema: ToolSchema,
    origin: ToolOrigin,
}

impl ProvidedTool {
    /// The tool of that owner, in that layer.
    pub fn new(schema: ToolSchema, owner: Owner, layer: PartLayer) -> Self {
        Self { schema, origin: ToolOrigin { owner, layer, shadows: None } }
    }

    /// The same, standing over a tool of that owner.
    #[must_use]
    pub fn shadowing(mut self, owner: Owner) -> Self {
        self.origin.shadows = Some(owner);
        self
    }
}

impl fmt::Debug for ProvidedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProvidedTool")
            .field("name", &self.schema.name())
            .field("owner", &self.origin.owner)
            .field("layer", &self.origin.layer)
            .finish_non_exhaustive()
    }
}

impl ToolProviderResult {
    /// These schemas are visible, and no other name is known.
    pub fn new(schemas: impl IntoIterator<Item = ToolSchema>) -> Self {
        Self(Arc::new(Answer { schemas: schemas.into_iter().collect(), known: None, origins: None }))
    }

    /// These tools are visible, each its own owner's; no other name is known. For a provider that is itself a registry.
    pub fn of_owners(tools: impl IntoIterator<Item = ProvidedTool>) -> Self {
        let (schemas, origins) = tools.into_iter().map(|tool| (tool.schema, tool.origin)).unzip();
        Self(Arc::new(Answer { schemas, known: None, origins: Some(origins) }))
    }

    /// The names known before restriction, which `tool_order` is checked against; without this, those of the schemas.
    #[must_use]
    pub fn known_names<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        Arc::make_mut(&mut self.0).known = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// The visible schemas, as the provider listed them.
    pub fn schemas(&self) -> &[ToolSchema] {
        &self.0.schemas
    }

    /// Whose a schema is, where that is not the provider's owner.
    pub(crate) fn origin(&self, index: usize) -> Option<&ToolOrigin> {
        self.0.origins.as_ref()?.get(index)
    }

    /// Whether a schema of that name is visible.
    pub(crate) fn shows(&self, name: &str) -> bool {
        self.0.schemas.iter().any(|schema| schema.name() == name)
    }

    /// The names known before restriction.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        let given = self.0.known.as_deref();
        let own = if given.is_none() { &*self.0.schemas } else { &[] };
        given.unwrap_or_default().iter().map(Name::as_str).chain(own.iter().map(ToolSchema::name))
    }

    /// Whether both say the same: one answer handed out twice, or one made anew of schemas that are equal.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let (one, two) = (&*self.0, &*other.0);
        Arc::ptr_eq(&self.0, &other.0)
            || (one.schemas == two.schemas && one.known == two.known && one.origins == two.origins)
    }
}

impl From<Vec<ToolSchema>> for ToolProviderResult {
    fn from(schemas: Vec<ToolSchema>) -> Self {
        Self(Arc::new(Answer { schemas, known: None, origins: None }))
    }
}

impl fmt::Debug for ToolProviderResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.schemas().iter().map(ToolSchema::name)).finish()
    }
}

/// A tool provider to be registered: an answer that is fixed, or computed at each assembly (S5).
///
/// ```
/// use dsh_system_prompt::{ToolProvider, ToolProviderResult};
///
/// let none = ToolProvider::new([]);
/// let kept = ToolProviderResult::new([]);
/// let by_scope = ToolProvider::computed(move |cx| match cx.scope() {
///     Some(_) => kept.clone(),
///     None => ToolProviderResult::new([]),
/// });
/// # drop((none, by_scope));
/// ```
pub struct ToolProvider {
    pub(crate) body: ToolBody,
}

pub(crate) enum ToolBody {
    Fixed(ToolProviderResult),
    Computed(Code<ToolProviderResult>),
}

impl ToolProvider {
    /// A provider that always answers the same.
    pub fn new(schemas: impl IntoIterator<Item = ToolSchema>) -> Self {
        ToolProviderResult::new(schemas).into()
    }

    /// A provider that is asked at each assembly.
    pub fn computed<T: Into<ToolProviderResult>>(
        tools: impl Fn(&AssembleContext) -> T + Send + Sync + 'static,
    ) -> Self {
        Self::try_computed(move |cx| Ok(tools(cx)))
    }

    /// A provider that is asked at each assembly and may fail, which fails the assembly (S8).
    pub fn try_computed<T: Into<ToolProviderResult>>(
        tools: impl Fn(&AssembleContext) -> Result<T, Failure> + Send + Sync + 'static,
    ) -> Self {
        Self { body: ToolBody::Computed(Code::new(Box::new(move |cx| tools(cx).map(Into::into)))) }
    }
}

/// A provider that always answers these.
impl From<Vec<ToolSchema>> for ToolProvider {
    fn from(schemas: Vec<ToolSchema>) -> Self {
        ToolProviderResult::from(schemas).into()
    }
}

impl From<ToolProviderResult> for ToolProvider {
    fn from(tools: ToolProviderResult) -> Self {
        Self { body: ToolBody::Fixed(tools) }
    }
}

impl fmt::Debug for ToolProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.body {
            ToolBody::Fixed(tools) => write!(f, "ToolProvider({tools:?})"),
            ToolBody::Computed(_) => f.write_str("ToolProvider(computed)"),
        }
    }
}
