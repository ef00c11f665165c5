//! What is said to the agent: the argument, and standard input behind it.

use crate::diagnostic::Diagnostic;
use crate::outside::{Piped, piped_input};

/// Longer messages are refused: no model takes them.
const LIMIT: u64 = 16 << 20;

/// The message; or why there is none.
pub(super) fn message(argument: Option<&str>) -> Result<String, Box<Diagnostic>> {
    let said = argument.filter(|said| *said != "-");
    let piped = match piped_input(LIMIT, argument == Some("-")) {
        Piped::Terminal => None,
        Piped::Text(text) => Some(text),
        Piped::TooLong => {
            let headline = format!("standard input is longer than {} MB", LIMIT >> 20);
            return Err(refused(headline, "name the file in the message, and give the agent a tool that reads it"));
        }
        Piped::NotUtf8(offset) => {
            return Err(refused(format!("standard input is not UTF-8, from byte {offset} on"), "a message is text"));
        }
        Piped::Failed(error) => return Err(refused(format!("standard input cannot be read: {error}"), "")),
    };
    let parts = said.into_iter().chain(piped.as_deref().map(str::trim_end)).filter(|part| !part.trim().is_empty());
    let message = parts.collect::<Vec<_>>().join("\n\n");
    if message.is_empty() {
        return Err(refused(
            "there is no message".to_owned(),
            "`dsh run \"…\"` says something; `-` is all of standard input",
        ));
    }
    Ok(message)
}

fn refused(headline: String, help: &str) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error("cli::no_message", headline);
    Box::new(if help.is_empty() { diagnostic } else { diagnostic.with_help(help) })
}
