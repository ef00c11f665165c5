//! A JSON text as a tree that keeps the order of keys, the digits of numbers and the place of every value.

use std::borrow::Cow;
use std::ops::Range;

use super::text::quoted;
use super::tokens::{Token, Tokens, syntax};
use crate::error::{Error, ErrorKind};

/// How deep arrays and objects may nest in any text that this crate reads.
///
/// `serde_json` reads 127 levels; the seven that are left are for what a wire body wraps round a schema. It also bounds the
/// recursion, so that no input can overflow a stack.
pub const MAX_DEPTH: usize = 120;

/// A value and the bytes it was read from.
#[derive(Debug)]
pub(crate) struct Node<'s> {
    pub(crate) range: Range<usize>,
    pub(crate) value: Value<'s>,
}

/// A value.
#[derive(Debug)]
pub(crate) enum Value<'s> {
    /// `true`, `false`, `null` or a number, as it was written.
    Plain(&'s str),
    String(Cow<'s, str>),
    Array(Vec<Node<'s>>),
    /// Members in the order of the text; no key twice.
    Object(Vec<Member<'s>>),
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member<'s> {
    pub(crate) key: Cow<'s, str>,
    /// The bytes of the key, its quotes included.
    pub(crate) key_range: Range<usize>,
    pub(crate) node: Node<'s>,
}

impl<'s> Node<'s> {
    /// The text, of a string.
    pub(crate) fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            Value::Plain(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The members, of an object.
    pub(crate) fn as_object(&self) -> Option<&[Member<'s>]> {
        match &self.value {
            Value::Object(members) => Some(members),
            Value::Plain(_) | Value::String(_) | Value::Array(_) => None,
        }
    }

    /// The elements, of an array.
    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        match &self.value {
            Value::Array(items) => Some(items),
            Value::Plain(_) | Value::String(_) | Value::Object(_) => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self.value, Value::Plain("null"))
    }

    /// What an error calls it.
    pub(crate) fn describe(&self) -> &'static str {
        match &self.value {
            Value::Plain("null") => "null",
            Value::Plain("true" | "false") => "a boolean",
            Value::Plain(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }
}

/// Reads a whole text, in time proportional to it (but for the sort that finds a key given twice).
pub(crate) fn parse(source: &str) -> Result<Node<'_>, Error> {
    let mut reader = Reader { tokens: Tokens::new(source) };
    let first = reader.tokens.next()?;
    let root = reader.value(first, 0)?;
    match reader.tokens.next()? {
        (_, Token::End) => Ok(root),
        (at, token) => Err(unexpected(at, &token, "the text should end after its one value")),
    }
}

struct Reader<'s> {
    tokens: Tokens<'s>,
}

impl<'s> Reader<'s> {
    /// Reads the value that begins with `token`, inside `depth` arrays and objects. Recursion ends at [`MAX_DEPTH`].
    fn value(&mut self, (start, token): (usize, Token<'s>), depth: usize) -> Result<Node<'s>, Error> {
        let opens = matches!(token, Token::ArrayStart | Token::ObjectStart);
        if opens && depth == MAX_DEPTH {
            let help = format!("nest at most {MAX_DEPTH} arrays and objects");
            return Err(Error::new(ErrorKind::TooDeep, "nested too deep", help).at(start));
        }
        let value = match token {
            Token::Literal(text) | Token::Number(text) => Value::Plain(text),
            Token::String(text) => Value::String(text),
            Token::ArrayStart => Value::Array(self.array(depth + 1)?),
            Token::ObjectStart => Value::Object(self.object(depth + 1)?),
            Token::ObjectEnd | Token::ArrayEnd | Token::Colon | Token::Comma | Token::End => {
                return Err(unexpected(start, &token, "a value should stand here"));
            }
        };
        Ok(Node { range: start..self.tokens.offset(), value })
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Node<'s>>, Error> {
        let mut items = Vec::new();
        let mut next = self.tokens.next()?;
        if next.1 == Token::ArrayEnd {
            return Ok(items);
        }
        loop {
            items.push(self.value(next, depth)?);
            match self.tokens.next()? {
                (_, Token::Comma) => next = self.after_comma(&Token::ArrayEnd)?,
                (_, Token::ArrayEnd) => return Ok(items),
                (at, token) => return Err(unexpected(at, &token, "`,` or `]` should stand here")),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member<'s>>, Error> {
        let mut members = Vec::new();
        let mut next = self.tokens.next()?;
        if next.1 == Token::ObjectEnd {
            return Ok(members);
        }
        loop {
            let (key_range, key) = match next {
                (at, Token::String(key)) => (at..self.tokens.offset(), key),
                (at, token) => return Err(unexpected(at, &token, "a key in double quotes should stand here")),
            };
            match self.tokens.next()? {
                (_, Token::Colon) => {}
                (at, token) => return Err(unexpected(at, &token, "`:` should stand here")),
            }
            let first = self.tokens.next()?;
            members.push(Member { key, key_range, node: self.value(first, depth)? });
            match self.tokens.next()? {
                (_, Token::Comma) => next = self.after_comma(&Token::ObjectEnd)?,
                (_, Token::ObjectEnd) => break,
                (at, token) => return Err(unexpected(at, &token, "`,` or `}` should stand here")),
            }
        }
        refuse_duplicates(&members)?;
        Ok(members)
    }

    /// What follows a comma, which must not be the end of what it stands in.
    fn after_comma(&mut self, end: &Token<'_>) -> Result<(usize, Token<'s>), Error> {
        let (at, next) = self.tokens.next()?;
        if next == *end {
            let problem = format!("unexpected {} after a comma", end.describe());
            return Err(syntax(at, problem, "JSON has no comma behind the last entry: take it out"));
        }
        Ok((at, next))
    }
}

/// Refuses a key that stands twice, by sorting: a nested search would be quadratic on hostile input.
fn refuse_duplicates(members: &[Member<'_>]) -> Result<(), Error> {
    let mut sorted: Vec<&Member<'_>> = members.iter().collect();
    sorted.sort_by(|a, b| a.key.cmp(&b.key)); // stable: equal keys stay in the order of the text
    let twice = sorted.array_windows().filter(|[first, second]| first.key == second.key);
    match twice.min_by_key(|[_, second]| second.key_range.start) {
        None => Ok(()),
        Some([first, second]) => {
            let problem = format!("the key {} stands twice in one object", quoted(&second.key));
            Err(Error::new(ErrorKind::DuplicateKey, problem, "keep one")
                .at(second.key_range.start)
                .after(first.key_range.start))
        }
    }
}

fn unexpected(at: usize, token: &Token<'_>, help: &str) -> Error {
    syntax(at, format!("unexpected {}", token.describe()), help)
}
