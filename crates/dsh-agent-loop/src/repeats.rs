//! Identical calls in a row: a model that is stuck.

use dsh_llm::ToolCall;
use serde_json::Value;

/// The last call of a turn, and how often in a row it came.
#[derive(Default)]
pub(crate) struct Repeats {
    last: Option<ToolCall>,
    times: u32,
}

impl Repeats {
    /// How often in a row this call has come now, this time included.
    pub(crate) fn note(&mut self, call: &ToolCall) -> u32 {
        if self.last.as_ref().is_some_and(|last| is_same(last, call)) {
            self.times = self.times.saturating_add(1);
        } else {
            self.last = Some(call.clone());
            self.times = 1;
        }
        self.times
    }
}

/// Same tool, same arguments; how they are written does not matter where they are JSON.
fn is_same(one: &ToolCall, other: &ToolCall) -> bool {
    if one.name != other.name {
        return false;
    }
    let read = |call: &ToolCall| serde_json::from_str::<Value>(&call.arguments).ok();
    one.arguments == other.arguments || matches!((read(one), read(other)), (Some(one), Some(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::Repeats;
    use dsh_llm::ToolCall;

    #[test]
    fn a_call_is_the_same_however_its_arguments_are_written() {
        let mut repeats = Repeats::default();
        let calls = [
            ("look", r#"{"a":1,"b":2}"#, 1),
            ("look", r#"{"b": 2, "a": 1}"#, 2),
            ("look", r#"{"a":1,"b":3}"#, 1),
            ("find", r#"{"a":1,"b":3}"#, 1),
            ("find", "no json", 1),
            ("find", "no json", 2),
            ("find", "no  json", 1),
        ];
        for (name, arguments, expected) in calls {
            assert_eq!(repeats.note(&ToolCall::new("id", name, arguments)), expected, "{name} {arguments}");
        }
    }
}
