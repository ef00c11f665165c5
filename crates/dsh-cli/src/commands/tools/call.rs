//! `dsh tools call`: one call, the whole way that an agent's calls go.

use std::borrow::Cow;
use std::sync::Arc;

use dsh_kernel::{Canceller, Failure};
use dsh_llm::{ContentBlock, ResourceBody, ToolCall};
use dsh_tools::{Approver, ExecuteContext, Executed, ToolsExt as _, code};

use super::{json, unknown_tool};
use crate::args::{GlobalArgs, ToolsArgs};
use crate::commands::visibly::for_a_terminal;
use crate::commands::{Scene, reported, with_mounted};
use crate::diagnostic::{Diagnostic, Report, Sources, one_line};
use crate::names::quoted;
use crate::outside::{Console, TerminalApprover, in_words, on_interrupt, standard_input};
use crate::project::{Project, Purpose};
use crate::status::ExitStatus;

/// So many bytes of arguments are read from standard input.
const ARGUMENTS_LIMIT: u64 = 8 << 20;

/// Runs the command.
pub(super) fn run(global: &GlobalArgs, arguments: &ToolsArgs, name: &str, console: &mut Console) -> ExitStatus {
    let mut sources = Sources::new();
    let mut report = Report::new();
    let agent = arguments.agent.as_deref();
    let approver = console
        .can_ask()
        .then(|| TerminalApprover::new(|_open| {}))
        .flatten()
        .map(|one| Arc::new(one) as Arc<dyn Approver>);
    let answer = given(arguments, &mut report).and_then(|given| {
        with_mounted(global, agent, Purpose::Run, &mut sources, &mut report, async |mut scene: Scene<'_>| {
            call(&mut scene, name, given, approver).await
        })
    });
    let answer = answer.flatten();
    let executed = answer.as_ref().ok();
    let status = reported(&answer, report, &sources, console);
    let Some(executed) = executed else { return status };
    let status = if executed.code == Some(code::CANCELLED) { ExitStatus::Interrupted } else { status };
    let text = if arguments.json { json::executed(name, agent, executed) } else { text(&executed.result.content) };
    let shown = if console.shows_output() { for_a_terminal(&text, arguments.json) } else { None };
    console.print(shown.unwrap_or(text).as_bytes(), status)
}

/// The arguments of the call, as they are given.
fn given(arguments: &ToolsArgs, report: &mut Report) -> Result<String, ExitStatus> {
    match arguments.args.as_deref() {
        None => Ok("{}".to_owned()),
        Some("-") => standard_input(ARGUMENTS_LIMIT).map_err(|error| {
            let headline = format!("standard input cannot be read: {}", in_words(&error));
            report.push(Diagnostic::error("cli::input_lost", headline));
            ExitStatus::WrongUse
        }),
        Some(given) => Ok(given.to_owned()),
    }
}

async fn call(
    scene: &mut Scene<'_>,
    name: &str,
    given: String,
    approver: Option<Arc<dyn Approver>>,
) -> Result<Executed, ExitStatus> {
    // What is wrong in a configuration may be what keeps a call from running.
    if scene.report.stops(scene.agent.map(|agent| agent.name.value.as_str())) {
        return Err(ExitStatus::Findings);
    }
    if let Some((diagnostic, status)) = not_run(name, scene.project) {
        scene.report.push(diagnostic);
        return Err(status);
    }
    let mut cx = ExecuteContext::new().with(scene.project.run.clone());
    if let Some((key, _)) = scene.agent.and_then(|agent| scene.mounted.scope_of(agent)) {
        cx = cx.scope(key);
    }
    if let Some(approver) = approver {
        cx = cx.approver(approver);
    }
    let canceller = Canceller::new();
    cx = cx.cancel(canceller.token());
    if let Err(error) = on_interrupt(move || canceller.cancel()) {
        let headline = format!("Ctrl-C does not end the call by itself: {}", in_words(&error));
        scene.report.push(Diagnostic::warning("cli::no_interrupts", headline));
    }
    let executed = scene.mounted.root().tools().execute(ToolCall::new("call", name, given), cx).await;
    if let Some(code) = executed.code {
        scene.report.push(failed(name, code, &executed, scene.project));
    }
    Ok(executed)
}

