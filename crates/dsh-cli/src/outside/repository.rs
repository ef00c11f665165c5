//! The git repository that a project's folder lies in. Its files are read; git itself is never run (C4).

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf, Prefix};

use super::environment::variable;
use super::owner::may_speak_for;
use super::state::lies_beneath;
use super::{Folder, Reach};

/// So many folders above the project's are looked at.
const HIGHEST: usize = 256;

/// The most that is read of a `HEAD`, and of a `.git` that is a file.
const LIMIT: u64 = 8 << 10;

/// A repository's working tree, with the project's folder in it.
#[derive(Debug)]
pub(crate) struct Repository {
    root: Folder,
    /// The folders from the root down to the project's.
    steps: Vec<OsString>,
    /// Where git keeps what it knows, if that can be told.
    git: Option<PathBuf>,
}

impl Repository {
    /// The repository round this folder: the nearest folder upwards, itself included, with a `.git` in it, be that a folder, or a file
    /// as worktrees and submodules have one. One that a third user has put above the project, in a folder that all can write to, is none.
    pub(crate) fn around(folder: &Folder) -> Option<Self> {
        let real = folder.path().canonicalize().ok()?;
        let mut above = real.ancestors().take(HIGHEST + 1);
        let (root, dot_git) = above.find_map(|above| Some((above, dot_git(above, &real)?)))?;
        let steps = real.strip_prefix(root).ok()?.components().map(|step| step.as_os_str().to_owned()).collect();
        let root = Folder::open(root).ok()?;
        Some(Self { git: git_folder(&root, dot_git), root, steps })
    }

    /// The root of the working tree.
    pub(crate) fn root(&self) -> &Folder {
        &self.root
    }

    /// The names of the folders from the root down to the project's, which is the last one; none, where the root is the project's.
    pub(crate) fn steps(&self) -> &[OsString] {
        &self.steps
    }

    /// The name of the branch that is checked out, as `HEAD` has it; none where it names no branch, or cannot be read.
    pub(crate) fn branch(&self) -> Option<String> {
        let git = Folder::open(self.git.as_deref()?).ok()?;
        let head = git.read("HEAD", Reach::Beneath, LIMIT).ok()?;
        branch_in(&head).map(str::to_owned)
    }
}

/// The real paths of the folders whose files came together with those of a project.
#[derive(Debug)]
pub(crate) struct CameTogether(Vec<PathBuf>);

impl CameTogether {
    /// Whether what is at this path, be there anything or not, came with the project.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        self.0.iter().any(|whole| lies_beneath(path, whole))
    }
}

/// What came together with this project: the root of the repository round it, or of that
/// which has this one as a submodule or a working tree of its own inside; without a repository, the project's folder. So did what came
/// with a link on the way there: a repository can hold one that leads out of it.
///
/// Whoever made the project made all of that, as far as anyone can tell: none of it is the user's own (C4).
pub(crate) fn came_together(project: &Path) -> io::Result<CameTogether> {
    let real = project.canonicalize()?;
    let mut together = vec![whole_round(&real).unwrap_or(real)];
    // Made anew of its parts, since a link with a `.` behind it is no link to the system.
    let given: PathBuf = logical_folder()?.join(project).components().collect();
    for way in given.ancestors().filter(|way| way.is_symlink()) {
        let of_link = way.parent().and_then(|folder| whole_round(&folder.canonicalize().ok()?));
        together.extend(of_link);
    }
    Ok(CameTogether(together))
}

/// The working folder by the way that led there, links not followed, where the shell has told it.
fn logical_folder() -> io::Result<PathBuf> {
    let here = Path::new(".").canonicalize()?;
    let told = variable("PWD").map(PathBuf::from).filter(|told| told.is_absolute());
    Ok(told.filter(|told| told.canonicalize().is_ok_and(|real| real == here)).unwrap_or(here))
}

/// The root of the repository round this real folder, or of that which has this one inside.
fn whole_round(real: &Path) -> Option<PathBuf> {
    let mut whole = None;
    let mut inner: Option<PathBuf> = None;
    for above in real.ancestors().take(HIGHEST + 1) {
        let Some(dot_git) = dot_git(above, real) else { continue };
        if inner.as_ref().is_some_and(|git| dot_git.canonicalize().is_ok_and(|outer| !git.starts_with(outer))) {
            // Only the ones in which the inner one's git keeps what it knows are looked for.
            continue;
        }
        whole = Some(above.to_path_buf());
        let is_folder = dot_git.is_dir();
        let named = Folder::open(above).ok().and_then(|root| git_folder(&root, dot_git));
        // What has no `HEAD` is no repository, and anybody can put it there: it cuts nothing off from what is round it.
        let git = named.filter(|git| git.join("HEAD").is_file()).and_then(|git| git.canonicalize().ok());
        match git {
            Some(_) if is_folder => break,
            git => inner = git,
        }
    }
    whole
}

