//! Typed fields that other crates add (S10): at most one value of each type.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::Arc;

use dsh_kernel::Quiet;

/// A few values by type. They are few, so a list is quicker than a map, and it has an order. They are foreign, so a panic of
/// their destructors is contained (K13).
#[derive(Clone, Default)]
pub(crate) struct Extensions(Vec<(TypeId, Arc<dyn Any + Send + Sync>)>);

impl Extensions {
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        let (id, value) = (TypeId::of::<T>(), Arc::new(Quiet::new(value)));
        match self.0.iter_mut().find(|(known, _)| *known == id) {
            Some((_, kept)) => *kept = value,
            None => self.0.push((id, value)),
        }
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        let id = TypeId::of::<T>();
        self.0
            .iter()
            .find(|(known, _)| *known == id)
            .and_then(|(_, value)| value.downcast_ref::<Quiet<T>>())
            .map(|value| &**value)
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Extensions({})", self.0.len())
    }
}
