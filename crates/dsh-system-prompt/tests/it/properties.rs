//! Properties: the merged view against a naive model, and the parts of whatever is rendered.

use dsh_llm::utf16_cmp;
use dsh_system_prompt::{
    AssembledSection, PromptAssembly, PromptConfig, PromptSection, PromptVariable, SystemPromptExt, TOOL_ORDER_REST,
    render, render_prompt,
};
use dsh_template::Text;
use dsh_testkit::block_on;
use proptest::prelude::*;

use crate::parts::assert_partition;
use crate::support::{bare, in_runtime, tools, world, world_with};

/// One step of a random history.
#[derive(Clone, Debug)]
enum Step {
    Section { scope: usize, name: u8, order: i8, computed: bool },
    Variable { scope: usize, name: u8 },
    Dispose(usize),
    Look(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Scope 0 is the global layer.
    let step = prop_oneof![
        4 => (0..3_usize, 0..6_u8, -2..3_i8, any::<bool>())
            .prop_map(|(scope, name, order, computed)| Step::Section { scope, name, order, computed }),
        2 => (0..3_usize, 0..4_u8).prop_map(|(scope, name)| Step::Variable { scope, name }),
        2 => (0..30_usize).prop_map(Step::Dispose),
        2 => (0..3_usize).prop_map(Step::Look),
    ];
    prop::collection::vec(step, 0..40)
}

/// What is registered, as plain lists in order of registration.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    scope: usize,
    name: String,
    order: f64,
    text: String,
    is_section: bool,
}

/// S2 by the letter, over plain lists.
fn model_sections(rows: &[Row], scope: usize) -> Vec<String> {
    let of = |wanted: usize| rows.iter().filter(move |row| row.is_section && row.scope == wanted);
    let mut merged: Vec<&Row> = Vec::new();
    for global in of(0) {
        let own = of(scope).find(|own| scope != 0 && own.name == global.name);
        merged.push(own.unwrap_or(global));
    }
    if scope != 0 {
        merged.extend(of(scope).filter(|own| of(0).all(|global| global.name != own.name)));
    }
    merged.sort_by(|a, b| a.order.total_cmp(&b.order));
    merged.iter().map(|row| row.text.clone()).collect()
}

