//! Sections of different owners that ask for one place (S2, X5).

use std::cmp::Ordering;

use dsh_kernel::Owner;
use dsh_system_prompt::{AssembledSection, PartLayer, PromptAssembly};

/// Sections of one order from different owners: which stands first is decided by where and when they were registered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EqualOrder<'a> {
    /// The order that they share.
    pub order: f64,
    /// At least two of different owners, as they stand in the prompt.
    pub sections: Vec<&'a AssembledSection>,
}

/// The sections of equal order from different owners, one finding for each order, in the order of the prompt.
///
/// Within one layer, load order decides of their places; a scope's own come after the global ones (S2). Neither is seen in what the
/// owners wrote. Sections of one owner stand as that one registered them, which is no finding. A section that replaces another for a
/// scope has the place of that one, so it counts as from that one's owner. What a listener has put into the assembly stands where it
/// was put, and an empty text stands nowhere.
///
/// ```
/// use dsh_kernel::Kernel;
/// use dsh_prompt_report::equal_orders;
/// use dsh_system_prompt::{AssembleContext, PromptConfig, PromptSection, SystemPrompt, SystemPromptExt};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let root = kernel.root();
/// root.plugin(SystemPrompt::new(PromptConfig::new().persona("You maintain dsh.")))?.ready().await?;
/// root.system_prompt().section(PromptSection::new("rules", 0, "Be brief."))?; // the place of the persona
///
/// let assembly = root.system_prompt().assemble(AssembleContext::new()).await?;
/// let found = equal_orders(&assembly);
/// let names: Vec<&str> = found[0].sections.iter().map(|section| section.name()).collect();
/// assert_eq!((found.len(), names), (1, vec!["deployment:persona", "rules"]));
/// # Ok::<(), dsh_system_prompt::Error>(())
/// # }).unwrap();
/// ```
pub fn equal_orders(assembly: &PromptAssembly) -> Vec<EqualOrder<'_>> {
    let mut placed: Vec<&AssembledSection> = assembly.sections().filter(|section| is_placed(section)).collect();
    // Stable: those of one order stay as they stand in the prompt.
    placed.sort_by(|a, b| compared(a, b));
    placed
        .chunk_by(|a, b| compared(a, b).is_eq())
        .filter(|group| has_different_owners(group))
        .filter_map(|group| Some(EqualOrder { order: group.first()?.order(), sections: group.to_vec() }))
        .collect()
}

/// Whether its order has given it its place.
fn is_placed(section: &AssembledSection) -> bool {
    section.layer() != PartLayer::Assembly && !section.text().as_str().is_empty()
}

/// Orders are finite, so they compare; +0 and -0 are one place, as in the registry.
fn compared(a: &AssembledSection, b: &AssembledSection) -> Ordering {
    a.order().partial_cmp(&b.order()).unwrap_or(Ordering::Equal)
}

fn has_different_owners(group: &[&AssembledSection]) -> bool {
    let mut owners = group.iter().map(|section| placed_by(section));
    let first = owners.next();
    owners.any(|owner| Some(owner) != first)
}

/// Whose registration holds the place.
fn placed_by(section: &AssembledSection) -> Option<&Owner> {
    section.shadows().or(section.owner())
}
