//! A request can be rebuilt from the log to the byte, for every request of every example (A3). The programs are run as they stand;
//! what they see of `dsh_harness` keeps their stores and what their models were sent.

#![expect(clippy::unwrap_used, reason = "what a helper of a test cannot do has failed the test")]

extern crate dsh_harness as real;
// The examples say `dsh_harness`, and get this.
extern crate self as dsh_harness;

pub mod llm {
    //! As the libraries' own, but for the model.
    pub use crate::kept::ScriptedModel;
    pub use real::llm::*;
}

pub mod prelude {
    //! As the libraries' own, but for the store.
    pub use crate::kept::MemoryStore;
    pub use real::prelude::*;
}

#[path = "../../../../examples/agent/src/main.rs"]
mod agent;
mod coverage;
mod kept;
#[path = "../../../../examples/plugin/src/main.rs"]
mod plugin;

use real::kernel::Failure;
use real::session::{SessionStore, requests};

/// A program: its folder, its `main`, and how many requests it makes.
type Program = (&'static str, fn() -> Result<(), Failure>, usize);

/// The examples that are programs and have a model.
const PROGRAMS: [Program; 2] = [("agent", agent::main, 2), ("plugin", plugin::main, 3)];

// A3
#[test]
fn every_request_of_every_program_is_rebuilt_from_its_log_to_the_byte() {
    for (name, main, count) in PROGRAMS {
        main().unwrap();
        let (stores, asked) = kept::take();
        let mut rebuilt = Vec::new();
        for store in stores {
            for listed in store.list().unwrap() {
                let log = store.read(&listed.id).unwrap();
                rebuilt.extend(requests(&log.records).unwrap().iter().map(|rebuilt| rebuilt.request.to_json()));
            }
        }
        assert_eq!(rebuilt, asked, "{name}");
        assert_eq!(asked.len(), count, "{name}");
    }
}
