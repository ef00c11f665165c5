//! What a configuration asks for.

use super::{Asker, TrustItem, TrustSet, comes_from_project};
use crate::config::{Config, Layer, VariableValue};
use crate::diagnostic::Sources;

/// Everything that the project's files ask for, in every agent and every profile.
pub(crate) fn asks(config: &Config, sources: &Sources) -> TrustSet {
    let mut set = TrustSet::default();
    of_config(config, None, sources, &mut set);
    config.elsewhere.iter().for_each(|(name, profile)| of_config(profile, Some(name), sources, &mut set));
    set
}

fn of_config(config: &Config, profile: Option<&str>, sources: &Sources, set: &mut TrustSet) {
    of_layer(&config.layer, None, profile, sources, set);
    for agent in &config.agents {
        of_layer(&agent.layer, Some(&agent.name.value), profile, sources, set);
    }
}

/// What a layer asks for: of an agent, and of a profile, if it is theirs.
fn of_layer(layer: &Layer, agent: Option<&str>, profile: Option<&str>, sources: &Sources, set: &mut TrustSet) {
    for variable in &layer.variables {
        let VariableValue::Env { name, .. } = &variable.value else { continue };
        if comes_from_project(sources, name.span) {
            let asker = Asker {
                variable: variable.name.value.clone(),
                agent: agent.map(str::to_owned),
                profile: profile.map(str::to_owned),
                span: name.span,
            };
            set.insert(TrustItem::EnvironmentVariable { name: name.value.clone() }, asker);
        }
    }
}
