//! The recorded scenarios, and one way to ask for a trace.

#![expect(clippy::unwrap_used, reason = "a helper of tests: what cannot be read fails the test")]

use std::fs;
use std::path::{Path, PathBuf};

use dsh_conformance::Scenario;
use serde_json::Value;

/// A scenario of the folder, with the trace that the npm package gave.
pub(crate) struct Recorded {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    pub(crate) scenario: Scenario,
    pub(crate) trace: Value,
}

/// The recorded scenarios, by name.
pub(crate) fn recorded() -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| !file.to_string_lossy().ends_with(".trace.json"));
    files.sort();
    let read = |file: PathBuf| Recorded {
        name: file.file_stem().unwrap().to_string_lossy().into_owned(),
        scenario: Scenario::read(&json_of(&file)).unwrap(),
        trace: json_of(&file.with_extension("trace.json")),
        file,
    };
    files.into_iter().map(read).collect()
}

fn json_of(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// Reads a scenario from its steps, written as JSON.
pub(crate) fn steps(steps: &str) -> Scenario {
    Scenario::parse(&format!("{{\"steps\": [{steps}]}}")).unwrap()
}
