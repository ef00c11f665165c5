//! This repository obeys its rules.

use xtask::{Finding, catalog, layers, root, tidy};

#[track_caller]
fn none(findings: &[Finding], chore: &str) {
    let shown: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "`cargo xtask {chore}` finds:\n{}", shown.join("\n"));
}

#[test]
fn the_house_rules_hold() {
    none(&tidy::check_repository(&root().unwrap()).unwrap(), "tidy");
}

#[test]
fn every_crate_depends_only_on_crates_of_a_smaller_level() {
    none(&layers::check_workspace(&root().unwrap()).unwrap(), "layers");
}

#[test]
fn the_catalog_and_the_api_tables_are_fresh() {
    none(&catalog::check(&root().unwrap()).unwrap(), "catalog --check");
}
