//! Ctrl-C, and the other ways in which a person or the system asks a program to end.

use std::io;

/// Does this each time that somebody asks for the end of this process, which from now on does not end by itself for it.
#[cfg(unix)]
pub(crate) fn on_interrupt(act: impl Fn() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let listen = move || signals.forever().for_each(|_| act());
    std::thread::Builder::new().name("dsh-interrupt".to_owned()).spawn(listen).map(drop)
}

/// Elsewhere the process ends as the system has it.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
pub(crate) fn on_interrupt(act: impl Fn() + Send + 'static) -> io::Result<()> {
    drop(act);
    Ok(())
}
