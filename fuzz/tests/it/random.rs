//! Ten thousand random inputs for each target: what is right, slices of the corpus and fragments of the grammar, glued and changed.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;

use crate::corpora::corpus;
use crate::dictionary::dictionary;
use crate::mutation::{change, changed};
use crate::structured;

fn seed() -> RngSeed {
    match ProptestConfig::default().rng_seed {
        RngSeed::Random => RngSeed::Fixed(SEED),
        given @ RngSeed::Fixed(_) => given,
    }
}

const SEED: u64 = 0x000d_5000;

/// Inputs of a target: mostly `right` ones, the rest glued of the dictionary and of slices of the corpus; all of them changed a little.
fn inputs(target: &str, right: BoxedStrategy<Vec<u8>>) -> BoxedStrategy<Vec<u8>> {
    let words = dictionary(target);
    let kept: Vec<Vec<u8>> =
        corpus(target).into_iter().map(|(_, bytes)| bytes).filter(|bytes| bytes.len() < 600).collect();
    let slice = (select(kept.clone()), any::<Index>(), 0_usize..60).prop_map(|(bytes, at, length)| {
        let from = at.index(bytes.len() + 1);
        bytes.get(from..(from + length).min(bytes.len())).unwrap_or_default().to_vec()
    });
    let piece = prop_oneof![4 => select(words.clone()), 1 => slice, 1 => any::<char>().prop_map(|c| c.to_string().into_bytes())];
    let glued = vec(piece, 0..14).prop_map(|pieces| pieces.concat());
    let base = prop_oneof![4 => right, 2 => glued, 1 => select(kept)];
    (base, prop_oneof![2 => Just(Vec::new()).boxed(), 3 => vec(change(words), 1..4).boxed()])
        .prop_map(|(base, changes)| changed(base, changes))
        .boxed()
}

/// Runs a target with ten thousand inputs, always the same ones: a gate is to say of a change what it did, and others are looked for outside of
/// it (docs/fuzz.md). `PROPTEST_RNG_SEED` takes others.
macro_rules! holds_of_random_inputs {
    ($name:ident, $target:literal, $check:path, $right:expr) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, rng_seed: seed(), ..ProptestConfig::default() })]

            #[test]
            fn $name(bytes in inputs($target, $right)) {
                $check(&bytes);
            }
        }
    };
}

holds_of_random_inputs!(
    random_templates_pass,
    "template",
    dsh_fuzz::template,
    structured::glued(dictionary("template"), 16, b"")
);
holds_of_random_inputs!(random_files_of_tools_pass, "tools", dsh_fuzz::tools, structured::tools());
holds_of_random_inputs!(
    random_configurations_pass,
    "configuration",
    dsh_fuzz::configuration,
    structured::configuration()
);
holds_of_random_inputs!(
    random_agent_files_pass,
    "agent_file",
    dsh_fuzz::agent_file,
    structured::agent_file(dictionary("agent_file"))
);
holds_of_random_inputs!(
    random_instruction_files_pass,
    "instructions",
    dsh_fuzz::instructions,
    structured::glued(dictionary("instructions"), 12, b"a")
);
holds_of_random_inputs!(random_scenarios_pass, "scenario", dsh_fuzz::scenario, structured::scenario(12));
