//! One tool as a model is told of it: name, description, parameters, with canonical bytes made once.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use crate::canonical::{Keys, write_schema};
use crate::error::{Error, ErrorKind};
use crate::json::{Node, parse, push_string};

/// The canonical parameters of a tool that takes none. A tool of a list that gives no parameters gets these.
pub const NO_PARAMETERS: &str = r#"{"properties":{},"type":"object"}"#;

/// The schema of a tool. Immutable; a clone is one reference count.
///
/// Whoever changes a schema makes a changed copy with [`with_name`](Self::with_name),
/// [`with_description`](Self::with_description) or [`with_parameters`](Self::with_parameters); all other holders keep theirs.
/// Two schemas are equal when their bytes are ([`json`](Self::json)); see also
/// [`equal_up_to_order`](Self::equal_up_to_order).
///
/// ```
/// use dsh_llm::ToolSchema;
///
/// # fn main() -> Result<(), dsh_llm::Error> {
/// let read = ToolSchema::new("read", "Reads a file.", r#"{"type": "object", "properties": {"path": {}}}"#)?;
/// assert_eq!(
///     read.json(),
///     r#"{"description":"Reads a file.","name":"read","parameters":{"properties":{"path":{}},"type":"object"}}"#
/// );
/// let told = read.with_description("Reads one file.");
/// assert_eq!(told.parameters_json(), read.parameters_json());
/// assert_ne!(told.fingerprint(), read.fingerprint());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ToolSchema(Arc<Inner>);

struct Inner {
    name: Box<str>,
    description: Box<str>,
    // Shared by copies that change something else.
    parameters: Arc<str>,
    json: Box<str>,
    fingerprint: OnceLock<blake3::Hash>,
}

impl ToolSchema {
    /// A schema from its name, its description and the JSON text of its parameters, which is brought into canonical form
    /// ([`canonical_json`](crate::canonical_json)). For a tool without parameters pass [`NO_PARAMETERS`].
    ///
    /// # Errors
    ///
    /// `llm::invalid_tool_name` for an empty name, `llm::invalid_tool_parameters` where the parameters are not an object, and the
    /// errors of [`canonical_json`](crate::canonical_json). Offsets are into `parameters`.
    ///
    /// ```
    /// let error = dsh_llm::ToolSchema::new("read", "", "[]").unwrap_err();
    /// assert_eq!(error.code(), "llm::invalid_tool_parameters");
    /// ```
    pub fn new(name: impl Into<Box<str>>, description: impl Into<Box<str>>, parameters: &str) -> Result<Self, Error> {
        let name = checked_name(name.into())?;
        Ok(Self::assemble(name, description.into(), canonical_parameters(&parse(parameters)?)?))
    }

    /// `parameters` are canonical already.
    pub(crate) fn assemble(name: Box<str>, description: Box<str>, parameters: Arc<str>) -> Self {
        let mut json = String::with_capacity(name.len() + description.len() + parameters.len() + 48);
        json.push_str("{\"description\":");
        push_string(&mut json, &description);
        json.push_str(",\"name\":");
        push_string(&mut json, &name);
        json.push_str(",\"parameters\":");
        json.push_str(&parameters);
        json.push('}');
        Self(Arc::new(Inner { name, description, parameters, json: json.into(), fingerprint: OnceLock::new() }))
    }

    /// The name; never empty.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The description; empty where there is none.
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// The parameters: the canonical JSON text of one JSON Schema object (contract X5).
    pub fn parameters_json(&self) -> &str {
        &self.0.parameters
    }

    /// The parameters as a value, parsed anew in each call.
    ///
    /// This is for looking, and for editing what is not a number: a value holds numbers as 64-bit integers or floats, so `1e2` comes
    /// back as `100.0`. What goes to a model is [`parameters_json`](Self::parameters_json).
    ///
    /// # Errors
    ///
    /// `llm::number_out_of_range` where a number such as `1e400` fits neither. The offset is into
    /// [`parameters_json`](Self::parameters_json), in that number or right after it.
    ///
    /// ```
    /// # fn main() -> Result<(), dsh_llm::Error> {
    /// let tool = dsh_llm::ToolSchema::new("read", "", r#"{"type": "object"}"#)?;
    /// assert_eq!(tool.parameters()?["type"], "object");
    /// # Ok(())
    /// # }
    /// ```
    pub fn parameters(&self) -> Result<serde_json::Value, Error> {
        serde_json::from_str(&self.0.parameters).map_err(|error| {
            // Canonical text is well-formed JSON on one line, not too deep: only a number can be refused.
            let offset = error.column().saturating_sub(1).min(self.0.parameters.len());
            let problem = "a number in the parameters is too large for a 64-bit float";
            Error::new(ErrorKind::NumberOutOfRange, problem, "read it from the text, `parameters_json`").at(offset)
        })
    }

    /// The canonical JSON of the whole: `{"description":…,"name":…,"parameters":…}`, its keys in the order of
    /// [`canonical_json`](crate::canonical_json). Made once.
    pub fn json(&self) -> &str {
        &self.0.json
    }

    /// The BLAKE3 of [`json`](Self::json), made at the first call and kept (contract X5).
    pub fn fingerprint(&self) -> blake3::Hash {
        *self.0.fingerprint.get_or_init(|| blake3::hash(self.0.json.as_bytes()))
    }

    /// A copy with another name.
    ///
    /// # Errors
    ///
    /// `llm::invalid_tool_name` for an empty name.
    pub fn with_name(&self, name: impl Into<Box<str>>) -> Result<Self, Error> {
        let name = checked_name(name.into())?;
        Ok(Self::assemble(name, self.0.description.clone(), Arc::clone(&self.0.parameters)))
    }

    /// A copy with another description.
    #[must_use]
    pub fn with_description(&self, description: impl Into<Box<str>>) -> Self {
        Self::assemble(self.0.name.clone(), description.into(), Arc::clone(&self.0.parameters))
    }

    /// A copy with other parameters, given as JSON text.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), for parameters.
    pub fn with_parameters(&self, parameters: &str) -> Result<Self, Error> {
        let parameters = canonical_parameters(&parse(parameters)?)?;
        Ok(Self::assemble(self.0.name.clone(), self.0.description.clone(), parameters))
    }
}

fn checked_name(name: Box<str>) -> Result<Box<str>, Error> {
    if name.is_empty() {
        return Err(Error::new(ErrorKind::InvalidName, "a tool has an empty name", "give the tool a name"));
    }
    Ok(name)
}

/// The canonical text of parameters, which must be an object.
pub(crate) fn canonical_parameters(node: &Node<'_>) -> Result<Arc<str>, Error> {
    if node.as_object().is_none() {
        let problem = format!("a tool's parameters are {}", node.describe());
        let help = format!("give a JSON Schema object; a tool without parameters has {NO_PARAMETERS}");
        return Err(Error::new(ErrorKind::InvalidParameters, problem, help).at(node.range.start));
    }
    let mut text = String::with_capacity(node.range.len());
    write_schema(&mut text, node, Keys::Canonical);
    Ok(text.into())
}

impl PartialEq for ToolSchema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.json == other.0.json
    }
}

impl Eq for ToolSchema {}

impl Hash for ToolSchema {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.json.hash(state);
    }
}

impl fmt::Debug for ToolSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolSchema").field(&self.0.json).finish()
    }
}