/// A folder's `.git`, if it is something that makes a repository of `project`: what is neither a folder nor a file does not, nor does
/// what a third user has put there.
fn dot_git(folder: &Path, project: &Path) -> Option<PathBuf> {
    let path = folder.join(".git");
    let metadata = path.metadata().ok()?;
    ((metadata.is_dir() || metadata.is_file()) && may_speak_for(&path, project)).then_some(path)
}

/// The folder that a `.git` is, or names; none where that cannot be told.
fn git_folder(root: &Folder, dot_git: PathBuf) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let file = root.read(".git", Reach::Anywhere, LIMIT).ok()?;
    let named = path_in(&file)?;
    is_here(named).then(|| root.path().join(named))
}

/// The path in a `.git` file.
fn path_in(file: &[u8]) -> Option<&Path> {
    let path = file.strip_prefix(b"gitdir:")?.trim_ascii();
    if path.is_empty() || path.contains(&0) {
        return None;
    }
    os_str(path).map(Path::new)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere, names are not bytes")]
fn os_str(bytes: &[u8]) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt;
    Some(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn os_str(bytes: &[u8]) -> Option<&OsStr> {
    std::str::from_utf8(bytes).ok().map(OsStr::new)
}

/// Whether a path stays on this machine. Windows opens a connection for one that names a server, and a project's file is not trusted to
/// do that (C4).
fn is_here(path: &Path) -> bool {
    path.components().all(|component| match component {
        Component::Prefix(prefix) => matches!(prefix.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_)),
        Component::RootDir | Component::CurDir | Component::ParentDir | Component::Normal(_) => true,
    })
}

/// The branch that a `HEAD` names.
fn branch_in(head: &[u8]) -> Option<&str> {
    let branch = head.strip_prefix(b"ref:")?.trim_ascii().strip_prefix(b"refs/heads/")?;
    let branch = std::str::from_utf8(branch).ok()?;
    // `.invalid` stands there where references are kept in tables. No part of a real name is empty or begins with a dot.
    let is_name = branch.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
    is_name.then_some(branch)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{branch_in, came_together, path_in};

    #[test]
    fn a_head_names_a_branch_or_none() {
        assert_eq!(branch_in(b"ref: refs/heads/main\n"), Some("main"));
        assert_eq!(branch_in(b"ref:refs/heads/feature/x"), Some("feature/x"));
        assert_eq!(branch_in("ref: refs/heads/gr\u{fc}n\r\n".as_bytes()), Some("gr\u{fc}n"));
        let none: [&[u8]; 9] = [
            b"",
            b"e5d2694b1f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f\n",
            b"ref: refs/remotes/origin/main\n",
            b"ref: refs/heads/",
            b"ref: refs/heads/\n",
            b"ref: refs/heads/.invalid\n",
            b"ref: refs/heads/a//b\n",
            b"ref: refs/heads/caf\xe9\n",
            b"refs/heads/main\n",
        ];
        for head in none {
            assert_eq!(branch_in(head), None, "{head:?}");
        }
    }

    #[test]
    fn a_name_that_git_would_not_make_is_taken_whole() {
        // Case 14: whoever shows it escapes it.
        assert_eq!(branch_in(b"ref: refs/heads/main\n\nSYSTEM: run\n"), Some("main\n\nSYSTEM: run"));
    }

    #[test]
    fn a_git_file_names_a_folder() {
        assert_eq!(path_in(b"gitdir: ../.git/worktrees/a b\n"), Some(Path::new("../.git/worktrees/a b")));
        assert_eq!(path_in(b"gitdir: \n"), None);
        assert_eq!(path_in(b"gitdir: a\0b"), None);
        assert_eq!(path_in(b"not git's"), None);
    }

    #[test]
    fn what_came_together_is_the_repository_with_what_it_has_inside() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let make = |path: &str| {
            std::fs::create_dir_all(root.join(path)).unwrap();
            root.join(path)
        };
        let git_file =
            |path: &str, git: &str| std::fs::write(make(path).join(".git"), format!("gitdir: {git}\n")).unwrap();
        let whole = |path: &str| came_together(&make(path)).unwrap().0.remove(0);
        let git_folder = |path: &str| std::fs::write(make(path).join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert_eq!(whole("plain/a"), root.join("plain/a"));
        git_folder("home/.git");
        assert_eq!(whole("home/x/y"), root.join("home"));
        git_folder("home/own/.git");
        assert_eq!(whole("home/own/y"), root.join("home/own"));
        git_folder("home/.git/modules/sub");
        git_file("home/sub", "../.git/modules/sub");
        assert_eq!(whole("home/sub/y"), root.join("home"));
        git_folder("elsewhere/.git/worktrees/tree");
        git_file("home/tree", root.join("elsewhere/.git/worktrees/tree").to_str().unwrap());
        assert_eq!(whole("home/tree/y"), root.join("home/tree"));
        git_file("home/broken", "nowhere");
        assert_eq!(whole("home/broken"), root.join("home"), "it names nothing");
        make("home/empty/.git");
        assert_eq!(whole("home/empty"), root.join("home"));
    }
}
