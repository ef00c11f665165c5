//! Edits of an assembly: what they leave behind, and what is refused of them (S4, S6, S7, S11, X1, X3).

use std::fmt::Write as _;

use dsh_kernel::Context;
use dsh_system_prompt::AssembleEvent;
use dsh_system_prompt::{
    AssembledSection, ErrorKind, PromptAssembly, PromptVariable, Source, Stability, SystemPromptExt, TOOL_ORDER_REST,
    render, render_prompt,
};
use dsh_template::Text;

use crate::support::{bare, schema, section, tools, variable, world};

fn edit(ctx: &Context, edit: impl Fn(&mut PromptAssembly) + Send + Sync + 'static) {
    ctx.on_waterfall::<AssembleEvent, _>(move |mut assembly, _, next| {
        edit(&mut assembly);
        next.run(assembly)
    })
    .unwrap();
}

/// X3, S7
#[tokio::test]
async fn an_edited_tool_names_its_editor_and_so_does_the_refusal() {
    let world = world().await;
    let (alpha, beta) = (world.plugin("alpha").await, world.plugin("beta").await);
    tools(&alpha, &["one"]);
    tools(&beta, &["two"]);
    let renamer = world.plugin("renamer").await;
    edit(&renamer, |assembly| {
        if let Some(tool) = assembly.tools_mut().first_mut() {
            let renamed = tool.schema().with_name("first").unwrap();
            tool.set_schema(renamed);
        }
    });
    let assembly = world.assemble(bare()).await.unwrap();
    let editors =
        |index: usize| assembly.tools()[index].edited_by().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!((editors(0), editors(1)), (vec!["renamer".to_owned()], vec![]));
    let (json, ranges) = (assembly.tools_json(), assembly.tool_ranges().collect::<Vec<_>>());
    for (tool, range) in assembly.tools().iter().zip(ranges) {
        assert_eq!(json.get(range), Some(tool.schema().json()));
    }

    edit(&renamer, |assembly| {
        for tool in assembly.tools_mut() {
            let renamed = tool.schema().with_name("same").unwrap();
            tool.set_schema(renamed);
        }
    });
    let error = world.assemble(bare()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DuplicateTool);
    assert_eq!(error.edited_by().unwrap().to_string(), "renamer");
    assert!(error.to_string().contains("after the listeners, of which `renamer`"), "{error}");
}

/// S6, S4: what no provider may answer, no listener may leave behind.
#[tokio::test]
async fn a_reserved_tool_and_a_malformed_variable_are_refused_after_the_listeners() {
    let one = world().await;
    let late = one.plugin("late").await;
    edit(&late, |assembly| assembly.tools_mut().push(schema(TOOL_ORDER_REST).into()));
    let error = one.assemble(bare()).await.unwrap_err();
    assert_eq!((error.kind(), error.owner().unwrap().to_string()), (ErrorKind::ReservedToolName, "late".to_owned()));

    let two = world().await;
    let late = two.plugin("late").await;
    edit(&late, |assembly| assembly.set_variable("Not A Name", "x"));
    let error = two.assemble(bare()).await.unwrap_err();
    assert_eq!(
        (error.code(), error.owner().unwrap().to_string()),
        ("prompt::invalid_variable_name", "late".to_owned())
    );
}

/// X3
#[tokio::test]
async fn a_variable_that_a_listener_sets_says_whose_it_stands_over() {
    let world = world().await;
    variable(&world.root, "v", "one");
    let (first, second) = (world.plugin("first").await, world.plugin("second").await);
    edit(&first, |assembly| {
        assembly.set_variable("v", "two");
        assembly.set_variable("v", "three");
    });
    let shadowed = |assembly: &PromptAssembly| assembly.variable("v").unwrap().shadows().unwrap().to_string();
    assert_eq!(shadowed(&world.assemble(bare()).await.unwrap()), "root");
    edit(&second, |assembly| assembly.unset_variable("v"));
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!((shadowed(&assembly), assembly.variable("v").unwrap().value()), ("first".to_owned(), None));
}

