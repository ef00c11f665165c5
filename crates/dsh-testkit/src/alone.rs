//! A test in a process of its own.

use std::process::Command;

/// Told to the child as one more name of tests, which no test has.
const CHILD: &str = "in-a-process-of-its-own";

/// Runs `test` in a process of its own, where an abort fails it alone and memory is its own, and fails if that does not end
/// well. It is called by a `#[test]` function, whose name it finds by the name of its thread.
///
/// ```no_run
/// #[test]
/// fn memory_does_not_grow() {
///     dsh_testkit::alone(|| assert!(dsh_testkit::resident_bytes().is_some()));
/// }
/// ```
///
/// # Panics
///
/// Where the child cannot be started or the test fails in it.
#[track_caller]
#[expect(clippy::panic, reason = "what it is for: a test that fails")]
pub fn alone(test: impl FnOnce()) {
    if std::env::args().any(|argument| argument == CHILD) {
        return test();
    }
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let arguments = [&name, CHILD, "--exact", "--nocapture", "--test-threads=1"];
    let child = std::env::current_exe().and_then(|program| Command::new(program).args(arguments).output());
    let child = child.unwrap_or_else(|error| panic!("{name} cannot be run alone: {error}"));
    let said = String::from_utf8_lossy(&child.stdout);
    let complained = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{name} alone: {}\n{said}\n{complained}", child.status);
    assert!(said.contains("1 passed"), "{name} is the name of one test:\n{said}");
}
