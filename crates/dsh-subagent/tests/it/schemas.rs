//! Final answers of a schema (G2).

use dsh_llm::Message;
use dsh_subagent::{SubagentRequest, SubagentResult, SubagentStop};
use serde_json::json;

use crate::support::{made, register, text_of, world};

/// Answers wrongly first, and well when told what is wrong; never well where it is told to be stubborn.
const SCRIPT: &str = r#"
    [[rules]]
    contains = "not valid against the schema"
    system = "Stubborn"
    answer = "no"
    usage = { input = 5, output = 1 }

    [[rules]]
    contains = "not valid against the schema"
    answer = '{"n": 2}'
    usage = { input = 5, output = 1 }

    [[rules]]
    contains = "well"
    answer = "```json\n{\"n\": 1}\n```"

    [[rules]]
    contains = "breaks"
    fail = "unauthorized"

    [[rules]]
    answer = '{"n": "two"}'
    usage = { input = 3, output = 2 }
"#;

fn request(prompt: &str) -> SubagentRequest {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    SubagentRequest::new(prompt).output_schema(schema)
}

/// G2: the child is told the schema, and a good answer needs one turn.
#[tokio::test]
async fn a_good_answer_is_there_as_json() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    for provider in ["spawn", "fork"] {
        let result = world.run(provider, parent.agent(), request("Do well.")).await;
        assert_eq!((&result.stop, &result.value, result.steps), (&SubagentStop::Completed, &Some(json!({"n": 1})), 1));
    }
    let asked = &world.model.asked("Do well.")[0];
    let told = text_of(&asked.messages[0]);
    assert!(told.starts_with("Do well.") && told.contains("JSON Schema") && told.contains("\"integer\""), "{told}");
}

/// G2: one retry, with the violations as a message.
#[tokio::test]
async fn a_wrong_answer_is_asked_for_once_more_with_what_is_wrong() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let result = world.run("spawn", parent.agent(), request("Do.")).await;
    assert_eq!((&result.stop, &result.value, result.steps), (&SubagentStop::Completed, &Some(json!({"n": 2})), 2));
    assert_eq!((result.usage.input_tokens, result.usage.output_tokens), (8, 3));
    let told = &world.model.asked("not valid against the schema");
    assert_eq!(told.len(), 1);
    assert!(text_of(told[0].messages.last().unwrap()).contains("\n- /n: "), "{told:?}");
    assert_eq!(told[0].messages.len(), 3, "the same conversation goes on");
}

/// G2: else the result says so, with a stop reason.
#[tokio::test]
async fn an_answer_that_is_wrong_twice_is_told_of() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let result = world.run("spawn", parent.agent(), request("Do.").persona("Stubborn.")).await;
    let SubagentStop::InvalidOutput { violations, .. } = &result.stop else { panic!("{result:?}") };
    assert!(violations.contains("not JSON"), "{violations}");
    assert_eq!((&*result.text, &result.value, result.steps), ("no", &None, 2));
    assert_eq!(world.model.count(), 2);
}

/// A child that fails is not asked again.
#[tokio::test]
async fn a_failed_answer_is_not_asked_for_again() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    let result = world.run("spawn", parent.agent(), request("It breaks.")).await;
    assert_eq!((result.stop.as_str(), world.model.count()), ("failed", 1));
}

/// G2: whatever a provider says of its answer, it is checked.
#[tokio::test]
async fn an_answer_of_any_provider_is_checked() {
    let world = world(SCRIPT).await;
    let parent = world.agent("main").await;
    register(
        &world.root,
        made("liar", |job| async move {
            assert!(job.output().unwrap().text().contains("integer"));
            let mut result = SubagentResult::completed("{}");
            result.value = Some(json!({"n": 3}));
            Ok(result)
        }),
    );
    register(&world.root, made("good", |_| async { Ok(SubagentResult::completed(" {\"n\": 3}")) }));
    let lie = world.run("liar", parent.agent(), request("x")).await;
    assert_eq!(lie.stop.as_str(), "invalid_output");
    assert_eq!(lie.value, None);
    assert_eq!(world.run("good", parent.agent(), request("x")).await.value, Some(json!({"n": 3})));
    let _keeps_its_prompt = Message::user("x");
}
