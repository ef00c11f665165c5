//! Lists of tools as others write them: arrays of schemas, MCP `tools/list` results, `OpenAI`'s entries.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use crate::json::{Member, Node, parse};
use crate::schema::{NO_PARAMETERS, ToolSchema, canonical_parameters};

/// The spellings of the field that holds a tool's schema: `OpenAI`'s, MCP's, Anthropic's.
const PARAMETERS: [&str; 3] = ["parameters", "inputSchema", "input_schema"];

/// What [`parse_tool_list`] read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolList {
    tools: Vec<ListedTool>,
    next_cursor: Option<Box<str>>,
}

/// One entry of a [`ToolList`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedTool {
    /// The schema.
    pub schema: ToolSchema,
    /// The bytes of the source that the entry was read from.
    pub range: Range<usize>,
    /// The bytes of the source that its name was read from, the quotes included.
    pub name_range: Range<usize>,
    /// The fields of the entry that a schema has no place for (`title`, `annotations`, `outputSchema`, …), as listed.
    pub dropped: Vec<DroppedField>,
}

/// A field of a tool that a schema has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DroppedField {
    /// Its key.
    pub name: Box<str>,
    /// The bytes of the source that the key was read from, the quotes included.
    pub range: Range<usize>,
}

impl ToolList {
    /// The entries, as listed.
    pub fn tools(&self) -> &[ListedTool] {
        &self.tools
    }

    /// The schemas, as listed.
    pub fn schemas(&self) -> impl ExactSizeIterator<Item = &ToolSchema> {
        self.tools.iter().map(|tool| &tool.schema)
    }

    /// The schemas, as listed, without the rest.
    pub fn into_schemas(self) -> Vec<ToolSchema> {
        self.tools.into_iter().map(|tool| tool.schema).collect()
    }

    /// How many fields of all tools were dropped.
    pub fn dropped_count(&self) -> usize {
        self.tools.iter().map(|tool| tool.dropped.len()).sum()
    }

    /// The `nextCursor` of an MCP result: there are more tools than these.
    pub fn next_cursor(&self) -> Option<&str> {
        self.next_cursor.as_deref()
    }
}

/// Reads a list of tools.
///
/// `source` is an array of tools, an MCP `tools/list` result (`{"tools": […]}`), or such a result in its JSON-RPC response
/// (`{"result": {"tools": […]}}`). A tool is an object with
///
/// * `name`: a string, not empty;
/// * `description`: a string; absent or `null` is the empty one;
/// * `parameters`, `inputSchema` or `input_schema`: a JSON Schema object; if there is none, [`NO_PARAMETERS`];
///
/// or `OpenAI`'s `{"type": "function", "function": {…}}` round the same. All other fields are dropped, and told in
/// [`ListedTool::dropped`]. Two tools may have one name here: the registry refuses them, naming their owners.
///
/// # Errors
///
/// `llm::not_a_tool_list`, `llm::invalid_tool_name`, `llm::invalid_tool_description`, `llm::invalid_tool_parameters`, and those
/// of [`canonical_json`](crate::canonical_json). Each has its byte offset in `source`. Which tool it is in, is known of those that
/// are about a tool; a text that is no JSON, or has a key twice, is refused before anything is known of its tools. Of several wrong
/// tools, the first is told: [`parse_each_tool`] tells all.
///
/// ```
/// use dsh_llm::parse_tool_list;
///
/// # fn main() -> Result<(), dsh_llm::Error> {
/// let list = parse_tool_list(
///     r#"{"tools": [{"name": "echo", "title": "Echo", "inputSchema": {"type": "object"}}, {"name": "now"}]}"#,
/// )?;
/// assert_eq!(&*list.tools()[0].dropped[0].name, "title");
/// assert_eq!(list.tools()[1].schema.parameters_json(), dsh_llm::NO_PARAMETERS);
///
/// let error = parse_tool_list(r#"[{"name": "echo"}, {"title": "Now"}]"#).unwrap_err();
/// assert_eq!((error.code(), error.tool_index(), error.offset()), ("llm::invalid_tool_name", Some(1), Some(19)));
/// # Ok(())
/// # }
/// ```
pub fn parse_tool_list(source: &str) -> Result<ToolList, Error> {
    let (list, errors) = parse_each_tool(source)?;
    match errors.into_iter().next() {
        None => Ok(list),
        Some(first) => Err(first),
    }
}

