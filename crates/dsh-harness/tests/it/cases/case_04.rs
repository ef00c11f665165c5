//! Case 04: what hooks append does not accumulate over the turns of a session, nor over its resumption.

use std::sync::Arc;

use dsh_harness::kernel::{Context, Failure};
use dsh_harness::prelude::{
    AgentOptions, AgentsExt, AssembleEvent, AssembledSection, MemoryStore, PromptSection, SystemPromptExt,
};
use dsh_harness::session::TurnEnd;
use dsh_testkit::Counter;

use crate::stack::{Stack, id, turn};

const SCRIPT: &str = "[[rules]]\nanswer = 'Good.'";
const PROMPT: &str = "Be brief. Note: see the log.\n\nTwo helpers.";

/// The two hooks of the case; `crew` fails when it is called for the seventh time.
fn hooks(notes: &Context, crew: &Context) {
    notes
        .on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
            for section in assembly.sections_mut().iter_mut().filter(|section| section.name() == "base") {
                section.append(" Note: see the log.");
            }
            next.run(assembly)
        })
        .unwrap();
    let assembled = Counter::new();
    crew.on_waterfall::<AssembleEvent, _>(move |mut assembly, _, next| {
        let fails = assembled.hit() == 7;
        async move {
            if fails {
                return Err(Failure::msg("crew is out"));
            }
            if assembly.section("crew").is_none() {
                assembly.sections_mut().push(AssembledSection::new("crew", 20, "Two helpers."));
            }
            next.run(assembly).await
        }
    })
    .unwrap();
}

async fn stack(store: &MemoryStore) -> Stack {
    let stack = Stack::on(store.clone(), SCRIPT).await;
    stack.root.system_prompt().section(PromptSection::new("base", 0, "Be brief.")).unwrap();
    let (notes, crew) = (stack.plugin("notes").await, stack.plugin("crew").await);
    hooks(&notes.ctx(), &crew.ctx());
    stack
}

/// Case 04, A3, A5
#[test]
fn the_prompt_of_every_turn_and_of_a_resumed_session_is_the_same() {
    crate::run(async {
        let store = MemoryStore::new();
        let first = stack(&store).await;
        let handle = first.agent("main").await;
        for number in 1..=50 {
            let end = turn(handle.agent(), "Go").await;
            let asked = first.asked();
            if number == 7 {
                // The error reaches whoever waits for the turn, names the owner, and nothing is sent.
                let TurnEnd::Failed { code, message, .. } = end else { panic!("{end}") };
                assert_eq!(code, "kernel::listener_failed");
                assert!(message.contains("`crew`") && message.contains("crew is out"), "{message}");
                assert!(asked.is_empty());
                continue;
            }
            assert_eq!(end, TurnEnd::Completed);
            assert_eq!(asked.iter().map(|asked| &*asked.system).collect::<Vec<_>>(), [PROMPT], "turn {number}");
        }
        let told = handle.agent().session().messages();
        handle.dispose().await.unwrap();
        first.kernel.shutdown().await.unwrap();

        let second = stack(&store).await;
        let handle = second.root.agents().resume(id("main"), AgentOptions::new("main")).await.unwrap();
        assert_eq!(handle.agent().session().messages(), told);
        assert_eq!(turn(handle.agent(), "Go on").await, TurnEnd::Completed);
        let asked = second.asked();
        assert_eq!(asked.len(), 1);
        assert_eq!(&*asked[0].system, PROMPT, "once, and not once from the log and once from the assembly");
        let texts = asked[0].messages.iter().flat_map(|message| &*message.content);
        assert!(texts.filter_map(|block| block.as_text()).all(|text| !text.contains("Be brief.")));
        handle.dispose().await.unwrap();
    });
}

/// Case 04: the registry's own text is what it was, whatever sessions have seen.
#[test]
fn no_turn_reaches_back_into_the_registry() {
    crate::run(async {
        let stack = stack(&MemoryStore::new()).await;
        let handle = stack.agent("main").await;
        for _ in 0..3 {
            turn(handle.agent(), "Go").await;
        }
        let view = stack.root.system_prompt().view(handle.agent().scope_key()).unwrap();
        let base = view.sections().find(|section| section.name == "base").unwrap();
        assert_eq!(base.text.unwrap().as_str(), "Be brief.");
        assert!(view.sections().all(|section| section.name != "crew"));
        let other = stack.plugin("other").await;
        let second = other.ctx().system_prompt().section(PromptSection::new("base", 1, "mine")).unwrap_err();
        assert_eq!(second.code(), "prompt::duplicate_section");
        turn(handle.agent(), "Go").await;
        assert!(Arc::clone(&stack.asked()[3].system).starts_with("Be brief."), "the first stays");
        handle.dispose().await.unwrap();
    });
}
