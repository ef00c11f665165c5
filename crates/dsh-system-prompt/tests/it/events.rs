//! The waterfall of an assembly: who hears it, who owns what it adds (S8, S9).

use dsh_kernel::{Context, Failure};
use dsh_system_prompt::{
    AssembleEvent, AssembledSection, ErrorKind, PartLayer, PromptAssembly, Stability, render, render_prompt,
};
use dsh_testkit::Log;

use crate::support::{bare, schema, section, section_names, tools, variable, world};

/// Listens with a plain edit before delegating.
fn edit(ctx: &Context, edit: impl Fn(&mut PromptAssembly) + Send + Sync + 'static) {
    ctx.on_waterfall::<AssembleEvent, _>(move |mut assembly, _, next| {
        edit(&mut assembly);
        next.run(assembly)
    })
    .unwrap();
}

fn owner_of(assembly: &PromptAssembly, name: &str) -> String {
    assembly.section(name).unwrap().owner().unwrap().to_string()
}

/// S9, K12
#[tokio::test]
async fn listeners_hear_by_the_scope_of_the_assemble_context() {
    let (world, log) = (world().await, Log::new());
    let (one, two) = (world.root.scope("one").unwrap(), world.root.scope("two").unwrap());
    for (ctx, name) in [(&world.root, "all"), (one.ctx(), "one"), (two.ctx(), "two")] {
        let log = log.clone();
        edit(ctx, move |_| log.push(name));
    }
    world.assemble(one.key()).await.unwrap();
    log.assert(["all", "one"]);
    world.assemble(bare()).await.unwrap();
    log.assert(["all"]);
    world.assemble(two.key()).await.unwrap();
    log.assert(["all", "two"]);
}

/// S8: what a listener adds is owned by that listener, before its `next` and after it.
#[tokio::test]
async fn what_a_listener_adds_is_owned_by_it() {
    let world = world().await;
    let (outer, inner) = (world.plugin("outer").await, world.plugin("inner").await);
    for (ctx, before, after) in [(&outer, "outer before", "outer after"), (&inner, "inner before", "inner after")] {
        ctx.on_waterfall::<AssembleEvent, _>(move |mut assembly, _, next| async move {
            assembly.sections_mut().push(AssembledSection::new(before, 0, before));
            let mut assembly = next.run(assembly).await?;
            assembly.sections_mut().push(AssembledSection::new(after, 0, after));
            assembly.tools_mut().push(schema(&after.replace(' ', "_")).into());
            assembly.set_variable(after.replace(' ', "_"), after);
            Ok(assembly)
        })
        .unwrap();
    }
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(section_names(&assembly), ["outer before", "inner before", "inner after", "outer after"]);
    for section in assembly.sections().skip(2) {
        assert_eq!(section.owner().unwrap().to_string(), section.name().split(' ').next().unwrap());
        assert_eq!((section.layer(), section.stability()), (PartLayer::Assembly, Stability::Step));
    }
    let owners: Vec<_> = assembly.tools().iter().map(|tool| tool.owner().unwrap().to_string()).collect();
    assert_eq!(owners, ["inner", "outer"]);
    let owners: Vec<_> = assembly.variables().map(|variable| variable.owner().unwrap().to_string()).collect();
    assert_eq!(owners, ["inner", "outer"]);
    let rendered = render(&assembly).unwrap();
    assert_eq!(rendered.parts().next().unwrap().section().unwrap().owner().unwrap().to_string(), "outer");
}

/// S8: a whole new assembly belongs to the listener that made it.
#[tokio::test]
async fn an_assembly_that_a_listener_makes_afresh_is_owned_by_it() {
    let world = world().await;
    section(&world.root, "gone", 1, "gone");
    let (maker, adder) = (world.plugin("maker").await, world.plugin("adder").await);
    maker
        .on_waterfall::<AssembleEvent, _>(|_, _, next| async move {
            let mut fresh = PromptAssembly::new();
            fresh.sections_mut().push(AssembledSection::new("made", 0, "made {{v}}"));
            fresh.set_variable("v", "V");
            next.run(fresh).await
        })
        .unwrap();
    edit(&adder, |assembly| assembly.sections_mut().push(AssembledSection::new("added", 0, "added")));
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(&*render_prompt(&assembly).unwrap(), "made V\n\nadded");
    assert_eq!((owner_of(&assembly, "made"), owner_of(&assembly, "added")), ("maker".to_owned(), "adder".to_owned()));
}

