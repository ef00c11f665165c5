//! Ids of calls: each of an answer has its own, whatever the model's server says.

use std::collections::HashSet;

use dsh_llm::ModelEvent;

/// The ids of one answer's calls. Some local servers give all calls an empty one, and then nobody could say whose a result is.
pub(crate) struct CallIds {
    turn: u32,
    step: u32,
    known: HashSet<String>,
}

impl CallIds {
    /// Of the answer at this step.
    pub(crate) fn new(turn: u32, step: u32) -> Self {
        Self { turn, step, known: HashSet::new() }
    }

    /// The same piece; where a call begins whose id is empty or that of another call of the answer, with one that is made from its
    /// place, so that it is the same on every machine and in no other answer of the session.
    pub(crate) fn name(&mut self, piece: ModelEvent) -> ModelEvent {
        let ModelEvent::ToolCallStart { index, mut id, name } = piece else { return piece };
        let mut number = self.known.len();
        while id.is_empty() || self.known.contains(&id) {
            number += 1;
            id = format!("call-{}-{}-{number}", self.turn, self.step);
        }
        self.known.insert(id.clone());
        ModelEvent::ToolCallStart { index, id, name }
    }
}

#[cfg(test)]
mod tests {
    use dsh_llm::ModelEvent;

    use super::CallIds;

    #[test]
    fn each_call_of_an_answer_has_an_id_of_its_own() {
        let mut ids = CallIds::new(3, 2);
        let mut named = |id: &str| {
            let start = ModelEvent::ToolCallStart { index: 0, id: id.to_owned(), name: "look".to_owned() };
            let ModelEvent::ToolCallStart { id, .. } = ids.name(start) else { unreachable!() };
            id
        };
        let given = ["", "a", "a", "call-3-2-5", "", "b", "call-3-2-1"];
        let expected = ["call-3-2-1", "a", "call-3-2-3", "call-3-2-5", "call-3-2-6", "b", "call-3-2-7"];
        assert_eq!(given.map(&mut named), expected);
    }
}
