//! A rule's answer, as it streams.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;

use super::Sleep;
use super::rule::{Rule, Talk};
use crate::message::StopReason;
use crate::model::{ModelError, ModelErrorKind, ModelEvent};

pub(super) enum Step {
    Give(Result<ModelEvent, ModelError>),
    Wait(Duration),
}

/// What a rule does, step by step.
pub(super) fn steps(rule: &Rule, talk: &Talk<'_>) -> Vec<Step> {
    let mut events = Vec::new();
    let pieces = |text: &str| pieces(text, rule.chunk);
    if let Some(reasoning) = &rule.reasoning {
        events.extend(pieces(reasoning).into_iter().map(ModelEvent::Reasoning));
    }
    if let Some(said) = rule.said(talk) {
        events.extend(pieces(&said).into_iter().map(ModelEvent::Text));
    }
    for (index, (tool, arguments)) in rule.calls.iter().enumerate() {
        let cut = rule.break_off && index + 1 == rule.calls.len();
        let id = format!("call_{}", talk.calls + index + 1);
        events.push(ModelEvent::ToolCallStart { index, id, name: tool.clone() });
        let shown = if cut { half(arguments) } else { arguments };
        events.extend(pieces(shown).into_iter().map(|text| ModelEvent::ToolCallArguments { index, text }));
        if !cut {
            events.push(ModelEvent::ToolCallEnd { index });
        }
    }
    let usage = rule.usage.map(ModelEvent::Usage);
    let end = match rule.fail {
        Some(kind) => Some(Err(ModelError::new(kind, fails(kind)))),
        None if rule.break_off => None,
        None => {
            let usual = if rule.calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolCalls };
            Some(Ok(ModelEvent::Stop(rule.stop.unwrap_or(usual))))
        }
    };
    let all = events.into_iter().chain(usage).map(Ok).chain(end);
    let delay = (rule.delay_ms > 0).then(|| Duration::from_millis(rule.delay_ms));
    all.flat_map(|event| delay.map(Step::Wait).into_iter().chain([Step::Give(event)])).collect()
}

fn fails(kind: ModelErrorKind) -> String {
    format!("the script says that this fails with `{}`", kind.code())
}

/// A text in pieces of so many characters; as one without a number.
fn pieces(text: &str, chunk: Option<usize>) -> Vec<String> {
    let Some(chunk) = chunk else { return vec![text.to_owned()] };
    let mut pieces: Vec<String> = Vec::new();
    for (index, character) in text.chars().enumerate() {
        match pieces.last_mut() {
            Some(piece) if index % chunk != 0 => piece.push(character),
            _ => pieces.push(character.to_string()),
        }
    }
    pieces
}

fn half(text: &str) -> &str {
    let middle = (0..=text.len() / 2).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text.get(..middle).unwrap_or_default()
}

/// Plays the steps.
pub(super) struct Play {
    steps: VecDeque<Step>,
    sleep: Option<Arc<Sleep>>,
    sleeping: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Play {
    pub(super) fn new(steps: Vec<Step>, sleep: Option<Arc<Sleep>>) -> Self {
        Self { steps: steps.into(), sleep, sleeping: None }
    }
}

impl Stream for Play {
    type Item = Result<ModelEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(sleeping) = &mut this.sleeping {
                std::task::ready!(sleeping.as_mut().poll(cx));
                this.sleeping = None;
            }
            match this.steps.pop_front() {
                Some(Step::Give(event)) => return Poll::Ready(Some(event)),
                Some(Step::Wait(duration)) => {
                    let Some(sleep) = &this.sleep else {
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    };
                    this.sleeping = Some(sleep(duration));
                }
                None => return Poll::Ready(None),
            }
        }
    }
}
