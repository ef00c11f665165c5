//! The command `dsh`: shows the prompt that a project folder makes.
//!
//! # Role
//!
//! This crate turns a folder with a `dsh.toml` into plugins on a kernel, assembles, renders and prints. It is
//! the one crate of dsh that reads the environment, the working folder and a project's files; what the libraries need of them is
//! passed in. It is also the one crate that writes to a terminal: errors of every library become one kind of diagnostic here.
//!
//! # Non-goals
//!
//! It is not a library: programs that embed dsh depend on `dsh-harness`. Two items are public, so that `main.rs` is a shell and tests
//! go through the binary, as a user does. It opens no connection, and the only processes that it starts are
//! the commands of tools that the user has trusted.
//!
//! # Example
//!
//! ```
//! use dsh_cli::{ExitStatus, run};
//!
//! assert_eq!(run(["dsh", "--version"]), ExitStatus::Success);
//! ```
//!
//! # Modules, in reading order
//!
//! * `args`: what can be asked
//! * `run`, `status`: from arguments to an exit status
//! * `outside`: files, folders and streams, the only door to the outside world
//! * `diagnostic`: what is said when something is wrong, as data; `diagnostic::render` makes it text
//! * `config`: `dsh.toml` as data with places, read by a reader that collects every mistake
//! * `trust`: what a project's files ask for beyond being text, and whether the user has trusted it
//! * `project`: that data and the files it names, as plugins on a kernel; `project::blame` leads errors back to their places
//! * `commands`: one module for each command
//! * `rules`: what each diagnostic code means, with an example
//! * `calendar`: days and moments
//! * `names`: the right name nearest to a wrong one, and names as messages show them

mod args;
mod calendar;
mod commands;
mod config;
mod diagnostic;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod names;
mod outside;
mod project;
mod rules;
mod run;
mod status;
mod trust;

pub use crate::run::run;
pub use crate::status::ExitStatus;
