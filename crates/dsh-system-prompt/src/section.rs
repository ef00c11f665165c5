//! Sections: named, ordered pieces of prompt text (S2).

use std::fmt;

use dsh_kernel::{Failure, Name};
use dsh_template::Text;

use crate::context::AssembleContext;
use crate::provenance::{Source, Stability};
use crate::provider::Code;

/// A section to be registered: a name, a place in the order, and a text that is fixed or computed (S2).
///
/// Places: -100 the harness identity, 0 the persona, 100 to 199 guidance for tools; other negative ones also come before the
/// persona. Fractions are allowed.
///
/// ```
/// use dsh_system_prompt::{PromptSection, Source, Stability};
/// use dsh_template::Text;
///
/// let guide = PromptSection::new("tool:shell", 110, Text::raw("Use {{ with care."));
/// let rules = PromptSection::new("rules", 20.5, "You work on {{project}}.").source(Source::file("rules.md"));
/// let today = PromptSection::computed("scope", 30, |cx| format!("scope: {:?}", cx.scope())).stability(Stability::Session);
/// # drop((guide, rules, today));
/// ```
pub struct PromptSection {
    pub(crate) name: Name,
    pub(crate) order: f64,
    pub(crate) body: SectionBody,
    pub(crate) stability: Stability,
    pub(crate) source: Option<Source>,
    pub(crate) requires_tools: Vec<Name>,
}

pub(crate) enum SectionBody {
    Fixed(Text),
    Computed(Code<Text>),
}

impl PromptSection {
    /// A section whose text is fixed. A bare string is a template; [`Text::raw`] is never scanned (X1).
    pub fn new(name: impl Into<Name>, order: impl Into<f64>, text: impl Into<Text>) -> Self {
        Self::build(name.into(), order.into(), SectionBody::Fixed(text.into()), Stability::Static)
    }

    /// A section whose text is computed at each assembly.
    pub fn computed<T: Into<Text>>(
        name: impl Into<Name>,
        order: impl Into<f64>,
        text: impl Fn(&AssembleContext) -> T + Send + Sync + 'static,
    ) -> Self {
        Self::try_computed(name, order, move |cx| Ok(text(cx)))
    }

    /// A section whose text is computed at each assembly and may fail, which fails the assembly (S8).
    ///
    /// ```
    /// # use dsh_system_prompt::PromptSection;
    /// let section = PromptSection::try_computed("notes", 40, |_| Ok(String::from_utf8(vec![b'o', b'k'])?));
    /// # drop(section);
    /// ```
    pub fn try_computed<T: Into<Text>>(
        name: impl Into<Name>,
        order: impl Into<f64>,
        text: impl Fn(&AssembleContext) -> Result<T, Failure> + Send + Sync + 'static,
    ) -> Self {
        let body = SectionBody::Computed(Code::new(Box::new(move |cx| text(cx).map(Into::into))));
        Self::build(name.into(), order.into(), body, Stability::Step)
    }

    fn build(name: Name, order: f64, body: SectionBody, stability: Stability) -> Self {
        Self { name, order, body, stability, source: None, requires_tools: Vec::new() }
    }

    /// How often the text may change (X4). Without this, a fixed text is static and a computed one may change each step.
    #[must_use]
    pub fn stability(mut self, stability: Stability) -> Self {
        self.stability = stability;
        self
    }

    /// Where the text was read from (X3).
    #[must_use]
    pub fn source(mut self, source: Source) -> Self {
        self.source = Some(source);
        self
    }

    /// The tools that the text is about: where one of them is not visible, the section is left out of the assembly, and a computed
    /// text is not asked for (X11). A second call adds to the list.
    ///
    /// ```
    /// use dsh_kernel::Kernel;
    /// use dsh_system_prompt::{AssembleContext, PromptConfig, PromptSection, SystemPrompt, SystemPromptExt};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let kernel = Kernel::new();
    /// let root = kernel.root();
    /// root.plugin(SystemPrompt::new(PromptConfig::new()))?.ready().await?;
    /// root.system_prompt().section(PromptSection::new("tool:patch", 110, "Patch small.").requires_tools(["patch"]))?;
    /// let assembly = root.system_prompt().assemble(AssembleContext::new()).await?;
    /// assert!(assembly.section("tool:patch").is_none());
    /// let left_out = assembly.left_out().next().unwrap();
    /// assert_eq!((left_out.section.name(), left_out.missing), ("tool:patch", "patch"));
    /// # Ok::<(), dsh_system_prompt::Error>(())
    /// # }).unwrap();
    /// ```
    #[must_use]
    pub fn requires_tools<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.requires_tools.extend(names.into_iter().map(Into::into));
        self
    }
}

impl fmt::Debug for PromptSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match &self.body {
            SectionBody::Fixed(text) => text.as_str(),
            SectionBody::Computed(_) => "(computed)",
        };
        f.debug_struct("PromptSection")
            .field("name", &self.name)
            .field("order", &self.order)
            .field("text", &text)
            .finish_non_exhaustive()
    }
}
