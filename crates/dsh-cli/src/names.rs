//! Names in messages: the right one nearest to a wrong one, and lists of them.

/// At most so many names are listed.
const LISTED: usize = 12;

/// The one of `names` that `wrong` was most likely meant to be; none if nothing is near.
///
/// Near is at most one edit in three characters, two neighbours swapped counting as one; a difference of case alone is always near.
/// Of two equally near names, the first wins.
pub(crate) fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let reach = (wrong.chars().count() / 3).max(1);
    let lower = wrong.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        // Each missing or extra character is an edit: most names are ruled out by length.
        if name.len().abs_diff(wrong.len()) > reach * 4 {
            continue;
        }
        let distance = if name.to_lowercase() == lower { 0 } else { strsim::osa_distance(wrong, name) };
        if distance <= reach && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Names as a person reads a list of them; "(none)" if there are none.
pub(crate) fn list(names: &[&str]) -> String {
    let mut listed: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(LISTED) {
        0 if listed.is_empty() => return "(none)".to_owned(),
        0 => {}
        more => listed.push(format!("and {more} more")),
    }
    listed.join(", ")
}

#[cfg(test)]
mod tests {
    use super::{list, nearest};

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let names = ["persona", "persona_file", "tool_order", "sections"];
        assert_eq!(nearest("sectons", names), Some("sections"));
        assert_eq!(nearest("Tool_Order", names), Some("tool_order"));
        assert_eq!(nearest("presona", names), Some("persona"));
        assert_eq!(nearest("model", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn a_very_long_name_costs_nothing() {
        assert_eq!(nearest(&"x".repeat(1 << 20), ["persona"]), None);
    }

    #[test]
    fn a_list_is_cut_and_an_empty_one_says_so() {
        assert_eq!(list(&[]), "(none)");
        assert_eq!(list(&["a", "b"]), "`a`, `b`");
        assert!(list(&["x"; 20]).ends_with("`x`, and 8 more"));
    }
}
