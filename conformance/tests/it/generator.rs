//! The generator: the same for ever, within the restrictions, over the whole alphabet.

use std::collections::BTreeSet;

use dsh_conformance::{Action, CODES, Content, Entry, Part, Predicted, Scenario, Step, generate, predict};

#[test]
fn the_same_seed_makes_the_same_scenario() {
    for seed in [0, 1, 7, u64::MAX] {
        assert_eq!(generate(seed), generate(seed));
    }
    assert_ne!(generate(0), generate(1));
}

#[test]
fn two_thousand_seeds_keep_to_every_restriction() {
    for seed in 0..2000 {
        let scenario = generate(seed);
        if let Err((step, rule)) = predict(&scenario) {
            panic!("seed {seed} breaks a rule at step {step}: {rule}\n{}", scenario.to_text());
        }
        assert!((1..60).contains(&scenario.steps.len()), "seed {seed} has {} steps", scenario.steps.len());
    }
}

/// What a scenario's steps write, as words of the format.
fn words(scenario: &Scenario, found: &mut BTreeSet<String>) {
    let mut note = |word: String| {
        found.insert(word);
    };
    for step in &scenario.steps {
        note(format!("op {}", step.op()));
        for part in step.parts() {
            note(format!("{} part {}", step.op(), part.kind()));
            match part {
                Part::Section(section) => note(format!("text {}", form(Some(&section.text)))),
                Part::Variable(variable) => note(format!("value {}", form(variable.value.as_ref()))),
                Part::Probe(probe) => note(format!("probe {}", if probe.ms == 0 { "at once" } else { "slow" })),
                Part::Tools(tools) => {
                    note(format!("tools {}", if tools.throws.is_some() { "throw" } else { "return" }));
                    note(format!("known names {}", tools.known_names.is_some()));
                }
                Part::Provide(_) | Part::Fail(_) => {}
            }
        }
        match step {
            Step::Plugin(plugin) => {
                note(format!("plugin injects {}", plugin.inject.len()));
                note(format!("plugin traces {}", plugin.trace));
            }
            Step::OnChange { throws_on, .. } => note(format!("listener throws {}", throws_on.is_some())),
            Step::OnAssemble { actions, .. } => {
                actions.iter().map(Action::kind).for_each(|kind| note(format!("do {kind}")));
            }
            Step::Assemble { scope } | Step::Render { scope } => {
                note(format!("{} scoped {}", step.op(), scope.is_some()));
            }
            Step::Provide { .. }
            | Step::State { .. }
            | Step::Scope { .. }
            | Step::Part { .. }
            | Step::Composite { .. }
            | Step::Dispose { .. }
            | Step::Unload { .. }
            | Step::Log => {}
        }
    }
    note(format!("persona {}", scenario.config.persona.is_some()));
    note(format!("tool order {}", scenario.config.tool_order.is_some()));
}

fn form(content: Option<&Content>) -> &'static str {
    match content {
        None => "none",
        Some(Content::Fixed(_)) => "fixed",
        Some(Content::Dynamic(_)) => "dynamic",
        Some(Content::Throws(_)) => "throws",
    }
}

#[test]
fn the_first_five_hundred_seeds_speak_the_whole_format() {
    let mut found = BTreeSet::new();
    (0..500).for_each(|seed| words(&generate(seed), &mut found));
    let mut wanted: Vec<String> = [
        "op plugin",
        "op provide",
        "op state",
        "op scope",
        "op section",
        "op variable",
        "op tools",
        "op probe",
        "op composite",
        "op on_change",
        "op on_assemble",
        "op dispose",
        "op unload",
        "op assemble",
        "op render",
        "op log",
        "text fixed",
        "text dynamic",
        "text throws",
        "value none",
        "value fixed",
        "value dynamic",
        "value throws",
        "probe at once",
        "probe slow",
        "tools throw",
        "tools return",
        "known names true",
        "known names false",
        "plugin injects 0",
        "plugin injects 1",
        "plugin injects 2",
        "plugin traces true",
        "plugin traces false",
        "listener throws true",
        "listener throws false",
        "persona true",
        "persona false",
        "tool order true",
        "tool order false",
    ]
    .map(str::to_owned)
    .into();
    for holder in ["plugin", "composite"] {
        for part in ["probe", "section", "variable", "tools", "provide", "fail"] {
            wanted.push(format!("{holder} part {part}"));
        }
    }
    for action in [
        "log",
        "push_section",
        "drop_section",
        "set_text",
        "set_variable",
        "push_tool",
        "drop_tool",
        "replace",
        "next",
        "stop",
        "throw",
    ] {
        wanted.push(format!("do {action}"));
    }
    for op in ["assemble", "render"] {
        wanted.extend([format!("{op} scoped true"), format!("{op} scoped false")]);
    }
    let missing: Vec<&String> = wanted.iter().filter(|word| !found.contains(*word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_first_five_hundred_seeds_give_every_code() {
    let mut found = BTreeSet::new();
    for seed in 0..500 {
        for predicted in predict(&generate(seed)).unwrap() {
            if let Predicted::Entry(Entry::Err(failed)) = predicted {
                found.insert(failed.code);
            }
        }
    }
    let missing: Vec<&str> = CODES.into_iter().chain(["user"]).filter(|code| !found.contains(code)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
