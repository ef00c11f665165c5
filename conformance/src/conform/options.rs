//! What to compare.

use std::path::PathBuf;

/// What to compare.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConformOptions {
    /// The first seed.
    pub start: u64,
    /// How many seeds.
    pub seeds: u64,
    /// How many scenarios one node process runs.
    pub batch: usize,
    /// How many node processes run side by side. They mostly sleep.
    pub jobs: usize,
    /// The folder of `run.mjs` and its `node_modules`; without one, the crate's own `upstream`.
    pub upstream: Option<PathBuf>,
}

impl Default for ConformOptions {
    fn default() -> Self {
        Self { start: 0, seeds: 200, batch: 100, jobs: 2, upstream: None }
    }
}
