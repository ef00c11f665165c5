//! Variables: names, values, layers (S4).

use std::sync::Arc;

use dsh_kernel::Failure;
use dsh_system_prompt::{AssembleContext, ErrorKind, PartLayer, PromptVariable, Stability, SystemPromptExt, Value};
use dsh_testkit::Counter;

use crate::support::{bare, section, variable, world};

/// S4
#[tokio::test]
async fn a_name_is_a_small_letter_and_then_small_letters_digits_and_underscores() {
    let world = world().await;
    let handle = world.root.system_prompt();
    for name in ["a", "model", "a1_b", "constructor"] {
        handle.variable(PromptVariable::new(name, "x")).unwrap();
    }
    for name in ["", "A", "1a", "_a", "a-b", "a b", "naïve", "__proto__", "a\n"] {
        let error = handle.variable(PromptVariable::new(name, "x")).unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::InvalidVariableName, "prompt::invalid_variable_name"));
        assert_eq!(error.name(), Some(name));
        assert!(error.to_string().contains("[a-z][a-z0-9_]*"), "{error}");
    }
}

/// S4
#[tokio::test]
async fn a_duplicate_in_a_layer_is_refused_naming_the_first_owner() {
    let world = world().await;
    let (first, second) = (world.plugin("first").await, world.plugin("second").await);
    variable(&first, "v", "1");
    let error = second.system_prompt().variable(PromptVariable::new("v", "2")).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::DuplicateVariable, "prompt::duplicate_variable"));
    assert_eq!((error.name(), error.first_owner().unwrap().to_string()), (Some("v"), "first".to_owned()));
    let scope = second.scope("agent").unwrap();
    variable(scope.ctx(), "v", "3");
    assert_eq!(
        scope.ctx().system_prompt().variable(PromptVariable::new("v", "4")).unwrap_err().code(),
        "prompt::duplicate_variable"
    );
}

/// S4
#[tokio::test]
async fn no_value_is_an_error_only_where_a_section_refers_to_it() {
    let world = world().await;
    world.root.system_prompt().variable(PromptVariable::computed("branch", |_| None::<String>)).unwrap();
    section(&world.root, "a", 1, "no word of it");
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(assembly.variable("branch").unwrap().value(), None);
    assert_eq!(world.prompt(bare()).await, "no word of it");
    section(&world.root, "b", 2, "on {{branch}}");
    let error = dsh_system_prompt::render_prompt(&world.assemble(bare()).await.unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ValuelessVariable);
}

/// S4
#[tokio::test]
async fn a_scoped_variable_shadows_and_the_shadowed_provider_is_not_run() {
    let world = world().await;
    let asked = Counter::new();
    let global = {
        let asked = asked.clone();
        PromptVariable::try_computed("v", move |_| {
            asked.hit();
            Err::<&str, _>(Failure::msg("not here"))
        })
    };
    world.root.system_prompt().variable(global).unwrap();
    section(&world.root, "a", 1, "{{v}}");
    let scope = world.root.scope("agent").unwrap();
    variable(scope.ctx(), "v", "scoped");
    assert_eq!(world.prompt(scope.key()).await, "scoped");
    assert_eq!(asked.get(), 0);
    assert_eq!(world.assemble(bare()).await.unwrap_err().code(), "prompt::provider_failed");
    assert_eq!(asked.get(), 1);
    let assembly = world.assemble(scope.key()).await.unwrap();
    let shadowing = assembly.variable("v").unwrap();
    assert_eq!(shadowing.layer(), PartLayer::Scope(scope.key()));
    assert_eq!(shadowing.shadows().unwrap().to_string(), "root");
}

/// S4
#[tokio::test]
async fn a_shared_string_is_handed_out_again_without_a_copy() {
    let world = world().await;
    let kept: Arc<str> = "value".into();
    let out = kept.clone();
    world.root.system_prompt().variable(PromptVariable::computed("v", move |_| out.clone())).unwrap();
    let assembly = world.assemble(bare()).await.unwrap();
    assert!(std::ptr::eq(assembly.variable("v").unwrap().value().unwrap().as_str(), &raw const *kept));
}

/// S4, S8
#[tokio::test]
async fn a_computed_value_sees_the_assemble_context_and_is_asked_at_each_assembly() {
    let world = world().await;
    let asked = Counter::new();
    let counted = asked.clone();
    let variable = PromptVariable::computed("n", move |cx: &AssembleContext| {
        format!("{} {}", counted.hit(), cx.scope().is_some())
    });
    world.root.system_prompt().variable(variable.stability(Stability::Turn)).unwrap();
    section(&world.root, "a", 1, "{{n}}/{{n}}");
    let scope = world.root.scope("agent").unwrap();
    assert_eq!(world.prompt(bare()).await, "1 false/1 false");
    assert_eq!(world.prompt(scope.key()).await, "2 true/2 true");
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(assembly.variable("n").unwrap().stability(), Stability::Turn);
    assert_eq!(assembly.variable("n").unwrap().value(), Some(&Value::from("3 false")));
}

/// S8
#[tokio::test]
async fn variables_are_listed_in_order_of_evaluation_globals_first() {
    let world = world().await;
    variable(&world.root, "b", "");
    variable(&world.root, "s", "");
    variable(&world.root, "a", "");
    let scope = world.root.scope("agent").unwrap();
    variable(scope.ctx(), "z", "");
    variable(scope.ctx(), "s", "");
    let assembly = world.assemble(scope.key()).await.unwrap();
    assert_eq!(assembly.variables().map(|variable| variable.name()).collect::<Vec<_>>(), ["b", "a", "z", "s"]);
}
