//! How cost grows: each curve is measured at sizes of several decades, and the power of the size is fitted to the upper ones.
//! What may grow in proportion is held against what does by construction (`control`), measured in the same run.

mod control;
mod fit;
mod kernel;
mod prompt;
mod scopes;
mod world;

use std::time::{Duration, Instant};

use dsh_kernel::Failure;

use crate::options::Options;
use crate::round::{Figure, Sample, interleave, lower_quartile};
use crate::row::{Row, Target, Unit};
use crate::timing::nanoseconds;

use control::Controls;
use fit::exponent;
use world::World;

/// To as many tools as anybody shows to a model, and more.
const TO_1_000: &[usize] = &[1, 10, 30, 100, 300, 1_000];

/// The sizes of most curves; the last decade is left out of a quick run.
const TO_10_000: &[usize] = &[1, 10, 100, 300, 1_000, 3_000, 10_000];

/// Those of what is cheap to make.
const TO_100_000: &[usize] = &[1, 10, 100, 1_000, 3_000, 10_000, 30_000, 100_000];

/// Of prompt or template: to a hundred megabytes.
const BYTES: &[usize] = &[1_000, 10_000, 100_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000];

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
    /// the caches counts, too, as far as the control over the same sizes shows it.
    Linear,
    /// It is proportional to the size by construction: what the others are held against.
    Control,
}

impl Growth {
    /// At most which power; `None` where nothing is asked.
    fn most(self, sizes: &[usize], controls: &Controls) -> Option<f64> {
        match self {
            Self::Constant => Some(0.25),
            Self::Linear => Some(controls.most(sizes)),
            Self::Control => None,
        }
    }
}

/// Measures all curves, the controls first.
pub(crate) fn measure(options: &Options) -> Result<Vec<Row>, Failure> {
    let mut controls = Controls::default();
    let mut rows = Vec::new();
    for curve in control::CURVES {
        let row = row(curve, options, &controls)?;
        controls.add(curve, &row);
        rows.push(row);
    }
    let curves = prompt::CURVES.iter().chain(scopes::CURVES).chain(kernel::CURVES);
    for curve in curves {
        rows.push(row(curve, options, &controls)?);
    }
    Ok(rows)
}

fn row(curve: &Curve, options: &Options, controls: &Controls) -> Result<Row, Failure> {
    // An exponent stands on many sizes, so each may be measured shorter than a ratio's two sides.
    let shorter = Options { rounds: options.rounds.div_ceil(3), sample: options.sample / 4, ..options.clone() };
    let sizes = if options.is_quick { without_last_decade(curve.sizes) } else { curve.sizes };
    let samples = sizes.iter().map(|size| (curve.at)(*size)).collect::<Result<Vec<_>, Failure>>()?;
    let figures = interleave(&shorter, samples)?;
    let points: Vec<(usize, f64)> = sizes.iter().copied().zip(figures.iter().map(|figure| figure.median)).collect();
    let fitted = Figure::exact(exponent(&points).ok_or_else(|| Failure::msg("a curve of too few sizes"))?);
    let row = Row::new(curve.id, curve.what, curve.function, fitted).unit(Unit::Exponent);
    let target = curve.growth.most(curve.sizes, controls).map(Target::Limit);
    Ok(Row { target, curve: points, ..row })
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
    use super::control::{self, Controls};
    use super::{Curve, Growth, TO_10_000, TO_100_000, kernel, prompt, row, scopes, without_last_decade};
    use super::{Failure, Options, Sample};

    fn all() -> impl Iterator<Item = &'static Curve> {
        control::CURVES.iter().chain(prompt::CURVES).chain(scopes::CURVES).chain(kernel::CURVES)
    }

    #[test]
    fn a_quick_run_leaves_the_last_decade_out() {
        assert_eq!(without_last_decade(TO_10_000), [1, 10, 100, 300, 1_000]);
        assert_eq!(without_last_decade(&[]), [0_usize; 0]);
    }

    /// A curve that gives made-up figures.
    fn made_up(growth: Growth, at: fn(usize) -> Result<Sample<'static>, Failure>) -> Curve {
        Curve { id: "growth: made up", what: "nothing", sizes: TO_10_000, growth, at, function: "made_up" }
    }

    /// The verdict on made-up figures of a machine whose memory is so steep that the control has `n^1.4`, or of one without.
    fn verdict(is_steep: bool, at: fn(usize) -> Result<Sample<'static>, Failure>) -> Option<bool> {
        let options = Options::parse(&["--rounds".to_owned(), "1".to_owned()]).unwrap().unwrap();
        let mut controls = Controls::default();
        if is_steep {
            let control = made_up(Growth::Control, |size| Ok(Box::new(move |_| Ok(number(size).powf(1.4)))));
            let measured = row(&control, &options, &controls).unwrap();
            assert_eq!(measured.holds(), None);
            controls.add(&control, &measured);
        }
        row(&made_up(Growth::Linear, at), &options, &controls).unwrap().holds()
    }

    fn number(size: usize) -> f64 {
        f64::from(u32::try_from(size).unwrap())
    }

    #[test]
    fn a_square_fails_whatever_the_control_shows() {
        for is_steep in [false, true] {
            assert_eq!(verdict(is_steep, |size| Ok(Box::new(move |_| Ok(number(size).powi(2))))), Some(false));
            // And where what every call and every one of the size costs hide it as well as they can.
            let hidden = |size| -> Result<Sample<'static>, Failure> {
                Ok(Box::new(move |_| Ok(300.0 + 50.0 * number(size) + number(size).powi(2))))
            };
            assert_eq!(verdict(is_steep, hidden), Some(false));
        }
        let steeper = Controls::of(TO_10_000, 3.0);
        assert!(steeper.most(TO_10_000) < 1.75);
    }

    #[test]
    fn what_is_as_steep_as_the_control_fails_only_where_the_control_is_not() {
        let as_steep =
            |size| -> Result<Sample<'static>, Failure> { Ok(Box::new(move |_| Ok(number(size).powf(1.45)))) };
        assert_eq!([verdict(false, as_steep), verdict(true, as_steep)], [Some(false), Some(true)]);
    }

    #[test]
    fn a_flat_control_makes_no_limit_narrower_and_another_curves_control_no_wider() {
        let least = Controls::default().most(TO_10_000).to_bits();
        assert_eq!(Controls::of(TO_10_000, 0.9).most(TO_10_000).to_bits(), least);
        assert_eq!(Controls::of(TO_100_000, 1.5).most(TO_10_000).to_bits(), least);
    }

    #[test]
    fn every_curve_in_proportion_has_a_control_over_its_sizes() {
        for curve in all().filter(|curve| curve.growth == Growth::Linear) {
            assert!(control::CURVES.iter().any(|control| control.sizes == curve.sizes), "{}", curve.id);
        }
    }

    #[test]
    fn every_curve_is_named_once_and_can_be_measured() {
        let runtime = dsh_bench::runtime().unwrap();
        let _inside = runtime.enter();
        let mut ids = Vec::new();
        for curve in all() {
            assert!(curve.id.starts_with("growth: ") && !ids.contains(&curve.id), "{}", curve.id);
            ids.push(curve.id);
            for size in [1, 130] {
                let mut sample = (curve.at)(size).unwrap();
                assert!(sample(std::time::Duration::ZERO).unwrap() > 0.0, "{}", curve.id);
            }
        }
    }
}
