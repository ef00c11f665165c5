//! How a time is taken: in batches that are long beside the clock, of which the lower quartile counts. What else the machine
//! does only ever adds to a batch.

use std::hint::black_box;
use std::time::{Duration, Instant};

use dsh_kernel::Failure;

use crate::round::lower_quartile;

/// One reading of the clock stands for at least so much work.
const BATCH: Duration = Duration::from_millis(1);

/// So many prepared inputs are worked off between two readings: their results stay in the near caches.
const CHUNK: usize = 8;

/// Nanoseconds of one call: the lower quartile of batches of at least 1 ms, measured for `at_least`.
pub(crate) fn per_call<T>(at_least: Duration, mut call: impl FnMut() -> Result<T, Failure>) -> Result<f64, Failure> {
    let mut batch = |calls: u32| -> Result<Duration, Failure> {
        let begun = Instant::now();
        for _ in 0..calls {
            black_box(call()?);
        }
        Ok(begun.elapsed())
    };
    let mut calls = 1_u32;
    // The first batches are the warm-up, too.
    while batch(calls)? < BATCH {
        calls = calls.saturating_mul(2);
    }
    let begun = Instant::now();
    let mut times = Vec::new();
    while times.is_empty() || begun.elapsed() < at_least {
        times.push(nanoseconds(batch(calls)?) / f64::from(calls));
    }
    Ok(lower_quartile(&mut times))
}

/// Nanoseconds of one call on a prepared input. Preparing, and dropping what the calls give, is not timed.
pub(crate) fn per_prepared<P, T>(
    at_least: Duration,
    mut prepare: impl FnMut() -> Result<P, Failure>,
    mut call: impl FnMut(&P) -> Result<T, Failure>,
) -> Result<f64, Failure> {
    let begun = Instant::now();
    let mut times = Vec::new();
    let mut results = Vec::with_capacity(CHUNK);
    while times.len() < 2 || begun.elapsed() < at_least {
        let (mut time, mut calls) = (Duration::ZERO, 0_u32);
        while time < BATCH {
            let inputs = (0..CHUNK).map(|_| prepare()).collect::<Result<Vec<P>, Failure>>()?;
            let from = Instant::now();
            for input in &inputs {
                results.push(black_box(call(black_box(input))?));
                calls += 1;
            }
            time += from.elapsed();
            results.clear();
        }
        times.push(nanoseconds(time) / f64::from(calls));
    }
    // The first batch was the warm-up.
    Ok(times.get_mut(1..).map_or(0.0, lower_quartile))
}

/// A duration in nanoseconds.
pub(crate) fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}
