//! The `trace` command: scenario files in, one JSON object out.

use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use crate::entry::{Entry, Failed};
use crate::run::run;

/// The traces of scenario files, by the files' names without `.json`. Files that end in `.trace.json` are passed over;
/// one that cannot be read, or is no scenario, gives one `runner` entry.
pub fn trace_files<'a>(files: impl IntoIterator<Item = &'a str>) -> Value {
    let files = files.into_iter().filter(|file| !file.ends_with(".trace.json"));
    Value::Object(files.map(|file| (name_of(file), trace_file(Path::new(file)))).collect::<Map<_, _>>())
}

/// The file's name without its folders and without `.json`.
fn name_of(file: &str) -> String {
    let name = Path::new(file).file_name().map_or_else(|| file.into(), |name| name.to_string_lossy());
    name.strip_suffix(".json").unwrap_or(&name).to_owned()
}

fn trace_file(file: &Path) -> Value {
    match read(file) {
        Ok(scenario) => run(&scenario),
        Err(error) => Value::Array(vec![Entry::from(Failed::runner(format!("{}: {error}", file.display()))).to_json()]),
    }
}

fn read(file: &Path) -> io::Result<Value> {
    Ok(serde_json::from_slice(&std::fs::read(file)?)?)
}
