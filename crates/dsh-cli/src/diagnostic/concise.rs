//! A line for each diagnostic, as compilers print them and editors read them.

use super::plain::one_line;
use super::{Diagnostic, Sources};

/// `file:line:column: error[code]: headline`; what has no place begins with its severity.
pub(crate) fn text(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    diagnostics.iter().map(|diagnostic| line(diagnostic, sources)).collect()
}

fn line(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let (severity, code, headline) = (diagnostic.severity, diagnostic.code, one_line(&diagnostic.headline));
    match diagnostic.places.first().and_then(|place| sources.locate(place.span)) {
        Some(at) => format!("{}:{}: {severity}[{code}]: {headline}\n", one_line(at.path), at.start),
        None => format!("{severity}[{code}]: {headline}\n"),
    }
}
