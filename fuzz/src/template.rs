//! Templates: compile, render, escape (I8 to I12).

#[path = "../../crates/dsh-template/tests/it/plain.rs"]
mod plain;

use dsh_template::fuzzing::scan_work;
use dsh_template::{Lookup, Piece, Position, Template, Text, escape, is_variable_name, quotations, references};

use crate::support::{Outcome, outcome};
use crate::text::{at, lossy};

/// Checks a text as a template and as a text to escape.
///
/// # Panics
///
/// Where something does not hold; see `docs/fuzz.md`.
pub fn template(bytes: &[u8]) {
    let source = &*lossy(bytes);
    let template = Template::compile(source);
    let all = |_: &str| Lookup::Value("v{{");
    renders_alike(source, &template, |name| some(source, name));
    renders_alike(source, &template, all);
    compiled_says_what_the_text_says(source, &template);
    quotations_are_groups(source, &template);
    positions_are_counted(source, &template);
    escaped_is_itself(source);
    never_scanned(source);
    work_is_linear(source);
}

/// What a variable is known to be: by its name, so that an input decides.
fn some<'v>(source: &'v str, name: &str) -> Lookup<'v> {
    match name.bytes().map(usize::from).sum::<usize>() % 5 {
        0 => Lookup::Value(""),
        1 | 2 => Lookup::Value(source.get(..source.floor_char_boundary(48)).unwrap_or_default()),
        3 => Lookup::Valueless,
        _ => Lookup::Unknown,
    }
}

/// Every way to render gives what the plain renderer gives. (S11)
fn renders_alike<'v>(source: &str, template: &Template, lookup: impl Fn(&str) -> Lookup<'v> + Copy) {
    let expected = plain::render(source, lookup, &mut Vec::new());
    let rendered = template.render(lookup);
    if let Ok(text) = &rendered {
        assert_eq!(text.capacity(), text.len(), "one allocation of the exact size: {source:?}");
    }
    assert_eq!(outcome(rendered), expected, "{source:?}");

    let slots: Vec<_> = template.names().map(lookup).collect();
    assert_eq!(outcome(template.render_slots(&slots)), expected, "by slots: {source:?}");
    assert_eq!(by_pieces(template, lookup), expected, "by pieces: {source:?}");
    assert_eq!(outcome(Text::template(source).compile().render(lookup)), expected, "as a text: {source:?}");

    let measured = template.measure(|slot| slots.get(slot).copied().unwrap_or(Lookup::Unknown));
    let (sizes, kinds) = (measured.as_ref().ok(), measured.as_ref().err().map(|error| (error.kind(), error.range())));
    assert_eq!((sizes.copied(), kinds), (expected.as_ref().ok().map(String::len), expected.as_ref().err().cloned()));
    if measured.is_ok() {
        let mut out = String::from("before");
        template.write_into(&mut out, |slot| match slots.get(slot) {
            Some(Lookup::Value(value)) => value,
            Some(Lookup::Valueless | Lookup::Unknown) | None => "",
        });
        assert_eq!(out.strip_prefix("before"), expected.as_deref().ok(), "written: {source:?}");
    }
}

/// Renders by walking the pieces, as a caller with parts to keep would.
fn by_pieces<'v>(template: &Template, lookup: impl Fn(&str) -> Lookup<'v>) -> Outcome {
    use dsh_template::ErrorKind::{UnknownVariable, ValuelessVariable};
    let mut out = String::new();
    for piece in template.pieces() {
        match piece {
            Piece::Literal(literal) => out += literal,
            Piece::Variable(variable) => match lookup(variable.name) {
                Lookup::Value(value) => out += value,
                Lookup::Valueless => return Err((ValuelessVariable, variable.range)),
                Lookup::Unknown => return Err((UnknownVariable, variable.range)),
            },
        }
    }
    match template.malformed() {
        None => Ok(out),
        Some(error) => Err((error.kind(), error.range())),
    }
}

/// Pieces, names, slots and references are those of the text, and an error's places lie in it.
fn compiled_says_what_the_text_says(source: &str, template: &Template) {
    let mut names: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    let (mut literals, mut after_literal, mut end) = (String::new(), false, 0);
    for piece in template.pieces() {
        match piece {
            Piece::Literal(literal) => {
                assert!(!literal.is_empty() && !after_literal, "literals are merged: {source:?}");
                after_literal = true;
                literals += literal;
            }
            Piece::Variable(variable) => {
                assert!(is_variable_name(variable.name));
                assert_eq!(at(source, variable.range.clone()), format!("{{{{{}}}}}", variable.name));
                assert!(variable.range.start >= end, "in order: {source:?}");
                end = variable.range.end;
                assert_eq!(template.name(variable.slot), Some(variable.name));
                if !names.contains(&variable.name) {
                    assert_eq!(variable.slot, names.len(), "slots in order of first use: {source:?}");
                    names.push(variable.name);
                }
                found.push((variable.name, variable.range));
                after_literal = false;
            }
        }
    }
    assert!(template.names().eq(names), "{source:?}");
    assert_eq!(template.literal_len(), literals.len());
    assert!(literals.len() <= source.len(), "no group stands for more than it is: {source:?}");
    let one = (found.is_empty() && template.malformed().is_none()).then_some(literals.as_str());
    assert_eq!(template.as_literal().map(|text| &**text), one, "{source:?}");
    let referred: Vec<_> = references(source).map(|reference| (reference.name, reference.range)).collect();
    assert_eq!(referred, found, "references: {source:?}");
    assert!(Text::template(source).references().map(|reference| (reference.name, reference.range)).eq(referred));

    if let Some(error) = template.malformed() {
        let place = at(source, error.range());
        assert!(place.starts_with("{{") && error.range().start >= end, "{error} in {source:?}");
        assert!(error.broken_at().is_none_or(|byte| source.is_char_boundary(byte) && byte > error.range().start));
        let said = error.to_string();
        // Long texts are quoted in part, and nothing that does not print is quoted as it is.
        assert!(said.len() < 2048 && !said.contains(char::is_control), "{said:?}");
    }
}

