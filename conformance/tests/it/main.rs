//! The tests of dsh-conformance, in one binary.

mod differences;
mod generator;
mod model;
mod reading;
mod recorded;
mod support;
