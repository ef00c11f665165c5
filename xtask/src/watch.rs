//! Which test is running, told from the output of libtest and of nextest.

/// Follows the output of a test run. libtest names a test when it ends, or when it has run for 60 s; nextest likewise
/// (`SLOW`). On a hang one of these names the culprit.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    binary: Option<String>,
    /// Named as running long, and not yet ended.
    long: Vec<String>,
    ended: Option<String>,
    out: Vec<u8>,
    err: Vec<u8>,
}

/// Which of the two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

impl Watch {
    /// Takes in output, cut anywhere.
    pub(crate) fn feed(&mut self, stream: Stream, bytes: &[u8]) {
        for byte in bytes {
            let partial = match stream {
                Stream::Out => &mut self.out,
                Stream::Err => &mut self.err,
            };
            if *byte == b'\n' {
                let line = std::mem::take(partial);
                self.line(&plain(&line));
            } else {
                partial.push(*byte);
            }
        }
    }

    /// What was running when the output stopped, in words that follow "the last test begun: ".
    pub(crate) fn last_begun(&self) -> String {
        // With one thread libtest writes `test NAME ... ` before the test runs.
        let begun = plain(&self.out);
        let begun =
            begun.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... ")).map(|name| format!("`{name}`"));
        let long = (!self.long.is_empty()).then(|| self.long.join(", "));
        let binary = self.binary.as_deref().map(|binary| format!(" in {binary}")).unwrap_or_default();
        match (begun, long, &self.ended) {
            (Some(begun), ..) => format!("{begun}{binary}"),
            (_, Some(long), _) => format!("{long}{binary}"),
            (.., Some(ended)) => format!("one after {ended}{binary}"),
            _ => format!("none{binary}"),
        }
    }

    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if let Some(binary) = trimmed.strip_prefix("Running ").or_else(|| trimmed.strip_prefix("Doc-tests ")) {
            (self.binary, self.ended) = (Some(binary.to_owned()), None);
            self.long.clear();
        } else if let Some(rest) = line.strip_prefix("test ") {
            if let Some((name, _)) = rest.split_once(" has been running for over ") {
                self.long.push(format!("`{name}`"));
            } else if let Some((name, _)) = rest.rsplit_once(" ... ") {
                self.end(name);
            }
        } else if let Some((word, name)) = nextest(trimmed) {
            match word {
                "SLOW" => self.long.push(format!("`{name}`")),
                "PASS" | "FAIL" | "LEAK" | "TIMEOUT" | "ABORT" => self.end(name),
                _ => {}
            }
        }
    }

    fn end(&mut self, name: &str) {
        let name = format!("`{name}`");
        self.long.retain(|long| *long != name);
        self.ended = Some(name);
    }
}

/// `WORD [   0.004s] (1/9) crate::binary name` gives the word and the name.
fn nextest(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.split_once(" [")?;
    let (_, rest) = rest.split_once("] ")?;
    let rest = rest.trim_start();
    let name = rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map_or(rest, |(_, name)| name);
    Some((word, name.trim()))
}

/// The text without colours.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
        } else if chars.next() == Some('[') {
            // A colour runs to its final letter.
            chars.by_ref().find(char::is_ascii_alphabetic);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Stream, Watch};

    fn after(out: &str, err: &str) -> String {
        let mut watch = Watch::default();
        watch.feed(Stream::Err, err.as_bytes());
        for byte in out.as_bytes() {
            watch.feed(Stream::Out, &[*byte]);
        }
        watch.last_begun()
    }

    const RUNNING: &str = "     Running tests/it/main.rs (target/debug/deps/it-0a)\n";

    #[test]
    fn libtest_names_the_test_on_one_thread() {
        let out = "running 2 tests\ntest a::b ... ok\ntest c - should wait ... ";
        assert_eq!(after(out, RUNNING), "`c - should wait` in tests/it/main.rs (target/debug/deps/it-0a)");
    }

    #[test]
    fn libtest_names_the_tests_that_run_long_and_have_not_ended() {
        let out =
            "test a has been running for over 60 seconds\ntest b has been running for over 60 seconds\ntest a ... ok\n";
        assert_eq!(after(out, ""), "`b`");
    }

    #[test]
    fn without_a_name_the_last_test_that_ended_is_the_hint() {
        assert_eq!(after("test a ... ok\n", ""), "one after `a`");
        assert_eq!(after("", RUNNING), "none in tests/it/main.rs (target/debug/deps/it-0a)");
    }

    #[test]
    fn nextest_names_slow_tests_in_colour_or_not() {
        let slow = "\u{1b}[33;1m        SLOW\u{1b}[0m [> 60.000s] (─────────) dsh-kernel::it\u{1b}[0m teardown\n";
        assert_eq!(after("", slow), "`dsh-kernel::it teardown`");
        let pass = format!("{slow}        PASS [  61.004s] (1/9) dsh-kernel::it teardown\n");
        assert_eq!(after("", &pass), "one after `dsh-kernel::it teardown`");
    }
}
