//! From a step to the wire: the words that are kept escaped, and the two ways to render, which must not differ (P3, S11, X5).

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dsh_llm::{NO_PARAMETERS, ToolSchema};
use dsh_system_prompt::{
    PromptAssembly, PromptSection, PromptVariable, SystemPromptExt, ToolProvider, render, wire_body,
};
use dsh_template::Text;
use proptest::prelude::*;

use crate::parts::assert_partition;
use crate::support::{bare, in_runtime, schema, section, tools, variable, world};

/// The body as a serializer writes it.
fn serialized(text: &str, assembly: &PromptAssembly) -> String {
    format!(r#"{{"system":{},"tools":{}}}"#, serde_json::to_string(text).unwrap(), assembly.tools_json())
}

/// The same assembly, edited to what it was: it is rendered the long way.
fn edited(assembly: &PromptAssembly) -> PromptAssembly {
    let mut assembly = assembly.clone();
    assembly.sections_mut().reserve(0);
    assembly
}

#[tokio::test]
async fn the_body_is_what_a_serializer_makes_of_text_and_tools() {
    let world = world().await;
    section(&world.root, "a", 1, "Say \"{{v}}\"\\\n");
    section(&world.root, "b", 2, "{{v}}");
    variable(&world.root, "v", "tab\t, bell \u{7}, quote \", é, \u{2028}, \u{1F600}");
    tools(&world.root, &["read", "write"]);
    let assembly = world.assemble(bare()).await.unwrap();
    let prompt = render(&assembly).unwrap();
    assert_eq!(wire_body(&prompt, &assembly).as_str(), serialized(prompt.text(), &assembly));
    let nothing = PromptAssembly::new();
    let empty = render(&nothing).unwrap();
    assert_eq!(wire_body(&empty, &nothing).as_str(), r#"{"system":"","tools":[]}"#);
}

/// P3: the same shared bytes, for as long as nothing changes.
#[tokio::test]
async fn an_unchanged_step_hands_out_the_same_bytes() {
    let world = world().await;
    let value = Arc::new(AtomicUsize::new(0));
    let provider = Arc::clone(&value);
    let counted = PromptVariable::computed("v", move |_| Some(provider.load(Ordering::SeqCst).to_string()));
    world.root.system_prompt().variable(counted).unwrap();
    section(&world.root, "a", 1, "v is {{v}}");
    let body = async || {
        let assembly = world.assemble(bare()).await.unwrap();
        wire_body(&render(&assembly).unwrap(), &assembly)
    };
    let (first, again) = (body().await, body().await);
    assert_eq!(first.as_ptr(), again.as_ptr());
    value.store(1, Ordering::SeqCst);
    assert_eq!(body().await.as_str(), r#"{"system":"v is 1","tools":[]}"#);
    let tool = tools(&world.root, &["t"]);
    assert_eq!(body().await.as_str(), format!(r#"{{"system":"v is 1","tools":[{}]}}"#, schema("t").json()));
    tool.dispose().await.unwrap();
    assert_eq!(body().await.as_str(), r#"{"system":"v is 1","tools":[]}"#);
    assert_eq!(first.as_str(), r#"{"system":"v is 0","tools":[]}"#);
}

/// P3: answers that say the same are the same, though they were made anew.
#[tokio::test]
async fn answers_made_anew_that_say_the_same_are_unchanged() {
    let world = world().await;
    let handle = world.root.system_prompt();
    handle.tools(ToolProvider::computed(|_| vec![schema("t"), schema("u")])).unwrap();
    handle.variable(PromptVariable::computed("v", |_| Some("x".to_owned()))).unwrap();
    handle.section(PromptSection::computed("s", 1, |_| String::from("{{v}}"))).unwrap();
    let first = world.assemble(bare()).await.unwrap();
    let again = world.assemble(bare()).await.unwrap();
    let body = |assembly: &PromptAssembly| wire_body(&render(assembly).unwrap(), assembly);
    assert_eq!(body(&first).as_ptr(), body(&again).as_ptr());
    assert!(Arc::ptr_eq(&first.tools_json(), &again.tools_json()));
}

/// S8: an edit shows in the body of the edited assembly and in no other.
#[tokio::test]
async fn an_edit_shows_in_its_own_body_alone() {
    let world = world().await;
    section(&world.root, "a", 1, "{{v}}");
    variable(&world.root, "v", "x");
    tools(&world.root, &["t"]);
    let assembly = world.assemble(bare()).await.unwrap();
    let prompt = render(&assembly).unwrap();
    let body = wire_body(&prompt, &assembly);
    let mut other = assembly.clone();
    other.tools_mut().push(ToolSchema::new("u", "\"u\"", NO_PARAMETERS).unwrap().into());
    other.set_variable("v", "\"");
    let changed = wire_body(&render(&other).unwrap(), &other);
    assert_eq!(changed.as_str(), serialized("\"", &other));
    assert!(changed.contains(r#""name":"u""#));
    // The text of one, the tools of another.
    assert_eq!(wire_body(&prompt, &other).as_str(), serialized("x", &other));
    assert_eq!(wire_body(&prompt, &assembly).as_ptr(), body.as_ptr());
    assert_eq!(format!("{body:?}"), format!("WireBody({} bytes)", body.len()));
}

/// A section of a random prompt: how it is registered, and its text.
#[derive(Clone, Debug)]
struct Random {
    kind: u8,
    text: String,
}

fn sections() -> impl Strategy<Value = Vec<Random>> {
    let piece = prop::sample::select(vec![
        "{{a}}",
        "{{b}}",
        "{{none}}",
        "{{lost}}",
        "{{Bad}}",
        "{{",
        "}}",
        "{{\"\"}}",
        "{{\"q\\\"\"}}",
        "x",
        "\n",
        "\"",
        "\\",
        "é",
    ]);
    // Mostly what renders, so that most cases get to the end.
    let fine =
        prop::sample::select(vec!["{{a}}", "{{b}}", "{{\"\"}}", "{{\"q\\\"\"}}", "x", "\n", "\"", "\\", "\u{1}", "é"]);
    let text = prop_oneof![1 => prop::collection::vec(piece, 0..5), 9 => prop::collection::vec(fine, 0..5)];
    prop::collection::vec((0..3_u8, text).prop_map(|(kind, text)| Random { kind, text: text.concat() }), 0..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// S11, P3: spliced from what is kept or written section by section, text, parts, error and body are the same.
    #[test]
    fn both_ways_to_render_agree(sections in sections(), a in "[a\"\\\\\n]{0,3}", b in "[x\u{7}é]{0,2}") {
        let world = in_runtime(world());
        let handle = world.root.system_prompt();
        for (index, Random { kind, text }) in sections.iter().enumerate() {
            let (name, text) = (format!("s{index}"), text.clone());
            let section = match kind {
                0 => PromptSection::new(name, 0, text),
                1 => PromptSection::new(name, 0, Text::raw(text)),
                _ => PromptSection::computed(name, 0, move |_| text.clone()),
            };
            handle.section(section).unwrap();
        }
        handle.variable(PromptVariable::new("a", a)).unwrap();
        handle.variable(PromptVariable::computed("b", move |_| Some(b.clone()))).unwrap();
        handle.variable(PromptVariable::computed("none", |_| None::<String>)).unwrap();
        handle.tools(ToolProvider::new([schema("t")])).unwrap();
        let shared = dsh_testkit::block_on(handle.assemble(bare())).unwrap();
        let edited = edited(&shared);
        match (render(&shared), render(&edited)) {
            (Ok(short), Ok(long)) => {
                prop_assert_eq!(short.text(), long.text());
                assert_partition(&short);
                assert_partition(&long);
                prop_assert_eq!(format!("{:?}", short.parts()), format!("{:?}", long.parts()));
                let expected = serialized(short.text(), &shared);
                prop_assert_eq!(&*wire_body(&short, &shared), &*expected);
                prop_assert_eq!(&*wire_body(&long, &edited), &*expected);
            }
            (Err(short), Err(long)) => prop_assert_eq!(short.to_string(), long.to_string()),
            (short, long) => prop_assert!(false, "{short:?} is not {long:?}"),
        }
    }
}

/// P3: a section that is shared by many scopes is escaped once, and a computed one each time that it answers anew.
#[tokio::test]
async fn scopes_and_computed_texts_have_their_own_bodies() {
    let world = world().await;
    section(&world.root, "shared", 1, "\"shared\"");
    let mut bodies = String::new();
    for name in ["one", "two"] {
        let scope = world.root.scope(name).unwrap();
        let own = PromptSection::computed("own", 2, move |_| format!("\"{name}\""));
        scope.ctx().system_prompt().section(own).unwrap();
        let assembly = world.assemble(scope.key()).await.unwrap();
        write!(bodies, "{}", wire_body(&render(&assembly).unwrap(), &assembly).as_str()).unwrap();
    }
    let body = |name: &str| format!(r#"{{"system":"\"shared\"\n\n\"{name}\"","tools":[]}}"#);
    assert_eq!(bodies, [body("one"), body("two")].concat());
}
