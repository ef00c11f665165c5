//! YAML as a tree with places.
//!
//! The parser gives events; what is made of them here is no more than an agent's file needs. Only a string is ever taken for one: a plain
//! `123` or `true` is a number and a boolean, as YAML 1.2's core schema has it, and nothing is converted. An alias is a kind of value of
//! its own and is never followed, so that no file unfolds to more than it is.

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, Tag};

/// So deep may lists and mappings stand in one another.
const DEEPEST: usize = 32;

/// A value, and its bytes in the YAML.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) range: Range<usize>,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum Value {
    Null,
    Boolean,
    Integer,
    Float,
    String(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// Another value's name.
    Alias,
    /// A value with a tag, be it known to YAML or not.
    Tagged,
}

/// Why the rest cannot be read.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) headline: String,
    pub(super) range: Range<usize>,
    pub(super) help: Option<&'static str>,
}

/// What the YAML says; where it cannot be read whole, what its top level says before that, and why.
pub(super) fn parse(yaml: &str) -> (Option<Node>, Option<Problem>) {
    let mut options = granit_parser::options! {
        disallow_directives: true,
        emit_unresolved_aliases: true,
        flow_nesting_limit: DEEPEST,
        block_nesting_limit: DEEPEST,
    };
    options.set_emit_comments(false);
    let mut tree = Tree::default();
    for event in Parser::new_from_str_with_options(yaml, options) {
        let problem = match event {
            Ok((event, span)) => tree.take(event, span),
            Err(error) => Some(unreadable(&error, yaml)),
        };
        if problem.is_some() {
            return (tree.so_far(), problem);
        }
    }
    (tree.so_far(), None)
}

/// A tree that grows.
#[derive(Debug, Default)]
struct Tree {
    /// Lists and mappings that have begun, the innermost last.
    open: Vec<Open>,
    root: Option<Node>,
}

/// A list or a mapping that has begun.
#[derive(Debug)]
struct Open {
    start: usize,
    tagged: bool,
    items: Items,
}

#[derive(Debug)]
enum Items {
    List(Vec<Node>),
    /// The pairs, and a key that has no value yet.
    Map(Vec<(Node, Node)>, Option<Node>),
}