/// S4 by the letter.
fn model_variables(rows: &[Row], scope: usize) -> Vec<(String, String)> {
    let of = |wanted: usize| rows.iter().filter(move |row| !row.is_section && row.scope == wanted);
    let shadowed = |row: &Row| scope != 0 && of(scope).any(|own| own.name == row.name);
    let mut merged: Vec<_> = of(0).filter(|row| !shadowed(row)).collect();
    if scope != 0 {
        merged.extend(of(scope));
    }
    merged.iter().map(|row| (row.name.clone(), row.text.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// S2, S4, S8
    #[test]
    fn the_merged_view_is_that_of_a_naive_model(steps in steps()) {
        let world = in_runtime(world());
        let scopes = [world.root.scope("one").unwrap(), world.root.scope("two").unwrap()];
        let contexts = [world.root.clone(), scopes[0].ctx().clone(), scopes[1].ctx().clone()];
        let mut live: Vec<Option<(dsh_kernel::Disposer, Row)>> = Vec::new();
        for (number, step) in steps.into_iter().enumerate() {
            let rows: Vec<Row> = live.iter().flatten().map(|(_, row)| row.clone()).collect();
            match step {
                Step::Section { scope, name, order, computed } => {
                    let row = Row { scope, name: format!("s{name}"), order: f64::from(order) / 2.0, text: format!("text {number}"), is_section: true };
                    let text = row.text.clone();
                    let section = if computed {
                        PromptSection::computed(row.name.clone(), row.order, move |_| Text::raw(text.clone()))
                    } else {
                        PromptSection::new(row.name.clone(), row.order, Text::raw(text))
                    };
                    let taken = rows.iter().any(|other| other.is_section && (other.scope, &other.name) == (scope, &row.name));
                    let result = contexts[scope].system_prompt().section(section);
                    prop_assert_eq!(result.is_err(), taken);
                    live.extend(result.ok().map(|disposer| Some((disposer, row))));
                }
                Step::Variable { scope, name } => {
                    let row = Row { scope, name: format!("v{name}"), order: 0.0, text: format!("value {number}"), is_section: false };
                    let taken = rows.iter().any(|other| !other.is_section && (other.scope, &other.name) == (scope, &row.name));
                    let result = contexts[scope].system_prompt().variable(PromptVariable::new(row.name.clone(), row.text.clone()));
                    prop_assert_eq!(result.is_err(), taken);
                    live.extend(result.ok().map(|disposer| Some((disposer, row))));
                }
                Step::Dispose(index) => {
                    if let Some((disposer, _)) = live.get_mut(index).and_then(Option::take) {
                        drop(disposer.dispose());
                    }
                }
                Step::Look(scope) => {
                    let cx = if scope == 0 { bare() } else { scopes[scope - 1].key().into() };
                    let assembly = block_on(world.assemble(cx)).unwrap();
                    let texts: Vec<String> = assembly.sections().map(|section| section.text().as_str().to_owned()).filter(|text| !text.is_empty()).collect();
                    prop_assert_eq!(&texts, &model_sections(&rows, scope));
                    let variables: Vec<_> = assembly.variables().map(|variable| (variable.name().to_owned(), variable.value().unwrap().as_str().to_owned())).collect();
                    prop_assert_eq!(variables, model_variables(&rows, scope));
                    prop_assert_eq!(&*render_prompt(&assembly).unwrap(), texts.join("\n\n"));
                }
            }
        }
    }

    /// X3
    #[test]
    fn the_parts_of_whatever_renders_partition_it(
        texts in prop::collection::vec("(\\{\\{[ab]\\}\\}|\\{\\{\"(x\\{\\{)?\"\\}\\}|[a-c é\n}]|\\{){0,6}", 0..6),
        a in "[x{}é]{0,3}",
        b in "[x{}é]{0,3}",
    ) {
        let mut assembly = PromptAssembly::new();
        assembly.set_variable("a", a.clone());
        assembly.set_variable("b", b.clone());
        for text in &texts {
            assembly.sections_mut().push(AssembledSection::new("s", 0, text.as_str()));
        }
        if let Ok(rendered) = render(&assembly) {
            assert_partition(&rendered);
            // The same through the registry, where sections are bound to slots.
            let world = in_runtime(world());
            world.root.system_prompt().variable(PromptVariable::new("b", b)).unwrap();
            world.root.system_prompt().variable(PromptVariable::new("a", a)).unwrap();
            for (index, text) in texts.iter().enumerate() {
                let text = text.clone();
                let section = if index % 2 == 0 {
                    PromptSection::new(format!("s{index}"), 1, text)
                } else {
                    PromptSection::computed(format!("s{index}"), 1, move |_| text.clone())
                };
                world.root.system_prompt().section(section).unwrap();
            }
            let registered = render(&block_on(world.assemble(bare())).unwrap()).unwrap();
            prop_assert_eq!(registered.text(), rendered.text());
            assert_partition(&registered);
        }
    }

    /// S6
    #[test]
    fn the_tool_order_is_that_of_a_naive_model(
        names in prop::collection::btree_set("[a-cZ\u{ff01}\u{1f600}]{1,2}", 0..8),
        listed in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        rest in any::<prop::sample::Index>(),
    ) {
        let names: Vec<String> = names.into_iter().collect();
        let mut order: Vec<String> = Vec::new();
        for index in listed {
            if let Some(name) = (!names.is_empty()).then(|| index.get(&names).clone()).filter(|name| !order.contains(name)) {
                order.push(name);
            }
        }
        order.insert(rest.index(order.len() + 1), TOOL_ORDER_REST.to_owned());
        let world = in_runtime(world_with(PromptConfig::new().tool_order(order.iter().cloned())));
        for name in &names {
            tools(&world.root, &[name]);
        }
        let mut unlisted: Vec<&String> = names.iter().filter(|name| !order.contains(name)).collect();
        unlisted.sort_by(|a, b| utf16_cmp(a, b));
        let mut model: Vec<String> = Vec::new();
        for entry in &order {
            if entry == TOOL_ORDER_REST {
                model.extend(unlisted.iter().map(|name| (*name).clone()));
            } else {
                model.push(entry.clone());
            }
        }
        prop_assert_eq!(block_on(world.tool_names(bare())), model);
    }
}
