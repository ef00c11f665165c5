//! Where the repository is.

use std::path::PathBuf;

use crate::Error;

/// The root of the repository: the nearest folder upwards from the working directory whose manifest has `[workspace]`.
///
/// Not a path kept from compile time: the repository may have moved since.
pub fn root() -> Result<PathBuf, Error> {
    #[expect(clippy::disallowed_methods, reason = "xtask is a program about the folder that it is called in")]
    let here = std::env::current_dir().map_err(|error| Error::new(format!("no working directory: {error}")))?;
    here.ancestors()
        .find(|folder| {
            #[expect(clippy::disallowed_methods, reason = "xtask reads the repository")]
            let manifest = std::fs::read_to_string(folder.join("Cargo.toml"));
            manifest.is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
        })
        .map(PathBuf::from)
        .ok_or_else(|| Error::new("not inside the repository: no Cargo.toml with [workspace] here or above"))
}
