//! Registering parts, and the plugin that a `plugin` step mounts.

use std::sync::Arc;
use std::time::Duration;

use dsh_harness::kernel::{BoxFuture, Context, Disposer, DynPlugin, Failure, Name};
use dsh_harness::llm::ToolSchema;
use dsh_harness::prompt::{PromptSection, PromptVariable, SystemPromptExt, ToolProvider, ToolProviderResult};

use crate::scenario::{Content, Part, Plugin, Probe, Schema, Section, Tools, Variable};

use super::failure::UserFailure;
use super::stage::Stage;

/// The service that every plugin of a scenario injects.
const REGISTRY: &str = "system-prompt";

/// Registers one part through a context.
pub(super) fn add(stage: &Stage, ctx: &Context, part: &Part) -> Result<Disposer, Failure> {
    match part {
        Part::Probe(probe) => Ok(add_probe(stage, ctx, probe)?),
        Part::Section(section) => add_section(stage, ctx, section),
        Part::Variable(variable) => add_variable(stage, ctx, variable),
        Part::Tools(tools) => add_tools(ctx, tools),
        Part::Provide(name) => Ok(ctx.provide_dyn(name.clone(), Arc::new(name.clone()))?),
        Part::Fail(message) => Err(UserFailure(message.clone()).into()),
    }
}

fn add_probe(stage: &Stage, ctx: &Context, probe: &Probe) -> Result<Disposer, dsh_harness::kernel::Error> {
    let (stage, name, ms) = (stage.clone(), probe.name.clone(), probe.ms);
    ctx.effect(probe.name.clone(), move |fx| {
        if ms == 0 {
            fx.defer(move || stage.log(name));
        } else {
            fx.defer_async(move || async move {
                stage.log(format!("{name}:begin"));
                tokio::time::sleep(Duration::from_millis(ms)).await;
                stage.log(format!("{name}:end"));
            });
        }
        Ok(())
    })
}

fn add_section(stage: &Stage, ctx: &Context, section: &Section) -> Result<Disposer, Failure> {
    let (name, order) = (section.name.clone(), section.order);
    let section = match &section.text {
        Content::Fixed(text) => PromptSection::new(name, order, text.clone()),
        Content::Dynamic(text) => {
            let (stage, text) = (stage.clone(), text.clone());
            PromptSection::computed(name, order, move |cx| stage.fill_in(&text, cx.scope()))
        }
        Content::Throws(message) => {
            let message = message.clone();
            PromptSection::try_computed(name, order, move |_| Err::<String, _>(UserFailure(message.clone()).into()))
        }
    };
    Ok(ctx.system_prompt().section(section)?)
}

fn add_variable(stage: &Stage, ctx: &Context, variable: &Variable) -> Result<Disposer, Failure> {
    let name = variable.name.clone();
    let variable = match &variable.value {
        None => PromptVariable::new(name, None::<String>),
        Some(Content::Fixed(value)) => PromptVariable::new(name, value.clone()),
        Some(Content::Dynamic(value)) => {
            let (stage, value) = (stage.clone(), value.clone());
            PromptVariable::computed(name, move |cx| stage.fill_in(&value, cx.scope()))
        }
        Some(Content::Throws(message)) => {
            let message = message.clone();
            PromptVariable::try_computed(name, move |_| Err::<String, _>(UserFailure(message.clone()).into()))
        }
    };
    Ok(ctx.system_prompt().variable(variable)?)
}

fn add_tools(ctx: &Context, tools: &Tools) -> Result<Disposer, Failure> {
    if let Some(message) = tools.throws.clone() {
        let provider =
            ToolProvider::try_computed(move |_| Err::<ToolProviderResult, _>(UserFailure(message.clone()).into()));
        return Ok(ctx.system_prompt().tools(provider)?);
    }
    let schemas = tools.schemas.iter().map(tool).collect::<Result<Vec<_>, _>>()?;
    let answer = ToolProviderResult::new(schemas);
    let answer = match &tools.known_names {
        Some(names) => answer.known_names(names.iter().cloned()),
        None => answer,
    };
    Ok(ctx.system_prompt().tools(ToolProvider::from(answer))?)
}

/// A tool of a scenario as the registry takes it.
pub(super) fn tool(schema: &Schema) -> Result<ToolSchema, dsh_harness::llm::Error> {
    ToolSchema::new(schema.name.as_str(), schema.description.as_str(), &schema.parameters.to_string())
}

/// Collects parts into one effect.
pub(super) fn add_composite(
    stage: &Stage,
    ctx: &Context,
    id: &str,
    parts: &[Part],
) -> Result<Disposer, dsh_harness::kernel::Error> {
    ctx.effect(id.to_owned(), |fx| {
        for part in parts {
            fx.adopt(add(stage, ctx, part)?)?;
        }
        Ok(())
    })
}

/// The plugin of a `plugin` step.
pub(super) struct Mounted {
    pub(super) stage: Stage,
    pub(super) plugin: Plugin,
}

impl DynPlugin for Mounted {
    fn name(&self) -> Name {
        Name::from(self.plugin.id.clone())
    }

    fn inject(&self) -> Vec<Name> {
        let own = self.plugin.inject.iter().map(|name| Name::from(name.clone()));
        std::iter::once(Name::from(REGISTRY)).chain(own).collect()
    }

    fn start(self: Arc<Self>, ctx: Context) -> BoxFuture<'static, Result<(), Failure>> {
        Box::pin(async move {
            if self.plugin.trace {
                self.stage.log(format!("start:{}", self.plugin.id));
                let this = Arc::clone(&self);
                ctx.effect("trace", move |fx| {
                    fx.defer(move || this.stage.log(format!("stop:{}", this.plugin.id)));
                    Ok(())
                })?;
            }
            for part in &self.plugin.parts {
                add(&self.stage, &ctx, part)?;
            }
            Ok(())
        })
    }
}
