//! What a path that leads nowhere was most likely meant to be.

use crate::names::Guesses;
use crate::outside::{Folder, Reach};

/// A folder with more entries is not looked through.
const MOST_ENTRIES: usize = 1_000;

/// The file beneath this folder whose path is nearest to one that leads nowhere: in the first folder that has no entry of the name that is
/// written, the entry nearest to it stands in its place.
pub(super) fn nearest(folder: &Folder, path: &str, guesses: &Guesses) -> Option<String> {
    let mut way = String::new();
    let mut names = path.split('/');
    while let Some(name) = names.next() {
        let here = if way.is_empty() { "." } else { way.as_str() };
        let entries = folder.list(here, MOST_ENTRIES).ok()?;
        if name == "." || entries.iter().any(|entry| entry == name) {
            way = joined(&way, name);
            continue;
        }
        let near = nearest_name(name, entries.iter().filter_map(|entry| entry.to_str()), guesses)?;
        way = names.fold(joined(&way, near), |way, name| joined(&way, name));
        return folder.open_file(&way, Reach::Beneath).is_ok().then_some(way);
    }
    None
}

/// The nearest of these names. What stands behind the last dot is no part of what is compared where two names have the same: it would make all
/// files of a kind alike.
fn nearest_name<'n>(wrong: &str, names: impl Iterator<Item = &'n str> + Clone, guesses: &Guesses) -> Option<&'n str> {
    let (stem, end) = split(wrong);
    let of_kind = names.clone().filter(|name| split(name).1.eq_ignore_ascii_case(end));
    let near = guesses.nearest(stem, of_kind.clone().map(|name| split(name).0));
    let near = near.and_then(|near| of_kind.clone().find(|name| split(name).0 == near));
    near.or_else(|| guesses.nearest(wrong, names.filter(|name| !split(name).1.eq_ignore_ascii_case(end))))
}

/// A name without what stands behind its last dot, and that.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).unwrap_or((name, ""))
}

fn joined(way: &str, name: &str) -> String {
    if way.is_empty() { name.to_owned() } else { format!("{way}/{name}") }
}

/// What to do where a path is written for something that dsh does not do.
pub(super) fn remedy(path: &str) -> Option<String> {
    let is_scheme = |scheme: &str| scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if path.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme)) {
        return Some("nothing is fetched from an address: save what it gives into a file, and name that".to_owned());
    }
    if path == "~" || path.starts_with("~/") {
        return Some(
            "`~` is not expanded: write a path relative to the file that it stands in, or a whole one with `allow_outside = true` beside it"
                .to_owned(),
        );
    }
    path.contains(['*', '?']).then(|| "there are no patterns here: name each file by itself".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{nearest, remedy};
    use crate::names::Guesses;
    use crate::outside::Folder;

    #[test]
    fn the_nearest_file_is_found_in_the_folder_where_the_way_ends() {
        let folder = tempfile::tempdir().unwrap();
        let make = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        ["AGENTS.md", "tools.json", "docs/style.md", "prompts/a/b.md", "many/x.md"].into_iter().for_each(make);
        (0..1_000).for_each(|number| make(&format!("many/{number}.txt")));
        let near = |path: &str| nearest(&Folder::open(folder.path()).unwrap(), path, &Guesses::default());
        assert_eq!(near("AGENT.md").as_deref(), Some("AGENTS.md"));
        assert_eq!(near("Tools.json").as_deref(), Some("tools.json"));
        assert_eq!(near("./docs/stile.md").as_deref(), Some("./docs/style.md"));
        assert_eq!(near("prompt/a/b.md").as_deref(), Some("prompts/a/b.md"));
        assert_eq!(near("docs/style.txt").as_deref(), Some("docs/style.md"));
        for none in [
            "prompt/a/c.md",
            "doc",
            "base.json",
            "other.toml",
            "../AGENT.md",
            "many/y.md",
            "",
            "/AGENT.md",
            "tools.json/a",
        ] {
            assert_eq!(near(none), None, "{none}");
        }
    }

    #[test]
    fn what_is_no_path_is_told_what_is_one() {
        for path in ["https://example.com/a.md", "~/a.md", "~", "parts/*.md"] {
            assert!(remedy(path).is_some(), "{path}");
        }
        for path in ["a.md", "a~/b.md", "c:/a.md", "://a"] {
            assert_eq!(remedy(path), None, "{path}");
        }
    }
}
