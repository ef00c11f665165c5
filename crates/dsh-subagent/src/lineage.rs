//! Whom an agent works for.

use dsh_agent::Agent;
use dsh_session::SessionId;

/// Whom an agent works for: a field of every agent that a run has made.
///
/// ```
/// # use dsh_agent::Agent;
/// use dsh_subagent::Lineage;
///
/// fn is_subagent(agent: &Agent) -> bool {
///     agent.get::<Lineage>().is_some()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lineage {
    /// Its parent's session; `None` where the host started it for nobody.
    pub parent: Option<SessionId>,
    /// How far it is from an agent that works for nobody: from 1.
    pub depth: u32,
    /// How many levels may work under it.
    pub levels_left: u32,
}

impl Lineage {
    /// That of a child; `None` where its parent may have none. `most` is what an agent may have that works for nobody.
    pub(crate) fn under(parent: Option<&Agent>, most: u32, asked: Option<u32>) -> Option<Self> {
        let above = parent.and_then(|parent| parent.get::<Self>());
        let (depth, left) = above.map_or((0, most), |above| (above.depth, above.levels_left));
        let left = left.checked_sub(1)?;
        Some(Self {
            parent: parent.map(|parent| parent.id().clone()),
            depth: depth.saturating_add(1),
            levels_left: asked.map_or(left, |asked| asked.min(left)),
        })
    }
}
