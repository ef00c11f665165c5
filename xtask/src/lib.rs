//! Every repository chore, in Rust: tests, house rules, layering, the catalog, conformance, and all gates at once.
//!
//! **Role.** What a person runs at home and what CI runs are the same commands of this one program (`cargo xtask help`
//! lists them). Rules about the repository are functions from a [`Tree`] or a [`Metadata`] to [`Finding`]s, so that
//! each can be tried on a made-up repository; `tests/it` runs them on this one.
//!
//! **Non-goals.** No dependency on a crate of dsh, nor on anything heavy: every chore starts with building this crate.
//! What needs dsh itself (the catalog, conformance, benches) runs as a child process.
//!
//! ```
//! use xtask::{Tree, tidy};
//!
//! let tree = Tree::of([("crates/a/src/main.rs", "fn main() {}\n")]);
//! let findings = tidy::check(&tree);
//! assert!(findings.iter().any(|finding| finding.to_string().starts_with("crates/a/src/main.rs:1: no `//!` head")));
//! ```

pub mod bench;
pub mod catalog;
pub mod ci;
pub mod cli;
pub mod conform;
pub mod layers;
pub mod model;
pub mod stress;
pub mod test;
pub mod tidy;

mod error;
mod finding;
mod metadata;
mod process;
mod rust_source;
mod tree;
mod watch;
mod workspace;

pub use cli::run;
pub use error::{Error, Outcome};
pub use finding::Finding;
pub use metadata::{Dependency, Kind, Level, Metadata, Package};
pub use rust_source::{RustSource, mask};
pub use tree::{File, Tree};
pub use workspace::root;
