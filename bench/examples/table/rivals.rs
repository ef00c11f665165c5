//! The other sides.

mod by_hand;
mod engines;
mod npm;
mod values;

pub(crate) use by_hand::ByHand;
pub(crate) use engines::{Engine, Handlebars, Minijinja, Tera, Upon};
pub(crate) use npm::{Measure, Npm};
pub(crate) use values::Values;
