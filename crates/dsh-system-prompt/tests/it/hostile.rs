//! Hostile sizes through the registry: anything quadratic here takes long enough to be noticed (S12, P4). What grows how is measured
//! by `cargo xtask bench --only growth`.

use std::sync::Arc;

use dsh_llm::ToolSchema;
use dsh_system_prompt::{
    AssembleEvent, AssembledSection, Error, Identity, PromptAssembly, PromptConfig, PromptSection, PromptVariable,
    SystemPromptExt, TOOL_ORDER_REST, ToolProvider, render, render_prompt,
};
use dsh_template::{Text, escape};

use crate::support::{World, bare, schema, section, variable, world, world_with};

const MIB: usize = 1 << 20;

/// Registers so many sections of one text, in an order that their names do not give.
fn sections(world: &World, count: usize, text: impl Fn(usize) -> Text) {
    let handle = world.root.system_prompt();
    for number in 0..count {
        let order = i32::try_from(count - number).unwrap();
        handle.section(PromptSection::new(format!("s{number}"), order, text(number))).unwrap();
    }
}

async fn refused(world: &World) -> Error {
    render_prompt(&world.assemble(bare()).await.unwrap()).unwrap_err()
}

/// S12: nothing closes it, so it is prose, in one section and in many
#[tokio::test]
async fn megabytes_of_what_nothing_closes_are_prose_in_one_section_and_in_ten_thousand() {
    for unit in ["{{", "}}", "{{{", "{{a", "{{\""] {
        let world = world().await;
        let one = section(&world.root, "one", 0, &unit.repeat(8 * MIB / unit.len()));
        assert_eq!(world.prompt(bare()).await.len(), 8 * MIB / unit.len() * unit.len(), "{unit:?}");
        one.dispose().await.unwrap();
        // A `}}` further down the prompt is another section's and closes nothing (S11).
        section(&world.root, "last", 20_000, "}}");
        let text = unit.repeat(200);
        sections(&world, 10_000, |_| Text::template(text.clone()));
        let prompt = world.prompt(bare()).await;
        assert_eq!(prompt.len(), 10_000 * (text.len() + 2) + 2, "{unit:?}");
        assert!(prompt.ends_with("\n\n}}") && prompt.starts_with(&text));
    }
}

/// S11, S12: the first wrong place in the order of the prompt is told, and shown short
#[tokio::test]
async fn of_ten_thousand_malformed_sections_the_first_in_order_is_told_in_few_words() {
    for (unit, range) in [("{{", 0..3), ("}}{{", 2..6), ("{{{", 0..3), ("{{a", 0..4), ("{{\"", 0..4), ("{{}}", 0..4)] {
        let world = world().await;
        let text = unit.repeat(200) + "}}";
        sections(&world, 10_000, |_| Text::template(text.clone()));
        let error = refused(&world).await;
        assert_eq!((error.code(), error.section()), ("prompt::malformed_reference", Some("s9999")), "{unit:?}");
        assert_eq!(error.range(), Some(range), "{unit:?}");
        assert!(error.to_string().len() < 600, "{error}");
    }
    let world = world().await;
    section(&world.root, "one", 0, &format!("{}{{{{ }}}}", "line\n".repeat(MIB)));
    let error = refused(&world).await;
    assert_eq!(error.range(), Some(5 * MIB..5 * MIB + 5));
    assert!(error.to_string().contains("line 1048577 of the section, column 1"), "{error}");
}

/// X1: what is raw or escaped comes through as it is
#[tokio::test]
async fn megabytes_come_through_raw_and_escaped() {
    for unit in ["{{", "}}", "{{{", "{{a}}", "{{\"a\"}}", "{ {{"] {
        let (world, text) = (world().await, unit.repeat(2 * MIB / unit.len()));
        sections(&world, 2, |number| if number == 0 { Text::raw(text.clone()) } else { Text::template(escape(&text)) });
        assert!(world.prompt(bare()).await == format!("{text}\n\n{text}"), "{unit:?}");
    }
}

