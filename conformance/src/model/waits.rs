//! Time, as far as the model knows it: waits that must differ, and rollbacks that go on after their step.

use crate::scenario::{Part, Step};

use super::{FiberId, Kind, Model, Rollback, Rule};

/// What keeps two ends in order on a real clock, in milliseconds.
const APART: u64 = 8;

/// The same where a rollback began a step earlier: on the npm package's side time passes between the steps.
const APART_IN_ROLLBACK: u64 = 16;

/// How many steps may pass before one must wait for the rollback.
const MEANWHILE: u8 = 2;

impl Model {
    /// Takes in the waits that a step writes.
    pub(super) fn note_waits(&mut self, step: &Step) {
        for part in step.parts() {
            if let Part::Probe(probe) = part
                && probe.ms > 0
            {
                self.waits.push(probe.ms);
            }
        }
    }

    /// Whether every sum of waits differs enough from every other, so that whatever runs side by side is in order.
    pub(crate) fn check_waits(&self) -> Result<(), Rule> {
        let apart = if self.had_rollback { APART_IN_ROLLBACK } else { APART };
        let mut sums = vec![0u64];
        if self.waits.len() > 10 {
            return Err(Rule::WaitsTooNear);
        }
        for wait in &self.waits {
            sums.extend(sums.clone().into_iter().map(|sum| sum + wait));
        }
        sums.sort_unstable();
        if sums.windows(2).all(|pair| pair[1] - pair[0] >= apart) { Ok(()) } else { Err(Rule::WaitsTooNear) }
    }

    /// A composite failed with asynchronous links behind it: its rollback goes on.
    pub(super) fn begin_rollback(&mut self, owner: FiberId, ms: u64) {
        self.rollback = Some(Rollback { owner, ms, steps: MEANWHILE });
        self.had_rollback = true;
    }

    /// While a rollback goes on, a step must not look: it may open a scope or make a probe, and soon one must wait for
    /// the end, by unloading the owner or what is above it, or by disposing a probe that waits longer.
    pub(super) fn keep_apart(&mut self, step: &Step) -> Result<(), Rule> {
        let Some(mut rollback) = self.rollback.take() else { return Ok(()) };
        if rollback.steps > 0 && matches!(step, Step::Scope { .. } | Step::Part { part: Part::Probe(_), .. }) {
            rollback.steps -= 1;
            self.rollback = Some(rollback);
            return Ok(());
        }
        let (Step::Dispose { id } | Step::Unload { id }) = step else { return Err(Rule::LooksAtRollback) };
        let effect = self.handles.get(id).map(|effect| &self.effects[*effect]).ok_or(Rule::UnknownId)?;
        let outlasts = matches!(effect.kind, Kind::Probe { ms } if ms >= rollback.ms + APART_IN_ROLLBACK);
        let awaits = matches!(effect.kind, Kind::Child(fiber) if self.is_within(rollback.owner, fiber));
        if effect.alive && (outlasts || awaits) { Ok(()) } else { Err(Rule::LooksAtRollback) }
    }
}
