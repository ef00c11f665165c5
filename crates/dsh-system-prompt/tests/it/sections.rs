//! Sections: names, orders, layers (S1, S2).

use dsh_kernel::Kernel;
use dsh_system_prompt::{AssembleContext, ErrorKind, PartLayer, PromptSection, Source, Stability, SystemPromptExt};
use dsh_template::Text;

use crate::support::{bare, section, section_names, world};

/// S1
#[tokio::test]
async fn a_handle_is_made_where_there_is_no_registry_and_its_methods_say_what_is_missing() {
    let kernel = Kernel::new();
    let handle = kernel.root().system_prompt();
    let error = handle.section(PromptSection::new("a", 0, "a")).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Kernel, "kernel::missing_service"));
    assert_eq!(handle.assemble(bare()).await.unwrap_err().code(), "kernel::missing_service");
    assert_eq!(handle.view(None).unwrap_err().code(), "kernel::missing_service");
}

/// S1, K10
#[tokio::test]
async fn a_plugin_that_does_not_inject_the_registry_is_told_so() {
    struct Careless;
    impl dsh_kernel::Plugin for Careless {
        const NAME: &'static str = "careless";
        type Inject = ();
        async fn start(&self, _ctx: &dsh_kernel::Context) -> Result<(), dsh_kernel::Failure> {
            Ok(())
        }
    }
    let world = world().await;
    let fiber = world.root.plugin(Careless).unwrap();
    fiber.ready().await.unwrap();
    let error = fiber.ctx().system_prompt().section(PromptSection::new("a", 0, "a")).unwrap_err();
    assert_eq!(error.code(), "kernel::undeclared_service");
    assert_eq!(error.owner().unwrap().to_string(), "careless");
}

/// S1, K1
#[tokio::test]
async fn the_tag_of_the_context_is_the_layer_and_its_owner_the_owner() {
    let world = world().await;
    let plugin = world.plugin("pack").await;
    let scope = plugin.scope("agent").unwrap();
    section(&plugin, "global", 1, "g");
    section(scope.ctx(), "scoped", 2, "s");
    let assembly = world.assemble(scope.key()).await.unwrap();
    let (global, scoped) = (assembly.section("global").unwrap(), assembly.section("scoped").unwrap());
    assert_eq!((global.layer(), global.owner().unwrap().to_string()), (PartLayer::Global, "pack".to_owned()));
    assert_eq!(
        (scoped.layer(), scoped.owner().unwrap().to_string()),
        (PartLayer::Scope(scope.key()), "pack/agent".to_owned())
    );
    assert_eq!(section_names(&world.assemble(bare()).await.unwrap()), ["global"]);
}

/// S2
#[tokio::test]
async fn sections_stand_in_ascending_order_fractions_and_negative_ones_too() {
    let world = world().await;
    for (name, order) in [("e", 110.0), ("c", 0.5), ("a", -200.25), ("d", 0.75), ("b", -0.5), ("f", 1e300)] {
        section(&world.root, name, order, name);
    }
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(section_names(&assembly), ["a", "b", "c", "d", "e", "f"]);
    assert_eq!(world.prompt(bare()).await, "a\n\nb\n\nc\n\nd\n\ne\n\nf");
    // Before the persona, which stands at 0.
    let names: Vec<&str> = assembly.sections().map(dsh_system_prompt::AssembledSection::name).collect();
    assert_eq!(names.iter().position(|name| *name == "deployment:persona"), Some(3));
}

/// S2
#[tokio::test]
async fn equal_orders_keep_the_order_of_registration_and_both_zeros_are_one_place() {
    let world = world().await;
    for (name, order) in [("b", 0.0), ("a", -0.0), ("d", 7.0), ("c", 7.0)] {
        section(&world.root, name, order, name);
    }
    assert_eq!(section_names(&world.assemble(bare()).await.unwrap()), ["b", "a", "d", "c"]);
}

/// S2
#[tokio::test]
async fn an_order_that_is_not_finite_is_refused_and_nothing_is_registered() {
    let world = world().await;
    for order in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = world.root.system_prompt().section(PromptSection::new("a", order, "a")).unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::InvalidOrder, "prompt::invalid_order"));
        assert_eq!(error.section(), Some("a"));
        assert!(error.to_string().contains("finite"), "{error}");
    }
    assert_eq!(world.prompt(bare()).await, "");
}

/// S2
#[tokio::test]
async fn a_duplicate_name_is_refused_naming_the_first_owner_and_the_per_agent_way() {
    let world = world().await;
    let (first, second) = (world.plugin("first").await, world.plugin("second").await);
    section(&first, "a", 1, "of first");
    let error = second.system_prompt().section(PromptSection::new("a", 2, "of second")).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::DuplicateSection, "prompt::duplicate_section"));
    assert_eq!(error.first_owner().unwrap().to_string(), "first");
    assert_eq!(error.owner().unwrap().to_string(), "second");
    let message = error.to_string();
    assert!(message.contains("`first`") && message.contains("agent.ctx()"), "{message}");
    error.teardown().unwrap().await.unwrap();
    assert_eq!(world.prompt(bare()).await, "of first");

    let scope = first.scope("agent").unwrap();
    section(scope.ctx(), "a", 1, "scoped");
    let error = scope.ctx().system_prompt().section(PromptSection::new("a", 1, "again")).unwrap_err();
    assert_eq!(error.first_owner().unwrap().to_string(), "first/agent");
    assert!(!error.to_string().contains("agent.ctx()"), "{error}");
}