/// Reads a list of tools as [`parse_tool_list`] does, and goes on behind a wrong one: the right tools, as listed, and all that is wrong
/// with the others, entry by entry. For whoever tells a person what is wrong with a file; a list with an error is not the
/// one that was meant.
///
/// # Errors
///
/// Where there is no list to go on in: `llm::not_a_tool_list`, and the errors of [`canonical_json`](crate::canonical_json).
///
/// ```
/// use dsh_llm::{ToolSchema, parse_each_tool};
///
/// # fn main() -> Result<(), dsh_llm::Error> {
/// let (list, errors) = parse_each_tool(r#"[{"name": ""}, {"name": "now"}, {"name": "echo", "description": 5}]"#)?;
/// assert_eq!(list.schemas().map(ToolSchema::name).collect::<Vec<_>>(), ["now"]);
/// let wrong: Vec<_> = errors.iter().map(|error| (error.tool_index(), error.code())).collect();
/// assert_eq!(wrong, [(Some(0), "llm::invalid_tool_name"), (Some(2), "llm::invalid_tool_description")]);
/// # Ok(())
/// # }
/// ```
pub fn parse_each_tool(source: &str) -> Result<(ToolList, Vec<Error>), Error> {
    let root = parse(source)?;
    let result = match root.as_object() {
        None => None,
        Some(members) if find(members, "tools").is_some() => Some(&root),
        Some(members) => Some(envelope(&root, members)?),
    };
    let (entries, cursor) = match result {
        None => (&root, None),
        Some(result) => {
            let members = result.as_object().unwrap_or_default();
            let tools = find(members, "tools").ok_or_else(|| not_a_list(result, "the result has no `tools`"))?;
            (tools, find(members, "nextCursor").and_then(Node::as_str))
        }
    };
    let items = entries
        .as_array()
        .ok_or_else(|| not_a_list(entries, format!("the tools are {}, not an array", entries.describe())))?;
    let (mut tools, mut errors) = (Vec::with_capacity(items.len()), Vec::new());
    for (index, item) in items.iter().enumerate() {
        tools.extend(read_tool(index, item, &mut errors));
    }
    Ok((ToolList { tools, next_cursor: cursor.map(Box::from) }, errors))
}

/// The `result` of a JSON-RPC response.
fn envelope<'t, 's>(root: &Node<'_>, members: &'t [Member<'s>]) -> Result<&'t Node<'s>, Error> {
    if let Some(result) = find(members, "result") {
        return Ok(result);
    }
    Err(match find(members, "error") {
        Some(error) => not_a_list(error, "this is a server's error answer"),
        None => not_a_list(root, "an object without `tools`"),
    })
}

/// The tool of an entry; `None` where something is wrong with it, all of which goes to `errors`.
fn read_tool(index: usize, entry: &Node<'_>, errors: &mut Vec<Error>) -> Option<ListedTool> {
    let Parts { outer, tool, fields } = match Parts::of(entry) {
        Ok(parts) => parts,
        Err(error) => {
            errors.push(error.in_tool(index, None));
            return None;
        }
    };
    let (name, description, parameters) =
        match (read_name(tool, fields), read_description(fields), read_parameters(fields)) {
            (Ok(name), Ok(description), Ok(parameters)) => (name, description, parameters),
            (name, description, parameters) => {
                let known = name.as_ref().ok().and_then(|name| name.as_str());
                let wrong = [name.as_ref().err(), description.as_ref().err(), parameters.as_ref().err()];
                errors.extend(wrong.into_iter().flatten().map(|error| error.clone().in_tool(index, known)));
                return None;
            }
        };

    let wrapper = if std::ptr::eq(tool, entry) { &[] } else { outer };
    let outside = wrapper.iter().filter(|member| member.key != "function" && !says_function(member));
    let inside = fields.iter().filter(|member| !is_read(member));
    let field = |member: &Member<'_>| DroppedField { name: (&*member.key).into(), range: member.key_range.clone() };
    let dropped = outside.chain(inside).map(field).collect();
    let schema = ToolSchema::assemble(name.as_str().unwrap_or_default().into(), description.into(), parameters);
    Some(ListedTool { schema, range: entry.range.clone(), name_range: name.range.clone(), dropped })
}

/// What an entry is made of.
struct Parts<'t, 's> {
    /// Its members.
    outer: &'t [Member<'s>],
    /// The object that describes the tool: the entry, or what it has under `function`.
    tool: &'t Node<'s>,
    /// The members of that.
    fields: &'t [Member<'s>],
}

