//! What the registry remembers of assemblies, and that it forgets in time (K15, P4).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dsh_system_prompt::{AssembleContext, PromptSection, PromptVariable, SystemPromptExt, ToolProvider, render_prompt};
use dsh_testkit::{Probes, resident_bytes};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{bare, schema, section, variable, world};

/// K15: an idle scope keeps nothing of a plugin that has unloaded, though it has assembled with it.
#[tokio::test]
async fn an_idle_scope_keeps_nothing_of_an_unloaded_plugin() {
    let (world, probes) = (world().await, Probes::new());
    let scopes: Vec<_> = (0..3).map(|_| world.root.scope("agent").unwrap()).collect();
    for scope in &scopes {
        section(scope.ctx(), "own", 1, "own");
    }
    for round in 1..=3 {
        let (p, q, r) = (probes.probe(), probes.probe(), probes.probe());
        let parts = std::sync::Mutex::new(Some((p, q, r)));
        let pack = world
            .mount("pack", move |ctx| {
                let Some((p, q, r)) = parts.lock().unwrap().take() else { return Ok(()) };
                let handle = ctx.system_prompt();
                handle.section(PromptSection::computed("s", 2, move |_| {
                    p.touch();
                    "s"
                }))?;
                handle.variable(PromptVariable::computed("v", move |_| {
                    q.touch();
                    "v"
                }))?;
                handle.tools(ToolProvider::computed(move |_| {
                    r.touch();
                    vec![schema("t")]
                }))?;
                Ok(())
            })
            .await;
        for scope in &scopes {
            assert_eq!(world.prompt(scope.key()).await, "own\n\ns");
        }
        assert_eq!(world.prompt(bare()).await, "s");
        assert_eq!((probes.made(), probes.balance()), (3 * round, 3));
        pack.dispose().await.unwrap();
        drop(pack);
        assert_eq!(probes.balance(), 0);
    }
}

/// K15: nor what its providers answered, be it the latest of many answers or one that came again.
#[tokio::test]
async fn an_idle_scope_keeps_no_value_of_an_unloaded_plugin() {
    let world = world().await;
    let scope = world.root.scope("agent").unwrap();
    section(scope.ctx(), "own", 1, "own {{v}}");
    for answers in [vec![0], vec![0, 1], vec![0, 1, 1], vec![0, 1, 2, 1]] {
        let values: Arc<[Arc<str>]> = (0..3).map(|number| Arc::from(format!("value {number}"))).collect();
        let held: Vec<_> = values.iter().map(Arc::downgrade).collect();
        let which = Arc::new(AtomicUsize::new(0));
        let asked = Arc::clone(&which);
        let given = std::sync::Mutex::new(Some(values));
        let pack = world
            .mount("pack", move |ctx| {
                let Some(values) = given.lock().unwrap().take() else { return Ok(()) };
                let asked = Arc::clone(&asked);
                let value = move |_: &_| Arc::clone(&values[asked.load(Ordering::SeqCst)]);
                ctx.system_prompt().variable(PromptVariable::computed("v", value))?;
                Ok(())
            })
            .await;
        for answer in &answers {
            which.store(*answer, Ordering::SeqCst);
            assert_eq!(world.prompt(scope.key()).await, format!("own value {answer}"));
        }
        pack.dispose().await.unwrap();
        drop(pack);
        assert!(held.iter().all(|value| value.strong_count() == 0), "{answers:?}");
    }
}

proptest! {
    /// P3, S8: where nothing has changed since the step before, the same bytes are handed out, whatever had changed before that; and they are
    /// always those of the present answers.
    #[test]
    fn a_step_in_which_nothing_changed_hands_out_the_bytes_of_the_one_before(
        steps in vec((0_usize..3, 0_usize..2, 0_usize..2, 0_usize..2), 1..40),
        scoped in any::<bool>(),
    ) {
        let world = crate::support::in_runtime(world());
        let inputs: Arc<[AtomicUsize; 4]> = Arc::default();
        let input = |at: usize| {
            let inputs = Arc::clone(&inputs);
            move || inputs[at].load(Ordering::SeqCst)
        };
        let (a, b, text, tool) = (input(0), input(1), input(2), input(3));
        let handle = world.root.system_prompt();
        handle.variable(PromptVariable::computed("a", move |_| format!("a{}", a()))).unwrap();
        handle.variable(PromptVariable::computed("b", move |_| format!("b{}", b()))).unwrap();
        handle.section(PromptSection::computed("s", 1, move |_| format!("text {} {{{{a}}}} {{{{b}}}}", text()))).unwrap();
        handle.tools(ToolProvider::computed(move |_| vec![schema(&format!("t{}", tool()))])).unwrap();
        let scope = world.root.scope("agent").unwrap();
        section(scope.ctx(), "own", 2, "own");
        let cx = || if scoped { AssembleContext::for_scope(scope.key()) } else { AssembleContext::new() };
        let mut before = None;
        for now in steps {
            for (input, value) in inputs.iter().zip([now.0, now.1, now.2, now.3]) {
                input.store(value, Ordering::SeqCst);
            }
            let assembly = dsh_testkit::block_on(handle.assemble(cx())).unwrap();
            let prompt = render_prompt(&assembly).unwrap();
            let own = if scoped { "\n\nown" } else { "" };
            prop_assert_eq!(&*prompt, format!("text {} a{} b{}{own}", now.2, now.0, now.1));
            let tools: Vec<_> = assembly.tools().iter().map(|tool| tool.schema().name().to_owned()).collect();
            prop_assert_eq!(tools, [format!("t{}", now.3)]);
            if let Some((before, same)) = before.replace((now, Arc::clone(&prompt))) {
                prop_assert_eq!(Arc::ptr_eq(&same, &prompt), before == now);
            }
        }
    }
}

