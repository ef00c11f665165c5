//! The npm package's side: `run.mjs` under node, in batches.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::scenario::Scenario;

/// Why the npm package cannot be run.
#[derive(Debug)]
#[non_exhaustive]
pub enum NpmError {
    /// There is no `node` on the path.
    NoNode,
    /// The package is not installed in that folder.
    NotInstalled(PathBuf),
    /// The folder for the scenarios, or the process, cannot be made.
    Io(io::Error),
    /// The process failed, or printed something else than traces.
    Broken(String),
}

impl fmt::Display for NpmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNode => f.write_str(
                "there is no `node` on the path: the npm package runs on it (version 20 or later). Install Node.js, or leave \
                 this comparison out; the recorded traces are compared without it (`cargo test -p dsh-conformance`)",
            ),
            Self::NotInstalled(folder) => write!(
                f,
                "the npm package is not installed in {0}: run `npm ci` there once, or name another folder that has `run.mjs` \
                 and `node_modules` in DSH_UPSTREAM",
                folder.display()
            ),
            Self::Io(error) => write!(f, "the npm package cannot be started: {error}"),
            Self::Broken(what) => write!(f, "the npm package's runner failed: {what}"),
        }
    }
}

impl std::error::Error for NpmError {}

impl From<io::Error> for NpmError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The installed npm package.
#[derive(Debug)]
pub(super) struct Npm {
    folder: PathBuf,
}

impl Npm {
    /// Looks for node and for the installed package.
    pub(super) fn find(folder: Option<PathBuf>) -> Result<Self, NpmError> {
        let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("upstream"));
        let version = Command::new("node").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        match version {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(NpmError::NoNode),
            Err(error) => return Err(NpmError::Io(error)),
        }
        if !folder.join("node_modules").is_dir() || !folder.join("run.mjs").is_file() {
            return Err(NpmError::NotInstalled(folder));
        }
        Ok(Self { folder })
    }

    /// The traces of scenarios, in their order, from one process for each batch, all at once.
    pub(super) fn side_by_side(&self, scenarios: &[Scenario], batch: usize) -> Result<Vec<Value>, NpmError> {
        let ended = std::thread::scope(|threads| {
            let running: Vec<_> =
                scenarios.chunks(batch).map(|batch| threads.spawn(move || self.traces(batch))).collect();
            running.into_iter().map(std::thread::ScopedJoinHandle::join).collect::<Vec<_>>()
        });
        let mut traces = Vec::new();
        for batch in ended {
            traces.extend(
                batch.map_err(|_payload| NpmError::Broken("a thread that waited for it panicked".to_owned()))??,
            );
        }
        Ok(traces)
    }

    /// The traces of scenarios, in their order, from one process.
    pub(super) fn traces(&self, scenarios: &[Scenario]) -> Result<Vec<Value>, NpmError> {
        if scenarios.is_empty() {
            return Ok(Vec::new());
        }
        let folder = tempfile::tempdir()?;
        let mut command = Command::new("node");
        command.arg(self.folder.join("run.mjs")).current_dir(&self.folder);
        for (index, scenario) in scenarios.iter().enumerate() {
            let file = folder.path().join(format!("{index}.json"));
            std::fs::write(&file, scenario.to_text())?;
            command.arg(file);
        }
        let output = command.output()?;
        if !output.status.success() {
            return Err(NpmError::Broken(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let mut printed: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| NpmError::Broken(format!("no traces: {error}")))?;
        let taken = (0..scenarios.len()).map(|index| {
            let trace = printed.get_mut(index.to_string()).map(Value::take);
            trace.ok_or_else(|| NpmError::Broken(format!("no trace of scenario {index}")))
        });
        taken.collect()
    }
}
