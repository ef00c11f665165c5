//! JSON as it was written: tokens, a tree that keeps order and digits, text and its escapes. No floats anywhere.

mod order;
mod text;
mod tokens;
mod tree;

pub use order::utf16_cmp;
pub use text::escape_json;
pub use tree::MAX_DEPTH;

pub(crate) use text::push_string;
pub(crate) use tree::{Member, Node, Value, parse};
