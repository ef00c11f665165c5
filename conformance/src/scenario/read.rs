//! Reading a scenario from JSON: by hand, so that a nonsense file says which step is wrong and how.

use serde_json::{Map, Value};

use super::{
    Action, Assembly, Config, Content, FixedSection, Malformed, Part, Plugin, Probe, Scenario, Schema, Section, Step,
    Tools, Variable,
};

impl Scenario {
    /// Reads a scenario from the text of its file.
    ///
    /// # Errors
    ///
    /// What is not JSON, or not a scenario, is [`Malformed`], naming the step.
    ///
    /// ```
    /// use dsh_conformance::Scenario;
    ///
    /// assert_eq!(Scenario::parse(r#"{"steps": [{"op": "log"}]}"#).unwrap().steps.len(), 1);
    /// let error = Scenario::parse(r#"{"steps": [{"op": "dance"}]}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "step 0: no op \"dance\"");
    /// ```
    pub fn parse(source: &str) -> Result<Self, Malformed> {
        let value: Value =
            serde_json::from_str(source).map_err(|error| Malformed::new(format!("not JSON: {error}")))?;
        Self::read(&value)
    }

    /// Reads a scenario from JSON.
    ///
    /// # Errors
    ///
    /// As [`Scenario::parse`].
    pub fn read(value: &Value) -> Result<Self, Malformed> {
        let (config, steps) = (Config::of_scenario(value)?, steps_of(value)?);
        Ok(Self { config, steps })
    }
}

impl Config {
    /// Reads the configuration of a scenario, and nothing of its steps: where it is refused at load, nobody looks at
    /// them.
    pub(crate) fn of_scenario(value: &Value) -> Result<Self, Malformed> {
        let Some(config) = Fields::of(value, "the scenario")?.maybe("config") else { return Ok(Self::default()) };
        let config = Fields::of(config, "config")?;
        let persona = config.maybe("persona").map(|text| string(text, "config.persona")).transpose()?;
        let tool_order = config.maybe("tool_order").map(|names| strings(names, "config.tool_order")).transpose()?;
        Ok(Self { persona, tool_order })
    }
}

/// Reads the steps of a scenario.
pub(crate) fn steps_of(value: &Value) -> Result<Vec<Step>, Malformed> {
    let steps = array(Fields::of(value, "the scenario")?.need("steps")?, "steps")?;
    steps.iter().enumerate().map(|(index, value)| step(value, index)).collect()
}

/// An object, and what to call it in a message.
struct Fields<'a> {
    map: &'a Map<String, Value>,
    place: String,
}

impl<'a> Fields<'a> {
    fn of(value: &'a Value, place: impl Into<String>) -> Result<Self, Malformed> {
        let place = place.into();
        match value.as_object() {
            Some(map) => Ok(Self { map, place }),
            None => Err(Malformed::new(format!("{place} is not an object"))),
        }
    }

    /// A field that may be absent; `null` counts as absent.
    fn maybe(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    fn need(&self, name: &str) -> Result<&'a Value, Malformed> {
        self.map.get(name).ok_or_else(|| Malformed::new(format!("{} has no {name:?}", self.place)))
    }

    fn string(&self, name: &str) -> Result<String, Malformed> {
        string(self.need(name)?, &self.path(name))
    }

    fn maybe_string(&self, name: &str) -> Result<Option<String>, Malformed> {
        self.maybe(name).map(|value| string(value, &self.path(name))).transpose()
    }

    fn number(&self, name: &str) -> Result<f64, Malformed> {
        let value = self.need(name)?;
        value.as_f64().ok_or_else(|| Malformed::new(format!("{} is not a number", self.path(name))))
    }

    fn path(&self, name: &str) -> String {
        format!("{}.{name}", self.place)
    }
}

fn string(value: &Value, place: &str) -> Result<String, Malformed> {
    value.as_str().map(str::to_owned).ok_or_else(|| Malformed::new(format!("{place} is not a string")))
}

fn array<'a>(value: &'a Value, place: &str) -> Result<&'a [Value], Malformed> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| Malformed::new(format!("{place} is not an array")))
}

fn strings(value: &Value, place: &str) -> Result<Vec<String>, Malformed> {
    array(value, place)?.iter().map(|item| string(item, place)).collect()
}

