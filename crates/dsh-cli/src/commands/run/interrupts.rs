//! Whoever asks this process to end, as something to wait for.

use std::io;

use tokio::sync::watch;

use crate::outside::on_interrupt;

/// Hears Ctrl-C, and the like, from now on.
#[derive(Debug)]
pub(super) struct Interrupts(watch::Receiver<u32>);

impl Interrupts {
    /// Hears them from now on, in place of the system's way, which is to end the process.
    pub(super) fn listen() -> io::Result<Self> {
        let (asked, interrupts) = watch::channel(0_u32);
        on_interrupt(move || asked.send_modify(|times| *times = times.saturating_add(1)))?;
        Ok(Self(interrupts))
    }

    /// Ends at the next one.
    pub(super) async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            // Nobody listens where the system ends the process itself.
            std::future::pending::<()>().await;
        }
    }
}
