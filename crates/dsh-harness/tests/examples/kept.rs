//! Stores and models that are kept for a look at them.

use std::sync::{Mutex, PoisonError};

use real::llm::{Model, ModelRequest, ModelStream, ScriptError};

/// What the program that runs now has made, and what its models were sent.
static KEPT: Mutex<Kept> = Mutex::new(Kept { stores: Vec::new(), asked: Vec::new() });

struct Kept {
    stores: Vec<real::session::MemoryStore>,
    asked: Vec<String>,
}

fn with<R>(look: impl FnOnce(&mut Kept) -> R) -> R {
    look(&mut KEPT.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The stores that were made, and the bytes of the requests that models were sent, since the last look.
pub(crate) fn take() -> (Vec<real::session::MemoryStore>, Vec<String>) {
    with(|kept| (std::mem::take(&mut kept.stores), std::mem::take(&mut kept.asked)))
}

/// Stands for the store of the same name.
#[derive(Debug)]
pub struct MemoryStore;

impl MemoryStore {
    /// A real one, which is kept too.
    #[expect(clippy::new_ret_no_self, reason = "the examples are to get the real one")]
    pub fn new() -> real::session::MemoryStore {
        let store = real::session::MemoryStore::new();
        with(|kept| kept.stores.push(store.clone()));
        store
    }
}

/// Stands for the model of the same name, and keeps what it is sent.
#[derive(Debug)]
pub struct ScriptedModel(real::llm::ScriptedModel);

impl ScriptedModel {
    /// As the real one.
    pub fn parse(script: &str) -> Result<Self, ScriptError> {
        real::llm::ScriptedModel::parse(script).map(Self)
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        with(|kept| kept.asked.push(request.to_json()));
        self.0.stream(request)
    }
}
