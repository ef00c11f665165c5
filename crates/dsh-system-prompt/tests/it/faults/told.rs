//! What a caller is told, in a line: code, owner, label and the very failure.

use dsh_kernel::Owner;

pub(crate) fn kernel<T>(result: Result<T, dsh_kernel::Error>) -> String {
    result.map_or_else(|error| of_kernel(&error), |_| "ok".to_owned())
}

pub(crate) fn prompt<T>(result: Result<T, dsh_system_prompt::Error>) -> String {
    let Err(error) = result else { return "ok".to_owned() };
    if let Some(error) = error.kernel() {
        return of_kernel(error);
    }
    let failure = error.failure().map(ToString::to_string);
    line(error.code(), error.owner(), error.section().or(error.name()), failure)
}

fn of_kernel(error: &dsh_kernel::Error) -> String {
    if error.links().is_empty() {
        let failure = error.failure().map(ToString::to_string);
        return line(error.code(), error.owner(), error.label().map(dsh_kernel::Name::as_str), failure);
    }
    let link = |link: &dsh_kernel::LinkFailure| {
        line(error.code(), Some(&link.owner), Some(link.label.as_str()), Some(link.failure.to_string()))
    };
    error.links().iter().map(link).collect::<Vec<_>>().join("; ")
}

fn line(code: &str, owner: Option<&Owner>, label: Option<&str>, failure: Option<String>) -> String {
    let owner = owner.map(|owner| format!(" of {owner}")).unwrap_or_default();
    let label = label.map(|label| format!(" at {label}")).unwrap_or_default();
    let failure = failure.map(|failure| format!(": {failure}")).unwrap_or_default();
    format!("{code}{owner}{label}{failure}")
}
