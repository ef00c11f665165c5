//! The kept corpora: seeds from the repository's own test data, what fuzzers found beside them, and every input that once failed.

#![expect(clippy::unwrap_used, reason = "a helper of tests: what cannot be read fails the test")]

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use dsh_fuzz::{TARGETS, Target};

/// The kept inputs of a target, by file name.
pub(crate) fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .map(|file| (file.file_name().unwrap().to_string_lossy().into_owned(), fs::read(file).unwrap()))
        .collect()
}

fn passes(target: &str) {
    let Target { check, .. } = TARGETS.into_iter().find(|known| known.name == target).unwrap();
    let inputs = corpus(target);
    assert!(inputs.len() > 10, "{target} has a corpus");
    let fails = |(_, bytes): &&(String, Vec<u8>)| catch_unwind(AssertUnwindSafe(|| check(bytes))).is_err();
    let wrong: Vec<&String> = inputs.iter().filter(fails).map(|(name, _)| name).collect();
    assert!(wrong.is_empty(), "fuzz/corpus/{target}: {wrong:?}");
}

#[test]
fn every_kept_template_passes() {
    passes("template");
}

#[test]
fn every_kept_file_of_tools_passes() {
    passes("tools");
}

#[test]
fn every_kept_configuration_passes() {
    passes("configuration");
}

#[test]
fn every_kept_agent_file_passes() {
    passes("agent_file");
}

#[test]
fn every_kept_instruction_file_passes() {
    passes("instructions");
}

#[test]
fn every_kept_scenario_passes() {
    passes("scenario");
}

#[test]
fn every_target_has_a_corpus_a_dictionary_and_a_shell() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for Target { name, .. } in TARGETS {
        for file in
            [format!("corpus/{name}"), format!("dictionaries/{name}.dict"), format!("libfuzzer/fuzz_targets/{name}.rs")]
        {
            assert!(root.join(&file).exists(), "{file}");
        }
    }
}
