//! The environment of this process, and its clock.

#![expect(clippy::disallowed_methods, reason = "the one module that reads the environment and the wall clock")]

use std::env::consts::{ARCH, OS};
use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

/// What a variable that is dsh's own is set to; what is empty counts as not set.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// What commands that are tools see of the environment: where programs are, whose home it is, how texts and times are meant. No secret
/// is among these.
pub(crate) const FOR_COMMANDS: [&str; 16] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TZ",
    "TMPDIR",
    // Windows.
    "SYSTEMROOT",
    "PATHEXT",
    "TEMP",
    "USERPROFILE",
];
/// The milliseconds since the start of 1970 in UTC, now: when something happened.
pub(crate) fn now_millis() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

/// A number by chance, so that two names are never one. The standard library seeds its hash maps from the system's source of chance.
pub(crate) fn chance() -> u128 {
    let half = || u128::from(RandomState::new().hash_one(0));
    (half() << 64) | half()
}

/// What surrounds a run. The clock is read once, when this is made: a run has one date.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    now: Duration,
}

impl Environment {
    /// The environment of this process, now.
    pub(crate) fn of_process() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        // A clock that stands before 1970 was never set.
        Self { now: now.unwrap_or_default() }
    }

    /// The variable of this name, if it is set.
    #[expect(clippy::unused_self, reason = "who holds this may read variables")]
    pub(crate) fn var(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }

    /// What commands that are tools see of it.
    pub(crate) fn for_commands(&self) -> Vec<(OsString, OsString)> {
        FOR_COMMANDS.iter().filter_map(|name| Some((OsString::from(name), self.var(name)?))).collect()
    }

    /// When the run began, counted from the start of 1970 in UTC.
    pub(crate) fn now(&self) -> Duration {
        self.now
    }

    /// The system and the processor, like `linux x86_64`, `macos aarch64`, `windows x86_64`.
    #[expect(clippy::unused_self, reason = "it belongs to what surrounds a run")]
    pub(crate) fn platform(&self) -> String {
        format!("{OS} {ARCH}")
    }
}
