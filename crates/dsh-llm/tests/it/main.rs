//! What dsh-llm promises, seen from outside.

mod bounds;
mod canonical;
mod errors;
mod hostile;
mod keep;
mod message;
mod properties;
mod real_tools;
mod schema;
mod scripted;
mod support;
mod tool_list;
