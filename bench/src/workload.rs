//! The work: `workload.json`, the same for every side.

use dsh_kernel::Failure;
use dsh_llm::ToolSchema;
use serde_json::Value;

/// The text of the file, for whoever hands it on.
const TEXT: &str = include_str!("../workload.json");

/// Sections, variables and tools, as `workload.json` has them.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The template of the persona.
    pub persona: String,
    /// The names of `tool_order`.
    pub tool_order: Vec<String>,
    /// Name and value of each variable.
    pub variables: Vec<(String, String)>,
    /// The sections, in the order in which they are registered.
    pub sections: Vec<WorkloadSection>,
    /// The tools.
    pub tools: Vec<ToolSchema>,
}

/// One section.
#[derive(Clone, Debug)]
pub struct WorkloadSection {
    /// Its name.
    pub name: String,
    /// Its place.
    pub order: f64,
    /// Its template.
    pub text: String,
}

impl Workload {
    /// Reads the workload that this crate carries.
    ///
    /// # Errors
    ///
    /// What does not have the form of a workload, by its key.
    pub fn load() -> Result<Self, Failure> {
        let value: Value = serde_json::from_str(TEXT)?;
        let section = |section: &Value| {
            let order =
                section["order"].as_f64().ok_or_else(|| Failure::msg("workload: a section without an order"))?;
            Ok(WorkloadSection { name: text(&section["name"])?, order, text: text(&section["text"])? })
        };
        let tool = |tool: &Value| {
            let parameters = serde_json::to_string(&tool["parameters"])?;
            Ok(ToolSchema::new(text(&tool["name"])?, text(&tool["description"])?, &parameters)?)
        };
        let variables = value["variables"].as_object().ok_or_else(|| Failure::msg("workload: no variables"))?;
        Ok(Self {
            persona: text(&value["persona"])?,
            tool_order: list(&value["tool_order"], text)?,
            variables: variables
                .iter()
                .map(|(name, value)| Ok((name.clone(), text(value)?)))
                .collect::<Result<_, Failure>>()?,
            sections: list(&value["sections"], section)?,
            tools: list(&value["tools"], tool)?,
        })
    }
}

fn text(value: &Value) -> Result<String, Failure> {
    value.as_str().map(str::to_owned).ok_or_else(|| Failure::msg(format!("workload: not a string: {value}")))
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
    value.as_array().ok_or_else(|| Failure::msg("workload: not a list"))?.iter().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::Workload;

    // P: 52 sections with the two openers, 8 variables, 40 tools.
    #[test]
    fn the_workload_is_as_large_as_it_says() {
        let workload = Workload::load().unwrap();
        assert_eq!((workload.sections.len(), workload.variables.len(), workload.tools.len()), (50, 8, 40));
    }
}
