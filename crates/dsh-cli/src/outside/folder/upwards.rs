//! The way upwards from the working folder.

use std::path::{Path, PathBuf};

use super::super::owner::may_speak_for;

/// The folder that was found, and those that were passed over, as a person may type them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Nearest {
    /// The nearest folder with anything of the name; the working folder, if there is none.
    pub(crate) folder: PathBuf,
    /// Nearer ones in which it is a third user's. Nobody named it, so it is not taken; `--dir` takes it.
    pub(crate) passed_over: Vec<PathBuf>,
}

/// The working folder, or the nearest one above it that has anything of this name.
pub(crate) fn nearest_with(name: &str) -> Nearest {
    let here = Path::new(".");
    // What cannot be a file of this name (a folder, a link that leads nowhere) is found as well: passing it by would take another
    // project for the one that is meant.
    let is_there = |folder: &Path| folder.join(name).symlink_metadata().is_ok();
    let Ok(real) = here.canonicalize() else {
        return Nearest { folder: here.to_path_buf(), passed_over: Vec::new() };
    };
    nearest(&real, is_there, |folder| may_speak_for(&folder.join(name), &real))
}

/// Whoever stands in a folder means that one, whosever it is.
fn nearest(real: &Path, is_there: impl Fn(&Path) -> bool, may_speak: impl Fn(&Path) -> bool) -> Nearest {
    let here = Path::new(".");
    let mut passed_over = Vec::new();
    for (steps, folder) in real.ancestors().enumerate().filter(|(_, folder)| is_there(folder)) {
        if steps == 0 {
            break;
        }
        if may_speak(folder) {
            return Nearest { folder: upwards(here, steps), passed_over };
        }
        passed_over.push(upwards(here, steps));
    }
    Nearest { folder: here.to_path_buf(), passed_over }
}

/// So many folders up from this one.
pub(super) fn upwards(path: &Path, steps: usize) -> PathBuf {
    let mut path = if path.as_os_str() == "." { PathBuf::new() } else { path.to_path_buf() };
    path.extend(std::iter::repeat_n("..", steps));
    path
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::nearest;

    /// The folder that is found from `/a/b/c`, and those that are passed over.
    fn found(there: &[&str], of_others: &[&str]) -> (String, Vec<String>) {
        let is = |list: &[&str], folder: &Path| list.iter().any(|one| Path::new(one) == folder);
        let nearest = nearest(Path::new("/a/b/c"), |folder| is(there, folder), |folder| !is(of_others, folder));
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        (text(&nearest.folder), nearest.passed_over.iter().map(|path| text(path)).collect())
    }

    #[test]
    fn what_is_a_third_users_is_passed_over_and_told() {
        let folders =
            |folder: &str, passed: &[&str]| (folder.to_owned(), passed.iter().map(|&p| p.to_owned()).collect());
        assert_eq!(found(&[], &[]), folders(".", &[]));
        assert_eq!(found(&["/a", "/"], &[]), folders("../..", &[]));
        assert_eq!(found(&["/a/b", "/a", "/"], &["/a/b"]), folders("../..", &[".."]));
        assert_eq!(found(&["/a/b", "/"], &["/a/b", "/"]), folders(".", &["..", "../../.."]));
        assert_eq!(found(&["/a/b/c", "/a"], &["/a/b/c"]), folders(".", &[]), "whoever stands there means it");
    }
}
