//! The registry with its restrictions against a naive model over plain lists (T1, T2, T3).

use dsh_kernel::{Disposer, ScopeKey};
use dsh_system_prompt::{AssembleContext, SystemPromptExt};
use dsh_testkit::block_on;
use dsh_tools::{ToolFilter, ToolsExt};
use proptest::prelude::*;

use crate::support::{echo, world};

/// One step of a random history. Scope 0 is the global layer.
#[derive(Clone, Debug)]
enum Step {
    Register { scope: usize, name: u8 },
    Restrict { scope: usize, allow: Option<Vec<u8>>, deny: Vec<u8> },
    Dispose(usize),
    Look(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let names = || prop::collection::vec(0..6_u8, 0..4);
    let step = prop_oneof![
        4 => (0..3_usize, 0..6_u8).prop_map(|(scope, name)| Step::Register { scope, name }),
        3 => (0..3_usize, prop::option::of(names()), names()).prop_map(|(scope, allow, deny)| Step::Restrict { scope, allow, deny }),
        2 => (0..30_usize).prop_map(Step::Dispose),
        3 => (0..3_usize).prop_map(Step::Look),
    ];
    prop::collection::vec(step, 0..40)
}

/// What is registered, in order.
#[derive(Clone, Debug)]
enum Row {
    Tool { scope: usize, name: u8 },
    Restriction { scope: usize, allow: Option<Vec<u8>>, deny: Vec<u8> },
}

fn has(rows: &[Row], layer: usize, wanted: u8) -> bool {
    rows.iter().any(|row| matches!(row, Row::Tool { scope, name } if (*scope, *name) == (layer, wanted)))
}

/// T1, T2 by the letter.
fn visible(rows: &[Row], layer: usize) -> Vec<String> {
    let hidden = |wanted: u8| {
        rows.iter().any(|row| match row {
            Row::Restriction { scope, allow, deny } if *scope == layer => {
                deny.contains(&wanted) || allow.as_ref().is_some_and(|allow| !allow.contains(&wanted))
            }
            Row::Restriction { .. } | Row::Tool { .. } => false,
        })
    };
    let sees = |name: &u8| (layer != 0 && has(rows, layer, *name)) || (has(rows, 0, *name) && !hidden(*name));
    (0..6).filter(sees).map(|name| format!("t{name}")).collect()
}

fn named(names: &[u8]) -> Vec<String> {
    names.iter().map(|name| format!("t{name}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_visible_is_that_of_a_naive_model(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _inside = runtime.enter();
        let world = block_on(world());
        let scopes = [world.root.scope("one").unwrap(), world.root.scope("two").unwrap()];
        let contexts = [world.root.clone(), scopes[0].ctx().clone(), scopes[1].ctx().clone()];
        let keys: [Option<ScopeKey>; 3] = [None, Some(scopes[0].key()), Some(scopes[1].key())];
        let mut live: Vec<Option<(Disposer, Row)>> = Vec::new();
        for step in steps {
            let rows: Vec<Row> = live.iter().flatten().map(|(_, row)| row.clone()).collect();
            match step {
                Step::Register { scope, name } => {
                    let result = contexts[scope].tools().register(echo(&format!("t{name}")));
                    prop_assert_eq!(result.is_err(), has(&rows, scope, name));
                    live.extend(result.ok().map(|disposer| Some((disposer, Row::Tool { scope, name }))));
                }
                Step::Restrict { scope, allow, deny } => {
                    let mut filter = ToolFilter::new().deny(named(&deny));
                    if let Some(allow) = &allow {
                        filter = filter.allow(named(allow));
                    }
                    let unknown = allow.iter().flatten().chain(&deny).any(|name| !has(&rows, 0, *name));
                    let refused = scope == 0 || (allow.is_none() && deny.is_empty()) || unknown;
                    let result = contexts[scope].tools().restrict(filter);
                    prop_assert_eq!(result.is_err(), refused);
                    live.extend(result.ok().map(|disposer| Some((disposer, Row::Restriction { scope, allow, deny }))));
                }
                Step::Dispose(index) => {
                    if let Some((disposer, _)) = live.get_mut(index).and_then(Option::take) {
                        drop(disposer.dispose());
                    }
                }
                Step::Look(scope) => {
                    let expected = visible(&rows, scope);
                    let key = keys[scope];
                    let cx = key.map_or_else(AssembleContext::new, AssembleContext::for_scope);
                    let assembly = block_on(world.root.system_prompt().assemble(cx)).unwrap();
                    let told: Vec<&str> = assembly.tools().iter().map(|tool| tool.schema().name()).collect();
                    prop_assert_eq!(&told, &expected);
                    let view = world.root.tools().view(key).unwrap();
                    prop_assert_eq!(view.visible().map(dsh_tools::RegisteredTool::name).collect::<Vec<_>>(), told);
                    for name in 0..6 {
                        let name = format!("t{name}");
                        let found = world.root.tools().get(&name, key).unwrap();
                        prop_assert_eq!(found.is_some(), expected.contains(&name));
                    }
                }
            }
        }
    }
}
