//! A row: what was measured against what, and whether the target holds.

use crate::round::Figure;

/// One row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The clause, `P1` to `P6`, or `growth: ` and what grows over what.
    pub(crate) id: &'static str,
    /// What was measured.
    pub(crate) what: &'static str,
    /// The other side, where there is one.
    pub(crate) against: Option<&'static str>,
    /// What the figures are.
    pub(crate) unit: Unit,
    /// What is asked for; `None` for a row that only informs.
    pub(crate) target: Option<Target>,
    /// The function of `bench/examples/table` that measures it.
    pub(crate) function: &'static str,
    /// The figures, or why there are none.
    pub(crate) measured: Result<Measured, String>,
    /// The sizes of a curve with what was measured at each, in nanoseconds; ours is the exponent then.
    pub(crate) curve: Vec<(usize, f64)>,
    /// Why there is no verdict, though something is asked for.
    pub(crate) unjudged: Option<String>,
}

/// The figures of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    /// Ours.
    pub(crate) ours: Figure,
    /// The other side's.
    pub(crate) theirs: Option<Figure>,
    /// Ours over theirs, where it was taken round by round; else it is that of the medians.
    pub(crate) ratio: Option<Figure>,
}

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A time of one call.
    Nanoseconds,
    /// A time of a process.
    Milliseconds,
    /// 1,000,000 bytes.
    Megabytes,
    /// How much more two threads do than one.
    Speedup,
    /// The power of the size that a cost grows with.
    Exponent,
}

/// What is asked of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    /// Ours is at most so many times theirs.
    AtMost(f64),
    /// Ours is less than theirs so many times.
    Below(f64),
    /// Ours is at least so many times theirs.
    AtLeast(f64),
    /// Ours is at most this, in the row's unit.
    Limit(f64),
}

impl Row {
    /// A row of a time, with no other side and no target.
    pub(crate) const fn new(id: &'static str, what: &'static str, function: &'static str, ours: Figure) -> Self {
        let measured = Ok(Measured { ours, theirs: None, ratio: None });
        Self {
            id,
            what,
            against: None,
            unit: Unit::Nanoseconds,
            target: None,
            function,
            measured,
            curve: Vec::new(),
            unjudged: None,
        }
    }

    /// The same with another side.
    pub(crate) fn against(mut self, name: &'static str, figure: Figure) -> Self {
        self.against = Some(name);
        if let Ok(measured) = &mut self.measured {
            measured.theirs = Some(figure);
        }
        self
    }

    /// The same with the ratio that was taken round by round.
    pub(crate) fn ratio_of_rounds(mut self, ratio: Figure) -> Self {
        if let Ok(measured) = &mut self.measured {
            measured.ratio = Some(ratio);
        }
        self
    }

    /// The same without a verdict, and why.
    pub(crate) fn unjudged(mut self, why: Option<String>) -> Self {
        self.unjudged = why;
        self
    }

    /// The same with a target.
    pub(crate) fn target(mut self, target: Target) -> Self {
        self.target = Some(target);
        self
    }

    /// The same in another unit.
    pub(crate) fn unit(mut self, unit: Unit) -> Self {
        self.unit = unit;
        self
    }

    /// The same, not measured: the other side, if there is one, and why.
    pub(crate) fn skipped(mut self, against: Option<&'static str>, why: &str) -> Self {
        self.against = against;
        self.measured = Err(why.to_owned());
        self
    }

    /// Ours over theirs. It has a spread where it was taken round by round.
    pub(crate) fn ratio(&self) -> Option<Figure> {
        let measured = self.measured.as_ref().ok()?;
        let theirs = measured.theirs?;
        Some(measured.ratio.unwrap_or_else(|| Figure::exact(measured.ours.median / theirs.median)))
    }

    /// Whether the target holds; `None` where there is none, nothing was measured, or what was measured says nothing of it.
    pub(crate) fn holds(&self) -> Option<bool> {
        if self.unjudged.is_some() {
            return None;
        }
        let ours = self.measured.as_ref().ok()?.ours.median;
        Some(match self.target? {
            Target::AtMost(most) => self.ratio()?.median <= most,
            Target::Below(limit) => self.ratio()?.median < limit,
            Target::AtLeast(least) => self.ratio()?.median >= least,
            Target::Limit(most) => ours <= most,
        })
    }
}

impl Unit {
    /// As it stands in the JSON form.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Milliseconds => "ms",
            Self::Megabytes => "MB",
            Self::Speedup => "speed-up",
            Self::Exponent => "exponent",
        }
    }
}

impl Target {
    /// The number in it.
    pub(crate) const fn number(self) -> f64 {
        match self {
            Self::AtMost(number) | Self::Below(number) | Self::AtLeast(number) | Self::Limit(number) => number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Figure, Measured, Row, Target};

    fn row(target: Option<Target>, ours: f64, theirs: Option<f64>) -> Row {
        Row {
            against: theirs.map(|_| "a rival"),
            target,
            measured: Ok(Measured { ours: Figure::exact(ours), theirs: theirs.map(Figure::exact), ratio: None }),
            ..Row::new("P1", "step", "step", Figure::exact(ours))
        }
    }

    #[test]
    fn a_target_is_asked_of_the_ratio_or_of_ours_alone() {
        assert_eq!(row(Some(Target::AtMost(2.0)), 4.0, Some(2.0)).holds(), Some(true));
        assert_eq!(row(Some(Target::AtMost(2.0)), 4.1, Some(2.0)).holds(), Some(false));
        assert_eq!(row(Some(Target::Below(1.0)), 2.0, Some(2.0)).holds(), Some(false));
        assert_eq!(row(Some(Target::AtLeast(0.95)), 1.8, Some(2.0)).holds(), Some(false));
        assert_eq!(row(Some(Target::Limit(6.0)), 6.0, None).holds(), Some(true));
    }

    #[test]
    fn what_informs_only_or_was_not_measured_has_no_verdict() {
        assert_eq!(row(None, 4.0, Some(2.0)).holds(), None);
        let skipped = Row { measured: Err("no node".to_owned()), ..row(Some(Target::AtMost(2.0)), 0.0, Some(1.0)) };
        assert_eq!((skipped.holds(), skipped.ratio()), (None, None));
        let missed = row(Some(Target::AtMost(1.0)), 4.0, Some(2.0));
        assert_eq!((missed.holds(), missed.unjudged(Some("who knows".to_owned())).holds()), (Some(false), None));
    }

    #[test]
    fn a_ratio_that_was_taken_round_by_round_stands_over_that_of_the_medians() {
        let row =
            row(Some(Target::AtLeast(0.95)), 1.8, Some(2.0)).ratio_of_rounds(Figure { median: 0.96, spread: 0.01 });
        assert_eq!(row.ratio(), Some(Figure { median: 0.96, spread: 0.01 }));
        assert_eq!(row.holds(), Some(true));
    }
}