impl Tree {
    /// Takes an event in, unless it is one too many.
    fn take(&mut self, event: Event<'_>, span: Span) -> Option<Problem> {
        let range = span.byte_range().unwrap_or_default();
        // A tag stands before what it is for.
        let start = span.tag_start().and_then(|tag| tag.byte_offset()).unwrap_or(range.start).min(range.start);
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                return Some(Problem {
                    headline: "a second document begins".to_owned(),
                    range,
                    help: Some("a line `---` and nothing else ends the front matter"),
                });
            }
            Event::Scalar(text, style, _, tag) => {
                let value = scalar(&text, style, tag.as_deref());
                self.put(Node { value, range: start..range.end });
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => self.put(Node { value: Value::Alias, range }),
            Event::SequenceStart(_, _, tag) => self.begin(start, tag, "seq", Items::List(Vec::new())),
            Event::MappingStart(_, _, tag) => self.begin(start, tag, "map", Items::Map(Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => self.end(&range),
            // Where the document begins and ends, and what is not asked for.
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd
            | Event::Anchor(..)
            | _ => {}
        }
        None
    }

    fn put(&mut self, node: Node) {
        match self.open.last_mut().map(|open| &mut open.items) {
            None => self.root = Some(node),
            Some(Items::List(items)) => items.push(node),
            Some(Items::Map(pairs, key)) => match key.take() {
                Some(key) => pairs.push((key, node)),
                None => *key = Some(node),
            },
        }
    }

    fn begin(&mut self, start: usize, tag: Option<Cow<'_, Tag>>, usual: &str, items: Items) {
        let tagged = tag.is_some_and(|tag| !tag.is_yaml_core_schema_tag(usual));
        self.open.push(Open { start, tagged, items });
    }

    /// Ends the innermost; `bracket` is what closes it, and empty where nothing does.
    fn end(&mut self, bracket: &Range<usize>) {
        let Some(open) = self.open.pop() else { return };
        let last = match &open.items {
            Items::List(items) => items.last(),
            Items::Map(pairs, _) => pairs.last().map(|(_, value)| value),
        };
        let end = if bracket.is_empty() { last.map_or(open.start, |last| last.range.end) } else { bracket.end };
        let value = match open.items {
            _ if open.tagged => Value::Tagged,
            Items::List(items) => Value::List(items),
            Items::Map(pairs, _) => Value::Map(pairs),
        };
        self.put(Node { value, range: open.start..end.max(open.start) });
    }

    /// The whole, or the pairs of the outermost mapping that are whole.
    fn so_far(self) -> Option<Node> {
        let outermost = self.open.into_iter().next();
        let Some(Open { start, items: Items::Map(pairs, _), .. }) = outermost else { return self.root };
        Some(Node { value: Value::Map(pairs), range: start..start })
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    match tag {
        Some(tag) if tag.is_yaml_core_schema_tag("str") => Value::String(text.to_owned()),
        Some(_) => Value::Tagged,
        None if style == ScalarStyle::Plain => plain(text),
        None => Value::String(text.to_owned()),
    }
}

/// What a word without quotes is in YAML 1.2's core schema.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Value::Boolean,
        ".nan" | ".NaN" | ".NAN" => Value::Float,
        _ => number(text).unwrap_or_else(|| Value::String(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Value> {
    let are = |digits: &str, fits: fn(&u8) -> bool| digits.bytes().all(|digit| fits(&digit));
    let based = |digits: &str, fits| (!digits.is_empty() && are(digits, fits)).then_some(Value::Integer);
    if let Some(digits) = text.strip_prefix("0x") {
        return based(digits, u8::is_ascii_hexdigit);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return based(digits, |digit| matches!(digit, b'0'..=b'7'));
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Some(Value::Float);
    }
    let decimal = u8::is_ascii_digit;
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = are(whole, decimal) && fraction.is_none_or(|fraction| are(fraction, decimal));
    let some = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    let power = exponent.is_none_or(|exponent| !exponent.is_empty() && are(exponent, decimal));
    let is_float = fraction.is_some() || exponent.is_some();
    (digits && some && power).then_some(if is_float { Value::Float } else { Value::Integer })
}

/// An error of the parser, in plainer words and with what would be right, where that is easy to tell.
fn unreadable(error: &ScanError, yaml: &str) -> Problem {
    let offset = error.marker().byte_offset().unwrap_or(yaml.len()).min(yaml.len());
    let rest = yaml.get(offset..).unwrap_or_default();
    let kind = error.kind();
    // Of a tab within a value, the parser tells where the value begins.
    let start = offset + if is_tab(kind) { rest.find('\t').unwrap_or(0) } else { 0 };
    let length = yaml.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let (headline, help) = match in_words(kind) {
        Some((headline, help)) => (headline.to_owned(), Some(help)),
        None => (kind.to_string(), None),
    };
    Problem { headline, range: start..start + length, help }
}

fn is_tab(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabInPlainScalar
            | ErrorKind::TabAtBlockScalarStart
    )
}

/// What people get wrong most, and what to do.
fn in_words(kind: &ErrorKind) -> Option<(&'static str, &'static str)> {
    Some(if is_tab(kind) {
        ("a tab stands where blanks are meant", "write blanks in place of the tab")
    } else if matches!(kind, ErrorKind::MappingValueNotAllowed) {
        (
            "`: ` stands in a value without quotes",
            "put the value into quotes; if this is a key, begin it in the column of the others",
        )
    } else if matches!(kind, ErrorKind::MissingAnchorOrAliasName) {
        ("`*` or `&` without a name behind it", "put a value that begins with `*` or `&` into quotes")
    } else if matches!(kind, ErrorKind::UnexpectedCharacter { character: '@' | '`' | '%' }) {
        ("a value cannot begin with this character", "put the value into quotes")
    } else if matches!(
        kind,
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar
    ) {
        (
            "something stands behind the closing quote",
            "put the whole value into quotes; within single ones a quote is written `''`, within double ones `\\\"`",
        )
    } else if matches!(kind, ErrorKind::UnknownQuotedScalarEscape) {
        ("`\\` with a letter that means nothing", "write `\\\\` for a backslash, or use single quotes")
    } else if matches!(kind, ErrorKind::UnclosedQuotedScalar) {
        ("a quote is never closed", "close it, or put the whole value into quotes of the other kind")
    } else if matches!(kind, ErrorKind::UnclosedFlowCollection { .. }) {
        ("a bracket is never closed", "close it, or put the value into quotes, if it is a text")
    } else if matches!(kind, ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey) {
        ("a key without `:`", "write `key: value`")
    } else if matches!(kind, ErrorKind::ExpectedBlockMappingKey) {
        ("a key is expected here", "put a value that begins with a bracket, a brace or a quote into quotes as a whole")
    } else if matches!(kind, ErrorKind::ExpectedDocumentStart | ErrorKind::InvalidIndentation) {
        ("this line begins further left than those before", "begin the keys of one level in one column")
    } else if matches!(kind, ErrorKind::BlockSequenceEntryNotAllowed) {
        ("a list cannot begin here", "begin it with `- ` on a line of its own, or write `[…]`")
    } else if matches!(kind, ErrorKind::DirectiveDisallowed) {
        ("a directive", "leave it out")
    } else if matches!(kind, ErrorKind::RecursionLimitExceeded) {
        ("lists and mappings stand too deep in one another", "an agent's file needs a list of names at most")
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::{Node, Value, parse, plain};

    /// A tree in a few words: strings as they are, all else with the bytes it stands in.
    fn told(yaml: &str) -> String {
        let (root, problem) = parse(yaml);
        let root = root.map_or_else(|| "none".to_owned(), |root| of_node(yaml, &root));
        match problem {
            Some(problem) => format!("{root}; {}: {}", yaml.get(problem.range).unwrap(), problem.headline),
            None => root,
        }
    }

    fn of_node(yaml: &str, node: &Node) -> String {
        let here = yaml.get(node.range.clone()).unwrap();
        match &node.value {
            Value::String(text) => format!("{text}<{here}>"),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(|item| of_node(yaml, item)).collect();
                format!("[{}]<{here}>", items.join(", "))
            }
            Value::Map(pairs) => {
                let pair = |(key, value): &(Node, Node)| format!("{}: {}", of_node(yaml, key), of_node(yaml, value));
                format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            Value::Null | Value::Boolean | Value::Integer | Value::Float | Value::Alias | Value::Tagged => {
                format!("{:?}<{here}>", node.value)
            }
        }
    }

    #[test]
    fn values_have_their_places() {
        assert_eq!(told("a: é b # c\n'd': \"\\x65\"\n"), "{a<a>: é b<é b>, d<'d'>: e<\"\\x65\">}");
        assert_eq!(
            told("a: [b, 'c']\nd:\n- e\n- 1\n"),
            "{a<a>: [b<b>, c<'c'>]<[b, 'c']>, d<d>: [e<e>, Integer<1>]<e\n- 1>}"
        );
        assert_eq!(told("a: {b: ~}\nc:\n"), "{a<a>: {b<b>: Null<~>}, c<c>: Null<>}");
        assert_eq!(told("a: >-\n  b,\n  c\n"), "{a<a>: b, c<b,\n  c\n>}");
    }

    #[test]
    fn nothing_is_followed_or_converted() {
        assert_eq!(told("a: &x [b]\nc: *x\nd: *y\n"), "{a<a>: [b<b>]<[b]>, c<c>: Alias<*x>, d<d>: Alias<*y>}");
        assert_eq!(
            told("a: !!str 1\nb: !!int 1\nc: !x [d]\n"),
            "{a<a>: 1<!!str 1>, b<b>: Tagged<!!int 1>, c<c>: Tagged<!x [d]>}"
        );
    }

    #[test]
    fn what_is_whole_before_a_mistake_is_read() {
        assert_eq!(told("a: b\nc: d: e\nf: g\n"), "{a<a>: b<b>, c<c>: d<d>}; :: `: ` stands in a value without quotes");
        assert_eq!(told("a: b\nc: [d\n"), "{a<a>: b<b>}; [: a bracket is never closed");
        assert_eq!(told("a: b\n...\nc: d\n"), "{a<a>: b<b>}; : a second document begins");
        assert_eq!(told("- a\n- [b\n"), "none; [: a bracket is never closed");
    }

    #[test]
    fn an_empty_text_has_no_value() {
        for yaml in ["", "\n\n", "# nothing\n", "...\n"] {
            assert_eq!(told(yaml), "none", "{yaml:?}");
        }
    }

    #[test]
    fn plain_words_are_what_the_core_schema_says() {
        let strings = [
            "yes",
            "no",
            "on",
            "x",
            "1x",
            "0x",
            "0o8",
            "1e",
            "-",
            "+",
            ".",
            "e5",
            "1.2.3",
            "2024-01-01",
            "-.",
            "1_000",
        ];
        for text in strings {
            assert!(matches!(plain(text), Value::String(_)), "{text}");
        }
        for text in ["0", "-12", "+7", "007", "0xfF", "0o17"] {
            assert!(matches!(plain(text), Value::Integer), "{text}");
        }
        for text in ["1.", ".5", "-1.5e+3", "1e5", ".inf", "-.INF", ".nan"] {
            assert!(matches!(plain(text), Value::Float), "{text}");
        }
        for text in ["", "~", "null", "NULL"] {
            assert!(matches!(plain(text), Value::Null), "{text}");
        }
    }
}
