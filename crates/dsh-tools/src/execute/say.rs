//! What a model reads where its call came to nothing: what is wrong, and what it can do.

use std::fmt::Write as _;

use dsh_kernel::nearest;

use crate::code;
use crate::error::Quoted;
use crate::execute::limits::Stop;
use crate::sight::{Seen, Sight};

pub(super) const UNAVAILABLE: &str = "no tool can be called at present";
pub(super) const HOOK_BEFORE: &str = "a check before the call failed, so the tool was not run; the host has been told";
pub(super) const HOOK_AFTER: &str =
    "the tool has run, but a check of its result failed, so the result is withheld; the host has been told";
pub(super) const HAD: &str = " What it had by then:";

/// At most so many names are listed.
const LISTED: usize = 32;

pub(super) fn hidden(name: &str) -> String {
    format!("the tool {} is denied for this agent; it was not run", Quoted(name))
}

pub(super) fn not_offered(name: &str) -> String {
    format!("the tool {} was not offered in this step; it was not run", Quoted(name))
}

pub(super) fn scope_closed(name: &str) -> String {
    format!("the agent that calls {} is gone, or going; it was not run", Quoted(name))
}

/// Only what the scope has is told of.
pub(super) fn unknown(name: &str, sight: Sight<'_>) -> String {
    let is_visible = |name: &&str| matches!(sight.look(name), Seen::Visible { .. });
    let mut visible: Vec<&str> = sight.names().map(dsh_kernel::Name::as_str).filter(is_visible).collect();
    visible.sort_unstable_by(|a, b| dsh_llm::utf16_cmp(a, b));
    let mut text = format!("there is no tool {}", Quoted(name));
    // Writing to a string does not fail.
    if let Some(nearest) = nearest(name, visible.iter().copied()) {
        let _infallible = write!(text, "; perhaps {} is meant", Quoted(nearest));
    }
    text.push_str("; there are: ");
    if visible.is_empty() {
        text.push_str("none");
    }
    for (index, name) in visible.iter().take(LISTED).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let _infallible = write!(text, "{comma}{}", Quoted(name));
    }
    if let more @ 1.. = visible.len().saturating_sub(LISTED) {
        let _infallible = write!(text, " and {more} more");
    }
    text
}

pub(super) fn invalid_schema(name: &str) -> String {
    format!("the tool {} cannot be called: its own schema is faulty; the host has been told", Quoted(name))
}

pub(super) fn unloading(name: &str) -> String {
    format!("the tool {} is being taken away; it was not run", Quoted(name))
}

pub(super) fn failed(name: &str) -> String {
    format!("the tool {} failed; the host has been told why", Quoted(name))
}

pub(super) fn panicked(name: &str) -> String {
    format!("the tool {} broke down; the host has been told why", Quoted(name))
}

pub(super) fn denied(reason: &str) -> String {
    with_reason("the call was denied; it was not run", reason)
}

pub(super) fn no_approver(reason: &str) -> String {
    with_reason("the call needs somebody's approval, and nobody is there to ask; it was not run", reason)
}

fn with_reason(text: &str, reason: &str) -> String {
    if reason.is_empty() { text.to_owned() } else { format!("{text}: {reason}") }
}

fn code_of(stop: Stop) -> &'static str {
    match stop {
        Stop::Cancelled => code::CANCELLED,
        Stop::Overdue | Stop::TooLong(_) => code::TIMED_OUT,
        Stop::Unloaded => code::UNLOADED,
    }
}

pub(super) fn stopped_before(name: &str, stop: Stop) -> (&'static str, String) {
    let why = match stop {
        Stop::Cancelled => "was cancelled",
        Stop::Overdue | Stop::TooLong(_) => "came too late",
        Stop::Unloaded => "lost its tool",
    };
    (code_of(stop), format!("the call of {} {why} before it began; it was not run", Quoted(name)))
}

pub(super) fn stopped_within(name: &str, stop: Stop) -> (&'static str, String) {
    let name = Quoted(name);
    let text = match stop {
        Stop::Cancelled => format!("the call of {name} was cancelled before it had answered."),
        Stop::Overdue => format!("the time was over before {name} had answered."),
        Stop::TooLong(limit) => format!("{name} had not answered after {limit:?} and was stopped."),
        Stop::Unloaded => format!("{name} was taken away before it had answered."),
    };
    (code_of(stop), text + " It may have done a part of its work.")
}

pub(super) fn withheld(name: &str, stop: Stop) -> (&'static str, String) {
    let (code, _) = stopped_within(name, stop);
    (code, format!("{} has run, but the call was given up before its result was looked at.", Quoted(name)))
}