fn step(value: &Value, index: usize) -> Result<Step, Malformed> {
    let fields = Fields::of(value, format!("step {index}"))?;
    let op = fields.string("op")?;
    let id = || fields.string("id");
    let at = || fields.string("in");
    Ok(match op.as_str() {
        "plugin" => Step::Plugin(plugin(&fields)?),
        "provide" => Step::Provide { id: id()?, at: at()?, name: fields.string("name")? },
        "state" => Step::State { id: id()? },
        "scope" => Step::Scope { id: id()?, at: at()? },
        "section" => Step::Part { id: id()?, at: at()?, part: Part::Section(section(&fields)?) },
        "variable" => Step::Part { id: id()?, at: at()?, part: Part::Variable(variable(&fields)?) },
        "tools" => Step::Part { id: id()?, at: at()?, part: Part::Tools(tools(&fields)?) },
        "probe" => Step::Part { id: id()?, at: at()?, part: Part::Probe(probe(&fields)?) },
        "composite" => {
            Step::Composite { id: id()?, at: at()?, parts: parts(fields.need("parts")?, &fields.path("parts"))? }
        }
        "on_change" => Step::OnChange {
            id: id()?,
            at: at()?,
            name: fields.string("name")?,
            throws_on: match fields.maybe("throws_on") {
                Some(value) => Some(count(value, &fields.path("throws_on"))?),
                None => None,
            },
        },
        "on_assemble" => {
            let place = fields.path("do");
            let actions = array(fields.need("do")?, &place)?.iter().map(|value| action(value, &place));
            Step::OnAssemble { id: id()?, at: at()?, actions: actions.collect::<Result<_, _>>()? }
        }
        "dispose" => Step::Dispose { id: id()? },
        "unload" => Step::Unload { id: id()? },
        "assemble" => Step::Assemble { scope: fields.maybe_string("scope")? },
        "render" => Step::Render { scope: fields.maybe_string("scope")? },
        "log" => Step::Log,
        _ => return Err(Malformed::new(format!("{}: no op {op:?}", fields.place))),
    })
}

fn count(value: &Value, place: &str) -> Result<u64, Malformed> {
    value.as_u64().ok_or_else(|| Malformed::new(format!("{place} is not a whole number")))
}

fn plugin(fields: &Fields<'_>) -> Result<Plugin, Malformed> {
    let inject = fields.maybe("inject").map(|names| strings(names, &fields.path("inject"))).transpose()?;
    let parts = fields.maybe("parts").map(|list| parts(list, &fields.path("parts"))).transpose()?;
    Ok(Plugin {
        id: fields.string("id")?,
        at: fields.string("in")?,
        inject: inject.unwrap_or_default(),
        trace: fields.maybe("trace").and_then(Value::as_bool).unwrap_or(false),
        parts: parts.unwrap_or_default(),
    })
}

fn parts(value: &Value, place: &str) -> Result<Vec<Part>, Malformed> {
    array(value, place)?.iter().map(|value| part(value, place)).collect()
}

fn part(value: &Value, place: &str) -> Result<Part, Malformed> {
    let fields = Fields::of(value, place)?;
    let inner = |name: &str| fields.maybe(name).map(|value| Fields::of(value, fields.path(name))).transpose();
    if let Some(inner) = inner("probe")? {
        return Ok(Part::Probe(probe(&inner)?));
    }
    if let Some(inner) = inner("section")? {
        return Ok(Part::Section(section(&inner)?));
    }
    if let Some(inner) = inner("variable")? {
        return Ok(Part::Variable(variable(&inner)?));
    }
    if let Some(inner) = inner("tools")? {
        return Ok(Part::Tools(tools(&inner)?));
    }
    if let Some(inner) = inner("provide")? {
        return Ok(Part::Provide(inner.string("name")?));
    }
    match fields.maybe_string("fail")? {
        Some(message) => Ok(Part::Fail(message)),
        None => Err(Malformed::new(format!("{place}: no part {value}"))),
    }
}

fn probe(fields: &Fields<'_>) -> Result<Probe, Malformed> {
    let ms = fields.maybe("ms").map(|ms| count(ms, &fields.path("ms"))).transpose()?;
    Ok(Probe { name: fields.string("name")?, ms: ms.unwrap_or(0) })
}

