//! S2: equal orders of different owners.

use dsh_prompt_report::equal_orders;
use dsh_system_prompt::{AssembleEvent, AssembledSection, PromptAssembly};

use crate::support::{bare, section, world};

/// Order and names of each finding.
fn found(assembly: &PromptAssembly) -> Vec<(f64, Vec<&str>)> {
    equal_orders(assembly)
        .into_iter()
        .map(|equal| (equal.order, equal.sections.iter().map(|section| section.name()).collect()))
        .collect()
}

#[tokio::test]
async fn an_order_that_two_owners_took_is_one_finding_with_its_sections_as_they_stand() {
    let world = world().await;
    let (one, two) = (world.plugin("one").await, world.plugin("two").await);
    section(&two, "z", 20, "z");
    section(&one, "a", 20, "a");
    section(&one, "b", 20, "b");
    section(&one, "alone", 30, "its own");
    section(&one, "alone too", 30, "its own");
    section(&one, "minus", -0.0, "zero");
    section(&two, "plus", 0.0, "zero");
    let assembly = world.assemble(bare()).await;
    assert_eq!(found(&assembly), [(0.0, vec!["minus", "plus"]), (20.0, vec!["z", "a", "b"])]);
}

#[tokio::test]
async fn an_empty_text_has_no_place() {
    let world = world().await;
    let (one, two) = (world.plugin("one").await, world.plugin("two").await);
    section(&one, "a", 20, "");
    section(&two, "b", 20, "b");
    section(&two, "persona's place", 0, "the persona is empty here");
    assert_eq!(found(&world.assemble(bare()).await), []);
}

#[tokio::test]
async fn what_replaces_a_section_for_a_scope_has_its_place_and_what_it_adds_has_another_owner() {
    let world = world().await;
    let one = world.plugin("one").await;
    let agent = world.root.scope("agent").unwrap();
    let own = agent.ctx();
    section(&one, "a", 20, "a");
    section(&one, "b", 20, "b");
    // What replaces a global section has its place, which is the owner's who registered that one.
    section(own, "b", 20, "b of the agent");
    assert_eq!(found(&world.assemble(agent.key()).await), []);
    section(own, "own", 20, "own");
    assert_eq!(found(&world.assemble(agent.key()).await), [(20.0, vec!["a", "b", "own"])]);
    assert_eq!(found(&world.assemble(bare()).await), []);
}

#[tokio::test]
async fn what_a_listener_adds_stands_where_it_was_put() {
    let world = world().await;
    let (one, two) = (world.plugin("one").await, world.plugin("two").await);
    section(&one, "a", 20, "a");
    two.on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
        assembly.sections_mut().push(AssembledSection::new("late", 20, "late"));
        next.run(assembly)
    })
    .unwrap();
    let assembly = world.assemble(bare()).await;
    assert!(assembly.section("late").is_some());
    assert_eq!(found(&assembly), []);
    assert_eq!(found(&PromptAssembly::new()), []);
}
