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
        at: |count| Ok(strings(count)),
        function: "control.rs: strings",
    },
    Curve {
        id: "growth: control over 10,000 strings",
        what: STRINGS,
        sizes: TO_10_000,
        growth: Growth::Control,
        at: |count| Ok(strings(count)),
        function: "control.rs: strings",
    },
    Curve {
        id: "growth: control over 100,000 strings",
        what: STRINGS,
        sizes: TO_100_000,
        growth: Growth::Control,
        at: |count| Ok(strings(count)),
        function: "control.rs: strings",
    },
];

const STRINGS: &str = "eight strings for each, all in boxes of their own and in no order, are copied one by one";

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

/// Eight for each of the size, as long as a section of the other curves: about what a registration with its view keeps. They
/// lie in no order, as things that come and go do, so that nothing is fetched before it is asked for.
fn strings(count: usize) -> Sample<'static> {
    let mut source: Vec<Box<str>> = (0..count * 8).map(|_| "x".repeat(200).into()).collect();
    let mut random = 0x9E37_79B9_7F4A_7C15_usize;
    for at in (1..source.len()).rev() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        source.swap(at, random % (at + 1));
    }
    Box::new(move |time| per_call(time, || Ok(black_box(&source).clone())))
}
