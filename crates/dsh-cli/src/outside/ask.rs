//! A question that a person answers with yes or no.

use std::io::{self, BufRead, Read, Write};

/// More than this of an answer is not read.
const ANSWER_LIMIT: u64 = 1 << 10;

/// Asks, and waits for a line. Only `y` and `yes`, in letters of either size, are a yes; the end of the input is a no.
pub(super) fn ask(question: &str, input: &mut impl BufRead, output: &mut impl Write) -> io::Result<bool> {
    write!(output, "{question} [y/N] ")?;
    output.flush()?;
    let mut answer = Vec::new();
    input.take(ANSWER_LIMIT).read_until(b'\n', &mut answer)?;
    if !answer.ends_with(b"\n") {
        // What is said next begins a line of its own.
        writeln!(output)?;
    }
    let answer = answer.trim_ascii();
    Ok(answer.eq_ignore_ascii_case(b"y") || answer.eq_ignore_ascii_case(b"yes"))
}

#[cfg(test)]
mod tests {
    use super::ask;

    /// The answer to the question, and what was written.
    fn asked(mut input: &[u8]) -> (bool, String) {
        let mut output = Vec::new();
        let yes = ask("Trust this folder?", &mut input, &mut output).unwrap();
        (yes, String::from_utf8(output).unwrap())
    }

    #[test]
    fn only_a_yes_is_one() {
        for yes in ["y\n", "Y\n", "yes\n", "YES\r\n", "  y \n"] {
            assert_eq!(asked(yes.as_bytes()), (true, "Trust this folder? [y/N] ".to_owned()), "{yes:?}");
        }
        for no in ["\n", "n\n", "no\n", "yy\n", "yes please\n", "j\n", "\u{ff59}\n"] {
            assert_eq!(asked(no.as_bytes()), (false, "Trust this folder? [y/N] ".to_owned()), "{no:?}");
        }
        assert!(!asked(b"\xff\n").0);
    }

    #[test]
    fn the_end_of_the_input_is_a_no_and_ends_the_line() {
        assert_eq!(asked(b""), (false, "Trust this folder? [y/N] \n".to_owned()));
        assert!(!asked(&b"y".repeat(5_000)).0);
    }

    #[test]
    fn only_one_line_is_taken() {
        let mut input: &[u8] = b"n\ny\n";
        assert!(!ask("a?", &mut input, &mut Vec::new()).unwrap());
        assert_eq!(input, b"y\n");
    }

    #[test]
    fn a_question_that_cannot_be_asked_is_not_answered() {
        let mut full: &mut [u8] = &mut [0; 4];
        assert!(ask("Trust this folder?", &mut b"y\n".as_slice(), &mut full).is_err());
    }
}
