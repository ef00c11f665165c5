//! S4, X1: variables that no section refers to.

use dsh_prompt_report::VariableUse;
use dsh_system_prompt::{AssembleEvent, PartLayer, PromptAssembly};
use dsh_template::Text;

use crate::support::{bare, section, variable, world};

fn unused<'a>(assemblies: impl IntoIterator<Item = &'a PromptAssembly>) -> Vec<String> {
    let mut uses = VariableUse::new();
    for assembly in assemblies {
        uses.add(assembly);
    }
    uses.unused().map(|variable| format!("{} of {}", variable.name, variable.owner)).collect()
}

#[tokio::test]
async fn raw_texts_and_quoted_groups_refer_to_nothing() {
    let world = world().await;
    let facts = world.plugin("facts").await;
    for name in ["used", "quoted", "raw", "prose", "first"] {
        variable(&facts, name);
    }
    section(&world.root, "a", 1, r#"{{used}} {{first}} {{"{{quoted}}"}} prose {prose}"#);
    section(&world.root, "b", 2, Text::raw("{{raw}}"));
    let assembly = world.assemble(bare()).await;
    assert_eq!(unused([&assembly]), ["quoted of facts", "raw of facts", "prose of facts"]);
    assert_eq!(unused([&assembly, &assembly]).len(), 3, "fed twice");
    assert_eq!(unused([]), [""; 0]);
}

#[tokio::test]
async fn one_use_in_any_scope_is_enough_and_a_shadow_is_another_variable() {
    let world = world().await;
    let facts = world.plugin("facts").await;
    let (one, two) = (world.root.scope("one").unwrap(), world.root.scope("two").unwrap());
    for name in ["team", "project", "mode"] {
        variable(&facts, name);
    }
    variable(one.ctx(), "team");
    section(one.ctx(), "a", 1, "{{team}}");
    section(two.ctx(), "a", 1, "{{project}}");
    let everyone = world.assemble(bare()).await;
    let (one, two) = (world.assemble(one.key()).await, world.assemble(two.key()).await);
    assert_eq!(unused([&everyone]), ["team of facts", "project of facts", "mode of facts"]);
    assert_eq!(unused([&everyone, &one, &two]), ["team of facts", "mode of facts"]);
    assert_eq!(unused([&one]), ["project of facts", "mode of facts"], "the shadowed one is not there");
    let mut uses = VariableUse::new();
    uses.add(&two);
    assert_eq!(uses.unused().next().map(|variable| (variable.name, variable.layer)), Some(("team", PartLayer::Global)));
}

#[tokio::test]
async fn what_stands_behind_a_mistake_is_meant_all_the_same() {
    let world = world().await;
    for name in ["before", "spaced", "behind", "braced", "other"] {
        variable(&world.root, name);
    }
    section(&world.root, "a", 1, "{{before}} {{ spaced }} {{behind}} {{{braced}}} {{Other}} {{");
    assert_eq!(unused([&world.assemble(bare()).await]), ["other of root"]);
}

#[tokio::test]
async fn what_a_listener_sets_is_not_registered() {
    let world = world().await;
    variable(&world.root, "registered");
    let hook = world.plugin("hook").await;
    hook.on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
        assembly.set_variable("late", "value");
        next.run(assembly)
    })
    .unwrap();
    let assembly = world.assemble(bare()).await;
    assert!(assembly.variable("late").is_some());
    assert_eq!(unused([&assembly]), ["registered of root"]);
}

#[test]
fn a_hostile_text_is_gone_through_once() {
    let mut uses = VariableUse::new();
    let texts =
        ["{{ {{".repeat(300_000), "{{a}".repeat(300_000) + "}}", "{{a b}}".repeat(200_000), "{".repeat(1_000_000)];
    uses.add(&crate::support::assembly(texts, &[]));
    assert_eq!(uses.unused().count(), 0);
}
