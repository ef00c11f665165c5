//! A section as it stands in an assembly.

use std::fmt;
use std::sync::{Arc, OnceLock};

use dsh_kernel::{Name, Owner};
use dsh_llm::escape_json;
use dsh_template::{Template, Text};

use crate::origin::Origin;
use crate::provenance::{PartLayer, Source, Stability};

/// A section of one assembly: its text resolved, not interpolated, and where it comes from (X3).
///
/// A clone is one reference count; an edit changes the clone alone.
#[derive(Clone)]
pub struct AssembledSection(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    name: Name,
    order: f64,
    text: Text,
    compiled: Arc<Compiled>,
    owner: Option<Owner>,
    layer: PartLayer,
    shadows: Option<Owner>,
    stability: Stability,
    source: Option<Source>,
    /// The tools that the text is about.
    requires_tools: Arc<[Name]>,
    /// Edited since the last claim, by whoever claims next.
    edited: bool,
    edited_by: Vec<Owner>,
}

/// A text, compiled: shared by all copies of a section until one gets another text.
struct Compiled {
    template: Template,
    json: OnceLock<Template>,
}

impl Compiled {
    fn new(text: &Text) -> Arc<Self> {
        Arc::new(Self { template: text.compile(), json: OnceLock::new() })
    }
}

impl AssembledSection {
    /// Whether both are the same object.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// A section to be put into an assembly. A listener that adds it becomes its owner (S8).
    pub fn new(name: impl Into<Name>, order: impl Into<f64>, text: impl Into<Text>) -> Self {
        let text = text.into();
        Self(Arc::new(Inner {
            name: name.into(),
            order: order.into(),
            compiled: Compiled::new(&text),
            text,
            owner: None,
            layer: PartLayer::Assembly,
            shadows: None,
            stability: Stability::Step,
            source: None,
            requires_tools: Arc::default(),
            edited: false,
            edited_by: Vec::new(),
        }))
    }

    pub(crate) fn registered(
        origin: &Origin,
        name: Name,
        order: f64,
        text: Text,
        stability: Stability,
        source: Option<Source>,
    ) -> Self {
        Self(Arc::new(Inner {
            name,
            order,
            compiled: Compiled::new(&text),
            text,
            owner: Some(origin.owner().clone()),
            layer: origin.layer(),
            shadows: None,
            stability,
            source,
            requires_tools: Arc::default(),
            edited: false,
            edited_by: Vec::new(),
        }))
    }

    /// The same, with how often its text may change (X4). Without this, at each step.
    #[must_use]
    pub fn with_stability(mut self, stability: Stability) -> Self {
        Arc::make_mut(&mut self.0).stability = stability;
        self
    }

    /// The same, with where its text was read from (X3).
    #[must_use]
    pub fn with_source(mut self, source: Source) -> Self {
        Arc::make_mut(&mut self.0).source = Some(source);
        self
    }

