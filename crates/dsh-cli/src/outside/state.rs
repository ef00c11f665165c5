//! The folders that are the user's own: configuration and state, where the XDG Base Directory Specification has them.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

mod private;

pub(crate) use self::private::{PrivateError, PrivateFolder};

/// The user's folders of dsh. They need not be there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UserFolders {
    config: Option<PathBuf>,
    state: Option<PathBuf>,
}

impl UserFolders {
    /// The folders that this environment names: `dsh` in `$XDG_CONFIG_HOME`, or else in `~/.config`, and in `$XDG_STATE_HOME`, or else in
    /// `~/.local/state`. A path that is not absolute counts for nothing, as the specification says; without a home there may be none.
    pub(crate) fn of(read: impl Fn(&str) -> Option<OsString>) -> Self {
        let absolute = |name: &str| read(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME");
        let folder = |name: &str, usual: &str| {
            let base = absolute(name).or_else(|| home.as_ref().map(|home| home.join(usual)))?;
            Some(base.join("dsh"))
        };
        Self { config: folder("XDG_CONFIG_HOME", ".config"), state: folder("XDG_STATE_HOME", ".local/state") }
    }

    /// What the user configures for all projects. What came with a project is the project's: see [`lies_beneath`].
    pub(crate) fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// What dsh keeps for the user.
    pub(crate) fn state(&self) -> Option<&Path> {
        self.state.as_deref()
    }
}

/// The path without links and `..`.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Whether `path`, be there anything or not, leads into the folder of this real path.
pub(super) fn lies_beneath(path: &Path, folder: &Path) -> bool {
    for existing in path.ancestors() {
        let Ok(real) = existing.canonicalize() else { continue };
        // Where a `..` follows what is not there, nobody knows where it will lead.
        let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
        return real.starts_with(folder) || rest.components().any(|component| component == Component::ParentDir);
    }
    true
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::{UserFolders, lies_beneath};

    fn folders(environment: &[(&str, &str)]) -> (Option<String>, Option<String>) {
        let read =
            |name: &str| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        let folders = UserFolders::of(read);
        let text = |path: &Path| path.display().to_string();
        (folders.config().map(text), folders.state().map(text))
    }

    #[cfg(unix)]
    #[test]
    fn folders_are_where_the_environment_says_or_in_the_home() {
        let both = |config: &str, state: &str| (Some(config.to_owned()), Some(state.to_owned()));
        let usual = both("/srv/me/.config/dsh", "/srv/me/.local/state/dsh");
        assert_eq!(folders(&[("HOME", "/srv/me")]), usual);
        assert_eq!(folders(&[("HOME", "/srv/me"), ("XDG_STATE_HOME", ""), ("XDG_CONFIG_HOME", "relative")]), usual);
        let named = [("HOME", "/srv/me"), ("XDG_STATE_HOME", "/srv/s"), ("XDG_CONFIG_HOME", "/srv/c")];
        assert_eq!(folders(&named), both("/srv/c/dsh", "/srv/s/dsh"));
        assert_eq!(folders(&[("XDG_STATE_HOME", "/srv/s")]), (None, Some("/srv/s/dsh".to_owned())));
    }

    #[test]
    fn without_a_home_there_are_none() {
        assert_eq!(folders(&[]), (None, None));
        assert_eq!(folders(&[("HOME", "")]), (None, None));
        assert_eq!(folders(&[("HOME", "me"), ("XDG_STATE_HOME", "./state")]), (None, None));
    }

    #[cfg(unix)]
    #[test]
    fn what_leads_into_a_folder_is_told_also_where_nothing_is_yet() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let project = root.join("project");
        std::fs::create_dir(&project).unwrap();
        std::fs::create_dir(root.join("projects")).unwrap();
        std::os::unix::fs::symlink("project", root.join("link")).unwrap();
        assert!(lies_beneath(&project, &project));
        assert!(lies_beneath(&project.join("a/b"), &project));
        assert!(lies_beneath(&root.join("link/a/b"), &project));
        assert!(lies_beneath(&root.join("none/../project/a"), &project));
        assert!(!lies_beneath(&root.join("a/b"), &project));
        assert!(!lies_beneath(&root.join("projects/a"), &project));
        assert!(!lies_beneath(&root, &project));
    }
}