/// S8, X3: an edited section stays its owner's, and says who edited it.
#[tokio::test]
async fn an_edited_section_keeps_its_owner_and_names_its_editors() {
    let world = world().await;
    let (owner, first, second) =
        (world.plugin("owner").await, world.plugin("first").await, world.plugin("second").await);
    section(&owner, "a", 1, "a");
    section(&owner, "b", 2, "b");
    for ctx in [&first, &second] {
        edit(ctx, |assembly| {
            for section in assembly.sections_mut().iter_mut().filter(|section| section.name() == "a") {
                let text = format!("{}!", section.text().as_str());
                section.set_text(text);
            }
        });
    }
    let assembly = world.assemble(bare()).await.unwrap();
    let edited = assembly.section("a").unwrap();
    assert_eq!((edited.text().as_str(), owner_of(&assembly, "a")), ("a!!", "owner".to_owned()));
    assert_eq!(edited.edited_by().iter().map(ToString::to_string).collect::<Vec<_>>(), ["first", "second"]);
    assert_eq!(edited.stability(), Stability::Step);
    assert!(assembly.section("b").unwrap().edited_by().is_empty());
    assert_eq!(assembly.section("b").unwrap().stability(), Stability::Static);
}

/// S9: nothing is sorted again.
#[tokio::test]
async fn what_a_listener_adds_stays_where_it_put_it() {
    let world = world().await;
    section(&world.root, "a", 1, "a");
    section(&world.root, "c", 3, "c");
    edit(&world.root, |assembly| {
        assembly.sections_mut().insert(0, AssembledSection::new("last by order", 999, "front"));
        assembly.sections_mut().push(AssembledSection::new("first by order", -999, "end"));
    });
    assert_eq!(world.prompt(bare()).await, "front\n\na\n\nc\n\nend");
}

/// S8: variables that a listener sets are seen by the sections that were there.
#[tokio::test]
async fn a_listener_sets_and_takes_variables() {
    let world = world().await;
    variable(&world.root, "v", "V");
    variable(&world.root, "w", "W");
    section(&world.root, "a", 1, "{{v}}{{w}}");
    edit(&world.root, |assembly| assembly.set_variable("v", "X"));
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(&*render_prompt(&assembly).unwrap(), "XW");
    assert_eq!(assembly.variables().map(|variable| variable.name()).collect::<Vec<_>>(), ["v", "w"]);
    assert_eq!(assembly.variable("v").unwrap().layer(), PartLayer::Assembly);
    assert_eq!(assembly.variable("w").unwrap().layer(), PartLayer::Global);
    edit(&world.root, |assembly| assembly.set_variable("v", None::<&str>));
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(render_prompt(&assembly).unwrap_err().kind(), ErrorKind::ValuelessVariable);
}

/// S9, K11
#[tokio::test]
async fn a_failing_listener_fails_the_assembly_and_is_named() {
    let world = world().await;
    let crew = world.plugin("crew").await;
    crew.on_waterfall::<AssembleEvent, _>(|_, _, _| async { Err(Failure::msg("no crew")) }).unwrap();
    let error = world.assemble(bare()).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Kernel, "kernel::listener_failed"));
    assert_eq!(error.owner().unwrap().to_string(), "crew");
    assert_eq!(error.failure().unwrap().to_string(), "no crew");
    assert!(error.to_string().contains("no crew"), "{error}");
}

/// K13
#[tokio::test]
async fn a_panicking_listener_fails_the_assembly_and_is_named() {
    let world = world().await;
    let crew = world.plugin("crew").await;
    crew.on_waterfall::<AssembleEvent, _>(|_, _, _| async { panic!("boom") }).unwrap();
    let error = world.assemble(bare()).await.unwrap_err();
    assert_eq!(error.failure().unwrap().panic_message(), Some("boom"));
    assert_eq!(error.owner().unwrap().to_string(), "crew");
}

/// S8: an untouched list is still shared when another one was edited.
#[tokio::test]
async fn an_edit_of_one_list_leaves_the_others_shared() {
    let world = world().await;
    section(&world.root, "a", 1, "a");
    tools(&world.root, &["t"]);
    let before = world.assemble(bare()).await.unwrap();
    let mut after = before.clone();
    after.sections_mut().clear();
    assert!(std::ptr::eq(before.tools(), after.tools()));
    after.tools_mut().clear();
    assert_eq!((before.tools().len(), before.sections().len()), (1, 3));
    assert_eq!(&*render_prompt(&before).unwrap(), "a");
}
