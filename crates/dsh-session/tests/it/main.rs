//! What dsh-session promises, seen from outside: A3 of the contract, and what `docs/session-format.md` says.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up has nothing to say")]

mod support;

mod derive;
mod enter;
mod places;
mod random_logs;
mod rebuild;
mod session;

#[cfg(unix)]
mod damage;
#[cfg(unix)]
mod files;
#[cfg(unix)]
mod flush;
#[cfg(unix)]
mod fork;
#[cfg(unix)]
mod locks;
#[cfg(unix)]
mod torn;

mod format;
mod hostile;
