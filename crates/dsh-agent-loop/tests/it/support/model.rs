//! Models that do what a test says: a pure function of the request, or of how often they were asked.

use std::sync::{Arc, Mutex};

use dsh_llm::{
    Message, Model, ModelError, ModelErrorKind, ModelEvent, ModelRequest, ModelStream, Role, StopReason, Usage,
};
use dsh_testkit::Gate;

use super::Points;

/// A piece of an answer.
#[derive(Clone)]
pub(crate) enum Piece {
    Event(ModelEvent),
    Fail(ModelError),
    Panic,
    /// Waits there.
    Gate(Gate),
    Point(Points),
    /// Comes again and again, without a wait.
    Forever(ModelEvent),
    /// Never comes.
    Never,
}

/// An answer of text.
pub(crate) fn said(text: &str) -> Vec<Piece> {
    vec![
        Piece::Event(ModelEvent::Text(text.to_owned())),
        Piece::Event(ModelEvent::Usage(Usage::new(10, 2))),
        Piece::Event(ModelEvent::Stop(StopReason::EndTurn)),
    ]
}

/// An answer of calls: id, tool, arguments.
pub(crate) fn call<const N: usize>(calls: [(&str, &str, &str); N]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (index, (id, name, arguments)) in calls.into_iter().enumerate() {
        pieces.push(Piece::Event(ModelEvent::ToolCallStart { index, id: id.to_owned(), name: name.to_owned() }));
        pieces.push(Piece::Event(ModelEvent::ToolCallArguments { index, text: arguments.to_owned() }));
        pieces.push(Piece::Event(ModelEvent::ToolCallEnd { index }));
    }
    pieces.push(Piece::Event(ModelEvent::Usage(Usage::new(10, 2))));
    pieces.push(Piece::Event(ModelEvent::Stop(StopReason::ToolCalls)));
    pieces
}

/// A request that fails at once.
pub(crate) fn fail(kind: ModelErrorKind) -> Vec<Piece> {
    vec![Piece::Fail(ModelError::new(kind, "the model fails"))]
}

type Play = dyn Fn(&ModelRequest, usize) -> Vec<Piece> + Send + Sync;

/// A model that plays what a function says, and keeps the bytes of what it was asked.
#[derive(Clone)]
pub(crate) struct Played {
    play: Arc<Play>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Played {
    /// By the request, and by how often it was asked before.
    pub(crate) fn by(play: impl Fn(&ModelRequest, usize) -> Vec<Piece> + Send + Sync + 'static) -> Self {
        Self { play: Arc::new(play), asked: Arc::default() }
    }

    /// One answer after the other; the last again and again.
    pub(crate) fn answers<const N: usize>(answers: [Vec<Piece>; N]) -> Self {
        Self::by(move |_, before| answers.get(before).or(answers.last()).cloned().unwrap_or_default())
    }

    /// The bytes of the requests until now.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Model for Played {
    fn name(&self) -> &'static str {
        "played-1"
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let before = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.to_json());
            asked.len() - 1
        };
        let pieces = (self.play)(&request, before).into_iter();
        Box::pin(futures_util::stream::unfold((pieces, None), |(mut pieces, again)| async move {
            loop {
                let piece = match &again {
                    Some(again) => Piece::Event(ModelEvent::clone(again)),
                    None => pieces.next()?,
                };
                match piece {
                    Piece::Event(event) => return Some((Ok(event), (pieces, again))),
                    Piece::Fail(error) => return Some((Err(error), (pieces, again))),
                    Piece::Panic => panic!("the model panics"),
                    Piece::Gate(gate) => gate.wait().await,
                    Piece::Point(points) => points.pass("model").await,
                    Piece::Forever(event) => return Some((Ok(event.clone()), (pieces, Some(event)))),
                    Piece::Never => std::future::pending().await,
                }
            }
        }))
    }
}

/// How many answers came since the user's last message.
pub(crate) fn steps_since_user(messages: &[Message]) -> usize {
    let since = messages.iter().rposition(|message| message.role == Role::User).map_or(0, |at| at + 1);
    messages.iter().skip(since).filter(|message| message.role == Role::Assistant).count()
}