/// K15: a scope that ends leaves nothing, however often.
#[test]
fn scopes_that_open_assemble_and_end_leave_no_residue() {
    // Other tests' memory would be counted in.
    dsh_testkit::alone(|| runtime().block_on(many_scopes()));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

async fn many_scopes() {
    let (world, probes) = (world().await, Probes::new());
    section(&world.root, "a", 1, "{{v}}");
    variable(&world.root, "v", "global");
    let round = async || {
        let scope = world.root.scope("agent").unwrap();
        let probe = probes.probe();
        let own = PromptVariable::computed("v", move |_| {
            probe.touch();
            "own"
        });
        scope.ctx().system_prompt().variable(own).unwrap();
        assert_eq!(world.prompt(scope.key()).await, "own");
        scope.dispose().await.unwrap();
    };
    for _ in 0..1_000 {
        round().await;
    }
    let (before, tree) = (resident_bytes(), world.kernel.inspect().to_string());
    for _ in 0..20_000 {
        round().await;
    }
    assert_eq!(probes.balance(), 0);
    assert_eq!(world.kernel.inspect().to_string(), tree);
    if let (Some(before), Some(after)) = (before, resident_bytes()) {
        assert!(after < before + (1 << 20), "{before} bytes before, {after} after");
    }
}

/// P4: with 10,000 scopes open each has its own, and what changes globally shows in all of them.
#[tokio::test]
async fn ten_thousand_scopes_each_have_their_own() {
    let world = world().await;
    section(&world.root, "shared", 1, "shared {{own}}");
    variable(&world.root, "own", "none");
    let scopes: Vec<_> = (0..10_000).map(|_| world.root.scope("agent").unwrap()).collect();
    for (index, scope) in scopes.iter().enumerate() {
        scope.ctx().system_prompt().variable(PromptVariable::new("own", index.to_string())).unwrap();
    }
    for (index, scope) in scopes.iter().enumerate() {
        assert_eq!(world.prompt(scope.key()).await, format!("shared {index}"));
    }
    let more = section(&world.root, "more", 2, "more");
    assert_eq!(world.prompt(scopes[9_999].key()).await, "shared 9999\n\nmore");
    more.dispose().await.unwrap();
    assert_eq!(world.prompt(scopes[0].key()).await, "shared 0");
    assert_eq!(world.prompt(bare()).await, "shared none");
    for scope in scopes {
        drop(scope.dispose());
    }
    assert_eq!(world.prompt(bare()).await, "shared none");
}

/// K13, K15: remembering races with changes of the global layer, and never shows an old state.
#[test]
fn what_is_remembered_never_outlives_a_change() {
    let world = crate::support::in_runtime(world());
    let scope = world.root.scope("agent").unwrap();
    section(scope.ctx(), "own", 1, "own");
    let key = scope.key();
    std::thread::scope(|threads| {
        let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (handle, stopped) = (world.root.system_prompt(), stop.clone());
        threads.spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                render_prompt(&dsh_testkit::block_on(handle.assemble(key)).unwrap()).unwrap();
            }
        });
        let probes = Probes::new();
        for round in 0..500 {
            let probe = probes.probe();
            let part = PromptSection::computed("part", 2, move |_| {
                probe.touch();
                "part"
            });
            let part = world.root.system_prompt().section(part).unwrap();
            let with = dsh_testkit::block_on(world.prompt(key));
            assert_eq!(with, "own\n\npart", "round {round}");
            drop(part.dispose());
            assert_eq!(dsh_testkit::block_on(world.prompt(key)), "own", "round {round}");
        }
        stop.store(true, Ordering::Relaxed);
    });
}
