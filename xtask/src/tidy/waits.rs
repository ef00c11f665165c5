//! Tests that would not run, or would wait on real time.

use super::{Exception, excepted};
use crate::{Finding, Tree};

/// Files that may wait on real time.
pub(super) const EXCEPTIONS: &[Exception] = &[
    Exception {
        path: "crates/dsh-kernel/src/runtime.rs",
        reason: "the default clock: the one place that waits for real",
    },
    Exception {
        path: "crates/dsh-kernel/tests/it/k09_quiescence.rs",
        reason: "what a plugin starts on the runtime by itself, whose clock is paused",
    },
    Exception {
        path: "crates/dsh-tool-command/src/process/unix.rs",
        reason: "the end of a group that holds no pipe is told by nothing",
    },
    Exception {
        path: "crates/dsh-tool-command/src/process/unix/live.rs",
        reason: "the end of the process waits for starts, but not for one that hangs",
    },
    Exception { path: "conformance/src/run/parts.rs", reason: "the probes' waits, on a runtime whose clock is paused" },
    Exception { path: "conformance/src/run/play.rs", reason: "lets the paused clock run on between two steps" },
];

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for (file, source) in tree.rust() {
        let may_wait = excepted(EXCEPTIONS, &file.path);
        for (line, code, _) in source.lines() {
            let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
            let mut push = |what: &str, remedy: &str| findings.push(Finding::new(&file.path, line, what, remedy));
            if code.contains("#[ignore") {
                push("an ignored test", "run it, or state what holds today in a test that passes, with a note");
            }
            if code.contains("#[should_panic") {
                push(
                    "`#[should_panic]`",
                    "catch the panic where it is expected (`catch_unwind`) and look at its message",
                );
            }
            if !may_wait && (code.contains("thread::sleep") || code.contains("time::sleep")) {
                push("a wait on real time", "use the kernel's `ManualClock`, or a `Gate` of dsh-testkit");
            }
        }
        for (index, line) in file.text.lines().enumerate() {
            let fence = line.trim_start().trim_start_matches(['/', '!', ' ']);
            if line.trim_start().starts_with("//") && fence.starts_with("```ignore") {
                findings.push(Finding::new(
                    &file.path,
                    index + 1,
                    "an example that is not run",
                    "make it run (hide lines with `# `), or mark it `text`, `no_run` or `compile_fail`",
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::Tree;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let mut findings = Vec::new();
        check(&Tree::of([(path, text)]), &mut findings);
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn tests_that_do_not_run_or_wait_are_found() {
        let text = "#[ignore]\n#[should_panic(expected = \"x\")]\nstd::thread::sleep(a);\ntokio::time::sleep(b).await;\n  /// ```ignore\n\
                    // thread::sleep in a comment\n\"#[ignore]\";\n";
        assert_eq!(lines("crates/a/tests/it/main.rs", text), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn the_default_clock_may_wait() {
        assert!(lines("crates/dsh-kernel/src/runtime.rs", "tokio::time::sleep(b).await;\n").is_empty());
        assert_eq!(lines("crates/dsh-kernel/src/clock.rs", "time::sleep_until(b).await;\n"), [1]);
    }
}
