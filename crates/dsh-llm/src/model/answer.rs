//! An answer, put together from what streamed.

use std::collections::BTreeMap;

use crate::message::{ContentBlock, Message, Reasoning, StopReason, ToolCall, Usage};
use crate::model::ModelEvent;

/// What has arrived of a model's answer.
///
/// ```
/// use dsh_llm::{Answer, ModelEvent, StopReason};
///
/// let mut answer = Answer::new();
/// answer.push(ModelEvent::Text("Let me ".into()));
/// answer.push(ModelEvent::Text("look.".into()));
/// answer.push(ModelEvent::ToolCallStart { index: 0, id: "c1".into(), name: "look".into() });
/// answer.push(ModelEvent::ToolCallArguments { index: 0, text: "{\"at\": \"do".into() });
/// // The stream breaks off here: the call is not complete, so it is no call.
/// assert_eq!(answer.stop(), None);
/// assert_eq!(answer.text(), "Let me look.");
/// assert_eq!(answer.calls().count(), 0);
/// assert_eq!(answer.cut_calls().next().unwrap().name, "look");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    blocks: Vec<Block>,
    /// Where the call of an index stands among the blocks.
    calls: BTreeMap<usize, usize>,
    usage: Option<Usage>,
    stop: Option<StopReason>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Block {
    Whole(ContentBlock),
    Reasoning { reasoning: Reasoning, ended: bool },
    Call { call: ToolCall, complete: bool },
}

impl Answer {
    /// Nothing has arrived.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in the next event. One that refers to a call which never began, or has ended, changes nothing.
    pub fn push(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Text(text) => self.push_text(text),
            ModelEvent::Reasoning(text) => self.push_reasoning(&text, None),
            ModelEvent::ReasoningSignature(signature) => self.push_reasoning("", Some(signature)),
            ModelEvent::ToolCallStart { index, id, name } => {
                self.calls.insert(index, self.blocks.len());
                self.blocks.push(Block::Call { call: ToolCall::new(id, name, ""), complete: false });
            }
            ModelEvent::ToolCallArguments { index, text } => {
                if let Some((call, false)) = self.call_mut(index).map(|(call, complete)| (call, *complete)) {
                    call.arguments.push_str(&text);
                }
            }
            ModelEvent::ToolCallEnd { index } => {
                if let Some((_, complete)) = self.call_mut(index) {
                    *complete = true;
                }
            }
            ModelEvent::Usage(usage) => self.usage = Some(usage),
            ModelEvent::Stop(reason) => self.stop = Some(reason),
        }
    }

    fn push_text(&mut self, more: String) {
        match self.blocks.last_mut() {
            Some(Block::Whole(ContentBlock::Text { text })) => text.push_str(&more),
            _ if more.is_empty() => {}
            _ => self.blocks.push(Block::Whole(ContentBlock::text(more))),
        }
    }

    fn push_reasoning(&mut self, more: &str, signature: Option<String>) {
        if !matches!(self.blocks.last(), Some(Block::Reasoning { ended: false, .. })) {
            self.blocks.push(Block::Reasoning { reasoning: Reasoning::new(""), ended: false });
        }
        if let Some(Block::Reasoning { reasoning, ended }) = self.blocks.last_mut() {
            reasoning.text.push_str(more);
            *ended = signature.is_some();
            reasoning.signature = signature;
        }
    }

    fn call_mut(&mut self, index: usize) -> Option<(&mut ToolCall, &mut bool)> {
        match self.blocks.get_mut(*self.calls.get(&index)?)? {
            Block::Call { call, complete } => Some((call, complete)),
            Block::Whole(_) | Block::Reasoning { .. } => None,
        }
    }

    /// The answer as a message: its blocks in the order in which they began, without the calls that were cut off.
    pub fn message(&self) -> Message {
        Message::assistant(self.blocks.iter().filter_map(|block| match block {
            Block::Whole(block) => Some(block.clone()),
            Block::Reasoning { reasoning, .. } => Some(ContentBlock::Reasoning(reasoning.clone())),
            Block::Call { call, complete } => complete.then(|| ContentBlock::ToolCall(call.clone())),
        }))
    }

    /// The text, without anything else.
    pub fn text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            Block::Whole(block) => block.as_text(),
            Block::Reasoning { .. } | Block::Call { .. } => None,
        });
        texts.collect()
    }

    /// The calls whose arguments are complete, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.all_calls().filter(|(_, complete)| *complete).map(|(call, _)| call)
    }

    /// The calls whose arguments the stream, or the limit on the answer, cut off: they are not to be run.
    pub fn cut_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.all_calls().filter(|(_, complete)| !complete).map(|(call, _)| call)
    }

    fn all_calls(&self) -> impl Iterator<Item = (&ToolCall, bool)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call { call, complete } => Some((call, *complete)),
            Block::Whole(_) | Block::Reasoning { .. } => None,
        })
    }

    /// What it cost, where the provider has said so.
    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// Why the model stopped; `None` while it has not, or where the stream broke off.
    pub fn stop(&self) -> Option<StopReason> {
        self.stop
    }

    /// Whether nothing has arrived that a message could hold.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Answer;
    use crate::{ContentBlock, ModelEvent, Reasoning, StopReason, ToolCall, Usage};

    fn answer(events: impl IntoIterator<Item = ModelEvent>) -> Answer {
        let mut answer = Answer::new();
        events.into_iter().for_each(|event| answer.push(event));
        answer
    }

    fn start(index: usize, id: &str) -> ModelEvent {
        ModelEvent::ToolCallStart { index, id: id.to_owned(), name: "look".to_owned() }
    }

    fn more(index: usize, text: &str) -> ModelEvent {
        ModelEvent::ToolCallArguments { index, text: text.to_owned() }
    }

    #[test]
    fn blocks_stand_in_the_order_in_which_they_began() {
        let answer = answer([
            ModelEvent::Reasoning("Hm".into()),
            ModelEvent::Reasoning("m.".into()),
            ModelEvent::ReasoningSignature("s".into()),
            ModelEvent::Reasoning("More.".into()),
            ModelEvent::Text("I look.".into()),
            start(0, "a"),
            start(1, "b"),
            more(1, "{\"b\""),
            more(0, "{\"a\":1}"),
            ModelEvent::ToolCallEnd { index: 0 },
            more(1, ":2}"),
            ModelEvent::ToolCallEnd { index: 1 },
            ModelEvent::Usage(Usage::new(3, 4)),
            ModelEvent::Stop(StopReason::ToolCalls),
        ]);
        let expected = [
            ContentBlock::Reasoning(Reasoning::signed("Hmm.", "s")),
            ContentBlock::Reasoning(Reasoning::new("More.")),
            ContentBlock::text("I look."),
            ContentBlock::ToolCall(ToolCall::new("a", "look", "{\"a\":1}")),
            ContentBlock::ToolCall(ToolCall::new("b", "look", "{\"b\":2}")),
        ];
        assert_eq!(*answer.message().content, expected);
        assert_eq!((answer.usage(), answer.stop()), (Some(Usage::new(3, 4)), Some(StopReason::ToolCalls)));
    }

    #[test]
    fn what_belongs_to_no_open_call_changes_nothing() {
        let answer = answer([
            more(0, "lost"),
            ModelEvent::ToolCallEnd { index: 3 },
            start(0, "a"),
            ModelEvent::ToolCallEnd { index: 0 },
            more(0, "late"),
        ]);
        assert_eq!(answer.calls().collect::<Vec<_>>(), [&ToolCall::new("a", "look", "")]);
        assert_eq!(answer.cut_calls().count(), 0);
    }
}
