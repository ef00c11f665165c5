//! Runs conformance scenarios through the public API, prints their traces, and compares them with the npm package.
//!
//! **Role.** A scenario drives the kernel and the prompt registry step by step and says nothing of Rust or TypeScript;
//! `FORMAT.md` defines it. This crate runs scenarios on this project ([`run()`]), makes random ones ([`generate()`]),
//! knows which keep clear of the known differences ([`predict`]), and compares both sides ([`conform()`]).
//!
//! **Non-goals.** No back door: everything goes through `dsh-harness`, as a program that embeds the library would. No
//! measuring of time.
//!
//! ```
//! use dsh_conformance::{Entry, Scenario, trace};
//! use serde_json::json;
//!
//! let scenario = Scenario::parse(
//!     r#"{"steps": [
//!         {"op": "plugin", "id": "p", "in": "root"},
//!         {"op": "section", "id": "x", "in": "p", "name": "x", "order": 1, "text": "Be brief."},
//!         {"op": "unload", "id": "p"},
//!         {"op": "render"}
//!     ]}"#,
//! )?;
//! assert_eq!(trace(&scenario).last(), Some(&Entry::Ok(json!("<identity>"))));
//! # Ok::<(), dsh_conformance::Malformed>(())
//! ```
//!
//! In reading order: the scenario and what a step gives, running it, printing traces; then the model, the generator
//! that asks it, and the comparison.

mod scenario;

mod entry;
mod run;

mod print;

mod model;

mod generate;

mod conform;

pub use conform::{ConformError, ConformOptions, Conformity, NpmError, conform};
pub use entry::{CODES, Entry, Failed};
pub use generate::generate;
pub use model::{Model, Predicted, Rule, predict, predict_recorded};
pub use print::trace_files;
pub use run::{run, trace};
pub use scenario::{
    Action, Assembly, Config, Content, FixedSection, Malformed, Part, Plugin, Probe, Scenario, Schema, Section, Step,
    Tools, Variable,
};
