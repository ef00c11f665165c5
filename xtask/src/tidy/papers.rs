//! READMEs with their API tables, and no paths of somebody's machine in any text.

use std::collections::BTreeSet;

use super::{Exception, excepted};
use crate::{Finding, Tree, catalog};

/// Files that may hold absolute paths of a machine.
pub(super) const PATHS: &[Exception] = &[];

/// Folders at the root of somebody's machine.
const MACHINE: [&str; 4] = ["home", "root", "Users", "work"];

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    readmes(tree, findings);
    for file in tree.files().iter().filter(|file| !excepted(PATHS, &file.path)) {
        for (index, line) in file.text.lines().enumerate() {
            if let Some(folder) = MACHINE.into_iter().find(|folder| names_root_folder(line, folder)) {
                findings.push(Finding::new(
                    &file.path,
                    index + 1,
                    format!("an absolute path under `{folder}` at the root of a machine"),
                    "write it relative to the repository, or under `/srv` where it is an example",
                ));
            }
        }
    }
}

fn readmes(tree: &Tree, findings: &mut Vec<Finding>) {
    let crates: BTreeSet<(&str, bool)> = tree
        .files()
        .iter()
        .filter(|file| file.path.ends_with("/Cargo.toml"))
        .filter_map(|file| Some((file.crate_folder()?, file.text.contains("level = \"dev\""))))
        .collect();
    for (folder, dev) in crates {
        let path = format!("{folder}/README.md");
        let Some(readme) = tree.get(&path) else {
            findings.push(Finding::new(
                &path,
                1,
                "the crate has no README",
                "write its role, its non-goals and an example",
            ));
            continue;
        };
        if !dev && catalog::splice(&readme.text, "").is_err() {
            findings.push(Finding::new(
                &path,
                1,
                "no place for the API table",
                format!("write the lines `{}` and `{}`, then run `cargo xtask catalog`", catalog::BEGIN, catalog::END),
            ));
        }
    }
}

/// Whether the line has `/folder/` as the beginning of an absolute path.
fn names_root_folder(line: &str, folder: &str) -> bool {
    let wanted = format!("/{folder}/");
    line.match_indices(&wanted).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        // After any of these the slash goes on with a relative path or an address.
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}' | '>' | ')' | '*'))
    })
}

#[cfg(test)]
mod tests {
    use super::{check, names_root_folder};
    use crate::Tree;

    #[test]
    fn absolute_paths_are_told_from_relative_ones() {
        let path = |before: &str| format!("{before}/{}/x", "work");
        assert!(names_root_folder(&path("in "), "work") && names_root_folder(&path("\""), "work"));
        assert!(!names_root_folder(&path("docs"), "work") && !names_root_folder(&path("https://a.b"), "work"));
        assert!(!names_root_folder("/workshop/x", "work"));
    }

    #[test]
    fn a_crate_needs_a_readme_and_a_place_for_its_table_unless_it_is_a_dev_crate() {
        let tree = Tree::of([
            ("crates/a/Cargo.toml", "level = 1"),
            ("crates/b/Cargo.toml", "level = 1"),
            ("crates/b/README.md", "no table"),
            ("crates/c/Cargo.toml", "level = 1"),
            ("crates/c/README.md", "<!-- api:begin -->\n<!-- api:end -->\n"),
            ("xtask/Cargo.toml", "level = \"dev\""),
            ("xtask/README.md", "no table"),
        ]);
        let mut findings = Vec::new();
        check(&tree, &mut findings);
        let files: Vec<&str> = findings.iter().map(|finding| finding.file.as_str()).collect();
        assert_eq!(files, ["crates/a/README.md", "crates/b/README.md"]);
    }
}
