//! A project in a temporary folder, and the command run in it.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project's folder, gone when dropped.
#[derive(Debug)]
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

/// What a run of `dsh` left.
#[derive(Debug)]
pub(crate) struct Run {
    arguments: String,
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Project {
    /// A project with this `dsh.toml`.
    pub(crate) fn new(config: &str) -> Self {
        Self::empty().file("dsh.toml", config)
    }

    /// A folder without a file. It lies in a temporary one, so that there is an outside.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        Self { folder }
    }

    /// With this file, relative to the folder.
    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Runs `dsh` in the folder.
    pub(crate) fn dsh(&self, arguments: &[&str]) -> Run {
        dsh_in(&self.path(), arguments)
    }

    /// What `dsh prompt` prints, which must be fine, without the newline that it adds.
    #[track_caller]
    pub(crate) fn prompt(&self, arguments: &[&str]) -> String {
        let run = self.dsh(&[&["prompt"], arguments].concat());
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
        run.stdout.strip_suffix('\n').unwrap().to_owned()
    }
}

impl Run {
    /// Shows the command alone, where its arguments are of no interest.
    pub(crate) fn hide_arguments(&mut self) {
        let end = self.arguments.find(' ').unwrap_or(self.arguments.len());
        self.arguments.truncate(end);
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The names of the tool block that `--tools` printed, in its order.
    #[track_caller]
    pub(crate) fn tools(&self) -> Vec<String> {
        assert_eq!((self.status, self.stderr.as_str()), (Some(0), ""), "{self}");
        let block = self.json();
        block.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// Runs `dsh` in a folder.
pub(crate) fn dsh_in(folder: &Path, arguments: &[&str]) -> Run {
    ran(command().current_dir(folder).args(arguments))
}

/// Runs `dsh` as this command says.
pub(crate) fn ran(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    let arguments: Vec<&str> = command.get_args().map(|argument| argument.to_str().unwrap()).collect();
    Run {
        arguments: arguments.join(" "),
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The binary, with nothing in its environment that changes what it prints.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dsh"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        command.env_remove(name);
    }
    command
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.map_or_else(|| "a signal".to_owned(), |status| status.to_string());
        writeln!(f, "$ dsh {}", self.arguments)?;
        writeln!(f, "exit status: {status}")?;
        for (name, text) in [("standard output", &self.stdout), ("standard error", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "---- {name}\n{text}")?;
                if !text.ends_with('\n') {
                    writeln!(f, "(no newline)")?;
                }
            }
        }
        Ok(())
    }
}

/// Compares what a person reads with what was kept.
macro_rules! reads {
    ($run:expr) => {
        insta::assert_snapshot!($run.to_string())
    };
}
pub(crate) use reads;
