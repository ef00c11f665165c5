//! Whose a file is that nobody named: what was found on the way upwards may have been put there by somebody else.

use std::path::Path;

/// Whether who owns what is at this path may speak for the folder of this real path: the folder's own owner, who runs dsh, and root.
/// Of a link, both it and what it leads to have to be theirs. Above a project may lie a folder that all can write to.
#[cfg(unix)]
pub(super) fn may_speak_for(path: &Path, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let Ok(itself) = path.symlink_metadata() else { return false };
    let owner = folder.metadata().ok().map(|folder| folder.uid());
    let user = rustix::process::geteuid().as_raw();
    // A link that leads nowhere has no second owner.
    let owners = [Some(itself.uid()), path.metadata().ok().map(|target| target.uid())];
    owners.into_iter().flatten().all(|uid| is_of_same_hands(uid, owner, user))
}

#[cfg(not(unix))]
pub(super) fn may_speak_for(_: &Path, _: &Path) -> bool {
    true
}

#[cfg(unix)]
fn is_of_same_hands(uid: u32, folder: Option<u32>, user: u32) -> bool {
    uid == 0 || uid == user || Some(uid) == folder
}

#[cfg(all(test, unix))]
mod tests {
    use super::{is_of_same_hands, may_speak_for};

    #[test]
    fn a_third_user_speaks_for_nothing_that_is_not_theirs() {
        let (root, alice, mallory) = (0, 1000, 1001);
        assert!(is_of_same_hands(alice, Some(alice), alice));
        assert!(is_of_same_hands(alice, Some(alice), root), "in a container, root works on a user's files");
        assert!(is_of_same_hands(root, Some(alice), alice));
        assert!(!is_of_same_hands(mallory, Some(alice), alice));
        assert!(!is_of_same_hands(mallory, None, alice));
    }

    #[test]
    fn of_a_link_both_ends_count() {
        use std::os::unix::fs::{lchown, symlink};

        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "").unwrap();
        symlink("file", path("link")).unwrap();
        symlink("nowhere", path("dangling")).unwrap();
        for name in ["file", "link", "dangling"] {
            assert!(may_speak_for(&path(name), folder.path()), "{name}");
        }
        assert!(!may_speak_for(&path("missing"), folder.path()));
        // Only root can give files away.
        if lchown(path("link"), Some(12_345), None).is_ok() {
            assert!(!may_speak_for(&path("link"), folder.path()));
            lchown(path("link"), Some(0), None).unwrap();
            lchown(path("file"), Some(12_345), None).unwrap();
            assert!(!may_speak_for(&path("link"), folder.path()));
        }
    }
}
