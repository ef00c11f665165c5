//! The one list of what dsh reads of the environment.

/// A variable of the environment that dsh reads.
#[derive(Debug)]
pub(super) struct EnvironmentVariable {
    /// Its name.
    pub(super) name: &'static str,
    /// What it does, as `dsh help env` says it.
    pub(super) says: &'static str,
}

/// What dsh itself reads, in the order in which it is told, but for keys of the configuration (`config::ENVIRONMENT`). A project's files
/// may name more (C4).
pub(super) const VARIABLES: [EnvironmentVariable; 14] = [
    told("DSH_DIR", "the project's folder, as --dir"),
    told("DSH_PROFILE", "the profile of dsh.toml that holds, as --profile"),
    told("DSH_TRUST", "the hash of what is trusted in this run, as --trust"),
    told("DSH_COLOR", "auto, always or never, as --color"),
    told("DSH_QUIET", "1 or true: no notes and no warnings, as --quiet; 0 or false: nothing"),
    told("DSH_VERBOSE", "1 or true: more on standard error, as --verbose; 0 or false: nothing"),
    told("NO_COLOR", "anything: no colours, where neither --color nor DSH_COLOR says otherwise"),
    told("CLICOLOR", "0: no colours, where neither --color nor DSH_COLOR says otherwise"),
    told("TERM", "dumb: no colours, where neither --color nor DSH_COLOR says otherwise"),
    told("XDG_CONFIG_HOME", "the folder of your own dsh/config.toml, in place of ~/.config"),
    told("XDG_STATE_HOME", "what you trust, and sessions, are kept in its folder dsh, in place of ~/.local/state"),
    told("HOME", "your own folder, where one of the two above is not set"),
    told("PWD", "the way to the working folder: what came with a repository on it is not taken for your own"),
    told("SOURCE_DATE_EPOCH", "seconds since 1970: the day that the variable `date` tells, in place of today"),
];

const fn told(name: &'static str, says: &'static str) -> EnvironmentVariable {
    EnvironmentVariable { name, says }
}