    /// The same, with the tools that its text is about: where one of them is not in the assembly when the listeners have run, the
    /// section is left out (X11).
    #[must_use]
    pub fn with_requires_tools<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        Arc::make_mut(&mut self.0).requires_tools = names.into_iter().map(Into::into).collect();
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.0.name.as_str()
    }

    /// The name, to be shared.
    pub fn shared_name(&self) -> &Name {
        &self.0.name
    }

    /// The place that it was registered for. The order of an assembly is that of its list: a listener's section stays where
    /// it was put.
    pub fn order(&self) -> f64 {
        self.0.order
    }

    /// The text, resolved but not interpolated.
    pub fn text(&self) -> &Text {
        &self.0.text
    }

    /// Who registered or added it; `None` in an assembly that was built by hand.
    pub fn owner(&self) -> Option<&Owner> {
        self.0.owner.as_ref()
    }

    /// The layer that it stands in.
    pub fn layer(&self) -> PartLayer {
        self.0.layer
    }

    /// Whose section of the same name it replaces for this scope.
    pub fn shadows(&self) -> Option<&Owner> {
        self.0.shadows.as_ref()
    }

    /// How often its text may change, as declared.
    pub fn stability(&self) -> Stability {
        self.0.stability
    }

    /// Where its text was read from.
    pub fn source(&self) -> Option<&Source> {
        self.0.source.as_ref()
    }

    /// The tools that its text is about (X11).
    pub fn requires_tools(&self) -> &[Name] {
        &self.0.requires_tools
    }

    /// The first tool that it is about and that is not there.
    pub(crate) fn lacks(&self, is_there: impl Fn(&str) -> bool) -> Option<&Name> {
        self.requires_tools().iter().find(|name| !is_there(name.as_str()))
    }

    /// Which listeners have edited it, in order.
    pub fn edited_by(&self) -> &[Owner] {
        &self.0.edited_by
    }

    /// Replaces the text. It is no longer that of its source file, and may be another one at each step.
    ///
    /// A bare string is a template (S8), whatever stood there before: to change a text that may be raw, use
    /// [`append`](Self::append) and [`prepend`](Self::prepend), or give a [`Text`] of the kind that is meant.
    pub fn set_text(&mut self, text: impl Into<Text>) {
        let text = text.into();
        let inner = Arc::make_mut(&mut self.0);
        inner.compiled = Compiled::new(&text);
        inner.text = text;
        inner.source = None;
        inner.stability = Stability::Step;
        inner.edited = true;
    }

    /// Adds words after the text, which stays of its kind: raw text is not scanned then either, and what is added to a template
    /// is a part of the template. Otherwise as [`set_text`](Self::set_text).
    ///
    /// ```
    /// use dsh_system_prompt::AssembledSection;
    /// use dsh_template::Text;
    ///
    /// let section = AssembledSection::new("notes", 0, Text::raw("Braces {{ may stand here."));
    /// let mut edited = section.clone();
    /// edited.append(" Note: see the log.");
    /// assert!(edited.text().is_raw());
    /// assert_eq!(edited.text().as_str(), "Braces {{ may stand here. Note: see the log.");
    /// assert_eq!(section.text().as_str(), "Braces {{ may stand here.");
    /// ```
    pub fn append(&mut self, words: &str) {
        self.join(&[self.text().as_str(), words].concat());
    }

    /// Adds words before the text, as [`append`](Self::append) does after it.
    pub fn prepend(&mut self, words: &str) {
        self.join(&[words, self.text().as_str()].concat());
    }

    fn join(&mut self, words: &str) {
        self.set_text(if self.text().is_raw() { Text::raw(words) } else { Text::template(words) });
    }

    /// The text, compiled.
    pub(crate) fn template(&self) -> &Template {
        &self.0.compiled.template
    }

    /// The same with its words as they stand in a JSON string; made when first asked for, and kept.
    pub(crate) fn json_template(&self) -> &Template {
        let compiled = &self.0.compiled;
        compiled.json.get_or_init(|| compiled.template.map_literals(|literal, out| escape_json(out, literal)))
    }

    /// The same, standing over a section of that owner.
    pub(crate) fn shadowing(&self, owner: &Owner) -> Self {
        let mut inner = Inner::clone(&self.0);
        inner.shadows = Some(owner.clone());
        Self(Arc::new(inner))
    }

    /// The same with the text that its provider has answered.
    pub(crate) fn with_text(&self, text: Text) -> Self {
        let mut inner = Inner::clone(&self.0);
        inner.compiled = Compiled::new(&text);
        inner.text = text;
        Self(Arc::new(inner))
    }

    pub(crate) fn is_registered(&self) -> bool {
        self.0.layer != PartLayer::Assembly
    }

    /// Makes a copy of a registered section one that nobody owns yet.
    pub(crate) fn disown(&mut self) {
        let inner = Arc::make_mut(&mut self.0);
        inner.owner = None;
        inner.layer = PartLayer::Assembly;
        inner.shadows = None;
        inner.edited_by = Vec::new();
    }

    /// Gives the section to a listener if it has no owner, and notes the listener as its editor if it was edited.
    pub(crate) fn claim(&mut self, owner: &Owner) {
        if self.0.owner.is_some() && !self.0.edited {
            return;
        }
        let inner = Arc::make_mut(&mut self.0);
        let edited = std::mem::take(&mut inner.edited);
        match &inner.owner {
            None => inner.owner = Some(owner.clone()),
            Some(own) if edited && own != owner && inner.edited_by.last() != Some(owner) => {
                inner.edited_by.push(owner.clone());
            }
            Some(_) => {}
        }
    }
}

impl fmt::Debug for AssembledSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AssembledSection")
            .field("name", &self.0.name)
            .field("order", &self.0.order)
            .field("text", &self.0.text)
            .field("owner", &self.0.owner)
            .field("layer", &self.0.layer)
            .finish_non_exhaustive()
    }
}
