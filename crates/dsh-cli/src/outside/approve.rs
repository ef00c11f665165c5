//! A person at a terminal who is asked whether a tool may run.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use dsh_kernel::BoxFuture;
use dsh_system_prompt::show_hidden;
use dsh_tools::{Approval, ApprovalRequest, Approver};
use futures_channel::oneshot;

use super::ask::ask;
use crate::diagnostic::visible_json;

/// So many characters of a call's arguments are shown.
const LONGEST: usize = 2_000;

/// Asks on standard error, and takes the answer from standard input: one question after the other, on a thread of its own.
#[derive(Debug)]
pub(crate) struct TerminalApprover {
    questions: Sender<Question>,
}

#[derive(Debug)]
struct Question {
    text: String,
    answer: oneshot::Sender<bool>,
}

impl TerminalApprover {
    /// One that asks on this process's terminal; none, where no thread can be had for it. `open` is told when a question begins, with
    /// `true`, and when it is over.
    pub(crate) fn new(open: impl Fn(bool) + Send + 'static) -> Option<Self> {
        let (questions, asked) = channel();
        thread::Builder::new().name("dsh-approve".to_owned()).spawn(move || answer(&asked, open)).ok()?;
        Some(Self { questions })
    }
}

fn answer(asked: &Receiver<Question>, open: impl Fn(bool)) {
    for Question { text, answer } in asked {
        // The call may have been given up while another question stood.
        if !answer.is_canceled() {
            open(true);
            let yes = ask(&text, &mut io::stdin().lock(), &mut io::stderr()).unwrap_or(false);
            open(false);
            // Nobody may wait for it any more.
            let _given_up = answer.send(yes);
        }
    }
}

impl Approver for TerminalApprover {
    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Approval> {
        let (answer, answered) = oneshot::channel();
        let is_asked = self.questions.send(Question { text: question(request), answer }).is_ok();
        Box::pin(async move {
            if is_asked && answered.await.unwrap_or(false) {
                Approval::Allow
            } else {
                Approval::deny("the user said no")
            }
        })
    }
}

/// What the person reads. Who wrote the arguments can hide nothing in them, and move nothing round them (X12).
fn question(request: &ApprovalRequest) -> String {
    let reason = if request.reason.is_empty() { String::new() } else { format!(" ({})", line(&request.reason)) };
    let (tool, arguments) = (line(&request.call.name), hidden_as_json(&request.call.arguments));
    let arguments = match arguments.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… (and more)", arguments.get(..end).unwrap_or_default()),
        None => arguments,
    };
    format!("Tool `{tool}`{reason}:\n    {arguments}\nRun it?")
}

/// JSON that says the same to who reads it as to the tool: backslashes stay as they are.
fn hidden_as_json(arguments: &str) -> String {
    visible_json(arguments).replace(['\n', '\r', '\t'], " ")
}

fn line(text: &str) -> String {
    show_hidden(text).replace(['\n', '\r', '\t'], " ")
}