/// Why a tool cannot be run at all.
fn not_run(name: &str, project: &Project) -> Option<(Diagnostic, ExitStatus)> {
    if let Some(command) = project.tools.commands.iter().find(|command| command.schema.name() == name) {
        if command.may_run {
            return None;
        }
        return Some((untrusted(name).at(command.place, "runs this"), ExitStatus::Findings));
    }
    if let Some(subagents) = project.subagents.as_ref().filter(|_| project.tools.built_in.contains(&name)) {
        return (!subagents.may_run).then(|| (untrusted(name), ExitStatus::Findings));
    }
    let Some(place) = project.tools.place(name) else {
        return Some((unknown_tool(name, project), ExitStatus::WrongUse));
    };
    let headline = format!("nothing runs tool {}: it is known by its schema alone", quoted(name));
    let diagnostic = Diagnostic::error("tools::schema_alone", headline)
        .at(place, "described here")
        .with_help("a table `[[tools]]` with a `command` in dsh.toml makes a tool that can be run");
    Some((diagnostic, ExitStatus::Findings))
}

fn untrusted(name: &str) -> Diagnostic {
    let headline = format!("tool {} was not run: this folder is not trusted", quoted(name));
    Diagnostic::error("trust::needed", headline)
        .with_help("`dsh trust` shows what the folder asks for, and asks whether to trust it")
}

/// What is said of an error result; its words for the model are printed, too.
fn failed(name: &str, code: &'static str, executed: &Executed, project: &Project) -> Diagnostic {
    if let Some(error) = executed.failure().and_then(Failure::downcast_ref::<dsh_tool_command::Error>) {
        let headline = format!("tool {} was not run: {}", quoted(name), error.problem());
        let place = project.tools.commands.iter().find(|command| command.schema.name() == name);
        let diagnostic = Diagnostic::error(error.code(), headline).with_help_if(error.help().map(str::to_owned));
        return match place {
            Some(command) => diagnostic.at(command.place, "this command"),
            None => diagnostic,
        };
    }
    let what = match code {
        code::UNKNOWN_TOOL => "is not one of this agent's",
        code::INVALID_ARGUMENTS => "was not run: its arguments were refused",
        code::DENIED => "was not run: it was denied",
        code::NO_APPROVER => "was not run: nobody can be asked whether it may",
        code::TIMED_OUT => "took too long",
        code::CANCELLED => "was interrupted",
        _ => "failed",
    };
    let diagnostic = Diagnostic::error(code, format!("tool {} {what}", quoted(name)));
    let diagnostic = match executed.failure() {
        Some(failure) => diagnostic.with_note(one_line(&failure.to_string())),
        None => diagnostic,
    };
    match code {
        code::NO_APPROVER => diagnostic.with_help(format!(
            "run it on a terminal, or allow it in dsh.toml: `permissions = {{ allow = [\"{name}\"] }}`"
        )),
        _ => diagnostic,
    }
}

/// The content of a result as text, a newline at its end.
fn text(content: &[ContentBlock]) -> String {
    let mut text = String::new();
    for block in content {
        text.push_str(&words(block));
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}

/// What a person reads of a block.
fn words(block: &ContentBlock) -> Cow<'_, str> {
    if let ContentBlock::Image(image) = block {
        let (kind, size) = (&image.media_type, image.data.len());
        return format!("[a picture of type {kind}, {size} bytes of base64]").into();
    }
    let ContentBlock::Resource(resource) = block else { return block.as_text().unwrap_or_default().into() };
    if let ResourceBody::Text(words) = &resource.body {
        return words.into();
    }
    format!("[{}]", resource.uri).into()
}
