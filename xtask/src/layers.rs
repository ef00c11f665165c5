//! The level rule: a crate depends only on crates of a smaller level.
//!
//! The level stands in each manifest (`[package.metadata.dsh] level`). A `"dev"` crate may depend on any; nothing else
//! depends on one but by dev-dependency.

use std::path::Path;

use crate::{Error, Finding, Kind, Level, Metadata, Package, process};

/// Checks the repository at `root`.
pub fn check_workspace(root: &Path) -> Result<Vec<Finding>, Error> {
    let mut findings = check(&Metadata::of_workspace(root)?);
    for finding in &mut findings {
        locate(finding, root);
    }
    Ok(findings)
}

/// Checks what cargo said. Findings name the manifest as cargo does, at line 1.
pub fn check(metadata: &Metadata) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &metadata.packages {
        check_name(package, &mut findings);
        if package.level == Level::Missing {
            findings.push(Finding::new(
                &package.manifest,
                1,
                format!("`{}` states no level", package.name),
                "write [package.metadata.dsh] level = N, or \"dev\" for a crate for working on dsh",
            ));
        }
        for dependency in &package.dependencies {
            if let Some(on) = metadata.get(&dependency.name)
                && let Some((what, remedy)) = wrong_arrow(package, dependency.kind, on)
            {
                findings.push(Finding::new(&package.manifest, 1, what, remedy));
            }
        }
    }
    findings
}

fn check_name(package: &Package, findings: &mut Vec<Finding>) {
    let last = package.name.rsplit('-').next().unwrap_or_default();
    if ["core", "common", "util", "utils"].contains(&last) {
        findings.push(Finding::new(
            &package.manifest,
            1,
            format!("a crate is named `{}`", package.name),
            "name it after the one idea that it holds: everybody adds to a crate without one",
        ));
    }
}

fn wrong_arrow(from: &Package, kind: Kind, on: &Package) -> Option<(String, String)> {
    let arrow = format!("`{}` ({}) -> `{}` ({})", from.name, said(from.level), on.name, said(on.level));
    // What only tests need is free, and a crate without a level has its own finding.
    let Level::Number(upper) = from.level else { return None };
    match on.level {
        _ if kind == Kind::Dev => None,
        Level::Dev => Some((
            format!("{arrow}: the product depends on a dev crate"),
            format!("move `{}` to [dev-dependencies]", on.name),
        )),
        Level::Number(lower) if lower >= upper => Some((
            format!("{arrow}: a crate depends only on crates of a smaller level"),
            format!(
                "move what `{}` needs down into a crate below both, or let the crate above join the two (docs/architecture.md)",
                from.name
            ),
        )),
        Level::Number(_) | Level::Missing => None,
    }
}

fn said(level: Level) -> String {
    match level {
        Level::Number(number) => format!("level {number}"),
        Level::Dev => "dev".to_owned(),
        Level::Missing => "no level".to_owned(),
    }
}

/// Makes the manifest relative to the root and points at the line of the dependency, or of the level.
fn locate(finding: &mut Finding, root: &Path) {
    let manifest = Path::new(&finding.file).to_path_buf();
    let wanted = finding.what.split("-> `").nth(1).and_then(|rest| rest.split('`').next()).unwrap_or("level");
    let text = process::read(&manifest).unwrap_or_default();
    let line =
        text.lines().position(|line| line.strip_prefix(wanted).is_some_and(|rest| rest.starts_with([' ', '.', '='])));
    finding.line = line.map_or(1, |index| index + 1);
    if let Ok(relative) = manifest.strip_prefix(root) {
        finding.file = relative.display().to_string();
    }
}
