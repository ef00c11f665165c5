//! The npm package that dsh descends from: a node process that measures itself when it is told to.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use dsh_kernel::Failure;
use serde_json::Value;

/// The script, in the repository.
const SCRIPT: &str = "bench/upstream.mjs";
/// Where `npm ci` puts the package.
const PACKAGE: &str = "conformance/upstream/node_modules/@deepseek-ai/dsh-system-prompt";

/// What it measures.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Measure {
    /// An assembly, rendered.
    Step,
    /// An assembly, rendered, with its tools as JSON.
    StepJson,
}

/// The running process. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Npm {
    child: Child,
    pipes: RefCell<Option<(ChildStdin, BufReader<ChildStdout>)>>,
    /// The prompt that it makes of the workload.
    pub(crate) prompt: String,
}

impl Npm {
    /// Starts it; what is missing where it does not start.
    pub(crate) fn start() -> Result<Self, String> {
        if !Path::new(PACKAGE).is_dir() {
            return Err("the npm package is not there: `npm ci` in conformance/upstream".to_owned());
        }
        let child = Command::new("node").arg(SCRIPT).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("node does not start: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take().map(BufReader::new));
        let mut npm = Self { child, pipes: RefCell::new(pipes), prompt: String::new() };
        let hello = npm.ask("hello").map_err(|failure| format!("the npm package does not answer: {failure}"))?;
        hello["prompt"].as_str().unwrap_or_default().clone_into(&mut npm.prompt);
        Ok(npm)
    }

    /// Nanoseconds of one call, measured for `at_least`.
    pub(crate) fn measure(&self, what: Measure, at_least: Duration) -> Result<f64, Failure> {
        let what = match what {
            Measure::Step => "step",
            Measure::StepJson => "step_json",
        };
        let answer = self.ask(&format!("{what} {}", at_least.as_millis()))?;
        answer["ns"].as_f64().ok_or_else(|| Failure::msg(format!("node answered {answer}")))
    }

    fn ask(&self, question: &str) -> Result<Value, Failure> {
        let mut pipes = self.pipes.borrow_mut();
        let (to, from) = pipes.as_mut().ok_or_else(|| Failure::msg("node has ended"))?;
        writeln!(to, "{question}")?;
        let mut answer = String::new();
        from.read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Drop for Npm {
    fn drop(&mut self) {
        // It reads the end of its input and goes.
        drop(self.pipes.borrow_mut().take());
        drop(self.child.wait());
    }
}
