//! The tokens of a JSON text (RFC 8259, strictly), numbers as they were written.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token<'s> {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Colon,
    Comma,
    /// `true`, `false` or `null`.
    Literal(&'s str),
    /// A number, digit for digit.
    Number(&'s str),
    /// A string, its escapes resolved.
    String(Cow<'s, str>),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// What an error calls it.
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Self::ObjectStart => "`{`",
            Self::ObjectEnd => "`}`",
            Self::ArrayStart => "`[`",
            Self::ArrayEnd => "`]`",
            Self::Colon => "`:`",
            Self::Comma => "`,`",
            Self::Literal(_) => "literal",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::End => "end of the text",
        }
    }
}

/// A reader of tokens from the start of a text to its end.
#[derive(Debug)]
pub(crate) struct Tokens<'s> {
    source: &'s str,
    // Invariant: at most `source.len()`, and between two characters whenever an error is made.
    at: usize,
}

impl<'s> Tokens<'s> {
    /// Begins at the start of `source`, after its byte order mark if it has one.
    pub(crate) fn new(source: &'s str) -> Self {
        let at = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { source, at }
    }

    /// Where the next token may begin: right after the last one.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// The next token and where it begins. After the end: the end again.
    pub(crate) fn next(&mut self) -> Result<(usize, Token<'s>), Error> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        let start = self.at;
        let Some(first) = self.peek() else { return Ok((start, Token::End)) };
        let token = match first {
            b'{' => self.one(Token::ObjectStart),
            b'}' => self.one(Token::ObjectEnd),
            b'[' => self.one(Token::ArrayStart),
            b']' => self.one(Token::ArrayEnd),
            b':' => self.one(Token::Colon),
            b',' => self.one(Token::Comma),
            b'"' => self.string().map(Token::String)?,
            b'-' | b'0'..=b'9' => self.number().map(Token::Number)?,
            b'a'..=b'z' | b'A'..=b'Z' => self.literal().map(Token::Literal)?,
            b'\'' => return Err(syntax(start, "unexpected `'`", "a JSON string stands in double quotes")),
            b'/' => return Err(syntax(start, "unexpected `/`", "JSON has no comments")),
            _ => return Err(syntax(start, "unexpected character", "a JSON value or punctuation should stand here")),
        };
        Ok((start, token))
    }

    fn peek(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn one(&mut self, token: Token<'s>) -> Token<'s> {
        self.at += 1;
        token
    }

    /// The text from `start` to here. Both ends stand next to ASCII, so the range is always one of whole characters.
    fn since(&self, start: usize) -> &'s str {
        self.source.get(start..self.at).unwrap_or_default()
    }

    fn literal(&mut self) -> Result<&'s str, Error> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            self.at += 1;
        }
        let word = self.since(start);
        if matches!(word, "true" | "false" | "null") {
            return Ok(word);
        }
        Err(syntax(start, "unknown word", "JSON knows the words `true`, `false` and `null` only"))
    }

    fn number(&mut self) -> Result<&'s str, Error> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _signed = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(self.since(start))
    }

    fn digits(&mut self) -> Result<(), Error> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            return Err(syntax(start, "unfinished number", "a digit should stand here"));
        }
        Ok(())
    }

    fn string(&mut self) -> Result<Cow<'s, str>, Error> {
        let open = self.at;
        self.at += 1;
        let mut run = self.at;
        let mut decoded: Option<String> = None;
        loop {
            match self.peek() {
                None => {
                    let problem = format!("the string that opens at byte {open} is not closed");
                    return Err(syntax(self.at, problem, "a `\"` should stand before the end of the text"));
                }
                Some(b'"') => {
                    let rest = self.since(run);
                    self.at += 1;
                    return Ok(match decoded {
                        None => Cow::Borrowed(rest),
                        Some(text) => Cow::Owned(text + rest),
                    });
                }
                Some(b'\\') => {
                    let text = decoded.get_or_insert_default();
                    text.push_str(self.since(run));
                    text.push(self.escape()?);
                    run = self.at;
                }
                Some(0..=0x1f) => {
                    return Err(syntax(
                        self.at,
                        "bare control character in a string",
                        "write it as an escape: `\\n`, `\\t`, `\\u0000`",
                    ));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// Reads an escape, from its backslash on.
    fn escape(&mut self) -> Result<char, Error> {
        let start = self.at;
        self.at += 1;
        let simple = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => {
                let help = "JSON knows `\\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r`, `\\t` and `\\uXXXX`";
                return Err(syntax(start, "unknown escape", help));
            }
        };
        self.at += 1;
        Ok(simple)
    }

    /// Reads `uXXXX`, and the second half that a first half of a surrogate pair must have.
    fn unicode_escape(&mut self, start: usize) -> Result<char, Error> {
        let mut code = self.code_unit(start)?;
        let half = self.at;
        if matches!(code, 0xd800..=0xdbff) && self.eat(b'\\') && self.peek() == Some(b'u') {
            let second = self.code_unit(half)?;
            if matches!(second, 0xdc00..=0xdfff) {
                code = 0x1_0000 + ((code - 0xd800) << 10) + (second - 0xdc00);
            }
        }
        // A half that is left alone is no character.
        char::from_u32(code).ok_or_else(|| {
            let help = "write the pair, `\\uD8xx\\uDCxx`, or the character itself";
            Error::new(ErrorKind::LoneSurrogate, "half of a surrogate pair in a string", help).at(start)
        })
    }

    /// Reads `uXXXX` of the escape that begins at `start`.
    fn code_unit(&mut self, start: usize) -> Result<u32, Error> {
        self.at += 1; // the `u`
        let mut unit = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(syntax(start, "unfinished `\\u` escape", "four hexadecimal digits should follow `\\u`"));
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }
}

/// An error in the form of the text.
pub(crate) fn syntax(offset: usize, problem: impl Into<Box<str>>, help: impl Into<Box<str>>) -> Error {
    Error::new(ErrorKind::Syntax, problem, help).at(offset)
}
