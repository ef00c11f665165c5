//! The listeners of the registry's two events.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dsh_harness::kernel::{Context, Disposer, Failure, Next};
use dsh_harness::prompt::{AssembleEvent, AssembledSection, PromptAssembly, PromptChange};

use crate::scenario::{Action, Assembly, FixedSection};

use super::failure::UserFailure;
use super::parts::tool;
use super::stage::Stage;

/// Logs each change, and throws at one of them.
pub(super) fn on_change(
    stage: &Stage,
    ctx: &Context,
    name: &str,
    throws_on: Option<u64>,
) -> Result<Disposer, dsh_harness::kernel::Error> {
    let (stage, name, calls) = (stage.clone(), name.to_owned(), AtomicU64::new(0));
    ctx.on::<PromptChange, Result<(), Failure>>(move |_| {
        stage.log(format!("change:{name}"));
        if Some(calls.fetch_add(1, Ordering::Relaxed) + 1) == throws_on {
            return Err(UserFailure(format!("change listener {name}")).into());
        }
        Ok(())
    })
}

/// Does what its actions say.
pub(super) fn on_assemble(
    stage: &Stage,
    ctx: &Context,
    actions: &[Action],
) -> Result<Disposer, dsh_harness::kernel::Error> {
    let (stage, actions): (Stage, Arc<[Action]>) = (stage.clone(), actions.into());
    ctx.on_waterfall::<AssembleEvent, _>(move |assembly, _, next| {
        act(stage.clone(), Arc::clone(&actions), assembly, next)
    })
}

async fn act(
    stage: Stage,
    actions: Arc<[Action]>,
    mut assembly: PromptAssembly,
    next: Next<AssembleEvent>,
) -> Result<PromptAssembly, Failure> {
    let (mut next, mut replaced) = (Some(next), false);
    for action in actions.iter() {
        match action {
            Action::Log(line) => stage.log(line.clone()),
            Action::Next => match next.take() {
                Some(next) => assembly = next.run(assembly).await?,
                None => return Err(Failure::msg("`next` can be called once")),
            },
            Action::Replace(replacement) => {
                assembly = made_from(replacement)?;
                replaced = true;
            }
            Action::Stop => return Ok(assembly),
            Action::Throw(message) => return Err(UserFailure(message.clone()).into()),
            Action::PushSection(section) => assembly.sections_mut().push(section_from(section)),
            Action::DropSection(name) => assembly.sections_mut().retain(|section| section.name() != name),
            Action::SetText { name, text } => {
                for section in assembly.sections_mut().iter_mut().filter(|section| section.name() == name) {
                    section.set_text(text.clone());
                }
            }
            Action::SetVariable { name, value } => assembly.set_variable(name.clone(), value.clone()),
            Action::PushTool(schema) => assembly.tools_mut().push(tool(schema)?.into()),
            Action::DropTool(name) => assembly.tools_mut().retain(|tool| tool.schema().name() != name),
        }
    }
    match next {
        Some(next) if !replaced => next.run(assembly).await,
        _ => Ok(assembly),
    }
}

fn section_from(section: &FixedSection) -> AssembledSection {
    AssembledSection::new(section.name.clone(), section.order, section.text.clone())
}

fn made_from(written: &Assembly) -> Result<PromptAssembly, Failure> {
    let mut assembly = PromptAssembly::new();
    assembly.sections_mut().extend(written.sections.iter().map(section_from));
    for schema in &written.tools {
        assembly.tools_mut().push(tool(schema)?.into());
    }
    for (name, value) in &written.variables {
        assembly.set_variable(name.clone(), value.clone());
    }
    Ok(assembly)
}
