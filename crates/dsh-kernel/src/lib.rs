//! Contexts, fibers, effects, services, events and scopes for parts that come and go.
//!
//! A plugin registers what it contributes through a [`Context`]; the context alone decides who owns it. Every registration is
//! an effect with an exact [`Disposer`], so that parts nest, unwind in order and leave nothing behind.
//!
//! ```
//! use dsh_kernel::{Context, Failure, Kernel, Plugin};
//!
//! struct Desk;
//!
//! impl Plugin for Desk {
//!     const NAME: &'static str = "desk";
//!     type Inject = ();
//!
//!     async fn start(&self, ctx: &Context) -> Result<(), Failure> {
//!         let lamp = ctx.effect("lamp", |fx| {
//!             fx.defer(|| println!("lamp off"));
//!             Ok(())
//!         })?;
//!         // One composite: undone in reverse, the lamp before the door.
//!         ctx.effect("office", |fx| {
//!             fx.defer_async(|| async { println!("door locked") });
//!             fx.adopt(lamp)?;
//!             Ok(())
//!         })?;
//!         Ok(())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let kernel = Kernel::new();
//! let desk = kernel.root().plugin(Desk)?;
//! desk.ready().await?;
//! desk.dispose().await?; // lamp off, door locked
//! # Ok::<(), dsh_kernel::Error>(())
//! # }).unwrap();
//! ```
//!
//! It has no word of prompts, tools or agents; no configuration, no logging but through `tracing`, no reading of files,
//! environment or wall clock.
//!
//! In reading order: names and failures, contexts and effects, fibers and plugins, services, events, scopes and layers,
//! tasks; then the machinery: the world under its lock, the agenda, unwinding, the lifecycle, frames, the runtime.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod cancel;
mod catalog;
mod clock;
mod context;
mod effect;
mod error;
mod events;
mod failure;
mod fiber;
mod inspect;
mod kernel;
mod layers;
mod name;
mod nearest;
mod owner;
mod plugin;
mod quiet;
mod scope;
mod scope_key;
mod service;
mod task;
mod teardown;

mod agenda;
mod failures;
mod fast_map;
mod frames;
mod latch;
mod lifecycle;
#[cfg_attr(dsh_model, path = "runtime/model.rs")]
mod runtime;
mod sync;
mod unwind;
mod world;

pub use cancel::{Cancel, Cancelled, Canceller};
pub use catalog::{CONTEXT_METHODS, EventInfo, KERNEL_EVENTS, Method, ServiceInfo};
pub use clock::{BoxFuture, Clock, ManualClock};
pub use context::Context;
pub use effect::{Disposer, Fx};
pub use error::{Error, ErrorKind, LinkFailure};
pub use events::{
    Audience, Emit, Event, EventMode, FiberChanged, ListenerFuture, Next, Prepended, Serial, SerialEvent, Waterfall,
    WaterfallEvent,
};
pub use failure::{Failure, Outcome};
pub use fiber::{Fiber, FiberState, Ready};
pub use inspect::{InspectedEffect, InspectedFiber, Inspection};
pub use kernel::{Kernel, KernelBuilder, Settled};
pub use layers::{Layer, Layers, Registered, Snapshot};
pub use name::Name;
pub use nearest::{nearest, nearest_first};
pub use owner::Owner;
pub use plugin::{DynPlugin, Plugin};
pub use quiet::Quiet;
pub use scope::Scope;
pub use scope_key::ScopeKey;
pub use service::{Handle, Service, ServiceSet};
pub use teardown::Teardown;
