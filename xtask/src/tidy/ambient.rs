//! Where the outside world may be named: the runtime, the environment, files; and where shared state comes from.

use super::{Exception, excepted, has_word};
use crate::{Finding, Tree};

/// Product files that may name tokio.
pub(super) const TOKIO: &[Exception] = &[
    Exception { path: "crates/dsh-kernel/src/runtime.rs", reason: "the kernel's one place for spawning and time" },
    Exception { path: "crates/dsh-cli/", reason: "a program starts the runtime that the libraries are called in" },
];

/// Product files that may name `std::env` and `std::fs`.
pub(super) const OUTSIDE: &[Exception] = &[
    Exception { path: "crates/dsh-cli/src/main.rs", reason: "hands arguments, environment and folder on" },
    Exception { path: "crates/dsh-cli/src/outside.rs", reason: "the command's one module for the outside world" },
    Exception { path: "crates/dsh-cli/src/outside/", reason: "its parts" },
    Exception { path: "crates/dsh-session/src/file.rs", reason: "the store of files, in a folder that is passed in" },
    Exception { path: "crates/dsh-session/src/file/", reason: "its parts" },
    Exception { path: "crates/dsh-testkit/src/alone.rs", reason: "runs the test's own program again" },
    Exception { path: "crates/dsh-testkit/src/given_time.rs", reason: "the system tells given time in files" },
    Exception { path: "crates/dsh-testkit/src/memory.rs", reason: "the system tells resident memory in a file" },
    Exception { path: "crates/dsh-testkit/src/stress.rs", reason: "a stress test is told how long to go on" },
];

/// Files of the kernel that may name `std::sync` and `arc_swap` (I28).
pub(super) const SYNC: &[Exception] = &[
    Exception { path: "crates/dsh-kernel/src/sync.rs", reason: "the one door to them" },
    Exception { path: "crates/dsh-kernel/src/sync/", reason: "its parts" },
];

pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for (file, source) in tree.rust() {
        let library = file.path.split_once("/src/").is_some_and(|(folder, _)| folder.starts_with("crates/"));
        if !library {
            continue;
        }
        let may_sync = !file.path.starts_with("crates/dsh-kernel/src/") || excepted(SYNC, &file.path);
        let (may_tokio, may_outside) = (excepted(TOKIO, &file.path), excepted(OUTSIDE, &file.path));
        // `use std::{…}` may run over lines; a statement ends at its `;`.
        let mut using_std = false;
        for (line, code, test) in source.lines() {
            let dense: String = code.chars().filter(|c| !c.is_whitespace()).collect();
            using_std |= dense.contains("usestd::{");
            let named = |module: &str| {
                dense
                    .split(&format!("std::{module}"))
                    .skip(1)
                    .any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
                    || (using_std && has_word(code, module))
            };
            if !test && !may_tokio && has_word(code, "tokio") {
                findings.push(Finding::new(
                    &file.path,
                    line,
                    "tokio is named outside the kernel's `runtime.rs`",
                    "go through the kernel (`ctx.spawn`, `Clock`), so that the runtime is named in one file",
                ));
            }
            if !test && !may_sync && (named("sync") || has_word(code, "arc_swap")) {
                findings.push(Finding::new(
                    &file.path,
                    line,
                    "a primitive of shared state is named outside the kernel's `sync.rs`",
                    "take it from `crate::sync`, so that the models see it (I28)",
                ));
            }
            for module in ["env", "fs"] {
                if !test && !may_outside && named(module) {
                    findings.push(Finding::new(
                        &file.path,
                        line,
                        format!("`std::{module}` is named"),
                        "take the value as a parameter: dsh-cli's `outside` reads it and passes it in",
                    ));
                }
            }
            using_std &= !dense.contains(';');
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
    fn tokio_is_for_the_runtime_and_tests_alone() {
        let text = "//! tokio in a head\nuse tokio::sync;\n#[cfg(test)]\nmod tests {\n#[tokio::test]\nfn a() {}\n}\n";
        assert_eq!(lines("crates/dsh-kernel/src/fiber.rs", text), [2]);
        assert!(lines("crates/dsh-kernel/src/runtime.rs", text).is_empty());
        assert!(lines("crates/dsh-kernel/tests/it/main.rs", text).is_empty());
        assert!(lines("xtask/src/a.rs", text).is_empty());
    }

    #[test]
    fn the_kernel_has_its_primitives_from_one_module() {
        let text = "use std::sync::Arc;\nuse arc_swap::ArcSwap;\nuse crate::sync::Arc;\n/// use std::sync::Arc;\nuse std::{fmt, sync};\n";
        assert_eq!(lines("crates/dsh-kernel/src/fiber.rs", text), [1, 2, 5]);
        assert!(lines("crates/dsh-kernel/src/sync/plain.rs", text).is_empty());
        assert!(lines("crates/dsh-llm/src/a.rs", text).is_empty());
    }

    #[test]
    fn the_environment_and_files_are_found_in_each_form_of_use() {
        let text = "let a = std::env::var(\"A\");\nuse std::fs;\nuse std::{\n    fmt, env,\n    io,\n};\nlet env = fs;\nuse std::environment;\n";
        assert_eq!(lines("crates/dsh-llm/src/a.rs", text), [1, 2, 4]);
        assert!(lines("crates/dsh-cli/src/outside.rs", text).is_empty());
    }
}
