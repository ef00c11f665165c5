//! K15: scopes that open, register, are assembled and go leave nothing behind, nor do registrations and plugins.

use std::sync::Arc;

use dsh_kernel::Context;
use dsh_llm::{NO_PARAMETERS, ToolSchema};
use dsh_system_prompt::{
    AssembleContext, AssembleEvent, PromptRegistry, PromptSection, PromptVariable, SystemPromptExt, ToolProvider,
    render,
};
use dsh_testkit::{Dice, Probes, resident_bytes};

use crate::heart::{Faults, Heart};
use crate::model::GLOBAL;
use crate::pack::{Pack, Thrower};

/// A million in release; without optimisation as many as take some seconds.
const ROUNDS: usize = if cfg!(debug_assertions) { 30_000 } else { 1_000_000 };
const MEGABYTE: u64 = 1 << 20;

/// Runs `round` many times in a process of its own, and looks what has become of probes, tree, layers and memory.
#[track_caller]
fn leaves_no_residue(rounds: usize, round: &impl AsyncFn(&Heart, usize)) {
    dsh_testkit::alone(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(Box::pin(async {
            let heart = Heart::new().await;
            // The scopes that stay are assembled, so that they remember something that others have to make them forget.
            let before = (heart.tree(), shown(&heart));
            for number in 0..2_000 {
                round(&heart, number).await;
            }
            let resident = resident_bytes();
            for number in 0..rounds {
                round(&heart, number).await;
            }
            if let (Some(before), Some(after)) = (resident, resident_bytes()) {
                assert!(after < before + MEGABYTE, "resident memory went from {before} to {after} bytes");
            }
            heart.kernel.settled().await.unwrap();
            assert_eq!(heart.probes.balance(), 0);
            assert!(heart.probes.made() >= rounds);
            assert_eq!((heart.tree(), shown(&heart)), before);
            assert!(heart.faults.take().is_empty());
        }));
    });
}

/// How many scopes the registry has layers for.
fn shown(heart: &Heart) -> String {
    format!("{:?}", heart.root().get::<PromptRegistry>().resolve().unwrap())
}

/// One of each part, and a listener, each with a probe.
fn register(ctx: &Context, probes: &Probes, order: f64) {
    let prompt = ctx.system_prompt();
    let probe = probes.probe();
    prompt
        .variable(PromptVariable::computed("desk", move |_| {
            probe.touch();
            "north"
        }))
        .unwrap();
    prompt.section(PromptSection::new("guide", order, "Work for {{who}} at {{desk}}.")).unwrap();
    let probe = probes.probe();
    prompt
        .section(PromptSection::computed("relay", order, move |_| {
            probe.touch();
            "Relay."
        }))
        .unwrap();
    let (probe, tool) = (probes.probe(), ToolSchema::new("relay_send", "sends", NO_PARAMETERS).unwrap());
    prompt
        .tools(ToolProvider::computed(move |_| {
            probe.touch();
            vec![tool.clone()]
        }))
        .unwrap();
    let probe = probes.probe();
    ctx.on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
        probe.touch();
        next.run(assembly)
    })
    .unwrap();
}

async fn prompt(heart: &Heart, cx: impl Into<AssembleContext>) -> Arc<str> {
    let assembly = Box::pin(heart.root().system_prompt().assemble(cx)).await.unwrap();
    Arc::clone(render(&assembly).unwrap().text())
}

// K15
#[test]
fn a_million_scopes_that_are_assembled_and_go() {
    leaves_no_residue(ROUNDS, &async |heart, _| {
        let scope = heart.root().scope("agent").unwrap();
        register(scope.ctx(), &heart.probes, 5.0);
        assert!(prompt(heart, scope.key()).await.ends_with("Work for place 0 at north.\n\nRelay."));
        scope.dispose().await.unwrap();
    });
}

// K15: the scopes that stay remember what they were assembled from, and forget it when it goes
#[test]
fn plugins_for_everyone_that_come_and_go_beside_scopes_that_stay() {
    leaves_no_residue(ROUNDS / 20, &async |heart, number| {
        let mut dice = Dice::new(number as u64, 0);
        let (mut last, mut offers, mut gates) = (0, Vec::new(), Vec::new());
        let (last, offers) = (&mut last, &mut offers);
        let mut thrower = Thrower { dice: &mut dice, actor: 0, last, offers, gates: &mut gates };
        let spec = thrower.throw(GLOBAL, &|name| name.to_owned(), 0);
        gates.iter().for_each(dsh_testkit::Gate::open);
        let faults = Faults::default();
        let fiber = heart.root().plugin_dyn(Pack::new(&spec, &heart.probes, &faults)).unwrap();
        let stays = !spec.fails && spec.injects.is_empty();
        assert_eq!(fiber.ready().await.is_ok(), stays);
        for place in &heart.places {
            let cx = place.key.map_or_else(AssembleContext::new, AssembleContext::from);
            let text = prompt(heart, cx).await;
            assert_eq!(text.contains(&format!("#p{}.", spec.id)), stays, "{text}");
        }
        fiber.dispose().await.unwrap();
        assert!(faults.take().is_empty());
    });
}
