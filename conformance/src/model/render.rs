//! Strict rendering, as plainly as it can be said.

use crate::entry::Failed;

use super::Rule;
use super::assembly::{Assembled, Stop};
use super::registry::is_variable_name;

/// The prompt of an assembly.
pub(super) fn render(assembly: &Assembled) -> Result<String, Stop> {
    let mut texts: Vec<String> = Vec::new();
    let mut hidden_late = false;
    for section in &assembly.sections {
        let text = interpolate(&section.text, &assembly.variables)?;
        hidden_late |= section.identity && !texts.is_empty();
        if !text.is_empty() {
            texts.push(text);
        }
    }
    if hidden_late { Err(Rule::IdentityNotFirst.into()) } else { Ok(texts.join("\n\n")) }
}

fn interpolate(text: &str, variables: &[(String, Option<String>)]) -> Result<String, Stop> {
    let fail = |code| Err(Stop::Failed(Failed::with(code)));
    let mut done = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        done += before;
        let inside = after.find(['{', '}']).map_or(after, |end| after.split_at(end).0);
        let group = after.strip_prefix(inside).and_then(|tail| tail.strip_prefix("}}"));
        match group {
            Some(tail) => {
                if !is_variable_name(inside) {
                    return fail("malformed_reference");
                }
                match variables.iter().find(|(name, _)| name == inside) {
                    None => return fail("unknown_variable"),
                    Some((_, None)) => return fail("valueless_variable"),
                    Some((_, Some(value))) => done += value,
                }
                rest = tail;
            }
            None if after.contains("}}") => return fail("malformed_reference"),
            None => {
                done += "{{";
                rest = after;
            }
        }
    }
    Ok(done + rest)
}
