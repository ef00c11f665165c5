//! A project in a temporary folder, and the command run in it.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project's folder, gone when dropped, and what surrounds it: nothing of this machine's user is seen.
#[derive(Debug)]
pub(crate) struct Project {
    folder: tempfile::TempDir,
    /// Variables of the environment.
    environment: Vec<(String, String)>,
}

/// What a run of `dsh` left.
#[derive(Debug)]
pub(crate) struct Run {
    line: String,
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
        Self { folder, environment: Vec::new() }
    }

    /// With this file, relative to the folder.
    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// With this configuration of the user's own.
    pub(crate) fn user_config(self, config: &str) -> Self {
        self.user_file("config.toml", config)
    }

    /// With this file beside the user's own configuration.
    pub(crate) fn user_file(self, path: &str, content: &str) -> Self {
        std::fs::create_dir_all(self.user_folder()).unwrap();
        std::fs::write(self.user_folder().join(path), content).unwrap();
        self
    }

    /// With this variable in the environment.
    pub(crate) fn with_env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The folder of the user's own configuration.
    pub(crate) fn user_folder(&self) -> PathBuf {
        self.folder.path().join("config/dsh")
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// What a file beneath it says.
    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(std::fs::read(self.path().join(path)).unwrap()).unwrap()
    }

    /// The names in a folder beneath it, in order.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path().join(path)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `dsh` in the folder.
    pub(crate) fn dsh(&self, arguments: &[&str]) -> Run {
        self.dsh_with(&[], arguments)
    }

    /// The binary, started in the folder with this project's environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = command();
        command.current_dir(self.path());
        command.env("XDG_CONFIG_HOME", self.folder.path().join("config"));
        command.env("XDG_STATE_HOME", self.folder.path().join("state"));
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs `dsh` in the folder, with more in its environment.
    pub(crate) fn dsh_with(&self, environment: &[(&str, &str)], arguments: &[&str]) -> Run {
        let set: Vec<String> = environment.iter().map(|(name, value)| format!("{name}={value} ")).collect();
        let mut command = self.command();
        command.envs(environment.iter().copied()).args(arguments);
        Run::of(format!("{}dsh {}", set.concat(), arguments.join(" ")), &mut command)
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
    /// With this folder's path, which differs from run to run, written as `FOLDER`.
    pub(crate) fn without(mut self, folder: &Path) -> Self {
        let path = folder.to_str().unwrap();
        self.stdout = self.stdout.replace(path, "FOLDER");
        self.stderr = self.stderr.replace(path, "FOLDER");
        self
    }

    /// Runs the command, which is shown so.
    pub(crate) fn of(line: String, command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            line,
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
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
    Run::of(format!("dsh {}", arguments.join(" ")), command().current_dir(folder).args(arguments))
}

/// The binary, with nothing in its environment that changes what it prints, and one date.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dsh"));
    for (name, _) in std::env::vars_os() {
        let own = name.to_str().is_some_and(|name| name.starts_with("DSH_") || name.starts_with("XDG_"));
        let others = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "SOURCE_DATE_EPOCH", "HOME"];
        if own || others.iter().any(|other| name == *other) {
            command.env_remove(name);
        }
    }
    // The first day of 2025.
    command.env("SOURCE_DATE_EPOCH", "1735689600");
    command
}

/// The value of `{{platform}}` where the tests run.
pub(crate) fn platform() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = self.status.map_or_else(|| "a signal".to_owned(), |status| status.to_string());
        writeln!(f, "$ {}", self.line)?;
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

/// Runs `dsh` as this command says.
pub(crate) fn ran(command: &mut Command) -> Run {
    let arguments: Vec<&str> = command.get_args().map(|argument| argument.to_str().unwrap()).collect();
    Run::of(format!("dsh {}", arguments.join(" ")), command)
}

/// A row of a list that the head of a file gives: what holds, and the paths of the tests that hold it.
#[derive(Debug)]
pub(crate) struct ListedRow<'t> {
    pub(crate) what: &'t str,
    tests: Vec<&'t str>,
}

/// The rows of the list in the head of this source.
pub(crate) fn listed(source: &str) -> Vec<ListedRow<'_>> {
    let mut rows: Vec<ListedRow<'_>> = Vec::new();
    for line in source.lines() {
        if let Some(what) = line.strip_prefix("//! - ") {
            rows.push(ListedRow { what: what.trim_matches('`'), tests: Vec::new() });
        } else if let (Some(test), Some(row)) = (line.strip_prefix("//!   - "), rows.last_mut()) {
            row.tests.push(test.trim_matches('`'));
        }
    }
    rows
}

impl ListedRow<'_> {
    /// Whether every test of the row is there.
    #[track_caller]
    pub(crate) fn is_there(&self) {
        assert!(!self.tests.is_empty(), "{}", self.what);
        for test in &self.tests {
            let (_, name) = test.rsplit_once("::").unwrap();
            let sources = homes(test).into_iter().map(|home| String::from_utf8(std::fs::read(home).unwrap()).unwrap());
            let found = sources.into_iter().any(|source| source.contains(&format!("fn {name}()")));
            assert!(found, "{}: there is no test `{test}`", self.what);
        }
    }
}

/// Where a test of this path can stand: its modules are files beside or below each other, or blocks in one. A path that begins with a
/// crate's name is one of that crate's tests.
fn homes(path: &str) -> Vec<PathBuf> {
    let mut modules: Vec<&str> = path.split("::").collect();
    modules.pop();
    let of = if modules.first().is_some_and(|first| first.contains('-')) { modules.remove(0) } else { "dsh-cli" };
    let folder = repository().join("crates").join(of).join("tests/it");
    let prefixes = (1..=modules.len()).filter_map(|length| modules.get(..length));
    prefixes.map(|modules| folder.join(modules.join("/")).with_extension("rs")).filter(|home| home.is_file()).collect()
}

/// What is left of this command where nobody reads its standard output: the other end of the pipe is closed before it begins.
pub(crate) fn read_by_nobody(command: &mut Command) -> std::process::Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(writer).output().unwrap()
}

/// A run of `dsh` that cannot make any file longer than so many blocks: writing fails as on a full disk.
#[cfg(unix)]
pub(crate) fn with_little_room(project: &Project, blocks: usize, words: &str) -> Run {
    let dsh = project.command();
    let mut shell = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {words}");
    shell.current_dir(project.path()).arg("-c").arg(script).arg(dsh.get_program());
    for (name, value) in dsh.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    Run::of(format!("dsh {words}"), &mut shell)
}
