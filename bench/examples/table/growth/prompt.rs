//! Over what is registered: sections, variables, tools, and bytes of prompt.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dsh_bench::at_once;
use dsh_kernel::{BoxFuture, Context, DynPlugin, Failure, Name};
use dsh_llm::ToolSchema;
use dsh_system_prompt::{
    AssembleContext, AssembleEvent, PromptAssembly, PromptSection, PromptVariable, ToolProvider, ToolProviderResult,
};
use dsh_template::Template;

use super::world::{dispose, in_and_out};
use super::{BYTES, Curve, Growth, TO_1_000, TO_10_000, World};
use crate::round::Sample;
use crate::timing::per_call;

pub(super) const CURVES: &[Curve] = &[
    Curve {
        id: "growth: step over sections",
        what: "a step in which the one variable of all sections changed",
        sizes: TO_10_000,
        growth: Growth::Linear,
        at: |count| steps(World::start()?.with_changing()?.with_sections(count)?),
        function: "prompt.rs: steps",
    },
    Curve {
        id: "growth: unchanged step over sections",
        what: "a step in which nothing changed",
        sizes: TO_10_000,
        growth: Growth::Constant,
        at: |count| steps(World::start()?.with_steady()?.with_sections(count)?),
        function: "prompt.rs: steps",
    },
    Curve {
        id: "growth: section in and out over sections",
        what: "a section in and out",
        sizes: TO_10_000,
        growth: Growth::Constant,
        at: |count| {
            let world = World::start()?.with_steady()?.with_sections(count)?;
            Ok(Box::new(move |time| {
                // The whole of it is captured: its kernel ends with it.
                let world = &world;
                per_call(time, || in_and_out(&world.prompt))
            }))
        },
        function: "world.rs: in_and_out",
    },
    Curve {
        id: "growth: view over sections",
        what: "a section in and out, each seen by an assembly",
        sizes: TO_10_000,
        growth: Growth::Linear,
        at: |count| {
            let world = World::start()?.with_steady()?.with_sections(count)?;
            Ok(Box::new(move |time| per_call(time, || seen(&world))))
        },
        function: "prompt.rs: seen",
    },
    Curve {
        id: "growth: step over variables",
        what: "a step of one section that names all variables, one of them changed",
        sizes: TO_10_000,
        growth: Growth::Linear,
        at: |count| steps(variables(count)?),
        function: "prompt.rs: variables",
    },
    Curve {
        id: "growth: step over tools",
        what: "an assembly of tools of which one changed, down to the tool block",
        sizes: TO_1_000,
        growth: Growth::Linear,
        at: |count| {
            let world = tools(count)?;
            Ok(Box::new(move |time| per_call(time, || Ok(world.assemble(None)?.tools_json()))))
        },
        function: "prompt.rs: tools",
    },
    Curve {
        id: "growth: step over listeners",
        what: "an assembly that so many plugins listen to",
        sizes: TO_10_000,
        growth: Growth::Linear,
        at: heard,
        function: "prompt.rs: heard",
    },
    Curve {
        id: "growth: step over bytes",
        what: "a step of a prompt that names a changed variable each 1,000 bytes",
        sizes: BYTES,
        growth: Growth::Linear,
        at: |bytes| steps(prose(bytes)?),
        function: "prompt.rs: prose",
    },
    Curve {
        id: "growth: compile over bytes, references",
        what: "a template of nothing but references is compiled",
        sizes: BYTES,
        growth: Growth::Linear,
        at: |bytes| Ok(compiles("{{name}}", bytes)),
        function: "prompt.rs: compiles",
    },
    Curve {
        id: "growth: compile over bytes, open braces",
        what: "a template of nothing but open braces is compiled",
        sizes: BYTES,
        growth: Growth::Linear,
        at: |bytes| Ok(compiles("{{", bytes)),
        function: "prompt.rs: compiles",
    },
];

fn steps(world: World) -> Result<Sample<'static>, Failure> {
    world.step(None)?;
    Ok(Box::new(move |time| per_call(time, || world.step(None))))
}

fn seen(world: &World) -> Result<(), Failure> {
    let section = world.prompt.section(PromptSection::new("extra", 1, "One more rule."))?;
    let with = world.assemble(None)?.sections().len();
    dispose(section)?;
    let without = world.assemble(None)?.sections().len();
    if with == without + 1 { Ok(()) } else { Err(Failure::msg("a section that came was not seen")) }
}

fn variables(count: usize) -> Result<World, Failure> {
    let world = World::start()?.with_changing()?;
    let mut text = "{{v}}".to_owned();
    for number in 0..count {
        world.prompt.variable(PromptVariable::new(format!("v{number}"), "value"))?;
        text.extend([" {{v", &number.to_string(), "}}"]);
    }
    world.prompt.section(PromptSection::new("all", 1, text))?;
    Ok(world)
}

fn tools(count: usize) -> Result<World, Failure> {
    let world = World::start()?;
    let parameters = r#"{"properties":{"path":{"description":"The file.","type":"string"}},"type":"object"}"#;
    let schema = |number: usize| ToolSchema::new(format!("tool_{number}"), "Does what it is named for.", parameters);
    let one = (0..count).map(schema).collect::<Result<Vec<_>, _>>()?;
    let mut other = one.clone();
    if let Some(first) = other.first_mut() {
        *first = first.with_description("Does something else.");
    }
    let (one, other, turn) = (ToolProviderResult::new(one), ToolProviderResult::new(other), AtomicBool::new(false));
    world.prompt.tools(ToolProvider::computed(move |_| {
        if turn.fetch_xor(true, Ordering::Relaxed) { one.clone() } else { other.clone() }
    }))?;
    Ok(world)
}

/// A plugin that listens to every assembly, and hands it on.
struct Hears;

impl DynPlugin for Hears {
    fn name(&self) -> Name {
        Name::fixed("hears")
    }

    fn inject(&self) -> Vec<Name> {
        Vec::new()
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            ctx.on_waterfall(|assembly: PromptAssembly, _: Arc<AssembleEvent>, next| async move {
                next.run(assembly).await
            })?;
            Ok(())
        })
    }
}

fn heard(count: usize) -> Result<Sample<'static>, Failure> {
    let (runtime, world) = (dsh_bench::runtime()?, World::start()?);
    for _ in 0..count {
        at_once(world.root.plugin_dyn(Arc::new(Hears))?.ready())??;
    }
    // Many listeners do not fit on one stack, so that this waits for tasks.
    Ok(Box::new(move |time| {
        let world = &world;
        per_call(time, || Ok(runtime.block_on(world.prompt.assemble(AssembleContext::new()))?))
    }))
}

fn prose(bytes: usize) -> Result<World, Failure> {
    let world = World::start()?.with_changing()?;
    let line = format!("{} {{{{v}}}}\n", "word ".repeat(198));
    let section = PromptSection::new("prose", 1, line.repeat(bytes / line.len() + usize::from(bytes < line.len())));
    world.prompt.section(section)?;
    Ok(world)
}

fn compiles(unit: &str, bytes: usize) -> Sample<'static> {
    let text: Arc<str> = unit.repeat(bytes / unit.len()).into();
    Box::new(move |time| per_call(time, || Ok(Template::compile(&text))))
}
