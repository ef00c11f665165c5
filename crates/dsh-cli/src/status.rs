//! How a command ends (C2).

use std::process::ExitCode;

/// The exit status of `dsh` (C2).
///
/// ```
/// use dsh_cli::{ExitStatus, run};
///
/// assert_eq!(run(["dsh", "prompt", "--dir", "no/such/folder"]), ExitStatus::WrongUse);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExitStatus {
    /// 0: nothing to report. A reader that closes its end of the pipe changes no status.
    Success,
    /// 1: the project has findings: an unknown key, a bad value, a file that cannot be taken or written, a refused assembly or
    /// rendering; or standard output cannot be written.
    Findings,
    /// 2: the command was used wrongly, or its configuration is named and missing, not readable as TOML, or includes what cannot be taken.
    WrongUse,
    /// 3: of `dsh run`, the turn ended at a limit.
    Limit,
    /// 4: of `dsh run`, the turn ended, and a call was denied since there was nobody to ask.
    NotApproved,
    /// 130: of `dsh run` and `dsh tools call`, the turn or the call was interrupted.
    Interrupted,
}

impl ExitStatus {
    /// When each holds, in few words: the commands' help and manual pages say it so.
    pub(crate) const MEANINGS: [(Self, &str); 6] = [
        (Self::Success, "fine; a reader that closes the pipe changes no status"),
        (
            Self::Findings,
            "findings: an unknown key, a bad value, a file that cannot be taken or written, a refused assembly or rendering, a tool that failed or was not run, a turn that failed; or standard output cannot be written, as on a full disk",
        ),
        (
            Self::WrongUse,
            "wrong use (an unknown agent, a name that `explain` does not find, a `--dir` that is no folder, a session that is not there, a `run` without a message or a model), or a configuration that is named and missing, that cannot be read as TOML, or that includes what cannot be taken",
        ),
        (Self::Limit, "of `dsh run` alone: the turn ended at a limit"),
        (Self::NotApproved, "of `dsh run` alone: the turn ended, and a call was denied since there was nobody to ask"),
        (Self::Interrupted, "of `dsh run` and `dsh tools call`: interrupted"),
    ];

    /// The number that the process ends with.
    ///
    /// ```
    /// assert_eq!(dsh_cli::ExitStatus::Findings.code(), 1);
    /// ```
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Findings => 1,
            Self::WrongUse => 2,
            Self::Limit => 3,
            Self::NotApproved => 4,
            Self::Interrupted => 130,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}
