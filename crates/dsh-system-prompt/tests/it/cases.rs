//! The worked cases 01, 03, 04, 05 and 11, as far as assembly and rendering go.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dsh_kernel::{Context, Failure};
use dsh_system_prompt::{
    AssembleEvent, AssembledSection, ErrorKind, Identity, PromptChange, PromptConfig, PromptSection, PromptVariable,
    SystemPromptExt, TOOL_ORDER_REST, ToolProvider, render_prompt,
};
use dsh_template::Text;
use dsh_testkit::{Counter, Gate};

use crate::support::{bare, schema, section, variable, world, world_with};

/// Case 01: six orders of starting the owners, each with both orders of its tools, 50 assemblies a run.
#[tokio::test]
async fn case_01_tools_have_one_order_whoever_starts_first() {
    let owners = [("disk", ["write", "read"]), ("srv-b", ["zz_last", "search"]), ("srv-a", ["apply", "Zed"])];
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut blocks = Vec::new();
    for order in orders {
        for swapped in [false, true] {
            let config = PromptConfig::new().tool_order(["read", TOOL_ORDER_REST, "zz_last"]);
            let world = world_with(config).await;
            for index in order {
                let (name, tools) = owners[index];
                let [first, second] = if swapped { [tools[1], tools[0]] } else { tools };
                world
                    .mount(name, move |ctx| {
                        let handle = ctx.system_prompt();
                        handle.tools(ToolProvider::new([schema(first)]))?;
                        handle.tools(ToolProvider::computed(move |_| vec![schema(second)]))?;
                        Ok(())
                    })
                    .await;
            }
            for _ in 0..50 {
                let names = world.tool_names(bare()).await;
                assert_eq!(names, ["read", "Zed", "apply", "search", "write", "zz_last"]);
                blocks.push(world.assemble(bare()).await.unwrap().tools_json());
            }
        }
    }
    assert_eq!(blocks.len(), 600);
    assert!(blocks.iter().all(|block| *block == blocks[0]));
}

/// Case 03
#[tokio::test]
async fn case_03_single_braces_are_prose_and_doubled_ones_are_refused() {
    let world = world().await;
    variable(&world.root, "team", "harbour");
    let text = r#"Answer for {{team}} as {"label":"x","n":{"k":[1,2]}}. CSS: a{b:c} Set: {1; 2} Rust: {}"#;
    let format = section(&world.root, "format", 10, text);
    assert_eq!(world.prompt(bare()).await, text.replace("{{team}}", "harbour"));
    format.dispose().await.unwrap();

    let doubled = r#"Use {{"label":"x"}}"#;
    let pack = world.plugin("pack").await;
    let format = section(&pack, "format", 10, doubled);
    let error = render_prompt(&world.assemble(bare()).await.unwrap()).unwrap_err();
    assert_eq!((error.kind(), error.section()), (ErrorKind::MalformedReference, Some("format")));
    assert!(error.to_string().contains("`format` of `pack`, line 1 of the section, column 5"), "{error}");
    format.dispose().await.unwrap();

    section(&world.root, "format", 10, "left {{ alone");
    world.root.system_prompt().section(PromptSection::new("literal", 11, Text::raw(doubled))).unwrap();
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!(*render_prompt(&assembly).unwrap(), format!("left {{{{ alone\n\n{doubled}"));
    assert!(assembly.section("literal").unwrap().text().is_raw());
    assert_eq!(Text::raw("{{team}}").references().count(), 0);
}

/// Case 04
#[tokio::test]
async fn case_04_what_hooks_append_does_not_accumulate() {
    let world = world().await;
    section(&world.root, "base", 0, "Be brief.");
    let (notes, crew) = (world.plugin("notes").await, world.plugin("crew").await);
    notes
        .on_waterfall::<AssembleEvent, _>(|mut assembly, _, next| {
            for section in assembly.sections_mut().iter_mut().filter(|section| section.name() == "base") {
                section.append(" Note: see the log.");
            }
            next.run(assembly)
        })
        .unwrap();
    let step = Counter::new();
    let counted = step.clone();
    crew.on_waterfall::<AssembleEvent, _>(move |mut assembly, _, next| {
        let fails = counted.hit() == 7;
        async move {
            if fails {
                return Err(Failure::msg("crew is out"));
            }
            if assembly.section("crew").is_none() {
                assembly.sections_mut().push(AssembledSection::new("crew", 20, "Two helpers."));
            }
            next.run(assembly).await
        }
    })
    .unwrap();
    for step in 1..=50 {
        let result = world.assemble(bare()).await;
        if step == 7 {
            let error = result.unwrap_err();
            assert_eq!(
                (error.code(), error.owner().unwrap().to_string()),
                ("kernel::listener_failed", "crew".to_owned())
            );
            assert_eq!(error.failure().unwrap().to_string(), "crew is out");
            continue;
        }
        let prompt = render_prompt(&result.unwrap()).unwrap();
        assert_eq!(&*prompt, "Be brief. Note: see the log.\n\nTwo helpers.", "step {step}");
    }
    let view = world.root.system_prompt().view(None).unwrap();
    let base = view.sections().find(|section| section.name == "base").unwrap();
    assert_eq!(base.text.unwrap().as_str(), "Be brief.");
    let second = crew.system_prompt().section(PromptSection::new("base", 1, "mine")).unwrap_err();
    assert_eq!(second.code(), "prompt::duplicate_section");
    assert!(world.prompt(bare()).await.starts_with("Be brief."));
}

