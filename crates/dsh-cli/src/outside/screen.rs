//! What a turn is shown on while it goes on: its answer on standard output, everything else on standard error (C2).

use std::io::{self, ErrorKind, IsTerminal, Write};

use anstream::AutoStream;

use super::console::{Colors, Verbosity, coloured};

/// Frames of what turns while a model is waited for.
const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// Takes away a frame, which is as wide as a blank; where there are no colours, there is nothing else to do it with.
const ERASE: &str = "\r \r";

/// What waits for the end of a question.
#[derive(Debug)]
enum Held {
    /// More of the answer.
    Answer(String),
    /// A line beside it.
    Line(String),
}

/// Both streams, while something goes on.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts of two streams")]
pub(crate) struct Screen {
    stdout: io::Stdout,
    stderr: AutoStream<io::Stderr>,
    shows_output: bool,
    shows_errors: bool,
    quiet: bool,
    /// Whether the next character on standard output begins a line.
    at_start: bool,
    /// The frame that is shown now.
    spinning: Option<usize>,
    /// What is to be shown when the question that a person is answering is over; nothing, where none is open.
    held: Option<Vec<Held>>,
    lost: Option<io::Error>,
}

impl Screen {
    /// The streams of this process.
    pub(crate) fn new(colors: Colors, verbosity: Verbosity) -> Self {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let (shows_output, shows_errors) = (stdout.is_terminal(), stderr.is_terminal());
        let quiet = verbosity == Verbosity::Quiet;
        let stderr = coloured(stderr, colors);
        Self {
            stdout,
            stderr,
            shows_output,
            shows_errors,
            quiet,
            at_start: true,
            spinning: None,
            held: None,
            lost: None,
        }
    }

    /// Whether standard output is a terminal, which would obey what it does not show.
    pub(crate) fn shows_output(&self) -> bool {
        self.shows_output
    }

    /// A person is asked something, who is not to be talked to meanwhile: what is said waits.
    pub(crate) fn question_begins(&mut self) {
        self.still();
        if self.shows_output && self.shows_errors {
            self.end_line();
        }
        self.held.get_or_insert_default();
    }

    /// It is answered, or given up.
    pub(crate) fn question_ends(&mut self) {
        for held in self.held.take().into_iter().flatten() {
            match held {
                Held::Answer(text) => self.print(&text),
                Held::Line(line) => self.say(&line),
            }
        }
    }

    /// Shows more of the answer, and at once.
    pub(crate) fn print(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        // Elsewhere than on the person's terminal it disturbs nobody.
        if self.shows_output
            && let Some(held) = &mut self.held
        {
            held.push(Held::Answer(text.to_owned()));
            return;
        }
        self.still();
        self.at_start = text.ends_with('\n');
        if self.lost.is_none()
            && let Err(error) = self.stdout.write_all(text.as_bytes()).and_then(|()| self.stdout.flush())
        {
            self.lost = Some(error);
        }
    }

    /// Ends the line of the answer, where one is begun.
    pub(crate) fn end_line(&mut self) {
        if !self.at_start {
            self.print("\n");
        }
    }

    /// Says something beside the answer, on a line of its own.
    pub(crate) fn say(&mut self, line: &str) {
        if !self.quiet {
            self.say_always(line);
        }
    }

    /// As [`say`](Self::say), to whoever wants to hear of errors alone too.
    pub(crate) fn say_always(&mut self, line: &str) {
        if let Some(held) = &mut self.held {
            held.push(Held::Line(line.to_owned()));
            return;
        }
        self.still();
        // On one terminal, the answer's line and this one would run into one another.
        let apart = if self.shows_output && self.shows_errors && !self.at_start { "\n" } else { "" };
        self.at_start |= !apart.is_empty();
        // Nobody is left to be told that standard error cannot be written.
        drop(self.stderr.write_all(format!("{apart}{line}\n").as_bytes()));
    }

    /// Says something of less weight beside the answer: dim, where there are colours.
    pub(crate) fn say_dimly(&mut self, line: &str) {
        self.say(&format!("\u{1b}[2m{line}\u{1b}[0m"));
    }

    /// Turns the spinner on by one, on a terminal, and where no line of the answer is begun.
    pub(crate) fn spin(&mut self) {
        let is_in_a_line = self.shows_output && !self.at_start;
        if !self.shows_errors || self.quiet || is_in_a_line || self.held.is_some() {
            return;
        }
        let frame = self.spinning.map_or(0, |frame| (frame + 1) % FRAMES.len());
        self.spinning = Some(frame);
        let shown = FRAMES.get(frame).copied().unwrap_or(' ');
        drop(self.stderr.write_all(format!("\r{shown}").as_bytes()).and_then(|()| self.stderr.flush()));
    }

    /// Takes the spinner away.
    pub(crate) fn still(&mut self) {
        if self.spinning.take().is_some() {
            drop(self.stderr.write_all(ERASE.as_bytes()).and_then(|()| self.stderr.flush()));
        }
    }

    /// Why the answer could not be written, where somebody should hear of it: a reader that closed its end has what it wanted.
    pub(crate) fn lost(&self) -> Option<&io::Error> {
        self.lost.as_ref().filter(|error| error.kind() != ErrorKind::BrokenPipe)
    }
}

#[cfg(test)]
mod tests {
    use super::super::console::{Colors, Verbosity};
    use super::{Held, Screen};

    #[test]
    fn nothing_is_said_into_a_question() {
        let mut screen = Screen::new(Colors::Never, Verbosity::Normal);
        (screen.shows_output, screen.shows_errors) = (true, true);
        screen.question_begins();
        screen.spin();
        assert_eq!(screen.spinning, None);
        screen.print("more");
        screen.say("a line");
        assert!(matches!(screen.held.as_deref(), Some([Held::Answer(_), Held::Line(_)])), "{screen:?}");
        screen.held = Some(Vec::new());
        screen.question_ends();
        assert!(screen.held.is_none());
    }
}
