//! What must hold of every input of dsh's readers, as functions of bytes.
//!
//! **Role.** Each function takes any bytes and panics where something does not hold that has to: not only that nothing panics, but
//! that what is read can be written and read again, that two ways to one answer agree, and that every place that is told lies in
//! the text. A fuzzer feeds them (`fuzz/libfuzzer`), and so do the tests of this crate, on stable, with the kept corpora and with
//! random texts made of fragments of each grammar. `docs/fuzz.md` says what each function asserts and how to run a fuzzer.
//!
//! **Non-goals.** No IO, no measuring of time; a fuzzer's own limit on the time of one input looks for work that is not linear.

mod support;
mod text;

mod found;

mod agent_file;
mod configuration;
mod instructions;
mod scenario;
mod template;
mod tools;

mod targets;

pub use agent_file::agent_file;
pub use configuration::configuration;
pub use instructions::instructions;
pub use scenario::scenario;
pub use targets::{TARGETS, Target};
pub use template::template;
pub use tools::tools;
