//! `dsh sessions list`.

use std::path::Path;

use dsh_session::{FileStore, Listed, SessionStore, Summary};
use dsh_system_prompt::show_path;

use super::wrong;
use crate::calendar::minute;
use crate::commands::json::{array, object, or_null, string};
use crate::diagnostic::{Report, one_line};
use crate::status::ExitStatus;

/// The sessions of a folder, or of all, the last used first.
pub(super) fn answer(
    store: &FileStore,
    here: Option<&Path>,
    as_json: bool,
    report: &mut Report,
) -> Result<String, ExitStatus> {
    let all = store.list().map_err(|error| {
        report.push(wrong(&error, store));
        ExitStatus::Findings
    })?;
    let here = here.map(show_path);
    let mut all_are_read = true;
    let mut listed: Vec<(&Listed, &Summary)> = Vec::new();
    for one in &all {
        match &one.summary {
            Ok(summary) if here.is_none() || summary.opened.cwd.as_deref() == here.as_deref() => {
                listed.push((one, summary));
            }
            Ok(_) => {}
            // Whose folder it is of cannot be read.
            Err(error) => {
                all_are_read = false;
                report.push(wrong(error, store));
            }
        }
    }
    listed.sort_by_key(|(one, summary)| (std::cmp::Reverse(summary.last_ms), std::cmp::Reverse(&one.id)));
    if as_json {
        let sessions = array(listed.iter().map(|(one, summary)| entry(one, summary)));
        return Ok(object([("version", "1".to_owned()), ("sessions", sessions)]) + "\n");
    }
    if listed.is_empty() {
        // One that cannot be read may be one of them.
        return Ok(if all_are_read { "There are no sessions.\n".to_owned() } else { String::new() });
    }
    let rows = listed.iter().map(|(one, summary)| row(one, summary, here.is_none()));
    Ok(rows.collect())
}

fn row(one: &Listed, summary: &Summary, with_folder: bool) -> String {
    let Summary { opened, turns, last_ms, .. } = summary;
    let turns = if *turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
    let agent = if opened.agent.is_empty() { String::new() } else { format!("  {}", one_line(&opened.agent)) };
    let folder =
        opened.cwd.as_deref().filter(|_| with_folder).map_or_else(String::new, |cwd| format!("  {}", one_line(cwd)));
    format!("{}  {}  {turns:>9}{agent}{folder}\n", one.id, minute(*last_ms))
}

fn entry(one: &Listed, summary: &Summary) -> String {
    let opened = &summary.opened;
    let agent = (!opened.agent.is_empty()).then_some(opened.agent.as_str());
    let origin = opened
        .forked_from
        .as_ref()
        .map(|origin| object([("session", string(origin.session.as_str())), ("turn", origin.turn.to_string())]));
    object([
        ("session", string(one.id.as_str())),
        ("agent", or_null(agent, string)),
        ("model", or_null(opened.model.as_deref(), string)),
        ("folder", or_null(opened.cwd.as_deref(), string)),
        ("created_ms", summary.created_ms.to_string()),
        ("last_ms", summary.last_ms.to_string()),
        ("turns", summary.turns.to_string()),
        ("records", summary.records.to_string()),
        ("forked_from", or_null(origin, |origin| origin)),
    ])
}
