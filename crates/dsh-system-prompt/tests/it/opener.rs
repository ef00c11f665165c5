//! The two sections that the registry registers itself (S3).

use dsh_kernel::FiberState;
use dsh_system_prompt::{Identity, PromptConfig, PromptSection, Source, Stability, SystemPromptExt, render_prompt};
use dsh_template::Text;

use crate::support::{bare, section, variable, world, world_with};

/// S3
#[tokio::test]
async fn the_prompt_begins_with_one_sentence_of_the_harness_and_then_the_persona() {
    let world = world_with(PromptConfig::new().persona("You maintain {{project}}.")).await;
    variable(&world.root, "project", "dsh");
    let prompt = world.prompt(bare()).await;
    let (identity, persona) = prompt.split_once("\n\n").unwrap();
    assert!(identity.contains("dsh") && identity.ends_with('.'), "{identity}");
    assert_eq!(identity.matches(". ").count(), 0, "one sentence");
    assert_eq!(persona, "You maintain dsh.");
    let assembly = world.assemble(bare()).await.unwrap();
    let rows: Vec<_> =
        assembly.sections().map(|section| (section.name(), section.order(), section.stability())).collect();
    let expected = [("harness:identity", -100.0, Stability::Static), ("deployment:persona", 0.0, Stability::Static)];
    assert_eq!(rows, expected);
    assert!(assembly.sections().all(|section| section.owner().unwrap().to_string() == "system-prompt"));
}

/// S3
#[tokio::test]
async fn both_names_are_reserved_when_their_text_is_left_out() {
    let world = world().await;
    for name in ["harness:identity", "deployment:persona"] {
        let error = world.root.system_prompt().section(PromptSection::new(name, 1, "x")).unwrap_err();
        assert_eq!(error.code(), "prompt::duplicate_section");
        assert_eq!(error.first_owner().unwrap().to_string(), "system-prompt");
    }
    assert_eq!(world.prompt(bare()).await, "");
    assert_eq!(world.assemble(bare()).await.unwrap().sections().len(), 2);
}

/// S3
#[tokio::test]
async fn a_scope_overrides_the_persona_for_itself() {
    let world = world_with(PromptConfig::new().identity(Identity::Omitted).persona("for all")).await;
    let agent = world.root.scope("agent").unwrap();
    section(agent.ctx(), "deployment:persona", 0, "for one");
    assert_eq!(world.prompt(agent.key()).await, "for one");
    assert_eq!(world.prompt(bare()).await, "for all");
}

/// S3, X1
#[tokio::test]
async fn a_raw_persona_is_not_scanned_and_its_source_is_kept() {
    let config =
        PromptConfig::new().identity(Identity::Omitted).persona(Text::raw("{{x")).persona_source(Source::file("p.md"));
    let world = world_with(config).await;
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(&*render_prompt(&assembly).unwrap(), "{{x");
    assert_eq!(assembly.section("deployment:persona").unwrap().source().unwrap().path(), "p.md");
}

/// S3, K10
#[tokio::test]
async fn users_never_see_the_registry_without_its_openers() {
    let world = world().await;
    let log = dsh_testkit::Log::new();
    let user = {
        let log = log.clone();
        world
            .mount("user", move |ctx| {
                let (log, handle) = (log.clone(), ctx.system_prompt());
                ctx.effect("look", |fx| {
                    log.push(format!("start {}", handle.view(None)?.sections().count()));
                    fx.defer(move || {
                        log.push(format!("stop {}", handle.view(None)?.sections().count()));
                        Ok::<(), dsh_kernel::Failure>(())
                    });
                    Ok(())
                })?;
                Ok(())
            })
            .await
    };
    world.registry.dispose().await.unwrap();
    log.assert(["start 2", "stop 2"]);
    assert_eq!(user.state(), FiberState::Pending);
    assert_eq!(world.assemble(bare()).await.unwrap_err().code(), "kernel::missing_service");
}

/// S3
#[tokio::test]
async fn each_start_makes_a_fresh_registry() {
    let world = world().await;
    section(&world.root, "kept by root", 5, "old");
    world.registry.dispose().await.unwrap();
    let again = world.root.plugin(dsh_system_prompt::SystemPrompt::default()).unwrap();
    again.ready().await.unwrap();
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(
        assembly.sections().map(dsh_system_prompt::AssembledSection::name).collect::<Vec<_>>(),
        ["harness:identity", "deployment:persona"]
    );
}
