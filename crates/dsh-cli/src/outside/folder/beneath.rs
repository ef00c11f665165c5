//! Opening files and folders beneath an open folder, without a race (Unix).
//!
//! Linux does it in one call (`openat2`). Elsewhere, and where that call is not to be had, the real path is asked for first and then
//! walked from the open folder with no link followed: whoever puts a link there in between gets an error, not a way out.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{Dir, Mode, OFlags, open, openat};
use rustix::io::Errno;

use super::{BY_LINK, ReadError, of_io};

/// Reading never waits: a pipe without a writer opens at once, and is refused for what it is.
pub(in crate::outside) fn reading() -> OFlags {
    OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY
}

/// A folder whose names are read.
fn listing() -> OFlags {
    reading() | OFlags::DIRECTORY
}

/// A folder is a place to open from; nothing in it is listed, so that the right to enter it is enough.
#[cfg(target_os = "linux")]
fn folder() -> OFlags {
    OFlags::PATH | OFlags::CLOEXEC | OFlags::DIRECTORY
}

#[cfg(not(target_os = "linux"))]
fn folder() -> OFlags {
    OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY
}

/// Opens a folder by its path.
pub(super) fn open_folder(path: &Path) -> Result<OwnedFd, Errno> {
    open(path, folder(), Mode::empty())
}

/// Opens the file at `path`, which starts at the open folder `handle`, wherever that leads; but not by a link of `/proc` to what a
/// process has open or where it works, as `/dev/stdin` is one.
pub(super) fn open_anywhere(handle: &OwnedFd, path: &Path) -> Result<File, ReadError> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let refused = match open_without_magic(handle, path) {
        Some(Ok(file)) => return Ok(file.into()),
        Some(Err(errno)) => Some(errno),
        None => None,
    };
    match openat(handle, path, reading(), Mode::empty()) {
        // Only such a link is in the way of the one call and not of the other.
        Ok(_) if refused == Some(Errno::LOOP) => Err(ReadError::OfProcesses),
        Ok(file) => Ok(file.into()),
        Err(errno) => Err(of_errno(errno)),
    }
}

