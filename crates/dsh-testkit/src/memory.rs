//! The resident memory of the test's own process.

/// The bytes of this process that are in memory now; `None` where the system does not tell (anywhere but Linux).
///
/// Counted in pages of 4096 bytes, as `/proc/self/statm` has them; where pages are larger the answer is too small by a
/// constant factor, so compare growth with a limit only on systems with such pages.
///
/// ```
/// if let Some(before) = dsh_testkit::resident_bytes() {
///     assert!(before > 0);
/// }
/// ```
pub fn resident_bytes() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        #[expect(
            clippy::disallowed_methods,
            reason = "the kernel tells it in a file and nowhere else without unsafe code"
        )]
        let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
        let pages: u64 = statm.split_ascii_whitespace().nth(1)?.parse().ok()?;
        Some(pages * 4096)
    }
    #[cfg(not(target_os = "linux"))]
    {
        None
    }
}
