//! Rounds: in each, every side is measured once, one after the other, so that what disturbs the machine disturbs all alike.

use std::time::Duration;

use dsh_kernel::Failure;

use crate::options::Options;

/// What measures one side: nanoseconds of a call, measured for so long at least.
pub(crate) type Sample<'a> = Box<dyn FnMut(Duration) -> Result<f64, Failure> + 'a>;

/// Measures all sides, round by round: first the first, then the second, …, then the first again. One figure a side, in
/// their order. One more round goes before, for warmth, and counts for nothing.
pub(crate) fn interleave(options: &Options, sides: Vec<Sample<'_>>) -> Result<Vec<Figure>, Failure> {
    Ok(rounds(options, sides)?.into_iter().map(Figure::of).collect())
}

/// The same, with what each round gave: one list a side.
pub(crate) fn rounds(options: &Options, mut sides: Vec<Sample<'_>>) -> Result<Vec<Vec<f64>>, Failure> {
    let mut taken = vec![Vec::with_capacity(options.rounds); sides.len()];
    for round in 0..=options.rounds {
        for (side, taken) in sides.iter_mut().zip(&mut taken) {
            let time = side(options.sample)?;
            if round > 0 {
                taken.push(time);
            }
        }
    }
    Ok(taken)
}

/// What was measured: the median of the rounds, and how far they spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    /// The median.
    pub(crate) median: f64,
    /// Half of the distance between the quartiles, as a part of the median.
    pub(crate) spread: f64,
}

impl Figure {
    /// The figure of some rounds.
    pub(crate) fn of(mut rounds: Vec<f64>) -> Self {
        let middle = median(&mut rounds);
        let (low, high) = (quantile(&rounds, 0.25), quantile(&rounds, 0.75));
        Self { median: middle, spread: if middle == 0.0 { 0.0 } else { (high - low) / 2.0 / middle } }
    }

    /// Ours over theirs, of each round by itself: what disturbs a round disturbs both sides of its ratio.
    pub(crate) fn ratio(ours: &[f64], theirs: &[f64]) -> Self {
        Self::of(ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect())
    }

    /// A figure that was not measured in rounds.
    pub(crate) const fn exact(value: f64) -> Self {
        Self { median: value, spread: 0.0 }
    }
}

/// The median; sorts. Zero of nothing.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    quantile(values, 0.5)
}

/// A quarter of the values are smaller; sorts. Zero of nothing.
pub(crate) fn lower_quartile(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    quantile(values, 0.25)
}

/// The value below which this part of the sorted values lies, between two of them in proportion.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let mut below = 0;
    let mut rest = part * f64::from(u32::try_from(sorted.len().saturating_sub(1)).unwrap_or(u32::MAX));
    while rest >= 1.0 {
        below += 1;
        rest -= 1.0;
    }
    match (sorted.get(below), sorted.get(below + 1)) {
        (Some(low), Some(high)) => low + (high - low) * rest,
        (Some(only), None) => *only,
        _ => 0.0,
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these are exact")]
mod tests {
    use super::{Figure, lower_quartile, median};

    #[test]
    fn the_median_is_the_middle_or_lies_between_the_two_middle_ones() {
        assert_eq!(median(&mut [5.0, 1.0, 3.0]), 3.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 100.0]), 3.0);
        assert_eq!(median(&mut [7.0]), 7.0);
        assert_eq!(median(&mut []), 0.0);
    }

    #[test]
    fn the_lower_quartile_lies_between_two_values_in_proportion() {
        assert_eq!(lower_quartile(&mut [4.0, 3.0, 2.0, 1.0, 5.0]), 2.0);
        assert_eq!(lower_quartile(&mut [20.0, 10.0]), 12.5);
    }

    #[test]
    fn a_ratio_is_taken_within_each_round() {
        // Rounds in which the machine gives both sides half do not show.
        let (ours, theirs) = ([0.9, 1.8, 1.8, 0.9, 0.9], [1.0, 2.0, 2.0, 1.0, 1.0]);
        let ratio = Figure::ratio(&ours, &theirs);
        assert_eq!((ratio.median, ratio.spread), (0.9, 0.0));
        assert_eq!(Figure::ratio(&[1.0, 1.0, 4.0], &[2.0, 1.0, 2.0]).median, 1.0);
    }

    #[test]
    fn the_spread_is_half_the_distance_of_the_quartiles_and_one_disturbed_round_does_not_show() {
        let figure = Figure::of(vec![110.0, 90.0, 100.0, 95.0, 105.0]);
        assert_eq!((figure.median, figure.spread), (100.0, 0.05));
        let disturbed = Figure::of(vec![100.0, 100.0, 9000.0, 100.0, 100.0]);
        assert_eq!((disturbed.median, disturbed.spread), (100.0, 0.0));
    }
}