/// Opens a file by no link of `/proc`; none, where the system has no way to do that.
#[cfg(target_os = "linux")]
fn open_without_magic(handle: &OwnedFd, path: &Path) -> Option<Result<OwnedFd, Errno>> {
    use rustix::fs::{ResolveFlags, openat2};

    loop {
        match openat2(handle, path, reading(), Mode::empty(), ResolveFlags::NO_MAGICLINKS) {
            Err(Errno::INTR) => {}
            // An old kernel, or a sandbox that does not know the call.
            Err(Errno::NOSYS | Errno::PERM) => return None,
            opened => return Some(opened),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn open_without_magic(_: &OwnedFd, _: &Path) -> Option<Result<OwnedFd, Errno>> {
    None
}

/// Opens the file at `path` beneath `handle`, which is the open folder `root`.
pub(super) fn open_file(handle: &OwnedFd, root: &Path, path: &Path) -> Result<File, ReadError> {
    open_beneath(handle, root, path, reading()).map(File::from)
}

/// The names in the folder at `path` beneath `handle`, which is the open folder `root`; at most `most`, and one more where there are more.
pub(super) fn list(handle: &OwnedFd, root: &Path, path: &Path, most: usize) -> Result<Vec<OsString>, ReadError> {
    names(open_beneath(handle, root, path, listing())?, most)
}

fn names(folder: OwnedFd, most: usize) -> Result<Vec<OsString>, ReadError> {
    let mut names = Vec::new();
    for entry in Dir::new(folder).map_err(of_errno)? {
        let entry = entry.map_err(of_errno)?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        names.push(OsString::from_vec(name.to_vec()));
        if names.len() > most {
            break;
        }
    }
    Ok(names)
}

/// Opens what is at `path` beneath `handle`, which is the open folder `root`.
#[cfg(target_os = "linux")]
fn open_beneath(handle: &OwnedFd, root: &Path, path: &Path, flags: OFlags) -> Result<OwnedFd, ReadError> {
    use rustix::fs::{ResolveFlags, openat2};

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    // The kernel asks to try again when something on the way is renamed meanwhile.
    for _ in 0..16 {
        match openat2(handle, path, flags, Mode::empty(), resolve) {
            Ok(opened) => return Ok(opened),
            Err(Errno::AGAIN | Errno::INTR) => {}
            // An old kernel, or a sandbox that does not know the call; or a link that leads out, if only to come back.
            Err(Errno::NOSYS | Errno::PERM | Errno::XDEV) => break,
            Err(errno) => return Err(of_errno(errno)),
        }
    }
    walk(handle, root, path, flags)
}

/// Opens what is at `path` beneath `handle`, which is the open folder `root`.
#[cfg(not(target_os = "linux"))]
fn open_beneath(handle: &OwnedFd, root: &Path, path: &Path, flags: OFlags) -> Result<OwnedFd, ReadError> {
    walk(handle, root, path, flags)
}

/// Asks for the real path, then walks it without following a link.
fn walk(handle: &OwnedFd, root: &Path, path: &Path, flags: OFlags) -> Result<OwnedFd, ReadError> {
    let real_path = |path: &Path| {
        path.canonicalize().map_err(|error| match Errno::from_io_error(&error) {
            Some(errno) => of_errno(errno),
            None => of_io(error),
        })
    };
    let real_root = real_path(root)?;
    let joined = real_root.join(path);
    let real = real_path(&joined)?;
    // Resolving forgets a `/` at the end, which says that a folder is meant.
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") && !real.is_dir() {
        return Err(ReadError::ThroughAFile);
    }
    let Ok(beneath) = real.strip_prefix(&real_root) else {
        return Err(ReadError::Outside(BY_LINK));
    };
    let mut names = Vec::new();
    for component in beneath.components() {
        let Component::Normal(name) = component else { return Err(ReadError::Outside(BY_LINK)) };
        names.push(name);
    }
    let Some((last, folders)) = names.split_last() else {
        // The folder itself.
        return openat(handle, ".", flags, Mode::empty()).map_err(of_errno);
    };
    let mut at: Option<OwnedFd> = None;
    for name in folders {
        let from = at.as_ref().map_or(handle.as_fd(), AsFd::as_fd);
        at = Some(openat(from, *name, folder() | OFlags::NOFOLLOW, Mode::empty()).map_err(of_swapped)?);
    }
    let from = at.as_ref().map_or(handle.as_fd(), AsFd::as_fd);
    openat(from, *last, flags | OFlags::NOFOLLOW, Mode::empty()).map_err(of_swapped)
}

/// Of a real path: a link in it was put there meanwhile.
fn of_swapped(errno: Errno) -> ReadError {
    match errno {
        Errno::LOOP => ReadError::Outside("a link was put on the way while it was opened"),
        errno => of_errno(errno),
    }
}

fn of_errno(errno: Errno) -> ReadError {
    match errno {
        Errno::LOOP => ReadError::Circle,
        Errno::NOTDIR => ReadError::ThroughAFile,
        // A socket, or a device without a driver.
        Errno::NXIO => ReadError::NotAFile("a socket or a device"),
        Errno::ISDIR => ReadError::NotAFile("a folder"),
        Errno::NOENT => ReadError::Missing,
        errno => ReadError::Unreadable(errno.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use rustix::fd::OwnedFd;

    use super::super::ReadError;
    use super::{File, OFlags, listing, names, open_beneath, open_folder, reading, walk};

    type Opening = fn(&OwnedFd, &Path, &Path, OFlags) -> Result<OwnedFd, ReadError>;

    /// Both ways in, which must agree.
    const WAYS: [Opening; 2] = [open_beneath, walk];

    fn outcome(way: Opening, root: &Path, path: &str) -> String {
        let handle = open_folder(root).unwrap();
        told(way(&handle, root, Path::new(path), reading()).map(|file| {
            let mut text = String::new();
            File::from(file).read_to_string(&mut text).unwrap();
            text
        }))
    }

    fn listed(way: Opening, root: &Path, path: &str) -> String {
        let handle = open_folder(root).unwrap();
        told(way(&handle, root, Path::new(path), listing()).and_then(|folder| names(folder, 9)).map(|mut names| {
            names.sort();
            names.iter().map(|name| name.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        }))
    }

    fn told(answer: Result<String, ReadError>) -> String {
        match answer {
            Ok(text) => text,
            Err(ReadError::Outside(_)) => "outside".to_owned(),
            Err(ReadError::Missing) => "missing".to_owned(),
            Err(other) => format!("{other:?}"),
        }
    }

    #[test]
    fn links_inside_are_followed_and_links_out_are_refused() {
        // C1
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir_all(root.join("notes")).unwrap();
        std::fs::write(root.join("notes/a.md"), "inside").unwrap();
        std::fs::write(folder.path().join("secret"), "SECRET").unwrap();
        symlink("notes/a.md", root.join("in")).unwrap();
        symlink("../secret", root.join("out")).unwrap();
        symlink("..", root.join("up")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        symlink(root.join("notes/a.md"), root.join("absolute")).unwrap();
        for way in WAYS {
            assert_eq!(outcome(way, &root, "notes/a.md"), "inside");
            assert_eq!(outcome(way, &root, "in"), "inside");
            assert_eq!(outcome(way, &root, "absolute"), "inside");
            assert_eq!(outcome(way, &root, "loop"), "Circle");
            assert_eq!(outcome(way, &root, "notes/a.md/"), "ThroughAFile");
            assert_eq!(outcome(way, &root, "notes/a.md/b"), "ThroughAFile");
            assert_eq!(outcome(way, &root, "out"), "outside");
            assert_eq!(outcome(way, &root, "up/secret"), "outside");
            assert_eq!(outcome(way, &root, "dangling"), "missing");
        }
    }

    #[test]
    fn folders_are_listed_as_files_are_opened() {
        // C1
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir_all(root.join("agents/team")).unwrap();
        std::fs::create_dir(folder.path().join("other")).unwrap();
        std::fs::write(root.join("agents/b.md"), "").unwrap();
        std::fs::write(root.join("agents/.a"), "").unwrap();
        symlink("agents", root.join("in")).unwrap();
        symlink(root.join("agents"), root.join("absolute")).unwrap();
        symlink(".", root.join("self")).unwrap();
        symlink("../other", root.join("out")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        for way in WAYS {
            assert_eq!(listed(way, &root, "agents"), ".a b.md team");
            assert_eq!(listed(way, &root, "agents/team"), "");
            assert_eq!(listed(way, &root, "in"), ".a b.md team");
            assert_eq!(listed(way, &root, "absolute"), ".a b.md team");
            assert_eq!(listed(way, &root, "self"), "absolute agents in loop out self");
            assert_eq!(listed(way, &root, "out"), "outside");
            assert_eq!(listed(way, &root, "loop"), "Circle");
            assert_eq!(listed(way, &root, "nowhere"), "missing");
            assert_eq!(listed(way, &root, "agents/b.md"), "ThroughAFile");
        }
    }

    #[test]
    fn a_link_put_there_while_files_are_opened_never_leads_out() {
        // C1
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("good"), "inside").unwrap();
        std::fs::write(folder.path().join("secret"), "SECRET").unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    symlink("../secret", root.join("next")).unwrap();
                    std::fs::rename(root.join("next"), root.join("a")).unwrap();
                    std::fs::hard_link(root.join("good"), root.join("next")).unwrap();
                    std::fs::rename(root.join("next"), root.join("a")).unwrap();
                }
            });
            let answers: Vec<String> = (0..2_000).map(|round| outcome(WAYS[round % 2], &root, "a")).collect();
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            let wrong = answers.iter().find(|answer| !["inside", "outside", "missing"].contains(&answer.as_str()));
            assert_eq!(wrong, None);
        });
    }
}
