//! The crate's one error: what is wrong, where, and what would be right.

use std::fmt;

/// What kind of thing is wrong. Match on it, or on the stable text of [`Error::code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not JSON. Code `llm::json_syntax`.
    Syntax,
    /// A `\uD800`…`\uDFFF` escape without its other half: no text can hold it. Code `llm::lone_surrogate`.
    LoneSurrogate,
    /// An object has one key twice, so readers may disagree on its meaning. Code `llm::duplicate_key`.
    DuplicateKey,
    /// Arrays and objects are nested deeper than [`MAX_DEPTH`](crate::MAX_DEPTH). Code `llm::too_deep`.
    TooDeep,
    /// A number is good JSON but too large for a 64-bit float. Code `llm::number_out_of_range`.
    NumberOutOfRange,
    /// Neither an array of tools nor a `tools/list` result. Code `llm::not_a_tool_list`.
    NotAToolList,
    /// A tool's name is missing, empty or not a string. Code `llm::invalid_tool_name`.
    InvalidName,
    /// A tool's description is not a string. Code `llm::invalid_tool_description`.
    InvalidDescription,
    /// A tool's parameters are not an object, or given twice and differently. Code `llm::invalid_tool_parameters`.
    InvalidParameters,
}

impl ErrorKind {
    /// The stable code of this kind.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Syntax => "llm::json_syntax",
            Self::LoneSurrogate => "llm::lone_surrogate",
            Self::DuplicateKey => "llm::duplicate_key",
            Self::TooDeep => "llm::too_deep",
            Self::NumberOutOfRange => "llm::number_out_of_range",
            Self::NotAToolList => "llm::not_a_tool_list",
            Self::InvalidName => "llm::invalid_tool_name",
            Self::InvalidDescription => "llm::invalid_tool_description",
            Self::InvalidParameters => "llm::invalid_tool_parameters",
        }
    }
}

/// Why a text is not JSON, or not a tool. One pointer wide.
///
/// ```
/// let error = dsh_llm::canonical_json(r#"{"a": 1, "a": 2}"#).unwrap_err();
/// assert_eq!(error.code(), "llm::duplicate_key");
/// assert_eq!(error.offset(), Some(9));
/// assert_eq!(error.to_string(), r#"the key "a" stands twice in one object, at byte 9: keep one; the first is at byte 1"#);
/// ```
#[derive(Clone)]
pub struct Error(Box<Repr>);

#[derive(Clone)]
struct Repr {
    kind: ErrorKind,
    problem: Box<str>,
    help: Box<str>,
    offset: Option<usize>,
    first_offset: Option<usize>,
    tool: Option<Place>,
}

#[derive(Clone)]
struct Place {
    index: usize,
    name: Option<Box<str>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, problem: impl Into<Box<str>>, help: impl Into<Box<str>>) -> Self {
        Self(Box::new(Repr {
            kind,
            problem: problem.into(),
            help: help.into(),
            offset: None,
            first_offset: None,
            tool: None,
        }))
    }

    pub(crate) fn at(mut self, offset: usize) -> Self {
        self.0.offset = Some(offset);
        self
    }

    /// Of what is there for the second time, with the place of the first.
    pub(crate) fn after(mut self, first: usize) -> Self {
        self.0.first_offset = Some(first);
        self
    }

    pub(crate) fn in_tool(mut self, index: usize, name: Option<&str>) -> Self {
        self.0.tool = Some(Place { index, name: name.map(Box::from) });
        self
    }

    /// The kind, to match on.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The stable code, for example `llm::duplicate_key`.
    pub fn code(&self) -> &'static str {
        self.0.kind.code()
    }

    /// Where it is: a byte offset into the text that was read, at most its length, always between two characters.
    /// `None` where no text was read, as for a name given to [`ToolSchema::with_name`](crate::ToolSchema::with_name).
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// Where the first stands, if the error is that something stands there for the second time; counted as [`Error::offset`] is.
    pub fn first_offset(&self) -> Option<usize> {
        self.0.first_offset
    }

    /// Which entry of a tool list it is in, counted from 0.
    pub fn tool_index(&self) -> Option<usize> {
        self.0.tool.as_ref().map(|place| place.index)
    }

    /// The name of the tool that it is in, where the name is known.
    pub fn tool_name(&self) -> Option<&str> {
        self.0.tool.as_ref().and_then(|place| place.name.as_deref())
    }

    /// What is wrong, without the place: a headline that stands alone.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// What would be right.
    pub fn help(&self) -> &str {
        &self.0.help
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.problem)?;
        if let Some(place) = &self.0.tool {
            write!(f, ", in tools[{}]", place.index)?;
            if let Some(name) = &place.name {
                write!(f, " `{name}`")?;
            }
        }
        if let Some(offset) = self.0.offset {
            write!(f, ", at byte {offset}")?;
        }
        write!(f, ": {}", self.0.help)?;
        match self.0.first_offset {
            Some(first) => write!(f, "; the first is at byte {first}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({}: {self})", self.code())
    }
}

impl std::error::Error for Error {}
