//! The numbered invariants of `docs/architecture.md`: each number once, and each cited number there.

use std::collections::BTreeMap;

use crate::{Finding, Tree};

/// Where the invariants stand: lines that begin (after a list mark) with `**I12**`.
const PAGE: &str = "docs/architecture.md";

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    let mut known: BTreeMap<u32, usize> = BTreeMap::new();
    for (index, line) in tree.get(PAGE).into_iter().flat_map(|page| page.text.lines()).enumerate() {
        let Some(number) = defined(line) else { continue };
        if let Some(first) = known.insert(number, index + 1) {
            findings.push(Finding::new(
                PAGE,
                index + 1,
                format!("invariant I{number} stands at line {first} too"),
                "give the later one the next free number; numbers are never used again",
            ));
        }
    }
    let written = tree.files().iter().filter(|file| file.rust.is_some() || file.has_extension("md"));
    for file in written {
        for (index, line) in file.text.lines().enumerate() {
            for number in cited(line).filter(|number| !known.contains_key(number)) {
                findings.push(Finding::new(
                    &file.path,
                    index + 1,
                    format!("invariant I{number} is cited and does not exist"),
                    format!("cite one that stands in {PAGE}, or write it there"),
                ));
            }
        }
    }
}

/// `* **I12** …` defines 12.
fn defined(line: &str) -> Option<u32> {
    line.trim_start_matches(['*', '-', ' ']).strip_prefix("I")?.split_once("**")?.0.parse().ok()
}

/// One number in parentheses, or several with commas, cite: as in the tests below.
fn cited(line: &str) -> impl Iterator<Item = u32> {
    line.split("(I").skip(1).filter_map(|rest| rest.split_once(')')).flat_map(|(inside, _)| {
        let numbers: Option<Vec<u32>> =
            inside.split(',').map(|part| part.trim().trim_start_matches('I').parse().ok()).collect();
        numbers.unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::{check, cited, defined};
    use crate::Tree;

    #[test]
    fn definitions_and_citations_are_told_from_other_text() {
        assert_eq!(defined("* **I12** A call."), Some(12));
        assert_eq!(defined("**I1** A call."), Some(1));
        assert_eq!(defined("In **I12** we say."), None);
        let cite = |inside: &str| cited(&format!("a ({inside}) b")).collect::<Vec<_>>();
        assert_eq!(cite("I12"), [12]);
        assert_eq!(cite("I1, I20"), [1, 20]);
        assert_eq!(cite("In short"), [0_u32; 0]);
        assert_eq!(cite("IO"), [0_u32; 0]);
    }

    #[test]
    fn a_number_given_twice_and_one_that_is_missing_are_found() {
        let source = format!("//! Head.\n// as ({}) says\n// and ({})\n", "I1", "I3");
        let tree = Tree::of([("docs/architecture.md", "* **I1** a\n* **I2** b\n* **I1** c\n"), ("a.rs", &source)]);
        let mut findings = Vec::new();
        check(&tree, &mut findings);
        let places: Vec<_> = findings.iter().map(|finding| (finding.file.as_str(), finding.line)).collect();
        assert_eq!(places, [("docs/architecture.md", 3), ("a.rs", 3)]);
    }
}
