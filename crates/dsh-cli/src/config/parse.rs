//! One document of a configuration, from its text to its tree.

use toml::de::DeTable;

use super::not_toml::{Broken, no_number, too_deep, too_many_headers};
use super::tree::{Branch, Tier};
use crate::diagnostic::{Report, SourceId};

/// A document is not TOML; why has been reported.
#[derive(Debug)]
pub(crate) struct NotToml;

/// Parses a document; every error in it is reported.
pub(crate) fn parse(source: SourceId, tier: Tier, text: &str, report: &mut Report) -> Result<Branch, NotToml> {
    if let Some(diagnostic) = too_many_headers(source, text) {
        report.push(diagnostic);
        return Err(NotToml);
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    // What follows goes from table to table by recursion.
    if let Some(diagnostic) = too_deep(source, document.get_ref()) {
        report.push(diagnostic);
        return Err(NotToml);
    }
    if errors.is_empty() {
        if let Some(diagnostic) = no_number(source, document.get_ref()) {
            report.push(diagnostic);
            return Err(NotToml);
        }
        return Ok(Branch::of(source, tier, text, document.into_inner()));
    }
    let broken = Broken::new(source, text, &document);
    for error in errors {
        report.push(broken.diagnostic(&error));
    }
    Err(NotToml)
}
