//! Wrong arrows are found and named; right ones are not.

use xtask::{Metadata, layers};

/// A package: name, level (as JSON), dependencies (name and kind, as JSON).
type Made<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn metadata(packages: &[Made<'_>]) -> Metadata {
    let package = |(name, level, dependencies): &Made<'_>| {
        let dependencies: Vec<String> =
            dependencies.iter().map(|(name, kind)| format!(r#"{{"name": "{name}", "kind": {kind}}}"#)).collect();
        format!(
            r#"{{"name": "{name}", "manifest_path": "{name}/Cargo.toml", "metadata": {{"dsh": {{"level": {level}}}}},
                "targets": [], "dependencies": [{}]}}"#,
            dependencies.join(", ")
        )
    };
    let packages: Vec<String> = packages.iter().map(package).collect();
    Metadata::parse(&format!(r#"{{"packages": [{}]}}"#, packages.join(", "))).unwrap()
}

#[test]
fn arrows_down_and_arrows_from_dev_crates_are_right() {
    let metadata = metadata(&[
        ("low", "0", &[("serde", "null"), ("kit", "\"dev\"")]),
        ("high", "1", &[("low", "null"), ("low", "\"build\""), ("kit", "\"dev\"")]),
        ("kit", "\"dev\"", &[]),
        ("bench", "\"dev\"", &[("kit", "null"), ("high", "null")]),
    ]);
    assert_eq!(layers::check(&metadata), []);
}

#[test]
fn arrows_up_and_sideways_are_named_with_a_remedy() {
    let metadata =
        metadata(&[("low", "0", &[("high", "null")]), ("high", "1", &[("beside", "\"build\"")]), ("beside", "1", &[])]);
    let findings = layers::check(&metadata);
    let said: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(findings.len(), 2, "{said:#?}");
    assert!(said[0].starts_with("high/Cargo.toml:1: `high` (level 1) -> `beside` (level 1)"), "{said:#?}");
    assert!(said[1].starts_with("low/Cargo.toml:1: `low` (level 0) -> `high` (level 1)"), "{said:#?}");
    assert!(said.iter().all(|text| text.contains("remedy: ")), "{said:#?}");
}

#[test]
fn the_product_has_no_dev_crate_but_by_dev_dependency() {
    let findings = layers::check(&metadata(&[("low", "0", &[("kit", "null")]), ("kit", "\"dev\"", &[])]));
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert!(findings[0].remedy.contains("[dev-dependencies]"), "{findings:?}");
}

#[test]
fn a_crate_without_a_level_and_one_named_core_are_found() {
    let findings = layers::check(&metadata(&[("dsh-core", "0", &[]), ("lost", "null", &[])]));
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings[0].what.contains("`dsh-core`") && findings[1].what.contains("states no level"), "{findings:?}");
}
