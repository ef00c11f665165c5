//! What a document asks for beyond being text (C4): names of the environment, commands, a scripted model, permissions, subagents.

use super::tree::{Branch, Value};
use super::variables::{EnvironmentUse, environment_uses, tables_of};
use crate::diagnostic::Span;

/// One thing that a document asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ask {
    /// What it is.
    pub(crate) what: Asked,
    /// The agent that has it for itself.
    pub(crate) agent: Option<String>,
    /// The profile that has it.
    pub(crate) profile: Option<String>,
    /// Where it stands.
    pub(crate) span: Span,
}

/// What can be asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Asked {
    /// A variable of the environment is read.
    Environment {
        /// Its name there.
        name: String,
        /// The variable that texts refer to.
        variable: String,
    },
    /// A command is run.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// The tool that it is.
        tool: String,
    },
    /// A script answers in a model's place.
    ScriptedModel {
        /// Its file, as it is written.
        path: String,
    },
    /// Calls run without anybody being asked.
    Permissions {
        /// Of these tools, where that is said.
        allow: Option<Vec<String>>,
        /// Never those of these tools, where that is said.
        deny: Option<Vec<String>>,
    },
    /// Agents have others work for them.
    Subagents {
        /// Those of the project that may.
        agents: Vec<String>,
        /// Whom a model gets that names none.
        usual: Option<String>,
        /// Depth, width, total: those that are said.
        bounds: Vec<(&'static str, u64)>,
    },
}

/// All that a document may come to ask for, in any profile, whatever is laid over it: each thing that the reader could take, be it that
/// something else is wrong with it now.
pub(crate) fn asks(document: &Branch) -> Vec<Ask> {
    let environment = environment_uses(document).into_iter().map(|found| {
        let EnvironmentUse { name, variable, agent, profile } = found;
        Ask { what: Asked::Environment { name: name.value, variable }, agent, profile, span: name.span }
    });
    let mut asks: Vec<Ask> = environment.collect();
    of_settings(document, None, &mut asks);
    for (profile, settings) in tables_of(document, "profiles") {
        of_settings(settings, Some(profile), &mut asks);
    }
    asks
}

fn of_settings(settings: &Branch, profile: Option<&str>, asks: &mut Vec<Ask>) {
    let profile = || profile.map(str::to_owned);
    for (what, span) in commands(settings).chain(scripted(settings)).chain(subagents(settings)) {
        asks.push(Ask { what, agent: None, profile: profile(), span });
    }
    let agents = tables_of(settings, "agents").map(|(agent, layer)| (Some(agent.to_owned()), layer));
    for (agent, layer) in std::iter::once((None, settings)).chain(agents) {
        asks.extend(permissions(layer).map(|(what, span)| Ask { what, agent, profile: profile(), span }));
    }
}

fn commands(settings: &Branch) -> impl Iterator<Item = (Asked, Span)> {
    let tools = settings.fields.get("tools").and_then(|field| field.node.value.as_array()).unwrap_or_default();
    tools.iter().filter_map(|tool| {
        let tool = tool.value.as_table()?;
        let command = &tool.fields.get("command")?.node;
        let words: Option<Vec<String>> =
            command.value.as_array()?.iter().map(|word| word.value.as_str().map(str::to_owned)).collect();
        let words = words.filter(|words| words.first().is_some_and(|program| !program.is_empty()))?;
        let name = tool.fields.get("name").and_then(|name| name.node.value.as_str());
        Some((Asked::Command { words, tool: name.unwrap_or_default().to_owned() }, command.span))
    })
}

fn scripted(settings: &Branch) -> Option<(Asked, Span)> {
    let model = settings.fields.get("model")?.node.value.as_table()?;
    let path = &model.fields.get("scripted")?.node;
    Some((Asked::ScriptedModel { path: path.value.as_str()?.to_owned() }, path.span))
}

