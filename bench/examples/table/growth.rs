//! How cost grows: each curve is measured at sizes of several decades, and the power of the size is fitted to the upper ones.

mod fit;
mod kernel;
mod prompt;
mod scopes;
mod world;

use std::time::{Duration, Instant};

use dsh_kernel::Failure;

use crate::options::Options;
use crate::round::{Figure, Sample, interleave, lower_quartile};
use crate::row::{Measured, Row, Target, Unit};
use crate::timing::nanoseconds;

use fit::exponent;
use world::World;

/// The sizes of most curves; the last decade is left out of a quick run.
const TO_10_000: &[usize] = &[1, 10, 100, 300, 1_000, 3_000, 10_000];

/// Those of what is cheap to make.
const TO_100_000: &[usize] = &[1, 10, 100, 1_000, 3_000, 10_000, 30_000, 100_000];

/// One curve: what is measured at each of its sizes.
struct Curve {
    id: &'static str,
    what: &'static str,
    sizes: &'static [usize],
    growth: Growth,
    /// Makes what is needed at a size, and what measures it there.
    at: fn(usize) -> Result<Sample<'static>, Failure>,
    function: &'static str,
}

/// What is asked of a curve: at most which power of the size its cost may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Growth {
    /// It does not depend on the size, but for a tree's depth and what no longer fits the caches.
    Constant,
    /// It is proportional to the size, or that and a logarithm where something is sorted or looked up in a tree; what no longer fits
    /// the caches counts, too.
    Linear,
}

impl Growth {
    /// A square would be 2.
    const fn most(self) -> f64 {
        match self {
            Self::Constant => 0.25,
            Self::Linear => 1.3,
        }
    }
}

/// Measures all curves.
pub(crate) fn measure(options: &Options) -> Result<Vec<Row>, Failure> {
    let curves = prompt::CURVES.iter().chain(scopes::CURVES).chain(kernel::CURVES);
    curves.map(|curve| row(curve, options)).collect()
}

fn row(curve: &Curve, options: &Options) -> Result<Row, Failure> {
    // An exponent stands on many sizes, so each may be measured shorter than a ratio's two sides.
    let shorter = Options { rounds: options.rounds.div_ceil(3), sample: options.sample / 4, ..options.clone() };
    let sizes = if options.is_quick { without_last_decade(curve.sizes) } else { curve.sizes };
    let samples = sizes.iter().map(|size| (curve.at)(*size)).collect::<Result<Vec<_>, Failure>>()?;
    let figures = interleave(&shorter, samples)?;
    let points: Vec<(usize, f64)> = sizes.iter().copied().zip(figures.iter().map(|figure| figure.median)).collect();
    let fitted = Figure::exact(exponent(&points).ok_or_else(|| Failure::msg("a curve of too few sizes"))?);
    Ok(Row {
        id: curve.id,
        what: curve.what,
        against: None,
        unit: Unit::Exponent,
        target: Some(Target::Limit(curve.growth.most())),
        function: curve.function,
        measured: Ok(Measured { ours: fitted, theirs: None }),
        curve: points,
    })
}

fn without_last_decade(sizes: &[usize]) -> &[usize] {
    let most = sizes.last().map_or(0, |last| last / 10);
    sizes.get(..sizes.partition_point(|size| *size <= most)).unwrap_or_default()
}

/// Nanoseconds of a call that uses up what was prepared for it; the lower quartile of as many as fit. Preparing is not timed.
fn per_use<P: 'static>(
    prepare: impl Fn() -> Result<P, Failure> + 'static,
    call: impl Fn(P) -> Result<(), Failure> + 'static,
) -> Sample<'static> {
    Box::new(move |at_least: Duration| {
        let begun = Instant::now();
        let mut times = Vec::new();
        while times.is_empty() || begun.elapsed() < at_least {
            let prepared = prepare()?;
            let from = Instant::now();
            call(prepared)?;
            times.push(nanoseconds(from.elapsed()));
        }
        Ok(lower_quartile(&mut times))
    })
}

#[cfg(test)]
mod tests {
    use super::{TO_10_000, kernel, prompt, scopes, without_last_decade};

    #[test]
    fn a_quick_run_leaves_the_last_decade_out() {
        assert_eq!(without_last_decade(TO_10_000), [1, 10, 100, 300, 1_000]);
        assert_eq!(without_last_decade(&[]), [0_usize; 0]);
    }

    #[test]
    fn every_curve_is_named_once_and_can_be_measured() {
        let runtime = dsh_bench::runtime().unwrap();
        let _inside = runtime.enter();
        let mut ids = Vec::new();
        for curve in prompt::CURVES.iter().chain(scopes::CURVES).chain(kernel::CURVES) {
            assert!(curve.id.starts_with("growth: ") && !ids.contains(&curve.id), "{}", curve.id);
            ids.push(curve.id);
            for size in [1, 130] {
                let mut sample = (curve.at)(size).unwrap();
                assert!(sample(std::time::Duration::ZERO).unwrap() > 0.0, "{}", curve.id);
            }
        }
    }
}
