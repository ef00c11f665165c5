//! What the prompt is told (T3, X11).

use dsh_system_prompt::{
    AssembleContext, Identity, PartLayer, PromptConfig, PromptSection, SystemPrompt, SystemPromptExt, TOOL_ORDER_REST,
    render,
};
use dsh_testkit::Counter;
use dsh_tools::{Tools, ToolsConfig, ToolsExt};

use crate::support::{deny, echo, register, world};

/// T3, X3: each tool is its own owner's, not the registry's.
#[tokio::test]
async fn the_prompt_names_whose_each_tool_is() {
    let world = world().await;
    world.mount("pack", |ctx| ctx.tools().register(echo("read")).map(drop).map_err(Into::into)).await;
    register(&world.root, &["write"]);
    let scope = world.root.scope("agent").unwrap();
    register(scope.ctx(), &["read"]);
    let rows = |assembly: &dsh_system_prompt::PromptAssembly| -> Vec<_> {
        let row = |tool: &dsh_system_prompt::AssembledTool| {
            (
                tool.schema().name().to_owned(),
                tool.owner().unwrap().to_string(),
                tool.layer(),
                tool.shadows().map(ToString::to_string),
            )
        };
        assembly.tools().iter().map(row).collect()
    };
    let global = |name: &str, owner: &str| (name.to_owned(), owner.to_owned(), PartLayer::Global, None);
    assert_eq!(rows(&world.assemble(AssembleContext::new()).await), [global("read", "pack"), global("write", "root")]);
    let own = ("read".to_owned(), "agent".to_owned(), PartLayer::Scope(scope.key()), Some("pack".to_owned()));
    assert_eq!(rows(&world.assemble(scope.key()).await), [own, global("write", "root")]);
}

/// T3: `tool_order` may name what a restriction hides: it is known.
#[tokio::test]
async fn names_are_known_before_restriction() {
    let kernel = dsh_kernel::Kernel::new();
    let root = kernel.root();
    let config = PromptConfig::new().identity(Identity::Omitted).tool_order(["write", TOOL_ORDER_REST]);
    root.plugin(SystemPrompt::new(config)).unwrap().ready().await.unwrap();
    root.plugin(Tools::new(ToolsConfig::new())).unwrap().ready().await.unwrap();
    register(&root, &["read", "write"]);
    let scope = root.scope("agent").unwrap();
    deny(scope.ctx(), &["write"]);
    let assembly = root.system_prompt().assemble(scope.key()).await.unwrap();
    assert_eq!(assembly.tools().iter().map(|tool| tool.schema().name()).collect::<Vec<_>>(), ["read"]);
    let assembly = root.system_prompt().assemble(AssembleContext::new()).await.unwrap();
    assert_eq!(assembly.tools().iter().map(|tool| tool.schema().name()).collect::<Vec<_>>(), ["write", "read"]);
}

/// P3: where nothing has changed, the same bytes are handed out, with sections that need tools, too.
#[tokio::test]
async fn an_unchanged_step_hands_out_the_same_prompt() {
    let world = world().await;
    register(&world.root, &["a", "b"]);
    world.root.system_prompt().section(PromptSection::new("of a", 100, "a").requires_tools(["a"])).unwrap();
    world.root.system_prompt().section(PromptSection::new("of b", 101, "b").requires_tools(["b"])).unwrap();
    let scope = world.root.scope("agent").unwrap();
    deny(scope.ctx(), &["b"]);
    for (cx, expected) in [(AssembleContext::new(), "a\n\nb"), (scope.key().into(), "a")] {
        let (one, two) = (world.assemble(cx.clone()).await, world.assemble(cx).await);
        let (one, two) = (render(&one).unwrap(), render(&two).unwrap());
        assert_eq!(&**one.text(), expected);
        assert!(std::sync::Arc::ptr_eq(one.text(), two.text()), "the same bytes");
    }
}

/// X11: a section that lacks a tool is not asked for its text; the view shows what it needs.
#[tokio::test]
async fn a_section_that_lacks_a_tool_is_not_computed() {
    let (world, asked) = (world().await, Counter::new());
    let counted = asked.clone();
    let computed = PromptSection::computed("guide", 100, move |_| {
        counted.hit();
        "guide"
    });
    world.root.system_prompt().section(computed.requires_tools(["a", "b"])).unwrap();
    let after = PromptSection::computed("after", 101, |_| "after");
    world.root.system_prompt().section(after).unwrap();
    let prompt = |world: &crate::support::World| {
        let assembling = world.root.system_prompt();
        async move { render(&assembling.assemble(AssembleContext::new()).await.unwrap()).unwrap().text().to_string() }
    };
    let a = register(&world.root, &["a"]);
    assert_eq!(prompt(&world).await, "after");
    assert_eq!(asked.get(), 0);
    let b = register(&world.root, &["b"]);
    assert_eq!(prompt(&world).await, "guide\n\nafter");
    assert_eq!(asked.get(), 1);
    for tool in a {
        tool.dispose().await.unwrap();
    }
    assert_eq!(prompt(&world).await, "after");
    let assembly = world.assemble(AssembleContext::new()).await;
    assert_eq!(
        assembly.left_out().map(|left| (left.section.name(), left.missing)).collect::<Vec<_>>(),
        [("guide", "a")]
    );
    for tool in b {
        tool.dispose().await.unwrap();
    }
    let view = world.root.system_prompt().view(None).unwrap();
    let needs: Vec<_> =
        view.sections().filter(|section| section.name == "guide").flat_map(|section| section.requires_tools).collect();
    assert_eq!(needs, ["a", "b"]);
    assert_eq!(asked.get(), 1);
}
