//! What `cargo metadata` says about the members of the workspace.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{Error, process};

/// The members of the workspace, in order of their names.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// The members.
    pub packages: Vec<Package>,
}

/// One member of the workspace.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its manifest, as cargo names it.
    pub manifest: String,
    /// Where it stands.
    pub level: Level,
    /// Whether it has a library.
    pub has_library: bool,
    /// What it depends on.
    pub dependencies: Vec<Dependency>,
}

/// `[package.metadata.dsh] level` of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A crate of the product.
    Number(u64),
    /// `"dev"`: a crate for working on the product.
    Dev,
    /// Not stated, or neither a number nor `"dev"`.
    Missing,
}

/// One entry of a dependency table.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// The package depended on.
    pub name: String,
    /// Which table it stands in.
    pub kind: Kind,
}

/// Which dependency table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `[dependencies]`
    Normal,
    /// `[dev-dependencies]`
    Dev,
    /// `[build-dependencies]`
    Build,
}

impl Metadata {
    /// Asks cargo, without resolving dependencies (so without the network).
    pub fn of_workspace(root: &Path) -> Result<Self, Error> {
        let mut cargo = Command::new(process::cargo());
        cargo.current_dir(root).args(["metadata", "--format-version", "1", "--no-deps", "--locked"]);
        Self::parse(&process::stdout_of(cargo)?)
    }

    /// Reads the output of `cargo metadata`.
    pub fn parse(json: &str) -> Result<Self, Error> {
        let value: Value =
            serde_json::from_str(json).map_err(|error| Error::new(format!("cargo metadata is not JSON: {error}")))?;
        let packages =
            value["packages"].as_array().ok_or_else(|| Error::new("cargo metadata has no list `packages`"))?;
        let mut packages: Vec<Package> = packages.iter().map(Package::read).collect();
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { packages })
    }

    /// The member of that name.
    pub fn get(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }
}

impl Package {
    fn read(value: &Value) -> Self {
        let list = |key: &str| value[key].as_array().into_iter().flatten();
        let level = &value["metadata"]["dsh"]["level"];
        Self {
            name: text(&value["name"]),
            manifest: text(&value["manifest_path"]),
            level: match (level.as_u64(), level.as_str()) {
                (Some(number), _) => Level::Number(number),
                (None, Some("dev")) => Level::Dev,
                (None, _) => Level::Missing,
            },
            has_library: list("targets")
                .any(|target| target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "lib"))),
            dependencies: list("dependencies").map(Dependency::read).collect(),
        }
    }
}

impl Dependency {
    fn read(value: &Value) -> Self {
        let kind = match value["kind"].as_str() {
            Some("dev") => Kind::Dev,
            Some("build") => Kind::Build,
            _ => Kind::Normal,
        };
        Self { name: text(&value["name"]), kind }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
