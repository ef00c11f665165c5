//! `system-prompt/change`, and what a failing listener of it does (S9).

use dsh_kernel::{Error as KernelError, Failure, Registered};
use dsh_system_prompt::{ErrorKind, PromptChange, PromptSection, PromptVariable, SystemPromptExt, ToolProvider};
use dsh_testkit::{Gate, Log};

use crate::support::{bare, section, section_names, tools, until, variable, world};

fn listen(ctx: &dsh_kernel::Context, log: &Log) {
    let log = log.clone();
    ctx.on::<PromptChange, _>(move |change| {
        let scope = if change.scope.is_some() { "scoped" } else { "global" };
        let name = change.name.as_ref().map_or("-", |name| name.as_str());
        log.push(format!("{:?} {name} {} {scope} {:?}", change.kind, change.owner, change.change));
    })
    .unwrap();
}

/// S9
#[tokio::test]
async fn each_registration_and_removal_says_kind_name_owner_scope_and_which() {
    let (world, log) = (world().await, Log::new());
    let pack = world.plugin("pack").await;
    let scope = pack.scope("agent").unwrap();
    // Unfiltered: one for another scope hears it too.
    let other = world.root.scope("other").unwrap();
    listen(other.ctx(), &log);
    let parts = [section(&pack, "s", 1, ""), variable(scope.ctx(), "v", ""), tools(&pack, &[])];
    log.assert([
        "Section s pack global Added",
        "Variable v pack/agent scoped Added",
        "ToolProvider - pack global Added",
    ]);
    for part in parts {
        part.dispose().await.unwrap();
    }
    log.assert([
        "Section s pack global Removed",
        "Variable v pack/agent scoped Removed",
        "ToolProvider - pack global Removed",
    ]);
}

/// S9: the change is visible when it is told.
#[tokio::test]
async fn a_listener_sees_the_registry_as_it_is_after_the_change() {
    let (world, log) = (world().await, Log::new());
    let (ctx, heard) = (world.root.clone(), log.clone());
    world
        .root
        .on::<PromptChange, _>(move |_| {
            let view = ctx.system_prompt().view(None)?;
            heard.push(
                view.sections().map(|section| section.name).filter(|name| !name.contains(':')).collect::<String>(),
            );
            Ok::<_, Failure>(())
        })
        .unwrap();
    let (a, _b) = (section(&world.root, "a", 1, ""), section(&world.root, "b", 2, ""));
    a.dispose().await.unwrap();
    log.assert(["a", "ab", "b"]);
}

/// S9, K7
#[tokio::test]
async fn a_failing_listener_rolls_the_registration_back_and_the_caller_gets_its_failure() {
    let (world, log) = (world().await, Log::new());
    let strict = world.plugin("strict").await;
    listen(&world.root, &log);
    strict
        .on::<PromptChange, _>(
            |change| if change.change == Registered::Added { Err(Failure::msg("not here")) } else { Ok(()) },
        )
        .unwrap();
    let handle = world.root.system_prompt();
    let errors = [
        handle.section(PromptSection::new("s", 1, "s")).unwrap_err(),
        handle.variable(PromptVariable::new("v", "v")).unwrap_err(),
        handle.tools(ToolProvider::new([])).unwrap_err(),
    ];
    for error in errors {
        assert_eq!((error.kind(), error.code()), (ErrorKind::Kernel, "kernel::listener_failed"));
        assert_eq!(error.failure().unwrap().to_string(), "not here");
        assert_eq!(error.owner().unwrap().to_string(), "strict");
        error.teardown().unwrap().await.unwrap();
    }
    assert_eq!(log.take().len(), 6, "each was told of, and its removal too");
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!((section_names(&assembly).len(), assembly.variables().count()), (0, 0));
    assert_eq!(world.root.system_prompt().view(None).unwrap().tool_providers().count(), 0);
}

/// S9
#[tokio::test]
async fn on_a_removal_the_removal_stands_and_the_failure_is_returned() {
    let world = world().await;
    let a = section(&world.root, "a", 1, "a");
    world
        .root
        .on::<PromptChange, _>(
            |change| if change.change == Registered::Removed { Err(Failure::msg("stay")) } else { Ok(()) },
        )
        .unwrap();
    let error = a.dispose().await.unwrap_err();
    let listener = error.failure().unwrap().downcast_ref::<KernelError>().unwrap();
    assert_eq!(listener.code(), "kernel::listener_failed");
    assert_eq!(listener.failure().unwrap().to_string(), "stay");
    assert_eq!(world.prompt(bare()).await, "");
    section(&world.root, "a", 1, "again");
}

/// S9, K7: in a composite the rollback keeps its order, and its asynchronous links are awaited.
#[tokio::test]
async fn a_composite_whose_registration_is_refused_is_rolled_back_in_reverse() {
    let (world, log, gate) = (world().await, Log::new(), Gate::new());
    world
        .root
        .on::<PromptChange, _>(|change| {
            let bad =
                change.name.as_ref().is_some_and(|name| name.as_str() == "bad") && change.change == Registered::Added;
            if bad { Err(Failure::msg("bad")) } else { Ok(()) }
        })
        .unwrap();
    listen(&world.root, &log);
    let ctx = world.root.clone();
    let (slow, ended) = (gate.clone(), log.clone());
    let error = world
        .root
        .effect("pack", |fx| {
            fx.adopt(ctx.system_prompt().section(PromptSection::new("first", 1, "x"))?)?;
            fx.defer_async(move || async move {
                slow.wait().await;
                ended.push("slow ended");
            });
            fx.adopt(ctx.system_prompt().section(PromptSection::new("bad", 2, "x"))?)?;
            Ok(())
        })
        .unwrap_err();
    let own = error.failure().unwrap().downcast_ref::<dsh_system_prompt::Error>().unwrap();
    assert_eq!(own.failure().unwrap().to_string(), "bad");
    log.assert(["Section first root global Added", "Section bad root global Added", "Section bad root global Removed"]);
    assert_eq!(world.prompt(bare()).await, "x", "the slow link drains, so what it stands on is still there");
    gate.open();
    error.teardown().unwrap().await.unwrap();
    until(|| log.len() == 2).await;
    log.assert(["slow ended", "Section first root global Removed"]);
}