/// S4, S8: all are registered, asked, found by name, and told of as parts
#[tokio::test]
async fn a_hundred_thousand_variables_are_referred_to_by_one_section() {
    const MANY: usize = 100_000;
    let world = world().await;
    let handle = world.root.system_prompt();
    for number in 0..MANY {
        let name = format!("v{number}");
        let variable = if number % 2 == 0 {
            PromptVariable::new(name, number.to_string())
        } else {
            PromptVariable::computed(name, move |_| number.to_string())
        };
        handle.variable(variable).unwrap();
    }
    let each = |write: fn(usize) -> String| (0..MANY).rev().map(write).collect::<Vec<_>>().concat();
    let text = each(|number| format!("{{{{v{number}}}}},"));
    section(&world.root, "all", 0, &text);
    let expected = each(|number| format!("{number},"));
    let rendered = render(&world.assemble(bare()).await.unwrap()).unwrap();
    assert!(**rendered.text() == expected);
    assert_eq!(rendered.parts().next().unwrap().pieces().len(), 2 * MANY);
    // As a listener sees them: by name.
    let mut edited = world.assemble(bare()).await.unwrap();
    for number in 0..MANY {
        edited.set_variable(format!("v{number}"), "x");
    }
    assert!(*render_prompt(&edited).unwrap() == *"x,".repeat(MANY));
}

/// S11: the right name is the first that is told
#[tokio::test]
async fn one_unknown_name_among_a_hundred_thousand_is_told_with_the_nearest() {
    let long = ("a_variable_whose_name_is_a_long_one_", "a_variable_whoes_name_is_a_long_one_777");
    for (count, (prefix, wrong)) in [(100_000, ("v", "v777777")), (20_000, long)] {
        let world = world().await;
        let handle = world.root.system_prompt();
        for number in 0..count {
            handle.variable(PromptVariable::new(format!("{prefix}{number}"), "x")).unwrap();
        }
        section(&world.root, "one", 0, &format!("{{{{{wrong}}}}}"));
        let error = refused(&world).await;
        let nearest = error.known().next().unwrap().as_str();
        assert_eq!(strsim::osa_distance(nearest, wrong), 1, "{nearest}");
        assert_eq!(error.known().count(), count);
        assert!(error.to_string().contains(&format!("and {} more", count - 8)), "{error}");
    }
}

/// S2, P4: registered, assembled, rendered, undone one by one
#[tokio::test]
async fn a_hundred_thousand_sections_come_and_go() {
    const MANY: usize = 100_000;
    let world = world().await;
    let handle = world.root.system_prompt();
    let section = |number: usize| {
        let order = i32::try_from(number % 7).unwrap();
        handle.section(PromptSection::new(format!("s{number}"), order, format!("{number}")))
    };
    let all: Vec<_> = (0..MANY).map(|number| section(number).unwrap()).collect();
    let rendered = render(&world.assemble(bare()).await.unwrap()).unwrap();
    let expected: Vec<_> = (0..7).flat_map(|order| (order..MANY).step_by(7)).map(|number| number.to_string()).collect();
    assert!(**rendered.text() == expected.join("\n\n"));
    assert_eq!(rendered.parts().len(), 2 * MANY - 1);
    for one in all {
        one.dispose().await.unwrap();
    }
    assert_eq!(world.prompt(bare()).await, "");
}

/// S6: in the order of the list, the others at the rest entry
#[tokio::test]
async fn ten_thousand_tools_stand_in_the_order_of_a_list() {
    const MANY: usize = 10_000;
    let listed = (0..MANY).rev().map(|number| format!("t{number:05}"));
    let order: Vec<String> = [TOOL_ORDER_REST.to_owned()].into_iter().chain(listed).collect();
    let world = world_with(PromptConfig::new().identity(Identity::Omitted).tool_order(order)).await;
    let all: Vec<ToolSchema> = (0..2 * MANY).rev().map(|number| schema(&format!("t{number:05}"))).collect();
    world.root.system_prompt().tools(ToolProvider::new(all)).unwrap();
    let names = world.tool_names(bare()).await;
    let expected = (MANY..2 * MANY).chain((0..MANY).rev()).map(|number| format!("t{number:05}"));
    assert!(names.iter().eq(expected.collect::<Vec<_>>().iter()));
    world.root.system_prompt().tools(ToolProvider::new([schema("t00007")])).unwrap();
    assert_eq!(world.assemble(bare()).await.unwrap_err().code(), "prompt::duplicate_tool");
}

