//! Curves that are in proportion by construction. What their exponents have above 1 is the machine's: the step from the caches
//! to memory, and the pages that a fresh buffer costs.

use std::hint::black_box;

use super::{BYTES, Curve, Growth, TO_1_000, TO_10_000, TO_100_000};
use crate::round::Sample;
use crate::row::Row;
use crate::timing::per_call;

pub(super) const CURVES: &[Curve] = &[
    Curve {
        id: "growth: control over bytes",
        what: "so many bytes are copied into a fresh buffer",
        sizes: BYTES,
        growth: Growth::Control,
        at: |bytes| Ok(copies(bytes)),
        function: "control.rs: copies",
    },
    Curve {
        id: "growth: control over 1,000 strings",
        what: STRINGS,
        sizes: TO_1_000,
        growth: Growth::Control,
        at: |count| Ok(strings(count, 16)),
        function: "control.rs: strings",
    },
    Curve {
        id: "growth: control over 10,000 strings",
        what: STRINGS,
        sizes: TO_10_000,
        growth: Growth::Control,
        at: |count| Ok(strings(count, 16)),
        function: "control.rs: strings",
    },
    Curve {
        id: "growth: control over 100,000 strings",
        what: FEWER_STRINGS,
        sizes: TO_100_000,
        growth: Growth::Control,
        at: |count| Ok(strings(count, 4)),
        function: "control.rs: strings",
    },
];

/// With what goes with them they are as large as what the largest of these curves keeps for each of its size: the 4 kB of a
/// scope with its view.
const STRINGS: &str = "sixteen strings for each, all in boxes of their own and in no order, are copied one by one";

/// As large as a fiber.
const FEWER_STRINGS: &str = "four strings for each, all in boxes of their own and in no order, are copied one by one";

/// What is asked of a curve in proportion on a machine whose control shows no more than that.
const LEAST: f64 = 1.3;

/// A curve may be so much steeper than its control: a sort or a tree costs a logarithm.
const ABOVE: f64 = 0.1;

/// Whatever the control shows, a square stays clearly above.
const MOST: f64 = 1.7;

/// The controls' exponents, each with the sizes that it was measured over.
#[derive(Default)]
pub(super) struct Controls(Vec<(&'static [usize], f64)>);

impl Controls {
    /// A single one, made up.
    #[cfg(test)]
    pub(super) fn of(sizes: &'static [usize], exponent: f64) -> Self {
        Self(vec![(sizes, exponent)])
    }

    pub(super) fn add(&mut self, curve: &Curve, row: &Row) {
        if let Ok(measured) = &row.measured {
            self.0.push((curve.sizes, measured.ours.median));
        }
    }

    /// At most which power a curve over these sizes may grow with: its control is the one over the same sizes.
    pub(super) fn most(&self, sizes: &[usize]) -> f64 {
        let control = self.0.iter().find(|(over, _)| *over == sizes);
        control.map_or(LEAST, |(_, exponent)| (exponent + ABOVE).clamp(LEAST, MOST))
    }
}

fn copies(bytes: usize) -> Sample<'static> {
    let source = vec![b'x'; bytes];
    Box::new(move |time| per_call(time, || Ok(black_box(&source).clone())))
}

/// So many for each of the size, as long as a section of the other curves. They lie in no order, as things that come and go do,
/// so that nothing is fetched before it is asked for.
fn strings(count: usize, each: usize) -> Sample<'static> {
    let mut source: Vec<Box<str>> = (0..count * each).map(|_| "x".repeat(200).into()).collect();
    let mut random = 0x9E37_79B9_usize;
    for at in (1..source.len()).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        source.swap(at, random % (at + 1));
    }
    Box::new(move |time| per_call(time, || Ok(black_box(&source).clone())))
}
