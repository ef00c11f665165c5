//! What the steps of one scenario share: the log, and the ids of scopes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dsh_harness::kernel::ScopeKey;

/// The log and the scopes' ids; a clone is the same stage.
#[derive(Clone, Default)]
pub(super) struct Stage(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    log: Vec<String>,
    scopes: HashMap<ScopeKey, String>,
}

impl Stage {
    pub(super) fn log(&self, line: impl Into<String>) {
        self.shared().log.push(line.into());
    }

    /// The log since the last call.
    pub(super) fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut self.shared().log)
    }

    pub(super) fn name_scope(&self, key: ScopeKey, id: &str) {
        self.shared().scopes.insert(key, id.to_owned());
    }

    /// `template` with each `%scope%` replaced by the scope's id, or `-`.
    pub(super) fn fill_in(&self, template: &str, scope: Option<ScopeKey>) -> String {
        let shared = self.shared();
        let id = scope.and_then(|key| shared.scopes.get(&key)).map_or("-", String::as_str);
        template.replace("%scope%", id)
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        // A panic elsewhere is caught by the kernel; what is in here is whole all the same.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
