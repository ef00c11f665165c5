//! Ends the whole run with a message where a test hangs: a lost wake-up or a deadlock shows as this.

use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;

/// How long a test may take, in real time, before it is taken to hang.
const LIMIT: Duration = Duration::from_mins(1);

/// Alive while a test runs.
pub(crate) struct Watchdog {
    _alive: mpsc::Sender<()>,
}

impl Watchdog {
    pub(crate) fn start() -> Self {
        Self::with_limit(LIMIT)
    }

    pub(crate) fn with_limit(limit: Duration) -> Self {
        let name = std::thread::current().name().unwrap_or("a test").to_owned();
        let (alive, gone) = mpsc::channel();
        std::thread::spawn(move || {
            if gone.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                // Nobody else can end a test that waits for ever; the message goes past libtest's capture.
                let message = format!("\n{name} hangs: it has not ended within {limit:?}\n");
                drop(std::io::stderr().write_all(message.as_bytes()));
                std::process::abort();
            }
        });
        Self { _alive: alive }
    }
}
