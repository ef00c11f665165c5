//! That no example with requests is left out, and no other project with a model.

use std::path::{Path, PathBuf};

use crate::PROGRAMS;

/// Projects that `dsh run` runs, and the test of `dsh-cli` that looks at their requests.
const PROJECTS: [(&str, &str); 1] = [("examples/coding-agent", "its_requests_are_rebuilt_from_the_log_to_the_byte")];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a folder, but for what is built or fetched.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_ours = !name.starts_with('.') && name != "target" && name != "node_modules";
        if is_ours && path.is_dir() {
            files(&path, found);
        } else if is_ours {
            found.push(path);
        }
    }
}

fn says(path: &Path, words: &[&str]) -> bool {
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    words.iter().any(|word| text.contains(word))
}

#[test]
fn every_example_program_that_drives_agents_is_run() {
    let examples = repository().join("examples");
    let mut missing = Vec::new();
    for entry in std::fs::read_dir(&examples).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut sources = Vec::new();
        files(&path, &mut sources);
        let is_rust = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "rs");
        let drives = sources.iter().filter(is_rust).any(|path| says(path, &["AgentLoop", "Model"]));
        if drives && PROGRAMS.iter().all(|(known, ..)| *known != name) {
            missing.push(name);
        }
    }
    assert!(
        missing.is_empty(),
        "not in `PROGRAMS`, so nobody looks whether their requests can be rebuilt: {missing:?}"
    );
}

#[test]
fn every_project_with_a_model_is_run() {
    let mut all = Vec::new();
    files(&repository(), &mut all);
    let is_config = |path: &&PathBuf| path.file_name().is_some_and(|name| name == "dsh.toml");
    let with_model = all.iter().filter(is_config).filter(|path| says(path, &["\nscripted", "[model]", "\nmodel"]));
    let tests = repository().join("crates/dsh-cli/tests/it/examples.rs");
    for config in with_model {
        let folder = config.parent().unwrap().strip_prefix(repository()).unwrap().to_string_lossy().replace('\\', "/");
        let known = PROJECTS.iter().find(|(project, _)| *project == folder);
        let (_, test) = known.unwrap_or_else(|| unreachable!("`{folder}` has a model and is not in `PROJECTS`"));
        assert!(says(&tests, &[&format!("fn {test}()")]), "there is no test `{test}`");
    }
    assert!(PROJECTS.iter().all(|(project, _)| repository().join(project).join("dsh.toml").is_file()));
}
