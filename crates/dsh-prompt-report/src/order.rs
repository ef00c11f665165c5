//! Sections whose places among each other nothing but load order decides (S2).

use std::cmp::Ordering;

use dsh_kernel::Owner;
use dsh_system_prompt::{AssembledSection, PartLayer, PromptAssembly};

/// Sections of one order whose places among each other hang on which of their owners was loaded first.
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
/// Sections of one owner stand as their owner registered them, and a scope's own come after the global ones (S2): neither is a
/// matter of load order. A section that replaces another for a scope has the place of that one, so it counts as from that one's
/// owner. What a listener has put into the assembly stands where it was put, and an empty text stands nowhere.
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
    let mut placed: Vec<(Place, &AssembledSection)> =
        assembly.sections().filter_map(|section| Some((Place::of(section)?, section))).collect();
    // Stable: those of one place stay as they stand in the prompt.
    placed.sort_by(|(a, _), (b, _)| a.cmp(b));
    placed
        .chunk_by(|(a, _), (b, _)| a.cmp(b).is_eq())
        .filter(|group| has_different_owners(group))
        .filter_map(|group| {
            let (place, _) = group.first()?;
            Some(EqualOrder { order: place.order, sections: group.iter().map(|(_, section)| *section).collect() })
        })
        .collect()
}

/// What decides of a section's place before load order does.
struct Place {
    order: f64,
    /// A scope's own sections come after the global ones, and after those that stand in the places of global ones.
    is_scoped: bool,
}

impl Place {
    /// `None` where load order has no part in it.
    fn of(section: &AssembledSection) -> Option<Self> {
        let is_placed = section.layer() != PartLayer::Assembly && !section.text().as_str().is_empty();
        let is_scoped = section.layer() != PartLayer::Global && section.shadows().is_none();
        is_placed.then(|| Self { order: section.order(), is_scoped })
    }

    /// Orders are finite, so they compare; +0 and -0 are one place, as in the registry.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_order = self.order.partial_cmp(&other.order).unwrap_or(Ordering::Equal);
        by_order.then(self.is_scoped.cmp(&other.is_scoped))
    }
}

fn has_different_owners(group: &[(Place, &AssembledSection)]) -> bool {
    let mut owners = group.iter().map(|(_, section)| placed_by(section));
    let first = owners.next();
    owners.any(|owner| Some(owner) != first)
}

/// Whose registration holds the place.
fn placed_by(section: &AssembledSection) -> Option<&Owner> {
    section.shadows().or(section.owner())
}