fn subagents(settings: &Branch) -> Option<(Asked, Span)> {
    let field = settings.fields.get("subagents")?;
    let none = Branch::default();
    let table = match field.node.value.as_bool() {
        Some(enabled) => Some(&none).filter(|_| enabled),
        None => field.node.value.as_table(),
    }?;
    let value = |key: &str| table.fields.get(key).map(|field| &field.node.value);
    let entries = value("agents").and_then(Value::as_array).unwrap_or_default().iter();
    let agents = entries.filter_map(|entry| entry.value.as_str().map(str::to_owned)).collect();
    let usual = value("usual").and_then(Value::as_str).map(str::to_owned);
    let number = |key| {
        let Value::Integer(digits, radix) = value(key)? else { return None };
        u64::from_str_radix(digits, *radix).ok().map(|number| (key, number))
    };
    let bounds = ["depth", "width", "total"].into_iter().filter_map(number).collect();
    Some((Asked::Subagents { agents, usual, bounds }, field.key))
}

fn permissions(layer: &Branch) -> Option<(Asked, Span)> {
    let node = &layer.fields.get("permissions")?.node;
    let table = node.value.as_table()?;
    let list = |key: &str| table.fields.get(key).and_then(|field| field.node.value.as_array());
    // Of a list with a mistake in it the reader takes the rest.
    let strings = |key: &str| {
        list(key).map(|items| items.iter().filter_map(|item| item.value.as_str().map(str::to_owned)).collect())
    };
    let (allow, deny): (Option<Vec<String>>, Option<Vec<String>>) = (strings("allow"), strings("deny"));
    let key = ["allow", "deny"].into_iter().find_map(|key| table.fields.get(key));
    let span = key.filter(|_| allow.is_some() || deny.is_some())?.node.span;
    Some((Asked::Permissions { allow, deny }, span))
}

#[cfg(test)]
mod tests {
    use super::super::{Tier, parse};
    use super::asks;
    use crate::diagnostic::{Report, Sources};

    /// Profile, agent and what is asked for, `-` for none.
    fn asked(text: &str) -> Vec<String> {
        let source = Sources::new().add(String::new(), text.to_owned());
        let document = parse(source, Tier::Project, text, &mut Report::new()).unwrap();
        let shown = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        asks(&document)
            .iter()
            .map(|ask| format!("{} {} {:?}", shown(&ask.profile), shown(&ask.agent), ask.what))
            .collect()
    }

    #[test]
    fn every_place_that_may_ask_is_looked_at() {
        // C4
        let text = "
tools = [{ name = 'a', command = ['x', 'y'] }, { command = ['z'] }]
[model]
scripted = 'm.toml'
[permissions]
allow = ['a']
[agents.x.permissions]
deny = ['b']
[[profiles.p.tools]]
name = 'c'
command = ['w']
[profiles.p.agents.x.permissions]
allow = []
[profiles.p.model]
scripted = 'n.toml'
[profiles.p.subagents]
agents = ['x']
depth = 2
[profiles.q]
subagents = true
[profiles.r]
subagents = false
";
        let all = [
            "- - Command { words: [\"x\", \"y\"], tool: \"a\" }",
            "- - Command { words: [\"z\"], tool: \"\" }",
            "- - ScriptedModel { path: \"m.toml\" }",
            "- - Permissions { allow: Some([\"a\"]), deny: None }",
            "- x Permissions { allow: None, deny: Some([\"b\"]) }",
            "p - Command { words: [\"w\"], tool: \"c\" }",
            "p - ScriptedModel { path: \"n.toml\" }",
            "p - Subagents { agents: [\"x\"], usual: None, bounds: [(\"depth\", 2)] }",
            "p x Permissions { allow: Some([]), deny: None }",
            "q - Subagents { agents: [], usual: None, bounds: [] }",
        ];
        assert_eq!(asked(text), all);
    }

    #[test]
    fn what_no_reader_takes_asks_for_nothing_and_a_part_that_it_takes_does() {
        let none = "tools = [{ command = 'x' }, { command = [] }, { command = [''] }, { command = ['x', 5] }, 5]
model = 'm'
permissions = { allow = 'x' }";
        assert_eq!(asked(none), [""; 0]);
        assert_eq!(
            asked("permissions = { allow = ['a', 5] }"),
            ["- - Permissions { allow: Some([\"a\"]), deny: None }"]
        );
    }
}
