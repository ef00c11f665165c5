//! What an assembly gives: providers, order, waterfall.

use serde_json::{Map, Value, json};

use crate::entry::{Entry, Failed};
use crate::scenario::{Action, Content, Schema, Section};

use super::registry::is_variable_name;
use super::{EffectId, Kind, Layer, Model, REST, Rule};

/// An assembly on its way through the waterfall.
#[derive(Clone, Debug, Default)]
pub(super) struct Assembled {
    pub(super) sections: Vec<AssembledSection>,
    pub(super) tools: Vec<Schema>,
    pub(super) variables: Vec<(String, Option<String>)>,
}

#[derive(Clone, Debug)]
pub(super) struct AssembledSection {
    pub(super) name: String,
    pub(super) text: String,
    /// Whether these are the identity's own words, untouched.
    pub(super) identity: bool,
}

/// A failure of the scenario inside of an assembly, or a rule that it breaks.
pub(super) enum Stop {
    Failed(Failed),
    Rule(Rule),
}

impl From<Rule> for Stop {
    fn from(rule: Rule) -> Self {
        Self::Rule(rule)
    }
}

impl Model {
    pub(super) fn assemble_step(&self, scope: Option<&str>, rendered: bool) -> Result<Entry, Rule> {
        let layer = self.scope_key(scope)?;
        let result = self.assemble(layer).and_then(|assembly| {
            if rendered { super::render::render(&assembly).map(Value::String) } else { Ok(assembly.to_json()) }
        });
        match result {
            Ok(value) => Ok(Entry::Ok(value)),
            Err(Stop::Failed(failed)) => Ok(failed.into()),
            Err(Stop::Rule(rule)) => Err(rule),
        }
    }

    fn assemble(&self, layer: Layer) -> Result<Assembled, Stop> {
        let scope = layer.map_or("-", |index| self.scopes[index].as_str());
        let variables = self.evaluate_variables(layer, scope)?;
        let mut tools = Vec::new();
        let mut known = Vec::new();
        for provider in self.tools_of(None).chain(layer.into_iter().flat_map(|_| self.tools_of(layer))) {
            if let Some(message) = &provider.throws {
                return Err(Stop::Failed(Failed::user(message)));
            }
            tools.extend(provider.schemas.iter().cloned());
            match &provider.known_names {
                Some(names) => known.extend(names.iter().cloned()),
                None => known.extend(provider.schemas.iter().map(|schema| schema.name.clone())),
            }
        }
        let mut sections = Vec::new();
        for (section, identity) in self.merged_sections(layer) {
            let text = evaluate(&section.text, scope)?;
            sections.push(AssembledSection { name: section.name.clone(), text, identity });
        }
        let tools = self.order_tools(tools, &known)?;
        let assembly = self.waterfall(&self.heard_by(layer), Assembled { sections, tools, variables })?;
        check_unique(&assembly.tools)?;
        check_names(&assembly)?;
        Ok(assembly)
    }

    fn evaluate_variables(&self, layer: Layer, scope: &str) -> Result<Vec<(String, Option<String>)>, Stop> {
        let shadows = |name: &str| layer.is_some() && self.variables_of(layer).any(|one| one.name == name);
        let mut variables = Vec::new();
        for variable in self.variables_of(None) {
            let throws = matches!(variable.value, Some(Content::Throws(_)));
            match (shadows(&variable.name), throws) {
                (true, true) => return Err(Rule::ThrowsUnderShadow.into()),
                (true, false) => {}
                (false, _) => variables.push(variable),
            }
        }
        if layer.is_some() {
            variables.extend(self.variables_of(layer));
        }
        let values = variables.into_iter().map(|variable| {
            let value = variable.value.as_ref().map(|value| evaluate(value, scope)).transpose()?;
            Ok((variable.name.clone(), value))
        });
        values.collect()
    }

