//! What lives now, as data and as a tree for people (K9, K10).

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use crate::error::Error;
use crate::fiber::FiberState;
use crate::kernel::Shared;
use crate::name::Name;

use crate::sync::Arc;
use crate::world::{EffectKind, EffectState, FiberId, World};

/// A picture of a kernel at one moment. It displays as a tree; below the 64th level a line tells its depth as a number.
///
/// ```
/// # use dsh_kernel::Kernel;
/// let kernel = Kernel::new();
/// let desk = kernel.root().scope("desk")?;
/// desk.ctx().effect("lamp", |_| Ok(()))?;
/// assert_eq!(kernel.inspect().to_string(), "root [active]\n  desk [active]\n    - lamp\n");
/// # Ok::<(), dsh_kernel::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// The fibers, each before its children, in mount order.
    pub fibers: Vec<InspectedFiber>,
}

/// A fiber in an [`Inspection`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InspectedFiber {
    /// How many fibers stand above it.
    pub depth: usize,
    /// Its segment of the path.
    pub name: String,
    /// Its state.
    pub state: FiberState,
    /// Its error, if its last start failed.
    pub error: Option<String>,
    /// The services that it waits for, with why none can come, if so.
    pub missing: Vec<Name>,
    /// The plugin that has to settle before it starts (K10).
    pub behind: Option<String>,
    /// Why it cannot start as things stand.
    pub stuck: Option<String>,
    /// Its effects but for its children, in order of registration.
    pub effects: Vec<InspectedEffect>,
}

/// An effect in an [`Inspection`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InspectedEffect {
    /// Its label.
    pub label: Name,
    /// The link that is being undone, and for how long.
    pub undoing: Option<(Name, Duration)>,
    /// Its body runs still.
    pub collecting: bool,
}

impl Inspection {
    pub(crate) fn of(shared: &Arc<Shared>) -> Self {
        let now = shared.clock.now();
        let seen = see(&shared.world.lock(), now);
        // Errors are shown when the lock is free: their text is foreign code.
        let fibers = seen.into_iter().map(|(mut fiber, error, stuck)| {
            fiber.error = error.map(Error::shown);
            fiber.stuck = stuck.map(Error::shown);
            fiber
        });
        Self { fibers: fibers.collect() }
    }
}

/// A fiber, with its error and why it is stuck, not yet shown.
type Seen = (InspectedFiber, Option<Error>, Option<Error>);

fn see(world: &World, now: Duration) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut children = world.children();
    let hopeless = world.hopeless(world.fibers.keys());
    let mut next: Vec<(usize, FiberId)> = world.root.map(|root| (0, root)).into_iter().collect();
    while let Some((depth, id)) = next.pop() {
        seen.extend(look(world, id, depth, now, &hopeless));
        let below = children.remove(&id).unwrap_or_default();
        next.extend(below.into_iter().rev().map(|child| (depth + 1, child)));
    }
    seen
}

fn look(world: &World, id: FiberId, depth: usize, now: Duration, hopeless: &HashMap<FiberId, Name>) -> Option<Seen> {
    let fiber = world.fibers.get(id)?;
    let mut effects = Vec::new();
    for effect in world.effects_reversed(id).into_iter().filter_map(|effect| world.effects.get(effect)) {
        if matches!(effect.kind, EffectKind::Child(_)) {
            continue;
        }
        let running = effect.running.as_ref();
        effects.push(InspectedEffect {
            label: effect.label.clone(),
            undoing: running.map(|running| (running.label.clone(), now.saturating_sub(running.since))),
            collecting: matches!(effect.state, EffectState::Collecting { .. }),
        });
    }
    effects.reverse();
    let mut name = String::new();
    fiber.core.place.write_segment(&mut name).ok()?;
    let pending = fiber.state() == FiberState::Pending;
    let inspected = InspectedFiber {
        depth,
        name,
        state: fiber.state(),
        error: None,
        missing: if pending { world.missing(id) } else { Vec::new() },
        behind: fiber.behind.and_then(|first| world.fibers.get(first)).map(|first| first.core.owner().to_string()),
        stuck: None,
        effects,
    };
    Some((inspected, fiber.core.error(), if pending { world.stuck_without(id, hopeless) } else { None }))
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fiber in &self.fibers {
            let indent = Indent(fiber.depth);
            write!(f, "{indent}{} [{}]", fiber.name, fiber.state)?;
            if let Some(error) = &fiber.error {
                write!(f, " {error}")?;
            }
            if let Some(stuck) = &fiber.stuck {
                write!(f, " {stuck}")?;
            } else if !fiber.missing.is_empty() {
                let missing: Vec<_> = fiber.missing.iter().map(|name| format!("`{name}`")).collect();
                write!(f, " waits for {}", missing.join(", "))?;
            } else if let Some(first) = &fiber.behind {
                write!(f, " waits for its turn after `{first}`")?;
            }
            writeln!(f)?;
            for effect in &fiber.effects {
                write!(f, "{indent}  - {}", effect.label)?;
                if effect.collecting {
                    f.write_str(" (its body runs)")?;
                }
                if let Some((label, since)) = &effect.undoing {
                    write!(f, " (undoing `{label}` for {since:?})")?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

/// How far a line of the tree is moved in. Beyond this depth the number says it: a chain of fibers would be a square of blanks.
const INDENTED: usize = 64;

struct Indent(usize);

impl fmt::Display for Indent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:width$}", "", width = self.0.min(INDENTED) * 2)?;
        if self.0 > INDENTED {
            write!(f, "({}) ", self.0)?;
        }
        Ok(())
    }
}
