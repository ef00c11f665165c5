//! Whoever asks this process to end.

use std::io;
#[cfg(unix)]
use std::sync::Arc;

/// Does this each time that somebody asks for the end of this process, which from now on does not end by itself for it: Ctrl-C, `TERM`,
/// and a terminal that goes away, unless `nohup` began the process. Ctrl-\ still ends it at once, with all that its tools have started. What
/// may be written no further, for a limit on the size of files, is an error of writing from now on.
#[cfg(unix)]
pub(crate) fn on_interrupt(act: impl Fn() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};

    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    let hangs_up = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGQUIT].into_iter().chain(hangs_up))?;
    let listen = move || {
        for signal in signals.forever() {
            if signal == SIGQUIT {
                dsh_tool_command::kill_all();
                // As the system has it: with a core, where it keeps such.
                drop(signal_hook::low_level::emulate_default_handler(signal));
            }
            act();
        }
    };
    std::thread::Builder::new().name("dsh-interrupt".to_owned()).spawn(listen).map(drop)
}

/// Whether whoever started this process had it ignore a signal. Linux alone tells without unsafe code.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "the system tells it in a file that is no project's")]
fn is_ignored(signal: i32) -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores(&status, signal))
}

#[cfg(unix)]
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    u32::try_from(signal - 1).ok().and_then(|bit| mask.checked_shr(bit)).is_some_and(|mask| mask & 1 == 1)
}

/// Elsewhere the process ends as the system has it.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
pub(crate) fn on_interrupt(act: impl Fn() + Send + 'static) -> io::Result<()> {
    drop(act);
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::ignores;

    #[test]
    fn the_mask_of_ignored_signals_is_read_bit_by_bit() {
        let status = "SigBlk:\t0000000000000003\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n";
        let ignored: Vec<i32> = (1..=64).filter(|signal| ignores(status, *signal)).collect();
        assert_eq!(ignored, [1, 13]);
        for odd in ["", "SigIgn:\tzz\n", "SigIgn:\t\n"] {
            assert!((-1..70).all(|signal| !ignores(odd, signal)));
        }
        assert!(!ignores("SigIgn:\tffffffffffffffff\n", 0) && !ignores("SigIgn:\tffffffffffffffff\n", 65));
    }
}