/// S6: all unknown names are told, the first few with the nearest
#[tokio::test]
async fn ten_thousand_unknown_names_in_a_tool_order_are_one_error() {
    const MANY: usize = 10_000;
    let order: Vec<String> =
        (0..MANY).map(|number| format!("tol_{number}")).chain([TOOL_ORDER_REST.to_owned()]).collect();
    let world = world_with(PromptConfig::new().identity(Identity::Omitted).tool_order(order)).await;
    let all: Vec<ToolSchema> = (0..MANY).map(|number| schema(&format!("tool_{number}"))).collect();
    world.root.system_prompt().tools(ToolProvider::new(all)).unwrap();
    let error = world.assemble(bare()).await.unwrap_err();
    assert_eq!((error.code(), error.unknown_tools().count()), ("prompt::tool_order_unknown", MANY));
    assert_eq!(error.unknown_tools().next().unwrap().nearest, Some("tool_0"));
    let text = error.to_string();
    assert!(text.contains("and 9992 more") && text.len() < 1_500, "{text}");
}

/// S2, S4: a name may be as long as it likes
#[tokio::test]
async fn names_of_a_megabyte_are_names() {
    let world = world().await;
    let name = "n".repeat(MIB);
    let handle = world.root.system_prompt();
    handle.variable(PromptVariable::new(name.clone(), "value")).unwrap();
    handle.section(PromptSection::new(name.clone(), 0, format!("{{{{{name}}}}}"))).unwrap();
    handle.tools(ToolProvider::new([schema(&name)])).unwrap();
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(&*render_prompt(&assembly).unwrap(), "value");
    assert!(assembly.tools()[0].schema().name() == name);
    let again = handle.section(PromptSection::new(name.clone(), 0, "")).unwrap_err();
    assert_eq!(again.code(), "prompt::duplicate_section");
    handle.section(PromptSection::new("wrong", 1, format!("{{{{{name}n}}}}"))).unwrap();
    assert_eq!(refused(&world).await.code(), "prompt::unknown_variable");
}

/// S12
#[tokio::test]
async fn a_prompt_of_a_hundred_megabytes_is_rendered_into_its_exact_size() {
    let world = world().await;
    variable(&world.root, "v", "value");
    let text = "some words and {{v}} between others, ".repeat(10 * MIB / 37);
    sections(&world, 10, |_| Text::template(text.clone()));
    let rendered = render(&world.assemble(bare()).await.unwrap()).unwrap();
    assert!(rendered.text().starts_with("some words and value between"));
    assert_eq!(rendered.text().len(), 10 * text.len() + 9 * 2);
    assert_eq!(rendered.parts().len(), 19);
    assert_eq!(rendered.parts().last().unwrap().range().end, rendered.text().len());
}

/// S9: each gets the assembly and may leave a section there; of whom each is, is noted once
#[tokio::test]
async fn twenty_thousand_plugins_listen_to_one_assembly() {
    const MANY: usize = 20_000;
    let world = world().await;
    let mut all = Vec::new();
    for number in 0..MANY {
        let name = format!("p{number}");
        let plugin = world.mount(&name, move |ctx| {
            ctx.on_waterfall(move |mut assembly: PromptAssembly, _: Arc<AssembleEvent>, next| async move {
                if number % (MANY / 4) == 0 {
                    assembly.sections_mut().push(AssembledSection::new("heard", 1, format!("{number}")));
                }
                next.run(assembly).await
            })?;
            Ok(())
        });
        all.push(plugin.await);
    }
    assert_eq!(world.prompt(bare()).await, "0\n\n5000\n\n10000\n\n15000");
    for plugin in all {
        plugin.dispose().await.unwrap();
    }
    assert_eq!(world.prompt(bare()).await, "");
}

/// P4, K15: all have assembled, so that a change of the global layer concerns each of them
#[tokio::test]
async fn fifty_thousand_scopes_hear_of_a_global_change_and_go_with_the_registry() {
    const MANY: usize = 50_000;
    let world = world().await;
    let scopes: Vec<_> = (0..MANY).map(|_| world.root.scope("agent").unwrap()).collect();
    for scope in &scopes {
        section(scope.ctx(), "own", 1, "own");
        assert_eq!(world.prompt(scope.key()).await, "own");
    }
    section(&world.root, "shared", 2, "shared");
    assert_eq!(world.prompt(scopes[MANY - 1].key()).await, "own\n\nshared");
    world.registry.dispose().await.unwrap();
    drop(scopes);
}
