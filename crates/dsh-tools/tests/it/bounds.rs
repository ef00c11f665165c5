//! Results are of bounded size.

use dsh_llm::{ContentBlock, Image, Message, Reasoning, Resource, ResourceBody, Role};
use dsh_tools::{Executed, PostExecuteEvent, ToolFailure, ToolOutput, ToolsConfig, ToolsExt};
use proptest::prelude::*;

use crate::support::{anybody, shown, text, tool, world_with};

async fn answer(config: ToolsConfig, content: Vec<ContentBlock>) -> Executed {
    let world = world_with(config).await;
    let answer = move |_| std::future::ready(Ok(ToolOutput::from(content.clone())));
    world.root.tools().register(tool("t", answer)).unwrap();
    world.call("t", "{}", anybody()).await
}

/// Cut at a line, with a mark that says how much is missing.
#[tokio::test]
async fn a_long_text_is_cut_at_a_line() {
    let lines: Vec<String> = (0..200).map(|number| format!("line {number:03}\n")).collect();
    let long = lines.concat();
    let executed = answer(ToolsConfig::new().result_limit(1_000), vec![ContentBlock::text(long.clone())]).await;
    let said = text(&executed);
    let (kept, mark) = said.rsplit_once('\n').unwrap();
    assert!(long.starts_with(&format!("{kept}\n")), "whole lines of it");
    let (missing, lines) = (long.len() - kept.len() - 1, 200 - kept.lines().count());
    assert_eq!(mark, format!("[cut here: {missing} bytes more, on {lines} lines; ask for a part of it]"));
    assert!(said.len() <= 1_000 && kept.len() > 500, "{}", said.len());
    assert_eq!(executed.code, None);
}

/// One line that is too long is cut between two characters.
#[tokio::test]
async fn a_long_line_is_cut_between_characters() {
    let long = format!("short\n{}", "ü".repeat(5_000));
    let said = text(&answer(ToolsConfig::new().result_limit(600), vec![ContentBlock::text(long)]).await);
    assert!(said.starts_with("short\nüü") && said.len() <= 600 && said.contains("[cut here: "), "{said}");
}

/// What is within the limit stays as it is.
#[tokio::test]
async fn what_fits_is_left_alone() {
    let content = vec![
        ContentBlock::text("a\n"),
        ContentBlock::Image(Image::new("image/png", "AAAA")),
        ContentBlock::Resource(Resource::new("file:///a", ResourceBody::Text("b".into()))),
        ContentBlock::text("x".repeat(400)),
    ];
    let executed = answer(ToolsConfig::new().result_limit(512), content.clone()).await;
    assert_eq!(executed.result.content, content);
}

/// What cannot be cut is left out, a resource's address kept.
#[tokio::test]
async fn pictures_and_resources_stay_whole_or_go() {
    let content = vec![
        ContentBlock::Image(Image::new("image/png", "A".repeat(80))),
        ContentBlock::Image(Image::new("image/png", "B".repeat(30))),
        ContentBlock::Resource(Resource::new("file:///big", ResourceBody::Data("C".repeat(90)))),
        ContentBlock::text("words"),
    ];
    let executed = answer(ToolsConfig::new().media_limit(100), content).await;
    let expected = [
        ContentBlock::Image(Image::new("image/png", "A".repeat(80))),
        ContentBlock::Resource(Resource::new("file:///big", ResourceBody::Link)),
        ContentBlock::text("words"),
        ContentBlock::text("[left out: 2 blocks of 140 bytes, too large or too many]"),
    ];
    assert_eq!(executed.result.content, expected);
}

/// T4: results are text, pictures and resources.
#[tokio::test]
async fn other_blocks_are_no_result() {
    let content = vec![ContentBlock::Reasoning(Reasoning::new("hm")), ContentBlock::text("words")];
    let executed = answer(ToolsConfig::new(), content).await;
    assert_eq!(text(&executed), "words|[left out: 1 block of 0 bytes, too large or too many]");
}

/// Errors are bounded, and what a listener puts in place of a result too.
#[tokio::test]
async fn errors_and_replacements_are_bounded() {
    let world = world_with(ToolsConfig::new().result_limit(600)).await;
    world.root.tools().register(tool("t", |_| async { Err(ToolFailure::model("e\n".repeat(9_000))) })).unwrap();
    let executed = world.call("t", "{}", anybody()).await;
    let (code, said) = shown(&executed);
    assert!(code == Some("tools::failed") && said.len() <= 600 && said.contains("[cut here: "), "{said}");
    world
        .root
        .on_waterfall::<PostExecuteEvent, _>(|mut result, _, next| async move {
            assert!(result.content().iter().filter_map(ContentBlock::as_text).map(str::len).sum::<usize>() <= 600);
            result.replace([ContentBlock::text("r".repeat(9_000))]);
            next.run(result).await
        })
        .unwrap();
    assert!(text(&world.call("t", "{}", anybody()).await).len() <= 600);
    let huge = world.call(&"n".repeat(90_000), "{}", anybody()).await;
    assert!(text(&huge).len() <= 600, "a name that a model made up is no way round it");
}

