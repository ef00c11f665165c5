//! Writing a scenario as JSON, in the field order that `FORMAT.md` uses.

use serde_json::{Map, Value, json};

use super::{
    Action, Assembly, Content, FixedSection, Part, Plugin, Probe, Scenario, Schema, Section, Step, Tools, Variable,
};

impl Scenario {
    /// The scenario as JSON.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        let mut config = Map::new();
        if let Some(persona) = &self.config.persona {
            config.insert("persona".to_owned(), json!(persona));
        }
        if let Some(order) = &self.config.tool_order {
            config.insert("tool_order".to_owned(), json!(order));
        }
        if !config.is_empty() {
            object.insert("config".to_owned(), Value::Object(config));
        }
        object.insert("steps".to_owned(), Value::Array(self.steps.iter().map(step).collect()));
        Value::Object(object)
    }

    /// The text of a scenario's file: one step a line, as the recorded ones are written.
    pub fn to_text(&self) -> String {
        let config =
            self.to_json().get("config").map(|config| format!("  \"config\": {config},\n")).unwrap_or_default();
        let steps: Vec<String> = self.steps.iter().map(|one| format!("    {}", step(one))).collect();
        format!("{{\n{config}  \"steps\": [\n{}\n  ]\n}}\n", steps.join(",\n"))
    }
}

fn step(step: &Step) -> Value {
    let mut object = Map::new();
    object.insert("op".to_owned(), json!(step.op()));
    match step {
        Step::Plugin(plugin) => return plugin_step(plugin),
        Step::Provide { id, at, name } => extend(&mut object, json!({"id": id, "in": at, "name": name})),
        Step::State { id } | Step::Dispose { id } | Step::Unload { id } => extend(&mut object, json!({"id": id})),
        Step::Scope { id, at } => extend(&mut object, json!({"id": id, "in": at})),
        Step::Part { id, at, part } => {
            extend(&mut object, json!({"id": id, "in": at}));
            extend(&mut object, fields(part));
        }
        Step::Composite { id, at, parts } => {
            extend(&mut object, json!({"id": id, "in": at, "parts": parts.iter().map(part).collect::<Value>()}));
        }
        Step::OnChange { id, at, name, throws_on } => {
            extend(&mut object, json!({"id": id, "in": at, "name": name}));
            if let Some(call) = throws_on {
                object.insert("throws_on".to_owned(), json!(call));
            }
        }
        Step::OnAssemble { id, at, actions } => {
            extend(&mut object, json!({"id": id, "in": at, "do": actions.iter().map(action).collect::<Value>()}));
        }
        Step::Assemble { scope } | Step::Render { scope } => {
            if let Some(scope) = scope {
                object.insert("scope".to_owned(), json!(scope));
            }
        }
        Step::Log => {}
    }
    Value::Object(object)
}

fn extend(object: &mut Map<String, Value>, more: Value) {
    if let Value::Object(more) = more {
        object.extend(more);
    }
}

fn plugin_step(plugin: &Plugin) -> Value {
    let mut object = Map::new();
    extend(&mut object, json!({"op": "plugin", "id": plugin.id, "in": plugin.at}));
    if plugin.trace {
        object.insert("trace".to_owned(), json!(true));
    }
    if !plugin.inject.is_empty() {
        object.insert("inject".to_owned(), json!(plugin.inject));
    }
    if !plugin.parts.is_empty() {
        object.insert("parts".to_owned(), plugin.parts.iter().map(part).collect());
    }
    Value::Object(object)
}

fn part(part: &Part) -> Value {
    let mut object = Map::new();
    object.insert(part.kind().to_owned(), fields(part));
    Value::Object(object)
}

/// What stands under a part's key, or beside `id` and `in` in a step.
fn fields(part: &Part) -> Value {
    match part {
        Part::Probe(Probe { name, ms }) => json!({"name": name, "ms": ms}),
        Part::Section(Section { name, order, text }) => {
            json!({"name": name, "order": number(*order), "text": content(text)})
        }
        Part::Variable(Variable { name, value }) => json!({"name": name, "value": value.as_ref().map(content)}),
        Part::Tools(tools) => tools_fields(tools),
        Part::Provide(name) => json!({"name": name}),
        Part::Fail(message) => json!(message),
    }
}

/// Whole numbers as the recorded scenarios write them, without a fraction.
fn number(value: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the guard keeps it within the whole numbers that a double holds exactly"
    )]
    if value.fract() == 0.0 && value.abs() < 9e15 && (value != 0.0 || value.is_sign_positive()) {
        json!(value as i64)
    } else {
        json!(value)
    }
}

fn content(content: &Content) -> Value {
    match content {
        Content::Fixed(text) => json!(text),
        Content::Dynamic(text) => json!({"dynamic": text}),
        Content::Throws(message) => json!({"throws": message}),
    }
}

fn tools_fields(tools: &Tools) -> Value {
    let mut object = Map::new();
    object.insert("schemas".to_owned(), tools.schemas.iter().map(schema).collect());
    if let Some(names) = &tools.known_names {
        object.insert("known_names".to_owned(), json!(names));
    }
    if let Some(message) = &tools.throws {
        object.insert("throws".to_owned(), json!(message));
    }
    Value::Object(object)
}

fn schema(schema: &Schema) -> Value {
    schema.to_json()
}

impl Schema {
    /// The tool as a trace shows it.
    pub fn to_json(&self) -> Value {
        json!({"name": self.name, "description": self.description, "parameters": self.parameters})
    }
}

fn action(action: &Action) -> Value {
    let inner = match action {
        Action::Log(text) | Action::DropSection(text) | Action::DropTool(text) | Action::Throw(text) => json!(text),
        Action::PushSection(section) => fixed_section(section),
        Action::SetText { name, text } => json!({"name": name, "text": text}),
        Action::SetVariable { name, value } => json!({"name": name, "value": value}),
        Action::PushTool(tool) => schema(tool),
        Action::Replace(replacement) => assembly(replacement),
        Action::Next | Action::Stop => json!(true),
    };
    let mut object = Map::new();
    object.insert(action.kind().to_owned(), inner);
    Value::Object(object)
}

fn fixed_section(section: &FixedSection) -> Value {
    json!({"name": section.name, "order": number(section.order), "text": section.text})
}

fn assembly(assembly: &Assembly) -> Value {
    json!({
        "sections": assembly.sections.iter().map(fixed_section).collect::<Value>(),
        "tools": assembly.tools.iter().map(schema).collect::<Value>(),
        "variables": assembly.variables.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>(),
    })
}
