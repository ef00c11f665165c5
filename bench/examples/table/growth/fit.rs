//! The exponent of a curve: the slope of the straight line that lies nearest to its points where both axes are logarithms.

/// The decades below the largest size that the line is fitted to: further down, what every call costs is most of it.
const DECADES: f64 = 2.0;

/// The power of the size that the figures grow with; `None` of fewer than two sizes.
pub(super) fn exponent(points: &[(usize, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(size, figure)| (log(*size), figure.log10())).collect();
    let least = logs.last()?.0 - DECADES - 1e-9;
    let upper: Vec<(f64, f64)> = logs.into_iter().filter(|(size, _)| *size >= least).collect();
    let count = f64::from(u32::try_from(upper.len()).ok().filter(|count| *count > 1)?);
    let (mean_size, mean_figure) = (
        upper.iter().map(|(size, _)| size).sum::<f64>() / count,
        upper.iter().map(|(_, figure)| figure).sum::<f64>() / count,
    );
    let along: f64 = upper.iter().map(|(size, figure)| (size - mean_size) * (figure - mean_figure)).sum();
    let width: f64 = upper.iter().map(|(size, _)| (size - mean_size).powi(2)).sum();
    (width > 0.0).then(|| along / width)
}

fn log(size: usize) -> f64 {
    f64::from(u32::try_from(size.max(1)).unwrap_or(u32::MAX)).log10()
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "rounded to whole hundredths")]
mod tests {
    use super::exponent;

    /// The exponent of a made-up curve, in hundredths.
    fn hundredths(figure: impl Fn(f64) -> f64) -> f64 {
        let sizes = [1_usize, 10, 100, 300, 1_000, 3_000, 10_000];
        let points: Vec<(usize, f64)> =
            sizes.map(|size| (size, figure(f64::from(u32::try_from(size).unwrap())))).to_vec();
        (exponent(&points).unwrap() * 100.0).round()
    }

    #[test]
    fn a_power_is_found_whatever_it_is_multiplied_by() {
        assert_eq!(hundredths(|size| 3.0 * size), 100.0);
        assert_eq!(hundredths(|size| size.powi(2) / 7.0), 200.0);
        assert_eq!(hundredths(|_| 12.0), 0.0);
    }

    #[test]
    fn what_every_call_costs_hides_nothing_in_the_upper_decades() {
        assert!(hundredths(|size| 300.0 + size.powi(2)) > 190.0);
        assert!(hundredths(|size| size * size.log2().max(1.0)) < 120.0);
    }

    #[test]
    fn one_size_has_no_slope() {
        assert_eq!(exponent(&[(10, 1.0)]), None);
        assert_eq!(exponent(&[]), None);
    }
}