    /// The globals in order of registration, each replaced by the scoped one of its name, then the scoped-only ones;
    /// sorted stably.
    fn merged_sections(&self, layer: Layer) -> Vec<(&Section, bool)> {
        let scoped: Vec<_> = layer.into_iter().flat_map(|_| self.sections_of(layer)).collect();
        let globals: Vec<_> = self.sections_of(None).collect();
        let named =
            |list: &[(&'_ Section, bool)], name: &str| list.iter().position(|(section, _)| section.name == name);
        let mut merged = globals.clone();
        for (section, identity) in &mut merged {
            if let Some(place) = named(&scoped, &section.name) {
                (*section, *identity) = scoped[place];
            }
        }
        merged.extend(scoped.iter().filter(|(section, _)| named(&globals, &section.name).is_none()));
        merged.sort_by(|(a, _), (b, _)| a.order.partial_cmp(&b.order).unwrap_or(std::cmp::Ordering::Equal));
        merged
    }

    fn order_tools(&self, mut tools: Vec<Schema>, known: &[String]) -> Result<Vec<Schema>, Stop> {
        if tools.iter().any(|tool| tool.name == REST) {
            return Err(Stop::Failed(Failed::with("reserved_tool_name")));
        }
        let order = self.config.tool_order.as_deref().unwrap_or_default();
        if order.iter().any(|name| name != REST && !known.contains(name)) {
            return Err(Stop::Failed(Failed::with("tool_order_unknown")));
        }
        check_unique(&tools)?;
        tools.sort_by(|a, b| a.name.encode_utf16().cmp(b.name.encode_utf16()));
        if order.is_empty() {
            return Ok(tools);
        }
        let (listed, rest): (Vec<_>, Vec<_>) = tools.into_iter().partition(|tool| order.contains(&tool.name));
        let placed = order.iter().flat_map(|name| {
            let here: &[Schema] = if name == REST { &rest } else { &listed };
            here.iter().filter(move |tool| name == REST || tool.name == *name)
        });
        Ok(placed.cloned().collect())
    }

    /// The assemble listeners that hear a dispatch for this layer, in order of registration.
    fn heard_by(&self, layer: Layer) -> Vec<EffectId> {
        let heard = self
            .live()
            .filter(|(_, effect)| matches!(&effect.kind, Kind::Assemble { tag, .. } if tag.is_none() || *tag == layer));
        heard.map(|(id, _)| id).collect()
    }

    fn waterfall(&self, listeners: &[EffectId], mut assembly: Assembled) -> Result<Assembled, Stop> {
        let Some((first, rest)) = listeners.split_first() else { return Ok(assembly) };
        let Kind::Assemble { actions, .. } = &self.effects[*first].kind else { return Ok(assembly) };
        let mut delegates = true;
        for action in actions {
            match action {
                Action::Next => {
                    assembly = self.waterfall(rest, assembly)?;
                    delegates = false;
                }
                Action::Stop => return Ok(assembly),
                Action::Throw(message) => return Err(Stop::Failed(Failed::user(message))),
                Action::Replace(replacement) => {
                    assembly = Assembled::of(replacement);
                    delegates = false;
                }
                Action::Log(_)
                | Action::PushSection(_)
                | Action::DropSection(_)
                | Action::SetText { .. }
                | Action::SetVariable { .. }
                | Action::PushTool(_)
                | Action::DropTool(_) => assembly.edit(action),
            }
        }
        if delegates { self.waterfall(rest, assembly) } else { Ok(assembly) }
    }
}

impl Assembled {
    fn of(written: &crate::scenario::Assembly) -> Self {
        let sections = written.sections.iter().map(|section| AssembledSection {
            name: section.name.clone(),
            text: section.text.clone(),
            identity: false,
        });
        Self { sections: sections.collect(), tools: written.tools.clone(), variables: written.variables.clone() }
    }

    fn edit(&mut self, action: &Action) {
        match action {
            Action::PushSection(section) => self.sections.push(AssembledSection {
                name: section.name.clone(),
                text: section.text.clone(),
                identity: false,
            }),
            Action::DropSection(name) => self.sections.retain(|section| section.name != *name),
            Action::SetText { name, text } => {
                for section in self.sections.iter_mut().filter(|section| section.name == *name) {
                    section.text.clone_from(text);
                    section.identity = false;
                }
            }
            Action::SetVariable { name, value } => {
                self.variables.retain(|(known, _)| known != name);
                self.variables.push((name.clone(), value.clone()));
            }
            Action::PushTool(tool) => self.tools.push(tool.clone()),
            Action::DropTool(name) => self.tools.retain(|tool| tool.name != *name),
            Action::Log(_) | Action::Replace(_) | Action::Next | Action::Stop | Action::Throw(_) => {}
        }
    }

    fn to_json(&self) -> Value {
        let sections = self.sections.iter().map(|section| json!({"name": section.name, "text": section.text}));
        let variables = self.variables.iter().map(|(name, value)| (name.clone(), json!(value)));
        json!({
            "sections": sections.collect::<Value>(),
            "tools": self.tools.iter().map(Schema::to_json).collect::<Value>(),
            "variables": variables.collect::<Map<_, _>>(),
        })
    }
}

/// D4.
fn check_unique(tools: &[Schema]) -> Result<(), Rule> {
    let twice = (1..tools.len()).any(|index| tools[..index].iter().any(|tool| tool.name == tools[index].name));
    if twice { Err(Rule::ToolTwice) } else { Ok(()) }
}

/// D13.
fn check_names(assembly: &Assembled) -> Result<(), Rule> {
    let is_reserved = assembly.tools.iter().any(|tool| tool.name == REST);
    let is_malformed = assembly.variables.iter().any(|(name, _)| !is_variable_name(name));
    if is_reserved || is_malformed { Err(Rule::LeavesWrongName) } else { Ok(()) }
}

fn evaluate(content: &Content, scope: &str) -> Result<String, Stop> {
    match content {
        Content::Fixed(text) => Ok(text.clone()),
        Content::Dynamic(text) => Ok(text.replace("%scope%", scope)),
        Content::Throws(message) => Err(Stop::Failed(Failed::user(message))),
    }
}