/// The quotations of a text are groups of it, each of the size that it is rendered to, and the rest of the text is prose.
fn quotations_are_groups(source: &str, template: &Template) {
    let (mut end, mut groups, mut strings) = (0, 0, 0);
    for quotation in quotations(source) {
        assert!(quotation.range.start >= end, "in order: {source:?}");
        end = quotation.range.end;
        let group = at(source, quotation.range);
        let inside = group.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        let said = inside.and_then(|json| serde_json::from_str::<String>(json).ok());
        assert_eq!(Template::compile(group).as_literal().map(|text| &**text), said.as_deref(), "{group:?}");
        assert_eq!(said.map(|text| text.len()), Some(quotation.len), "{group:?} of {source:?}");
        groups += group.len();
        strings += quotation.len;
    }
    if template.malformed().is_none() {
        let variables: usize = references(source).map(|reference| reference.range.len()).sum();
        assert_eq!(template.literal_len(), source.len() - groups - variables + strings, "{source:?}");
    }
}

/// Lines and columns are those that counting finds.
fn positions_are_counted(source: &str, template: &Template) {
    let byte = template.malformed().map_or(source.len() / 2, |error| error.range().end);
    let before = source.get(..source.floor_char_boundary(byte)).unwrap_or_default();
    let position = Position::of(source, byte);
    assert_eq!(position.line, before.split('\n').count());
    assert_eq!(position.column, before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1);
}

/// An escaped text renders to itself, alone and beside others. (X1)
fn escaped_is_itself(source: &str) {
    let escaped = escape(source);
    let nothing = |template: &str| outcome(Template::compile(template).render(|_| Lookup::Unknown));
    assert_eq!(nothing(&escaped), Ok(source.to_owned()));
    assert_eq!(references(&escaped).count(), 0);
    assert!(!escaped.ends_with('{'), "whatever follows means what it means alone: {escaped:?}");
    if !source.contains("{{") && !source.ends_with('{') {
        assert_eq!(escaped, source, "nothing to escape");
    }
    assert_eq!(nothing(&escape(&escaped)), Ok(escaped.clone().into_owned()), "escaped twice");

    let middle = source.floor_char_boundary(source.len() / 2);
    let (head, tail) = (source.get(..middle).unwrap_or_default(), source.get(middle..).unwrap_or_default());
    assert_eq!(nothing(&(escape(head) + &*escape(tail))), Ok(source.to_owned()), "two escaped texts");
    let joined = format!("{}{{{{v}}}}{}", escape(head), escape(tail));
    let rendered = outcome(Template::compile(&joined).render(|_| Lookup::Value("V{{")));
    assert_eq!(rendered, Ok(format!("{head}V{{{{{tail}")), "round a reference: {source:?}");

    // Any template may follow an escaped text.
    let shift = escape(head).len();
    let lookup = |name: &str| some(source, name);
    let alone = outcome(Template::compile(tail).render(lookup));
    let after = outcome(Template::compile(&(escape(head) + tail)).render(lookup));
    let expected = alone
        .map(|text| head.to_owned() + &text)
        .map_err(|(kind, range)| (kind, range.start + shift..range.end + shift));
    assert_eq!(after, expected, "a template behind an escaped text: {source:?}");
}

/// What a variable holds, and what is raw, is put in as it is. (I8, I10)
fn never_scanned(source: &str) {
    assert_eq!(outcome(Text::raw(source).compile().render(|_| Lookup::Unknown)), Ok(source.to_owned()));
    assert_eq!(Text::raw(source).references().count(), 0);
    let rendered = outcome(Template::compile("{{v}}{{v}}").render(|_| Lookup::Value(source)));
    assert_eq!(rendered, Ok(source.repeat(2)));
}

/// Every byte is looked at a bounded number of times, of the text and of what escaping makes of it. (I12)
fn work_is_linear(source: &str) {
    for text in [source, &*escape(source)] {
        let work = scan_work(text);
        assert!(work <= 4 * text.len() + 16, "{work} bytes looked at in a text of {}: {text:?}", text.len());
    }
}
