//! What the tests of dsh share: an event log, drop probes, gates and counters; and what stress tests are made of.
//!
//! **Role.** Lifecycles are tested by what happened in which order ([`Log`]), by values that record their own end
//! ([`Probes`], [`DropProbe`]), and by futures that end when the test says so ([`Gate`]). Nothing here waits on real time but for how
//! long a stress test goes on ([`Stress`], [`Watchdog`]); what it does is thrown ([`Dice`]).
//!
//! **Non-goals.** No assertions about dsh's own types: this crate depends on no crate of the workspace and on no async
//! runtime, so that every other crate can use it as a dev-dependency. No fake clock: that is the kernel's `ManualClock`.
//!
//! ```
//! use dsh_testkit::{Gate, Log, Probes, poll_once};
//!
//! let (log, probes, gate) = (Log::new(), Probes::new(), Gate::new());
//! let mut work = Box::pin({
//!     let (log, probe, gate) = (log.clone(), probes.probe(), gate.clone());
//!     async move {
//!         log.push("started");
//!         gate.wait().await;
//!         log.push("ended");
//!         drop(probe);
//!     }
//! });
//! assert!(poll_once(&mut work).is_pending());
//! assert_eq!((gate.waiting(), probes.balance()), (1, 1));
//! gate.open();
//! assert!(poll_once(&mut work).is_ready());
//! log.assert(["started", "ended"]);
//! assert_eq!(probes.balance(), 0);
//! ```

mod alone;
mod bounds;
mod counter;
mod dice;
mod gate;
mod given_time;
mod log;
mod memory;
mod poll;
mod probe;
mod stress;
mod watchdog;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub use alone::alone;
pub use bounds::{assert_send, assert_send_sync};
pub use counter::Counter;
pub use dice::Dice;
pub use gate::{Gate, Reached, Wait};
pub use log::Log;
pub use memory::resident_bytes;
pub use poll::{block_on, poll_once};
pub use probe::{DropProbe, Probes};
pub use stress::{Stress, yield_until};
pub use watchdog::Watchdog;
