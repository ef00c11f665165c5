//! Running a scenario on this project, through its public API alone.

mod failure;
mod listeners;
mod parts;
mod play;
mod stage;
mod view;

use serde_json::Value;

use crate::entry::{Entry, Failed};
use crate::scenario::{Config, Malformed, Scenario, steps_of};

use failure::NoEntry;
use play::Play;

/// The trace of a scenario, from JSON to JSON. What cannot be run at all gives the one entry `runner`.
///
/// ```
/// use serde_json::json;
///
/// let scenario = json!({"steps": [{"op": "scope", "id": "s", "in": "root"}, {"op": "render", "scope": "s"}]});
/// assert_eq!(dsh_conformance::run(&scenario), json!([{"ok": null}, {"ok": "<identity>"}]));
/// ```
pub fn run(scenario: &Value) -> Value {
    let trace = Config::of_scenario(scenario).map_or_else(
        |error| vec![Failed::runner(error.to_string()).into()],
        |config| trace_of(&config, || steps_of(scenario)),
    );
    trace.iter().map(Entry::to_json).collect()
}

/// The trace of a scenario.
pub fn trace(scenario: &Scenario) -> Vec<Entry> {
    trace_of(&scenario.config, || Ok(scenario.steps.clone()))
}

/// The steps are asked for once the configuration is accepted: where it is refused, nobody looks at them.
fn trace_of(config: &Config, steps: impl FnOnce() -> Result<Vec<crate::Step>, Malformed>) -> Vec<Entry> {
    // Paused: time passes only when nothing else is left to do, so that waits take none.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let played = match runtime {
        Ok(runtime) => runtime.block_on(play(config, steps)),
        Err(error) => Err(NoEntry::new(format!("no runtime: {error}"))),
    };
    played.unwrap_or_else(|NoEntry(message)| vec![Failed::runner(message).into()])
}

async fn play(
    config: &Config,
    steps: impl FnOnce() -> Result<Vec<crate::Step>, Malformed>,
) -> Result<Vec<Entry>, NoEntry> {
    let mut play = match Play::begin(config).await? {
        Ok(play) => play,
        Err(refused) => return Ok(vec![refused]),
    };
    let mut trace = Vec::new();
    for step in steps().map_err(|error| NoEntry::new(error.to_string()))? {
        trace.push(play.take(&step).await?);
    }
    Ok(trace)
}
