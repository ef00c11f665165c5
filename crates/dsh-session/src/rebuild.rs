//! From a log to the requests that were made, to the byte.

use std::borrow::Borrow;
use std::collections::HashMap;

use dsh_llm::ModelRequest;

use crate::derive::{Derivation, derive};
use crate::error::{Error, ErrorKind};
use crate::event::{Prompt, Request, RequestMessages, SessionEvent};
use crate::record::Record;

/// A request as it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rebuilt {
    /// The `seq` of its record.
    pub seq: u64,
    /// The turn that it belongs to.
    pub turn: u32,
    /// Which step of the turn.
    pub step: u32,
    /// The request, of which every byte was held against the hash that was written when it was made.
    pub request: ModelRequest,
}

/// The requests that a log tells of, in their order, each rebuilt to the byte and held against the hash that was written with it (A3).
///
/// ```
/// use dsh_llm::{Message, ModelRequest};
/// use dsh_session::{Input, MemoryStore, Opened, Session, SessionId, TurnStarted, Via, requests};
///
/// let session = Session::create(&MemoryStore::new(), Opened::new(SessionId::new(0, 1)))?;
/// session.append(TurnStarted::new())?;
/// session.append(Input::new(Message::user("Hello"), Via::Prompt))?;
/// let request = ModelRequest::new("scripted", session.messages()).system("You are dsh.");
/// session.append_request(1, &request)?;
/// assert_eq!(requests(&session.records())?[0].request.to_json(), request.to_json());
/// # Ok::<(), dsh_session::Error>(())
/// ```
///
/// # Errors
///
/// `session::not_rebuilt` where a prompt is not in the log, or where what was rebuilt is not what was asked.
pub fn requests<R: Borrow<Record>>(log: &[R]) -> Result<Vec<Rebuilt>, Error> {
    let mut derivation = Derivation::new();
    let mut prompts: HashMap<[u8; 32], &Prompt> = HashMap::new();
    let mut rebuilt = Vec::new();
    for record in log {
        let record: &Record = record.borrow();
        if let SessionEvent::Prompt(prompt) = &record.event
            && prompt.is_whole()
        {
            prompts.insert(*prompt.hash.as_bytes(), prompt);
        }
        if let SessionEvent::Request(asked) = &record.event {
            let prompt = prompts.get(asked.prompt.as_bytes()).ok_or_else(|| {
                let problem = format!(
                    "the prompt {} of the request at `seq` {} is not there, or is another text",
                    asked.prompt, record.seq
                );
                Error::new(ErrorKind::NotRebuilt, problem).with_help("give the whole log, from its header on")
            })?;
            let request = rebuild(asked, prompt, &derivation, log);
            let (digests, _) = derivation.digests(&request.messages);
            let digest = Request::digest_of(&request, prompt.hash, &digests);
            if digest != asked.digest {
                let problem = format!(
                    "the request at `seq` {} does not come out as it was: {digest}, not {}",
                    record.seq, asked.digest
                );
                let help = "the log was changed, repaired, or written by a dsh that derives other messages";
                return Err(Error::new(ErrorKind::NotRebuilt, problem).with_help(help));
            }
            rebuilt.push(Rebuilt { seq: record.seq, turn: record.turn, step: asked.step, request });
        }
        derivation.push(record);
    }
    Ok(rebuilt)
}

fn rebuild(
    asked: &Request,
    prompt: &Prompt,
    before: &Derivation<&Record>,
    log: &[impl Borrow<Record>],
) -> ModelRequest {
    let messages = match &asked.messages {
        RequestMessages::Derived => before.messages(),
        RequestMessages::Edited(messages) => messages.clone(),
        RequestMessages::Through { seq, then } => {
            let until = log.partition_point(|record| record.borrow().seq <= *seq);
            let mut messages = derive(log.get(..until).unwrap_or_default());
            messages.extend_from_slice(then);
            messages
        }
    };
    let mut request = ModelRequest::new(&*asked.model, messages).system(prompt.system.clone());
    request.tools = prompt.tools.clone();
    request.max_output_tokens = asked.max_output_tokens;
    request
}
