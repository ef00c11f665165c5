//! The event log of a session, and its stores.
//!
//! **Role.** All that happens in a session is a record in an append-only log: what was said, what a model was asked and answered, which
//! tools ran and what came of them. What the model is sent is a pure function of the log ([`derive`](fn@derive)), so a session can be replayed
//! to the byte. A [`FileStore`] keeps each session in a file of JSON lines, a [`MemoryStore`] in memory; the plugin [`Sessions`] makes
//! a store a service.
//!
//! **Non-goals.** No loop: this crate neither asks models nor runs tools. No clock and no chance: the host passes both in. No search, no
//! index, no encryption.
//!
//! ```
//! use dsh_kernel::Kernel;
//! use dsh_llm::Message;
//! use dsh_session::{Input, MemoryStore, Opened, SessionId, Sessions, SessionsExt, TurnEnd, TurnEnded, TurnStarted, Via};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let kernel = Kernel::new();
//! let root = kernel.root();
//! root.plugin(Sessions::new(MemoryStore::new()))?.ready().await?;
//!
//! let session = root.sessions().create(Opened::new(SessionId::new(1_760_000_000_000, 7)))?;
//! let entered = root.sessions().enter(&session)?;
//! session.append(TurnStarted::new())?;
//! session.append(Input::new(Message::user("Hello"), Via::Prompt))?;
//! session.append(TurnEnded::new(TurnEnd::Completed))?;
//! assert_eq!(session.messages(), [Message::user("Hello")]);
//!
//! entered.dispose().await?; // the last flush is done
//! assert_eq!(root.sessions().read(session.id())?.records.len(), 4);
//! # Ok::<(), dsh_kernel::Failure>(())
//! # }).unwrap();
//! ```
//!
//! In reading order: what happens, what is made of it, where it is kept; then the session and the service.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod event;
mod hash;
mod id;
mod record;

mod derive;
mod rebuild;

mod damage;
#[cfg(unix)]
mod file;
mod lines;
mod memory;
mod store;

mod handle;
mod plugin;
mod registry;
mod session;

mod error;

pub use damage::{Damage, DamageKind};
pub use derive::{OpenCall, derive, open_calls};
pub use error::{Error, ErrorKind};
pub use event::{
    Answered, Attached, CallEnded, CallStarted, Compacted, FORMAT_VERSION, Input, Opened, Origin, Prompt, Repaired,
    Request, RequestMessages, SessionEvent, StepFailed, TurnEnd, TurnEnded, TurnLimit, TurnStarted, Via,
};
#[cfg(unix)]
pub use file::FileStore;
pub use handle::{SessionsExt, SessionsHandle};
pub use hash::Digest;
pub use id::SessionId;
pub use memory::MemoryStore;
pub use plugin::Sessions;
pub use rebuild::{Rebuilt, requests};
pub use record::Record;
pub use registry::SessionRegistry;
pub use session::{Session, WallClock};
pub use store::{Listed, Log, SessionStore, SessionWriter, Summary};
