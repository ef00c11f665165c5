//! The values that every side renders with: those of the workload, one of them changing.

use std::sync::Arc;

use dsh_bench::{CHANGING, Changing, Workload};

/// Sets of values, in the order of the names.
#[derive(Debug)]
pub(crate) struct Values {
    names: Vec<String>,
    sets: Vec<Vec<Arc<str>>>,
}

impl Values {
    /// The sets that the variable [`CHANGING`] makes, in turn.
    pub(crate) fn new(workload: &Workload) -> Self {
        let of = |name: &str, fixed: &str| match name {
            CHANGING => Changing::new(fixed).values().to_vec(),
            _ => vec![Arc::from(fixed)],
        };
        let columns: Vec<Vec<Arc<str>>> = workload.variables.iter().map(|(name, value)| of(name, value)).collect();
        let count = columns.iter().map(Vec::len).max().unwrap_or(1);
        let set = |at: usize| columns.iter().filter_map(|column| column.get(at % column.len()).cloned()).collect();
        Self {
            names: workload.variables.iter().map(|(name, _)| name.clone()).collect(),
            sets: (0..count).map(set).collect(),
        }
    }

    /// The place of a name.
    pub(crate) fn slot(&self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or(usize::MAX)
    }

    /// Each set, as names with their values.
    pub(crate) fn sets(&self) -> impl Iterator<Item = Vec<(&str, &str)>> {
        self.sets
            .iter()
            .map(|set| self.names.iter().map(String::as_str).zip(set.iter().map(|value| &**value)).collect())
    }
}
