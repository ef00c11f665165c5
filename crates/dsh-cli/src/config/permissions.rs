//! The reader of `[permissions]`: which calls of tools run without anybody being asked, and which never run.

use super::At;
use super::check;
use super::table::Table;
use crate::diagnostic::Report;

/// What may be called; a name, or a beginning of names and `*`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Permissions {
    /// These run where somebody would be asked.
    pub(crate) allow: Vec<At<String>>,
    /// These do not run.
    pub(crate) deny: Vec<At<String>>,
}

/// Reads the permissions of a layer; what is wrong is reported and left out.
pub(super) fn permissions(layer: &mut Table<'_>, report: &mut Report) -> Permissions {
    let Some(mut table) = layer.table("permissions", "the permissions", report) else { return Permissions::default() };
    let allow = table.strings("allow", report).map(|list| check::patterns(list.value, report));
    let deny = table.strings("deny", report).map(|list| check::patterns(list.value, report));
    table.refuse_unknown(report);
    Permissions { allow: allow.unwrap_or_default(), deny: deny.unwrap_or_default() }
}
