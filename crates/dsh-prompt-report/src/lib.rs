//! What is computed from the parts of an assembled prompt: its lints.
//!
//! **Role.** An assembly says of each part whose it is, from which layer, and where its text was read from. Here are questions to
//! such an assembly whose answers somebody should look at: sections of different owners that ask for one place ([`equal_orders`]),
//! texts that name tools which are not there ([`unseen_tools`]), and characters that no reader sees ([`hidden_parts`]). Each of
//! these is a pure function to small findings that borrow from the assembly. Variables that nobody refers to are found over many
//! assemblies, which a collector is fed with ([`VariableUse`]). All go through a text once.
//!
//! **Non-goals.** No words for a person: whoever reports says where a part stands in its file and what would be right. No IO, no
//! severities, no configuration. Nothing is changed or refused: an assembly with findings is a good assembly.
//!
//! ```
//! use dsh_prompt_report::{hidden_parts, unseen_tools};
//! use dsh_system_prompt::{AssembledSection, PromptAssembly};
//!
//! let mut assembly = PromptAssembly::new();
//! assembly.sections_mut().push(AssembledSection::new("editing", 120, "Use `patch`, not dispatch.\u{200B}"));
//!
//! let unseen = unseen_tools(&assembly, ["patch", "write"]);
//! assert_eq!((unseen[0].section.name(), unseen[0].tool, unseen[0].range.clone()), ("editing", "patch", 5..10));
//! assert_eq!(unseen.len(), 1);
//! assert_eq!(hidden_parts(&assembly)[0].places[0].character.to_string(), "U+200B");
//! ```
//!
//! In reading order, by what a finding is about: places, tools, variables, characters.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod order;

mod unseen;

mod variable_use;

mod hidden;

pub use hidden::{Hidden, HiddenPart, HiddenPlace, HiddenText, MOST_HIDDEN_PLACES, hidden_parts};
pub use order::{EqualOrder, equal_orders};
pub use unseen::{UnseenTool, unseen_tools};
pub use variable_use::{UnusedVariable, VariableUse};
