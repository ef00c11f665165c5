//! Asking the model: its answer as it streams.

use dsh_agent::AgentStream;
use dsh_kernel::Failure;
use dsh_llm::{Answer, ModelError, ModelErrorKind, ModelRequest};
use dsh_session::TurnEnd;
use futures_util::StreamExt as _;

use crate::call_ids::CallIds;
use crate::code;
use crate::driver::breathe;
use crate::turn::{Turn, emit};

/// So many pieces are taken one after another before others may run: a model may be always ready.
const PIECES: usize = 64;

/// What comes of a request.
pub(crate) enum Asked {
    Answered(Answer),
    Failed {
        error: ModelError,
        partial: Answer,
        /// Whether anything had streamed.
        has_come: bool,
    },
    Panicked {
        failure: Failure,
        partial: Answer,
    },
}

impl Turn<'_> {
    /// Asks the model once. Where the turn is ended from outside, what had come is put into the log.
    pub(crate) async fn ask(&mut self, request: ModelRequest) -> Result<Asked, TurnEnd> {
        let mut answer = Answer::new();
        let mut has_come = false;
        let (shared, agent, number, step) = (self.shared, self.agent, self.number, self.step);
        let is_heard = self.hears::<AgentStream>();
        let halt = &mut self.halt;
        let streamed = {
            let (answer, has_come) = (&mut answer, &mut has_come);
            // The model is foreign code: it may panic where it is asked, and at each poll.
            shared.ctx.call_async(|| async move {
                let mut stream = shared.settings.model.model.stream(request);
                let mut pieces = 0_usize;
                let mut ids = CallIds::new(number, step);
                loop {
                    let Some(piece) = halt.within(stream.next()).await? else { return Ok(None) };
                    let piece = match piece {
                        Ok(piece) => ids.name(piece),
                        Err(error) => return Ok(Some(error)),
                    };
                    *has_come = true;
                    if is_heard {
                        emit(&shared.ctx, agent, &AgentStream::new(agent.clone(), number, step, piece.clone()));
                    }
                    answer.push(piece);
                    if answer.stop().is_some() {
                        return Ok(None);
                    }
                    pieces += 1;
                    if pieces.is_multiple_of(PIECES) {
                        breathe().await;
                    }
                }
            })
        }
        .await;
        // What it has cost it has cost, however it ended.
        self.charge(answer.usage());
        match streamed {
            Err(failure) => Ok(Asked::Panicked { failure, partial: answer }),
            Ok(Err(end)) => {
                let (code, problem) = if let TurnEnd::Limit { which, .. } = &end {
                    (code::LIMIT, format!("limit reached: {which}"))
                } else {
                    (code::CANCELLED, "the turn was cancelled".to_owned())
                };
                self.log_failed(code, &problem, Some(&answer))?;
                Err(end)
            }
            Ok(Ok(Some(error))) => Ok(Asked::Failed { error, partial: answer, has_come }),
            Ok(Ok(None)) if answer.stop().is_some() => Ok(Asked::Answered(answer)),
            Ok(Ok(None)) => {
                let error = ModelError::new(ModelErrorKind::BrokenStream, "the stream ended before the answer did");
                Ok(Asked::Failed { error, partial: answer, has_come })
            }
        }
    }
}
