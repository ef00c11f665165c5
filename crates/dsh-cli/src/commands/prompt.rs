//! `dsh prompt`: the prompt that a project makes.

mod json;

use dsh_system_prompt::{PromptAssembly, hidden_characters, render};

use crate::args::{GlobalArgs, PromptArgs};
use crate::commands::{Scene, reported, with_mounted};
use crate::diagnostic::json::escaped;
use crate::diagnostic::{Report, Sources};
use crate::outside::Console;
use crate::project::{Purpose, blame};
use crate::status::ExitStatus;

/// Runs the command: prints the prompt if nothing stands in its way, and everything that was found, be it in another agent.
pub(crate) fn run(global: &GlobalArgs, arguments: &PromptArgs, console: &mut Console) -> ExitStatus {
    let mut sources = Sources::new();
    let mut report = Report::new();
    let answer = with_mounted(
        global,
        arguments.agent.as_deref(),
        Purpose::Look,
        &mut sources,
        &mut report,
        async |mut scene: Scene<'_>| {
            let assembly = scene.mounted.check(scene.agent, !arguments.tools, scene.report).await?;
            text(&mut scene, arguments, &assembly)
        },
    );
    let status = reported(&answer, report, &sources, console);
    match answer {
        Ok(Some(text)) => {
            let is_json = arguments.json || arguments.tools;
            let shown = if console.shows_output() { for_a_terminal(&text, is_json) } else { None };
            if shown.is_some() {
                console.say(SHOWN);
            }
            console.print(shown.unwrap_or(text).as_bytes(), status)
        }
        Ok(None) | Err(_) => status,
    }
}

/// What is said where the output is not exact.
const SHOWN: &str = "dsh: hidden characters are shown as escapes, like \\u{1B}, on a terminal; into a file or a pipe the output is exact\n\n";

/// What a terminal is given in place of this text: it would obey what it does not show (X12). None, where all of it is seen.
pub(super) fn for_a_terminal(text: &str, is_json: bool) -> Option<String> {
    let mut hidden = hidden_characters(text).peekable();
    hidden.peek()?;
    if is_json {
        return Some(escaped(text));
    }
    let escape = |character: char| format!("\\u{{{:X}}}", u32::from(character));
    let mut shown = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for found in hidden {
        shown.push_str(text.get(from..found.offset).unwrap_or_default());
        shown.push_str(&escape(found.character));
        from = found.offset + found.character.len_utf8();
    }
    shown.push_str(text.get(from..).unwrap_or_default());
    Some(shown)
}

/// What was asked for. The tool block needs no rendering.
fn text(scene: &mut Scene<'_>, arguments: &PromptArgs, assembly: &PromptAssembly) -> Option<String> {
    let Scene { project, agent, report, .. } = scene;
    let mut text = if arguments.tools {
        let name = agent.map(|agent| agent.name.value.as_str());
        if arguments.json { json::tools(name, assembly) } else { assembly.tools_json().to_string() }
    } else {
        let rendered = render(assembly).map_err(|error| report.push(blame::prompt(project, *agent, &error)));
        let rendered = rendered.ok()?;
        if arguments.json { json::prompt(project, *agent, assembly, &rendered) } else { rendered.text().to_string() }
    };
    // The prompt may end with a newline or without; one more always follows, so that its own end can be told.
    text.push('\n');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::for_a_terminal;

    #[test]
    fn a_terminal_is_given_nothing_that_it_would_obey() {
        // X12
        let shown = |text| for_a_terminal(text, false);
        assert_eq!(shown("two lines\n\tand a tab, caf\u{e9} \u{1F468}\u{200D}\u{1F469}\n"), None);
        let text = "a\u{1b}]0;title\u{7}b\u{9b}2J\r\u{202e}c\u{200b}\u{e0041}\n";
        assert_eq!(shown(text).unwrap(), "a\\u{1B}]0;title\\u{7}b\\u{9B}2J\\u{D}\\u{202E}c\\u{200B}\\u{E0041}\n");
    }

    #[test]
    fn json_stays_the_same_json() {
        let text = "[\"a\u{7f}\u{202e}\"]\n";
        let shown = for_a_terminal(text, true).unwrap();
        assert!(!shown.contains(['\u{7f}', '\u{202e}']));
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&shown), read(text));
    }
}
