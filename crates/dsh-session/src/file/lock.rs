//! The lock that keeps two writers apart.

use std::fs::File;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::Error;

/// Takes the lock, until the file is closed; `false` where somebody has it. The system gives it up when the process ends, however it does.
pub(super) fn take(file: &File) -> Result<bool, Error> {
    loop {
        return match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(Errno::INTR) => continue,
            Err(errno) => Err(Error::of_io("its file cannot be locked", errno)),
        };
    }
}

/// The process that has the lock, where the system tells: Linux does.
#[cfg(target_os = "linux")]
pub(super) fn holder(file: &File) -> Option<u32> {
    use std::io::Read as _;
    use std::os::unix::fs::MetadataExt as _;

    let metadata = file.metadata().ok()?;
    let mut locks = String::new();
    File::open("/proc/locks").ok()?.read_to_string(&mut locks).ok()?;
    let device = (rustix::fs::major(metadata.dev()), rustix::fs::minor(metadata.dev()));
    holder_in(&locks, device, metadata.ino())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn holder(_file: &File) -> Option<u32> {
    None
}

/// Reads `1: FLOCK  ADVISORY  WRITE 4711 08:02:131 0 EOF`. A layered file system tells another device than the file's, so the inode alone
/// will do where only one lock is on it.
#[cfg(target_os = "linux")]
fn holder_in(locks: &str, (major, minor): (u32, u32), inode: u64) -> Option<u32> {
    let held = locks.lines().filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        let flock = words.next() == Some("FLOCK");
        let (pid, place) = (words.nth(2)?.parse::<u32>().ok()?, words.next()?);
        let (device, number) = place.rsplit_once(':')?;
        (flock && number.parse() == Ok(inode)).then_some((pid, device))
    });
    let held: Vec<(u32, &str)> = held.collect();
    let wanted = format!("{major:02x}:{minor:02x}");
    match held.iter().find(|(_, device)| *device == wanted) {
        Some((pid, _)) => Some(*pid),
        None => held.first().filter(|_| held.len() == 1).map(|(pid, _)| *pid),
    }
    // A process outside of our name space has no number here.
    .filter(|pid| *pid != 0)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::holder_in;

    const LOCKS: &str = "1: FLOCK  ADVISORY  WRITE 4711 08:02:131 0 EOF\n\
                         1: -> FLOCK  ADVISORY  WRITE 4712 08:02:131 0 EOF\n\
                         2: POSIX  ADVISORY  WRITE 4713 08:02:132 0 EOF\n\
                         3: FLOCK  ADVISORY  WRITE 4714 00:2a:133 0 EOF\n\
                         4: FLOCK  ADVISORY  WRITE 4715 00:2b:133 0 EOF\n\
                         5: FLOCK  ADVISORY  WRITE 0 00:2b:134 0 EOF\n";

    #[test]
    fn the_holder_is_found_by_device_and_inode() {
        assert_eq!(holder_in(LOCKS, (8, 2), 131), Some(4711));
        assert_eq!(holder_in(LOCKS, (0, 0x2b), 133), Some(4715));
        assert_eq!(holder_in(LOCKS, (0, 0x30), 131), Some(4711));
        assert_eq!(holder_in(LOCKS, (0, 0x30), 133), None);
        assert_eq!(holder_in(LOCKS, (8, 2), 132), None);
        assert_eq!(holder_in(LOCKS, (0, 0x2b), 134), None);
    }
}