/// What comes of listeners that attach these to a result.
async fn attached(config: ToolsConfig, messages: Vec<Message>) -> Vec<Message> {
    let world = world_with(config).await;
    world.root.tools().register(tool("t", |_| async { Ok("done".into()) })).unwrap();
    world
        .root
        .on_waterfall::<PostExecuteEvent, _>(move |mut result, _, next| {
            messages.clone().into_iter().for_each(|message| result.attach(message));
            next.run(result)
        })
        .unwrap();
    world.call("t", "{}", anybody()).await.attached
}

fn said(message: &Message) -> String {
    message.content.iter().filter_map(ContentBlock::as_text).collect()
}

/// T4: what listeners attach is of the size of a result, all of it together.
#[tokio::test]
async fn attachments_are_bounded_all_together() {
    let config = || ToolsConfig::new().result_limit(2_000).media_limit(100);
    let few = vec![Message::user("one"), Message::user("two")];
    assert_eq!(attached(config(), few.clone()).await, few);

    let long = attached(config(), vec![Message::user("first"), Message::user("line\n".repeat(9_000))]).await;
    assert_eq!(said(&long[0]), "first");
    assert!(said(&long[1]).starts_with("line\nline\n") && said(&long[1]).contains("[cut here: "), "{}", said(&long[1]));

    let many: Vec<Message> = (0..10_000).map(|number| Message::user(format!("note {number}"))).collect();
    let many = attached(config(), many).await;
    assert_eq!(said(&many[0]), "note 0");
    assert!(said(many.last().unwrap()).ends_with(&format!("[left out: {} messages more]", 10_000 - many.len())));
    assert!(many.iter().map(|message| said(message).len()).sum::<usize>() <= 2_000 && many.len() <= 256);

    let pictures = vec![Message::new(Role::User, [ContentBlock::Image(Image::new("image/png", "A".repeat(300)))])];
    assert_eq!(said(&attached(config(), pictures).await[0]), "[left out: 1 block of 309 bytes, too large or too many]");
}

/// A3: a message with a call in it would be one without a result.
#[tokio::test]
async fn attachments_are_text_pictures_and_resources() {
    let odd = Message::new(Role::User, [ContentBlock::Reasoning(Reasoning::new("hm")), ContentBlock::text("words")]);
    let kept = attached(ToolsConfig::new(), vec![odd, Message::user("more")]).await;
    assert_eq!(said(&kept[0]), "words[left out: 1 block of 0 bytes, too large or too many]");
    assert_eq!(said(&kept[1]), "more");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever listeners attach: bounded, and a beginning of it.
    #[test]
    fn whatever_is_attached_is_bounded(texts in prop::collection::vec("[a-c\nü]{0,400}", 0..12), limit in 512_usize..2_000) {
        let messages: Vec<Message> = texts.iter().map(Message::user).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let kept = runtime.block_on(attached(ToolsConfig::new().result_limit(limit), messages.clone()));
        let size = |messages: &[Message]| messages.iter().map(|message| said(message).len()).sum::<usize>();
        prop_assert!(size(&kept) <= limit);
        if size(&messages) <= limit {
            prop_assert_eq!(kept, messages);
        } else {
            let whole = kept.len() - 1;
            prop_assert_eq!(&kept[..whole], &messages[..whole]);
        }
    }

    /// Whatever a tool answers: bounded, and a beginning of what it said.
    #[test]
    fn whatever_a_tool_answers_is_bounded(texts in prop::collection::vec("[a-c\nü]{0,600}", 0..6), limit in 512_usize..2_000) {
        let content: Vec<ContentBlock> = texts.iter().map(ContentBlock::text).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let executed = runtime.block_on(answer(ToolsConfig::new().result_limit(limit), content.clone()));
        let said: usize = executed.result.content.iter().filter_map(ContentBlock::as_text).map(str::len).sum();
        let whole: usize = texts.iter().map(String::len).sum();
        prop_assert!(said <= limit);
        if whole <= limit {
            prop_assert_eq!(executed.result.content, content);
        } else {
            let all = texts.concat();
            let told: String = executed.result.content.iter().filter_map(ContentBlock::as_text).collect();
            let (kept, mark) = told.rsplit_once("[cut here: ").unwrap();
            let kept = kept.strip_suffix('\n').unwrap_or(kept);
            prop_assert!(all.starts_with(kept));
            let missing: usize = mark.split(' ').next().unwrap().parse().unwrap();
            prop_assert!(kept.len() + missing == whole || kept.len() + 1 + missing == whole);
        }
    }
}
