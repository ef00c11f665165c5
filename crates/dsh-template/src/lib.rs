//! Strict `{{name}}` text: compile, render, escape.
//!
//! **Role.** A prompt is put together from texts that name variables. This crate says what such a text means: [`Text`] is raw or
//! a template, [`Template`] is a template compiled once and rendered many times, and whatever is not certainly right is an
//! [`Error`] with its byte range and what would be right. Compiling and rendering take time linear in their input, also in
//! hostile input (the map of distinct names adds a logarithm of their number).
//!
//! **Non-goals.** No conditions, loops, filters or includes. No IO, no files, no variables of its own: values come from the
//! caller. No markup is escaped. Nothing that was put in is read again. It knows no section and no owner; the prompt registry
//! adds those to the error.
//!
//! # Grammar
//!
//! The text is read from left to right. At each `{{`, the first of these that fits decides:
//!
//! 1. `{{"..."}}`, a JSON string with no blanks round it, stands for that string. Braces inside the quotes are its content.
//! 2. `{{...}}` with no braces inside is a complete group: a reference if what is inside is a name (`[a-z][a-z0-9_]*`),
//!    malformed if not.
//! 3. If a `}}` follows anywhere later in the text, the `{{` is malformed.
//! 4. Otherwise the `{{`, and with it all the rest of the text, is prose.
//!
//! Single braces, and a `}}` without a `{{` before it, are prose.
//!
//! # Example
//!
//! ```
//! use dsh_template::{ErrorKind, Lookup, Template, escape};
//!
//! let lookup = |name: &str| match name {
//!     "team" => Lookup::Value("harbour"),
//!     "branch" => Lookup::Valueless,
//!     _ => Lookup::Unknown,
//! };
//! let template = Template::compile(r#"Answer for {{team}} as {"n":{"k":1}}, not as {{"{{team}}"}}."#);
//! assert_eq!(template.render(lookup)?, r#"Answer for harbour as {"n":{"k":1}}, not as {{team}}."#);
//!
//! let error = Template::compile("on {{branch}}").render(lookup).unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::ValuelessVariable);
//! assert_eq!(error.range(), 3..13);
//!
//! let page = "<p>{{msg}}</p>";
//! assert_eq!(Template::compile(&escape(page)).render(lookup)?, page);
//! # Ok::<(), dsh_template::Error>(())
//! ```
#![no_std]
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

extern crate alloc;

mod text;

mod quoted;
mod scan;

mod quotation;
mod reference;
mod template;

mod render;

mod escape;

mod error;
mod fault;
mod position;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;

pub use crate::error::{Error, ErrorKind};
pub use crate::escape::escape;
pub use crate::position::Position;
pub use crate::quotation::{Quotation, Quotations, quotations};
pub use crate::reference::{Reference, References, references};
pub use crate::render::Lookup;
pub use crate::scan::is_variable_name;
pub use crate::template::{Piece, Pieces, Template, Variable};
pub use crate::text::{Text, TextKind};
