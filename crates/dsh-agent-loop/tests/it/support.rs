//! What the tests share.

mod check;
mod model;
mod points;
mod world;

pub(crate) use check::{assert_valid, kinds};
pub(crate) use model::{Piece, Played, call, fail, said, steps_since_user};
pub(crate) use points::{PointClock, PointStore, Points};
pub(crate) use world::{World, WorldBuilder, ends, id, lasting};
