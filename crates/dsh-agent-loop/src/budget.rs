//! What is left of a turn's limits, for the turn and for whatever works under it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dsh_agent::Agent;
use dsh_session::TurnLimit;

use crate::limits::TurnLimits;

/// What is left of a turn's limits. A clone is the same budget.
///
/// The tools of a turn find it in their context by its type. An agent that is made [under](crate::LoopOptions::under) it takes from
/// it too, so that a turn's limits hold for all that is done on its behalf, however deep.
///
/// ```
/// # use dsh_agent_loop::{Budget, LoopOptions};
/// # fn in_a_tool(budget: Option<&Budget>) -> LoopOptions {
/// let options = LoopOptions::new();
/// match budget {
///     Some(budget) => options.under(budget.clone()),
///     None => options,
/// }
/// # }
/// # drop(in_a_tool(None));
/// ```
#[derive(Clone)]
pub struct Budget(Arc<Inner>);

struct Inner {
    steps: Option<AtomicU64>,
    tokens: Option<AtomicU64>,
    deadline: Option<Duration>,
    above: Option<Budget>,
}

impl Budget {
    /// A turn begins now.
    pub(crate) fn begin(limits: &TurnLimits, now: Duration, above: Option<Self>) -> Self {
        Self(Arc::new(Inner {
            steps: limits.steps.map(|steps| AtomicU64::new(u64::from(steps))),
            tokens: limits.tokens.map(AtomicU64::new),
            deadline: limits.time.map(|time| now.saturating_add(time)),
            above,
        }))
    }

    /// That of the turn which an agent has under way, if the loop of this crate drives it.
    pub fn of(agent: &Agent) -> Option<Self> {
        agent.working_with::<Self>().map(|budget| Self::clone(&budget))
    }

    fn chain(&self) -> impl Iterator<Item = &Inner> {
        std::iter::successors(Some(self), |budget| budget.0.above.as_ref()).map(|budget| &*budget.0)
    }

    fn least(&self, of: impl Fn(&Inner) -> Option<&AtomicU64>) -> Option<u64> {
        self.chain().filter_map(of).map(|left| left.load(Ordering::Acquire)).min()
    }

    /// How many steps are left; `None` where there is no limit.
    pub fn steps_left(&self) -> Option<u64> {
        self.least(|budget| budget.steps.as_ref())
    }

    /// How many tokens are left; `None` where there is no limit.
    pub fn tokens_left(&self) -> Option<u64> {
        self.least(|budget| budget.tokens.as_ref())
    }

    /// Until when, on the kernel's clock; `None` where there is no limit.
    pub fn deadline(&self) -> Option<Duration> {
        self.chain().filter_map(|budget| budget.deadline).min()
    }

    /// Takes a step here and above, or none at all.
    pub(crate) fn take_step(&self, now: Duration) -> Result<(), TurnLimit> {
        if self.deadline().is_some_and(|deadline| deadline <= now) {
            return Err(TurnLimit::Time);
        }
        if self.tokens_left() == Some(0) {
            return Err(TurnLimit::Tokens);
        }
        let mut taken = Vec::new();
        for left in self.chain().filter_map(|budget| budget.steps.as_ref()) {
            // Others who work under the turn take from it at the same time.
            let one = left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
            if one.is_err() {
                for left in taken {
                    let _before = AtomicU64::fetch_add(left, 1, Ordering::AcqRel);
                }
                return Err(TurnLimit::Steps);
            }
            taken.push(left);
        }
        Ok(())
    }

    /// Takes what a request has cost, here and above.
    pub(crate) fn charge(&self, tokens: u64) {
        self.chain().filter_map(|budget| budget.tokens.as_ref()).for_each(|left| take(left, tokens));
    }
}

fn take(left: &AtomicU64, by: u64) {
    // The closure always answers, so this never fails.
    let _before = left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| Some(left.saturating_sub(by)));
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("steps_left", &self.steps_left())
            .field("tokens_left", &self.tokens_left())
            .field("deadline", &self.deadline())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::time::Duration;

    use dsh_session::TurnLimit;

    use super::Budget;
    use crate::TurnLimits;

    fn budget(steps: u32, above: Option<Budget>) -> Budget {
        Budget::begin(&TurnLimits::new().steps(steps), Duration::ZERO, above)
    }

    // G3: a limit holds for all who take from it at once.
    #[test]
    fn no_more_steps_are_taken_than_there_are() {
        for _ in 0..50 {
            let above = budget(10, None);
            let start = Barrier::new(4);
            let taken: usize = std::thread::scope(|scope| {
                let take = || {
                    let own = budget(100, Some(above.clone()));
                    start.wait();
                    std::iter::repeat_with(|| own.take_step(Duration::ZERO)).take(20).flatten().count()
                };
                let threads = [(); 4].map(|()| scope.spawn(take));
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            assert_eq!((taken, above.steps_left()), (10, Some(0)));
        }
    }

    #[test]
    fn a_step_that_is_not_to_be_had_above_is_not_taken_below() {
        let own = budget(5, Some(budget(0, None)));
        assert_eq!(own.take_step(Duration::ZERO), Err(TurnLimit::Steps));
        assert_eq!(own.0.steps.as_ref().unwrap().load(std::sync::atomic::Ordering::Relaxed), 5);
    }
}