/// S2
#[tokio::test]
async fn a_scoped_section_takes_the_place_of_the_global_one_among_equals_and_scoped_only_ones_come_after() {
    let world = world().await;
    section(&world.root, "a", 10, "a");
    section(&world.root, "b", 10, "b");
    section(&world.root, "c", 10, "c");
    let scope = world.root.scope("agent").unwrap();
    section(scope.ctx(), "x", 10, "x");
    section(scope.ctx(), "b", 10, "B");
    section(scope.ctx(), "w", 5, "w");
    assert_eq!(section_names(&world.assemble(scope.key()).await.unwrap()), ["w", "a", "b", "c", "x"]);
    assert_eq!(world.prompt(scope.key()).await, "w\n\na\n\nB\n\nc\n\nx");
    assert_eq!(world.prompt(bare()).await, "a\n\nb\n\nc");
    // With another order, the scoped one moves.
    let moving = world.root.scope("moving").unwrap();
    section(moving.ctx(), "a", 20, "A");
    assert_eq!(world.prompt(moving.key()).await, "b\n\nc\n\nA");
}

/// S2, X3
#[tokio::test]
async fn a_shadowing_section_says_whose_it_replaces_and_stops_when_that_one_is_gone() {
    let world = world().await;
    let owner = world.plugin("owner").await;
    let global = section(&owner, "a", 1, "global");
    let scope = world.root.scope("agent").unwrap();
    let scoped = section(scope.ctx(), "a", 1, "scoped");
    let assembly = world.assemble(scope.key()).await.unwrap();
    assert_eq!(assembly.section("a").unwrap().shadows().unwrap().to_string(), "owner");
    global.dispose().await.unwrap();
    let assembly = world.assemble(scope.key()).await.unwrap();
    assert_eq!(assembly.section("a").unwrap().shadows(), None);
    scoped.dispose().await.unwrap();
    assert!(world.assemble(scope.key()).await.unwrap().section("a").is_none());
}

/// S2, S8
#[tokio::test]
async fn a_computed_text_sees_the_assemble_context_and_a_bare_string_is_a_template() {
    let world = world().await;
    crate::support::variable(&world.root, "v", "V");
    let scope = world.root.scope("agent").unwrap();
    let key = scope.key();
    let seen = PromptSection::computed(
        "a",
        1,
        move |cx: &AssembleContext| {
            if cx.scope() == Some(key) { "for {{v}}" } else { "for all" }
        },
    );
    world.root.system_prompt().section(seen).unwrap();
    let raw = PromptSection::computed("b", 2, |_| Text::raw("{{v}}"));
    world.root.system_prompt().section(raw).unwrap();
    assert_eq!(world.prompt(key).await, "for V\n\n{{v}}");
    assert_eq!(world.prompt(bare()).await, "for all\n\n{{v}}");
    let assembly = world.assemble(key).await.unwrap();
    assert_eq!(assembly.section("a").unwrap().text(), &Text::template("for {{v}}"));
}

/// X3, X4
#[tokio::test]
async fn stability_and_source_are_kept_as_declared_and_default_by_the_kind_of_text() {
    let world = world().await;
    let handle = world.root.system_prompt();
    handle.section(PromptSection::new("fixed", 1, "x")).unwrap();
    handle.section(PromptSection::computed("computed", 2, |_| "x")).unwrap();
    let declared = PromptSection::computed("declared", 3, |_| "x").stability(Stability::Session);
    handle.section(declared.source(Source::file("AGENTS.md").bytes(3..9))).unwrap();
    let assembly = world.assemble(bare()).await.unwrap();
    let stability = |name| assembly.section(name).unwrap().stability();
    assert_eq!(stability("fixed"), Stability::Static);
    assert_eq!(stability("computed"), Stability::Step);
    assert_eq!(stability("declared"), Stability::Session);
    assert!(Stability::Static < Stability::Session && Stability::Turn < Stability::Step);
    assert_eq!(assembly.section("declared").unwrap().source(), Some(&Source::file("AGENTS.md").bytes(3..9)));
    assert_eq!(assembly.section("fixed").unwrap().source(), None);
}

/// S1
#[tokio::test]
async fn the_view_lists_what_is_registered_for_a_scope_without_asking_providers() {
    let world = world().await;
    let never =
        PromptSection::try_computed("computed", 5, |_| -> Result<&str, _> { Err(dsh_kernel::Failure::msg("asked")) });
    world.root.system_prompt().section(never).unwrap();
    section(&world.root, "a", 1, "global");
    crate::support::variable(&world.root, "v", "V");
    crate::support::tools(&world.root, &["t"]);
    let scope = world.root.scope("agent").unwrap();
    section(scope.ctx(), "a", 7, "scoped");
    let view = scope.ctx().system_prompt().view(scope.key()).unwrap();
    let rows: Vec<_> = view
        .sections()
        .map(|info| (info.name, info.order, info.layer, info.owner.to_string(), info.shadows.map(ToString::to_string)))
        .skip(2)
        .collect();
    assert_eq!(
        rows,
        [
            ("computed", 5.0, PartLayer::Global, "root".to_owned(), None),
            ("a", 7.0, PartLayer::Scope(scope.key()), "agent".to_owned(), Some("root".to_owned())),
        ]
    );
    assert_eq!(view.sections().map(|info| info.text.is_some()).collect::<Vec<_>>(), [true, true, false, true]);
    assert_eq!(view.variables().map(|info| (info.name, info.layer)).collect::<Vec<_>>(), [("v", PartLayer::Global)]);
    assert_eq!(view.tool_providers().map(|info| info.owner.to_string()).collect::<Vec<_>>(), ["root"]);
    assert_eq!(world.root.system_prompt().view(None).unwrap().sections().count(), 4);
}
