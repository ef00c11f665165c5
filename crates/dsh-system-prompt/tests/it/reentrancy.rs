//! Foreign code that calls back: no lock is held while it runs (K13).

use std::sync::{Arc, Mutex};

use dsh_kernel::{Failure, Registered};
use dsh_system_prompt::{
    AssembleEvent, PromptChange, PromptSection, PromptVariable, SystemPromptExt, ToolProvider, render_prompt,
};
use dsh_testkit::{Counter, block_on};

use crate::support::{bare, schema, section, section_names, variable, world};

/// K13: a provider may register, dispose and assemble.
#[tokio::test]
async fn a_provider_registers_disposes_and_assembles() {
    let (world, depth) = (world().await, Counter::new());
    section(&world.root, "s", 1, "{{v}}");
    let (ctx, counted) = (world.root.clone(), depth.clone());
    let provider = PromptVariable::try_computed("v", move |_| {
        let depth = counted.hit();
        if depth > 3 {
            return Ok("end".to_owned());
        }
        let name = format!("temporary{depth}");
        let temporary = ctx.system_prompt().section(PromptSection::new(name.clone(), 9, "t"))?;
        let inner = block_on(ctx.system_prompt().assemble(bare()))?;
        assert!(inner.section(&name).is_some());
        drop(temporary.dispose());
        Ok(format!("({})", render_prompt(&inner)?.replace("\n\nt", "")))
    });
    world.root.system_prompt().variable(provider).unwrap();
    assert_eq!(world.prompt(bare()).await, "(((end)))");
}

/// K13: a change listener may register, dispose and assemble.
#[tokio::test]
async fn a_change_listener_registers_disposes_and_assembles() {
    let world = world().await;
    let (ctx, shadow) = (world.root.clone(), Mutex::new(None));
    world
        .root
        .on::<PromptChange, _>(move |change| {
            if change.name.as_ref().is_none_or(|name| name.as_str() != "lead") {
                return Ok(());
            }
            if change.change == Registered::Added {
                let follower = ctx.system_prompt().section(PromptSection::new("follower", 2, "follower"))?;
                assert_eq!(section_names(&block_on(ctx.system_prompt().assemble(bare()))?), ["lead", "follower"]);
                *shadow.lock().unwrap() = Some(follower);
            } else {
                let follower = shadow.lock().unwrap().take();
                drop(follower.map(dsh_kernel::Disposer::dispose));
            }
            Ok::<_, Failure>(())
        })
        .unwrap();
    let lead = section(&world.root, "lead", 1, "lead");
    assert_eq!(world.prompt(bare()).await, "lead\n\nfollower");
    lead.dispose().await.unwrap();
    assert_eq!(world.prompt(bare()).await, "");
}

/// K13: a listener of the waterfall may register, dispose and assemble.
#[tokio::test]
async fn an_assemble_listener_registers_disposes_and_assembles() {
    let (world, busy) = (world().await, Arc::new(Mutex::new(false)));
    section(&world.root, "s", 1, "s");
    let ctx = world.root.clone();
    world
        .root
        .on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
            let (ctx, busy) = (ctx.clone(), busy.clone());
            async move {
                if !std::mem::replace(&mut *busy.lock().unwrap(), true) {
                    let temporary = ctx.system_prompt().section(PromptSection::new("temporary", 9, "t"))?;
                    let inner = ctx.system_prompt().assemble(bare()).await?;
                    assert_eq!(section_names(&inner), ["s", "temporary"]);
                    temporary.dispose().await?;
                    *busy.lock().unwrap() = false;
                }
                next.run(assembly).await
            }
        })
        .unwrap();
    assert_eq!(world.prompt(bare()).await, "s");
    assert_eq!(world.prompt(bare()).await, "s");
}

/// K13: a provider may dispose its own registration; the snapshot still has it.
#[tokio::test]
async fn a_provider_disposes_itself() {
    let world = world().await;
    let own = Arc::new(Mutex::new(None));
    let held = own.clone();
    let once = PromptSection::computed("once", 1, move |_| {
        let own = held.lock().unwrap().take();
        drop(own.map(dsh_kernel::Disposer::dispose));
        "once"
    });
    *own.lock().unwrap() = Some(world.root.system_prompt().section(once).unwrap());
    assert_eq!(world.prompt(bare()).await, "once");
    assert_eq!(world.prompt(bare()).await, "");
}

/// K13: destructors of what was handed in run outside of every lock.
#[tokio::test]
async fn a_destructor_of_a_provider_uses_the_registry() {
    struct OnDrop(dsh_kernel::Context, Counter);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            let view = self.0.system_prompt().view(None);
            if view.is_ok_and(|view| view.sections().all(|section| section.name != "s")) {
                self.1.hit();
            }
        }
    }
    let (world, dropped) = (world().await, Counter::new());
    let guard = OnDrop(world.root.clone(), dropped.clone());
    let provider = PromptSection::computed("s", 1, move |_| {
        let _ = &guard;
        "s"
    });
    let disposer = world.root.system_prompt().section(provider).unwrap();
    assert_eq!(world.prompt(bare()).await, "s");
    disposer.dispose().await.unwrap();
    assert_eq!(dropped.get(), 1, "dropped with its registration, when it was no longer visible");
}

/// K13: registering from many threads at once loses nothing.
#[test]
fn registrations_from_many_threads_are_all_there() {
    let world = crate::support::in_runtime(world());
    variable(&world.root, "v", "V");
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let handle = world.root.system_prompt();
            threads.spawn(move || {
                for index in 0..50 {
                    let name = format!("s{thread}_{index}");
                    let disposer = handle.section(PromptSection::new(name, thread, "{{v}}")).unwrap();
                    if index % 2 == 1 {
                        drop(disposer.dispose());
                    }
                    block_on(handle.assemble(bare())).unwrap();
                }
                handle.tools(ToolProvider::new([schema(&format!("t{thread}"))])).unwrap();
            });
        }
    });
    let assembly = block_on(world.assemble(bare())).unwrap();
    assert_eq!((section_names(&assembly).len(), assembly.tools().len()), (100, 4));
    assert_eq!(render_prompt(&assembly).unwrap().matches('V').count(), 100);
}
