//! `docs/catalog.md` and the API tables of the READMEs, written from what the booted plugins say of themselves.
//!
//! The example `catalog` of dsh-harness boots the plugins and prints JSON; this module makes the pages of it. So the
//! facts stand once, beside the code, and the pages cannot say anything else.

mod model;
mod pages;

use std::path::Path;
use std::process::Command;

pub use model::{Catalog, Entry, Event, Method};
use pages::with_place;
pub use pages::{BEGIN, END, methods_listed, splice};

use crate::{Error, Finding, Level, Metadata, Outcome, process};

/// The page of all services, events and register-methods.
pub const PAGE: &str = "docs/catalog.md";

/// Writes what is stale.
pub fn write(root: &Path) -> Result<Outcome, Error> {
    let mut stale = 0;
    for (path, text) in made(root)? {
        if process::read(&root.join(&path)).ok().as_deref() != Some(&text) {
            process::write(&root.join(&path), &text)?;
            process::say(&format!("wrote {path}"));
            stale += 1;
        }
    }
    if stale == 0 {
        process::say("catalog: all fresh");
    }
    Ok(Outcome::Fine)
}

/// Finds what is stale, with its first differing line.
pub fn check(root: &Path) -> Result<Vec<Finding>, Error> {
    let stale = |(path, text): (String, String)| {
        let present = process::read(&root.join(&path)).unwrap_or_default();
        first_difference(&present, &text).map(|line| {
            Finding::new(&path, line, "not what the plugins say of themselves", "run `cargo xtask catalog`")
        })
    };
    Ok(made(root)?.into_iter().filter_map(stale).collect())
}

/// The files as they should be: path and text.
fn made(root: &Path) -> Result<Vec<(String, String)>, Error> {
    let catalog = Catalog::parse(&booted(root)?)?;
    let mut files = vec![(PAGE.to_owned(), catalog.page())];
    for package in Metadata::of_workspace(root)?.packages {
        let folder = Path::new(&package.manifest).parent().unwrap_or(root);
        let path =
            folder.strip_prefix(root).unwrap_or(folder).join("README.md").display().to_string().replace('\\', "/");
        // A dev crate has no table, and tidy asks for a README that is not there.
        let (Level::Number(_), Ok(text)) = (package.level, process::read(&root.join(&path))) else { continue };
        let spliced = splice(&with_place(text), &catalog.table_of(&package.name))
            .map_err(|error| Error::new(format!("`{path}`: {error}")))?;
        files.push((path, spliced));
    }
    Ok(files)
}

/// What the example prints. Built as the tests are (all of the workspace's features), so that after them nothing is
/// left to build.
fn booted(root: &Path) -> Result<String, Error> {
    let mut build = Command::new(process::cargo());
    build.current_dir(root).args([
        "build",
        "--quiet",
        "--workspace",
        "--all-features",
        "--locked",
        "--example",
        "catalog",
    ]);
    let executable = process::executable_of(build, "catalog")?;
    let mut run = Command::new(executable);
    run.current_dir(root);
    process::stdout_of(run)
}

/// The first line, from 1, in which the texts differ.
fn first_difference(present: &str, wanted: &str) -> Option<usize> {
    if present == wanted {
        return None;
    }
    let same = present.lines().zip(wanted.lines()).take_while(|(a, b)| a == b).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_difference_is_a_line_that_exists_or_the_one_after_the_last() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("", "a\n"), Some(1));
    }
}