fn section(fields: &Fields<'_>) -> Result<Section, Malformed> {
    let text = content(fields.need("text")?, &fields.path("text"))?;
    Ok(Section { name: fields.string("name")?, order: fields.number("order")?, text })
}

fn variable(fields: &Fields<'_>) -> Result<Variable, Malformed> {
    let value = fields.maybe("value").map(|value| content(value, &fields.path("value"))).transpose()?;
    Ok(Variable { name: fields.string("name")?, value })
}

fn content(value: &Value, place: &str) -> Result<Content, Malformed> {
    if let Some(text) = value.as_str() {
        return Ok(Content::Fixed(text.to_owned()));
    }
    let fields = Fields::of(value, place)?;
    match fields.maybe_string("throws")? {
        Some(message) => Ok(Content::Throws(message)),
        None => Ok(Content::Dynamic(fields.string("dynamic")?)),
    }
}

fn tools(fields: &Fields<'_>) -> Result<Tools, Malformed> {
    let throws = fields.maybe_string("throws")?;
    let schemas = match fields.maybe("schemas") {
        Some(list) => schemas(list, &fields.path("schemas"))?,
        // A provider that fails returns nothing, so nothing need be said of it.
        None if throws.is_some() => Vec::new(),
        None => return Err(Malformed::new(format!("{} has no \"schemas\"", fields.place))),
    };
    let known_names =
        fields.maybe("known_names").map(|names| strings(names, &fields.path("known_names"))).transpose()?;
    Ok(Tools { schemas, known_names, throws })
}

fn schemas(value: &Value, place: &str) -> Result<Vec<Schema>, Malformed> {
    array(value, place)?.iter().map(|value| schema(value, place)).collect()
}

fn schema(value: &Value, place: &str) -> Result<Schema, Malformed> {
    let fields = Fields::of(value, place)?;
    Ok(Schema {
        name: fields.string("name")?,
        description: fields.string("description")?,
        parameters: fields.need("parameters")?.clone(),
    })
}

fn action(value: &Value, place: &str) -> Result<Action, Malformed> {
    let fields = Fields::of(value, place)?;
    let Some((kind, inner)) = fields.map.iter().next() else {
        return Err(Malformed::new(format!("{place}: no action {value}")));
    };
    let path = fields.path(kind);
    Ok(match kind.as_str() {
        "log" => Action::Log(string(inner, &path)?),
        "push_section" => Action::PushSection(fixed_section(inner, &path)?),
        "drop_section" => Action::DropSection(string(inner, &path)?),
        "set_text" => {
            let inner = Fields::of(inner, path)?;
            Action::SetText { name: inner.string("name")?, text: inner.string("text")? }
        }
        "set_variable" => {
            let inner = Fields::of(inner, path)?;
            Action::SetVariable { name: inner.string("name")?, value: inner.maybe_string("value")? }
        }
        "push_tool" => Action::PushTool(schema(inner, &path)?),
        "drop_tool" => Action::DropTool(string(inner, &path)?),
        "replace" => Action::Replace(assembly(inner, path)?),
        "next" => Action::Next,
        "stop" => Action::Stop,
        "throw" => Action::Throw(string(inner, &path)?),
        _ => return Err(Malformed::new(format!("{place}: no action {value}"))),
    })
}

fn fixed_section(value: &Value, place: &str) -> Result<FixedSection, Malformed> {
    let fields = Fields::of(value, place)?;
    let order = if fields.maybe("order").is_some() { fields.number("order")? } else { 0.0 };
    Ok(FixedSection { name: fields.string("name")?, order, text: fields.string("text")? })
}

fn assembly(value: &Value, place: String) -> Result<Assembly, Malformed> {
    let fields = Fields::of(value, place)?;
    let place = fields.path("sections");
    let sections = array(fields.need("sections")?, &place)?.iter().map(|value| fixed_section(value, &place));
    let variables = Fields::of(fields.need("variables")?, fields.path("variables"))?;
    let values = variables.map.keys().map(|name| Ok((name.clone(), variables.maybe_string(name)?)));
    Ok(Assembly {
        sections: sections.collect::<Result<_, _>>()?,
        tools: schemas(fields.need("tools")?, &fields.path("tools"))?,
        variables: values.collect::<Result<_, Malformed>>()?,
    })
}