/// Case 05
#[tokio::test]
async fn case_05_one_pass_strict_render() {
    for swapped in [false, true] {
        let world = world().await;
        let mut variables = [("note", "{{token}} $& $' $1 \\1 <b>&amp;</b> %s"), ("token", "s3cret")];
        if swapped {
            variables.reverse();
        }
        for (name, value) in variables {
            variable(&world.root, name, value);
        }
        variable(&world.root, "empty", "");
        world.root.system_prompt().variable(PromptVariable::new("branch", None::<&str>)).unwrap();
        let one = section(&world.root, "one", 1, "N={{note}} E=[{{empty}}]");
        assert_eq!(world.prompt(bare()).await, "N={{token}} $& $' $1 \\1 <b>&amp;</b> %s E=[]");
        one.dispose().await.unwrap();
        let kinds = [
            ("{{branhc}}", ErrorKind::UnknownVariable),
            ("{{branch}}", ErrorKind::ValuelessVariable),
            ("{{constructor}}", ErrorKind::UnknownVariable),
            ("{{__proto__}}", ErrorKind::MalformedReference),
            ("{{ a b }}", ErrorKind::MalformedReference),
            ("{{}}", ErrorKind::MalformedReference),
            ("{{{token}}}", ErrorKind::MalformedReference),
        ];
        for (text, kind) in kinds {
            let one = section(&world.root, "one", 1, text);
            let error = render_prompt(&world.assemble(bare()).await.unwrap()).unwrap_err();
            assert_eq!(
                (error.kind(), error.section(), error.owner().unwrap().to_string()),
                (kind, Some("one"), "root".to_owned())
            );
            assert!(!error.to_string().contains("s3cret"), "{error}");
            one.dispose().await.unwrap();
        }
    }
}

/// What case 11 counts.
#[derive(Clone, Default)]
struct Heard {
    hooks: Arc<AtomicUsize>,
    changes: Arc<AtomicUsize>,
    late: Arc<std::sync::Mutex<Option<Result<(), &'static str>>>>,
}

fn relay(ctx: &Context, heard: &Heard, timer: &Gate) -> Result<(), Failure> {
    let handle = ctx.system_prompt();
    let (hooks, changes) = (heard.hooks.clone(), heard.changes.clone());
    ctx.on::<PromptChange, _>(move |_| {
        changes.fetch_add(1, Ordering::Relaxed);
    })?;
    handle.section(PromptSection::new("relay", 100, "Relay on {{desk}}."))?;
    handle.variable(PromptVariable::new("desk", "north"))?;
    handle.tools(ToolProvider::new([schema("relay_send")]))?;
    ctx.on_waterfall::<AssembleEvent, _>(move |mut assembly, _, next| {
        hooks.fetch_add(1, Ordering::Relaxed);
        for section in assembly.sections_mut().iter_mut().filter(|section| section.name() == "relay") {
            section.append(".");
        }
        next.run(assembly)
    })?;
    // Its own affair, begun beside the kernel: a timer that registers late.
    let (late, timer, own) = (heard.late.clone(), timer.clone(), ctx.clone());
    tokio::spawn(async move {
        timer.wait().await;
        let result = own.system_prompt().section(PromptSection::new("relay:late", 101, "late"));
        *late.lock().unwrap() = Some(result.map(drop).map_err(|error| error.code()));
    });
    Ok(())
}

/// Case 11
#[tokio::test]
async fn case_11_a_reload_leaves_nothing_and_a_late_registration_is_refused() {
    let world = world_with(PromptConfig::new().identity(Identity::Omitted)).await;
    let before = world.kernel.inspect().to_string();
    let (heard, timer) = (Heard::default(), Gate::new());
    let mount = async || {
        let (heard, timer) = (heard.clone(), timer.clone());
        world.mount("relay", move |ctx| relay(ctx, &heard, &timer)).await
    };
    let mut fiber = mount().await;
    let live = world.kernel.inspect().to_string();
    for _ in 0..4 {
        let (hooks, changes) = (heard.hooks.load(Ordering::Relaxed), heard.changes.load(Ordering::Relaxed));
        assert_eq!(world.prompt(bare()).await, "Relay on north..");
        assert_eq!(world.tool_names(bare()).await, ["relay_send"]);
        assert_eq!(heard.hooks.load(Ordering::Relaxed), hooks + 2, "once an assembly");
        section(&world.root, "probe", 1, "").dispose().await.unwrap();
        assert_eq!(heard.changes.load(Ordering::Relaxed), changes + 2, "once a change");
        assert_eq!(world.kernel.inspect().to_string(), live);
        fiber.dispose().await.unwrap();
        fiber = mount().await;
    }
    fiber.dispose().await.unwrap();
    let hooks = heard.hooks.load(Ordering::Relaxed);
    timer.open();
    crate::support::until(|| heard.late.lock().unwrap().is_some()).await;
    assert_eq!(*heard.late.lock().unwrap(), Some(Err("kernel::inactive")));
    let assembly = world.assemble(bare()).await.unwrap();
    assert_eq!((assembly.sections().len(), assembly.tools().len(), assembly.variables().count()), (2, 0, 0));
    assert_eq!(heard.hooks.load(Ordering::Relaxed), hooks);
    assert_eq!(world.kernel.inspect().to_string(), before);
}
