//! A model that does anything: its answers are thrown, and so is how they go wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dsh_llm::{
    Message, Model, ModelError, ModelErrorKind, ModelEvent, ModelRequest, ModelStream, Role, StopReason, ToolSchema,
    Usage,
};
use dsh_testkit::{Dice, Probes};

/// Throws its answers. No two of its calls have one id.
#[derive(Clone)]
pub(crate) struct Thrown {
    pub(crate) seed: Arc<AtomicU64>,
    pub(crate) asked: Arc<AtomicU64>,
    pub(crate) probes: Probes,
}

enum Piece {
    Event(ModelEvent),
    Fail(ModelErrorKind),
    Yield,
    Panic,
}

/// So many answers at most between two messages of the user.
const LONGEST: usize = 4;

impl Thrown {
    fn pieces(&self, request: &ModelRequest) -> Vec<Piece> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let mut dice = Dice::new(self.seed.load(Ordering::Relaxed), number);
        let mut pieces = vec![Piece::Event(ModelEvent::Text("Well.".to_owned()))];
        let since = request.messages.iter().rposition(|message| message.role == Role::User).map_or(0, |at| at + 1);
        let is_answer = |message: &&Message| message.role == Role::Assistant;
        let is_long = request.messages.iter().skip(since).filter(is_answer).count() >= LONGEST;
        let calls = if is_long { 0 } else { dice.roll(4) };
        for index in 0..calls {
            let at = usize::try_from(index).unwrap_or_default();
            let stray = dice.one_in(6);
            let offered = dice.index(request.tools.len()).filter(|_| !stray);
            let name = offered.and_then(|at| request.tools.get(at)).map_or("stray", ToolSchema::name);
            pieces.push(Piece::Event(ModelEvent::ToolCallStart {
                index: at,
                id: format!("call_{number}_{index}"),
                name: name.to_owned(),
            }));
            let arguments = if dice.one_in(8) { "[" } else { "{}" };
            pieces.push(Piece::Event(ModelEvent::ToolCallArguments { index: at, text: arguments.to_owned() }));
            // Some are cut off.
            if index + 1 < calls || !dice.one_in(8) {
                pieces.push(Piece::Event(ModelEvent::ToolCallEnd { index: at }));
            }
        }
        pieces.push(Piece::Event(ModelEvent::Usage(Usage::new(10, 2))));
        let stop = if calls > 0 { StopReason::ToolCalls } else { StopReason::EndTurn };
        pieces.push(match dice.roll(24) {
            0 => Piece::Fail(ModelErrorKind::Overloaded),
            1 => Piece::Panic,
            2 => Piece::Fail(ModelErrorKind::BrokenStream),
            _ => Piece::Event(ModelEvent::Stop(stop)),
        });
        for _ in 0..dice.roll(4) {
            let at = dice.index(pieces.len()).unwrap_or_default();
            pieces.insert(at, Piece::Yield);
        }
        pieces
    }
}

impl Model for Thrown {
    fn name(&self) -> &'static str {
        "thrown-1"
    }

    fn stream(&self, request: ModelRequest) -> ModelStream {
        let pieces = self.pieces(&request).into_iter();
        Box::pin(futures_util::stream::unfold((pieces, self.probes.probe()), |(mut pieces, probe)| async move {
            loop {
                match pieces.next()? {
                    Piece::Event(event) => return Some((Ok(event), (pieces, probe))),
                    Piece::Fail(kind) => return Some((Err(ModelError::new(kind, "thrown")), (pieces, probe))),
                    Piece::Yield => tokio::task::yield_now().await,
                    Piece::Panic => panic!("the model panics"),
                }
            }
        }))
    }
}
