//! The work that speed is measured on, and a kernel that is filled with it.
//!
//! **Role.** [`Workload`] is the one piece of work that every side does: sections, variables, tools. [`Ours`] is the kernel with
//! the prompt registry filled from it. The benches (`benches/`, run by `cargo bench`) and the side-by-side program
//! (`examples/table/`, run by `cargo xtask bench`) stand on both.
//!
//! **Non-goals.** No clock and no figure: who measures is a bench or the program. No rival: those are dev-dependencies, so
//! that who builds dsh compiles none of them.
//!
//! ```
//! use dsh_bench::{Changes, Ours, Providers, Workload, runtime};
//!
//! # fn main() -> Result<(), dsh_kernel::Failure> {
//! let runtime = runtime()?;
//! let _inside = runtime.enter();
//! let ours = Ours::start(&Workload::load()?, Providers::Shared, Changes::OneVariable)?;
//! assert_ne!(ours.step(None)?, ours.step(None)?);
//! # Ok(())
//! # }
//! ```

mod changing;
mod ours;
mod polled;
mod workload;

pub use changing::Changing;
pub use ours::{CHANGING, Changes, Ours, Owned, Providers};
pub use polled::{at_once, runtime};
pub use workload::{Workload, WorkloadSection};