/// S8
#[tokio::test]
async fn a_copy_of_a_section_that_a_listener_puts_in_is_the_listeners() {
    let world = world().await;
    section(&world.root, "s", 1, "x");
    let copier = world.plugin("copier").await;
    edit(&copier, |assembly| {
        let copy = assembly.section("s").unwrap().clone();
        assembly.sections_mut().push(copy);
    });
    let assembly = world.assemble(bare()).await.unwrap();
    let owners: Vec<_> = assembly.sections().filter(|section| section.name() == "s").collect();
    assert_eq!(
        owners.iter().map(|section| section.owner().unwrap().to_string()).collect::<Vec<_>>(),
        ["root", "copier"]
    );
}

/// S11: who wrote the words that are refused.
#[tokio::test]
async fn an_error_in_edited_text_names_the_editor() {
    let world = world().await;
    let honest = world.plugin("honest").await;
    section(&honest, "s", 1, "fine");
    let editor = world.plugin("editor").await;
    edit(&editor, |assembly| {
        for section in assembly.sections_mut().iter_mut().filter(|section| section.name() == "s") {
            section.set_text("{{ bad }}");
        }
    });
    let error = render(&world.assemble(bare()).await.unwrap()).unwrap_err();
    assert!(error.to_string().contains("of `honest`, as edited by `editor`"), "{error}");
    assert_eq!(error.edited_by().unwrap().to_string(), "editor");
}

/// S11
#[tokio::test]
async fn a_variable_without_a_value_is_named_with_its_owner() {
    let world = world().await;
    let git = world.plugin("git").await;
    git.system_prompt().variable(PromptVariable::computed("branch", |_| None::<String>)).unwrap();
    section(&world.root, "s", 1, "{{branch}}");
    let error = render_prompt(&world.assemble(bare()).await.unwrap()).unwrap_err();
    assert_eq!(error.variable_owner().unwrap().to_string(), "git");
    assert!(error.to_string().contains("the variable is of `git`"), "{error}");
}

/// S11: a name ends no line of a log.
#[tokio::test]
async fn names_in_errors_are_escaped() {
    let world = world().await;
    section(&world.root, "a\nforged", 1, "x");
    let handle = world.root.system_prompt();
    let error = handle.section(dsh_system_prompt::PromptSection::new("a\nforged", 1, "y")).unwrap_err();
    assert!(error.to_string().contains("`a\\nforged`"), "{error}");
}

/// X1, X3
#[test]
fn words_added_to_a_text_are_of_its_kind() {
    let mut assembly = PromptAssembly::new();
    let raw = AssembledSection::new("raw", 0, Text::raw("a {{x}}"));
    let told = raw.clone().with_stability(Stability::Session).with_source(Source::file("notes.md"));
    assert_eq!((told.stability(), told.source().unwrap().path()), (Stability::Session, "notes.md"));
    let mut edited = told.clone();
    edited.append(" {{y}}");
    edited.prepend("{{z}} ");
    let mut template = AssembledSection::new("template", 1, "{{v}}");
    template.append("!");
    assembly.sections_mut().extend([edited, template]);
    assembly.set_variable("v", "V");
    assert_eq!(&*render_prompt(&assembly).unwrap(), "{{z}} a {{x}} {{y}}\n\nV!");
    assert_eq!((told.text().as_str(), raw.source()), ("a {{x}}", None));
}

/// S12: many variables that were set by hand are found by name, and so are those of the parts.
#[test]
fn setting_and_telling_many_variables_is_linear() {
    let mut assembly = PromptAssembly::new();
    let mut text = String::new();
    for index in 0..50_000 {
        assembly.set_variable(format!("v{index:06}"), "x");
        write!(text, "{{{{v{index:06}}}}}").unwrap();
    }
    assembly.sections_mut().push(AssembledSection::new("s", 0, text));
    let rendered = render(&assembly).unwrap();
    assert_eq!(rendered.parts().next().unwrap().pieces().len(), 50_000);
}
