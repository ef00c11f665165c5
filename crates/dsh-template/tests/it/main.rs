//! What the crate promises, tested through its public API.

mod cases;
mod errors;
mod hostile;
mod plain;
mod properties;
mod quoted;
mod render_strict;
mod slots;
mod support;
mod types;