impl<'t, 's> Parts<'t, 's> {
    fn of(entry: &'t Node<'s>) -> Result<Self, Error> {
        let Some(outer) = entry.as_object() else {
            return Err(not_a_list(entry, format!("a tool is {}, not an object", entry.describe())));
        };
        let Some(tool) = find(outer, "function").filter(|_| find(outer, "name").is_none()) else {
            return Ok(Self { outer, tool: entry, fields: outer });
        };
        let fields = tool.as_object().ok_or_else(|| {
            let problem = format!("a tool's `function` is {}, not an object", tool.describe());
            not_a_list(tool, problem)
        })?;
        Ok(Self { outer, tool, fields })
    }
}

/// Whether a schema holds what this field of a tool says.
fn is_read(member: &Member<'_>) -> bool {
    matches!(&*member.key, "name" | "description") || PARAMETERS.contains(&&*member.key) || says_function(member)
}

/// `OpenAI`'s `"type": "function"`, which says nothing that is not known.
fn says_function(member: &Member<'_>) -> bool {
    member.key == "type" && member.node.as_str() == Some("function")
}

/// The string that is the tool's name.
fn read_name<'t, 's>(tool: &Node<'_>, fields: &'t [Member<'s>]) -> Result<&'t Node<'s>, Error> {
    let refuse = |at: &Node<'_>, problem: String| {
        let help = "give each tool a `name`, a string that is not empty";
        Error::new(ErrorKind::InvalidName, problem, help).at(at.range.start)
    };
    let node = find(fields, "name").ok_or_else(|| refuse(tool, "a tool has no name".into()))?;
    match node.as_str() {
        None => Err(refuse(node, format!("a tool's name is {}", node.describe()))),
        Some("") => Err(refuse(node, "a tool has an empty name".into())),
        Some(_) => Ok(node),
    }
}

fn read_description<'t>(fields: &'t [Member<'_>]) -> Result<&'t str, Error> {
    let Some(node) = find(fields, "description").filter(|node| !node.is_null()) else { return Ok("") };
    node.as_str().ok_or_else(|| {
        let problem = format!("a tool's description is {}", node.describe());
        Error::new(ErrorKind::InvalidDescription, problem, "give a string, or leave it out").at(node.range.start)
    })
}

fn read_parameters(fields: &[Member<'_>]) -> Result<Arc<str>, Error> {
    let mut first: Option<(&str, Arc<str>)> = None;
    for spelling in PARAMETERS {
        let Some(node) = find(fields, spelling) else { continue };
        let text = canonical_parameters(node)?;
        match &first {
            None => first = Some((spelling, text)),
            Some((_, same)) if *same == text => {}
            Some((other, _)) => {
                let problem = format!("`{other}` and `{spelling}` of a tool differ");
                return Err(Error::new(ErrorKind::InvalidParameters, problem, "keep one of them").at(node.range.start));
            }
        }
    }
    Ok(first.map_or_else(|| NO_PARAMETERS.into(), |(_, text)| text))
}

fn find<'t, 's>(members: &'t [Member<'s>], key: &str) -> Option<&'t Node<'s>> {
    members.iter().find(|member| member.key == key).map(|member| &member.node)
}

fn not_a_list(at: &Node<'_>, problem: impl Into<Box<str>>) -> Error {
    let help =
        "give an array of tools, or an MCP `tools/list` result: {\"tools\": [{\"name\": …, \"inputSchema\": …}]}";
    Error::new(ErrorKind::NotAToolList, problem, help).at(at.range.start)
}
