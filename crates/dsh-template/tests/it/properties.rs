//! Properties over random texts, thick with braces.

use std::collections::BTreeMap;

use dsh_template::{Lookup, Piece, Template, Text, escape, quotations, references};
use proptest::prelude::*;

use crate::plain;
use crate::support::{Outcome, outcome};

/// Pieces that random texts are made of: what the grammar looks at, and things that look like it.
fn fragment() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "{",
        "{",
        "{{",
        "{{",
        "}",
        "}",
        "}}",
        "}}",
        "{{{",
        "}}}",
        "\"",
        "{{\"",
        "\"}}",
        "\\",
        "\\\"",
        "\\\\",
        "\\n",
        "\\u",
        "\\u00e9",
        "\\ud83d",
        "\\uDE00",
        "\\ud83d\\ude00",
        "\\u12",
        "\\x",
        "a",
        "b",
        "a0",
        "_",
        "0",
        "A",
        "-",
        " ",
        "\n",
        "\t",
        "\u{0}",
        "\u{1f}",
        "\u{7f}",
        "\u{e9}",
        "\u{1f600}",
        "{{a}}",
        "{{b}}",
        "{{ab}}",
        "{{a0}}",
        "{{a_}}",
        "{{zz}}",
        "{{ a }}",
        "{{A}}",
        "{{}}",
        "{{a}b}}",
        "{{\"\"}}",
        "{{\"{{a}}\"}}",
        "{{\"\\u007b}}\"}}",
    ])
    .prop_map(str::to_owned);
    prop_oneof![8 => fixed, 1 => any::<char>().prop_map(String::from), 1 => "[a-c]{1,3}"]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(fragment(), 0..16).prop_map(|fragments| fragments.concat())
}

/// Texts in which rendering gets far: a closing pair at the very end makes most others malformed at their first stray brace.
fn tame_text() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "{",
        "}",
        "}}",
        "x",
        "\u{e9}",
        " ",
        "\"",
        "\\",
        "{{a}}",
        "{{b}}",
        "{{ab}}",
        "{{a0}}",
        "{{zz}}",
        "{{\"\"}}",
        "{{\"{{a}}\"}}",
        "{{\"\\ud83d\\ude00\\n\\/\"}}",
        "{{\"}}\"}}",
        "{{\"\\\"\"}}",
    ]);
    prop::collection::vec(fragment, 0..20).prop_map(|fragments| fragments.concat())
}

/// For each name: a value, no value, or (missing) unknown.
fn values() -> impl Strategy<Value = BTreeMap<String, Option<String>>> {
    let name = prop::sample::select(vec!["a", "b", "ab", "a0", "a_", "zz"]).prop_map(str::to_owned);
    prop::collection::btree_map(name, prop::option::weighted(0.9, text()), 0..7)
}

fn look_up<'v>(values: &'v BTreeMap<String, Option<String>>, name: &str) -> Lookup<'v> {
    match values.get(name) {
        Some(Some(value)) => Lookup::Value(value),
        Some(None) => Lookup::Valueless,
        None => Lookup::Unknown,
    }
}

/// Renders by walking the pieces, as a caller with parts to keep would.
fn by_pieces(template: &Template, values: &BTreeMap<String, Option<String>>) -> Outcome {
    use dsh_template::ErrorKind::{UnknownVariable, ValuelessVariable};
    let mut out = String::new();
    for piece in template.pieces() {
        match piece {
            Piece::Literal(literal) => out += literal,
            Piece::Variable(variable) => match look_up(values, variable.name) {
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

fn check_against_plain(source: &str, values: &BTreeMap<String, Option<String>>) {
    let mut named = Vec::new();
    let expected = plain::render(source, |name| look_up(values, name), &mut named);
    let template = Template::compile(source);

    let rendered = template.render(|name| look_up(values, name));
    if let Ok(text) = &rendered {
        assert_eq!(text.capacity(), text.len(), "one allocation of the exact size");
    }
    assert_eq!(outcome(rendered), expected, "{source:?}");

    let slots: Vec<_> = template.names().map(|name| look_up(values, name)).collect();
    assert_eq!(outcome(template.render_slots(&slots)), expected, "by slots: {source:?}");
    assert_eq!(by_pieces(&template, values), expected, "by pieces: {source:?}");
    assert_eq!(
        outcome(Text::template(source).compile().render(|name| look_up(values, name))),
        expected,
        "as a text: {source:?}"
    );
}

/// The references of a text, its compiled form and the plain renderer agree.
fn check_references(source: &str) {
    let mut named = Vec::new();
    let plain = plain::render(source, |_| Lookup::Value(""), &mut named);
    let found: Vec<_> =
        references(source).map(|reference| (reference.name.to_owned(), reference.range.start)).collect();
    assert_eq!(found, named, "{source:?}");

    let template = Template::compile(source);
    assert_eq!(template.malformed().map(|error| (error.kind(), error.range())), plain.err(), "{source:?}");
    let mut names: Vec<&str> = Vec::new();
    let mut compiled = Vec::new();
    let mut after_literal = false;
    let mut literal_len = 0;
    for piece in template.pieces() {
        match piece {
            Piece::Literal(literal) => {
                assert!(!literal.is_empty() && !after_literal, "literals are merged: {source:?}");
                after_literal = true;
                literal_len += literal.len();
            }
            Piece::Variable(variable) => {
                assert_eq!(source.get(variable.range.clone()), Some(&*format!("{{{{{}}}}}", variable.name)));
                assert_eq!(template.name(variable.slot), Some(variable.name));
                if !names.contains(&variable.name) {
                    names.push(variable.name);
                }
                compiled.push((variable.name.to_owned(), variable.range.start));
                after_literal = false;
            }
        }
    }
    assert_eq!(compiled, found, "{source:?}");
    assert!(template.names().eq(names), "distinct, in order of first use: {source:?}");
    assert_eq!(template.literal_len(), literal_len);
}

/// The quotations of a text are groups of it, each of the size that it is rendered to, and the rest of the text is prose.
fn check_quotations(source: &str) {
    let template = Template::compile(source);
    let (mut at, mut groups, mut strings) = (0, 0, 0);
    for quotation in quotations(source) {
        assert!(quotation.range.start >= at, "{source:?}");
        at = quotation.range.end;
        let group = source.get(quotation.range).unwrap_or_default();
        assert!(group.starts_with("{{\"") && group.ends_with("\"}}"), "{group:?} of {source:?}");
        let string = Template::compile(group);
        assert_eq!(string.as_literal().map(|string| string.len()), Some(quotation.len), "{group:?} of {source:?}");
        groups += group.len();
        strings += quotation.len;
    }
    if template.malformed().is_none() {
        let variables: usize = references(source).map(|reference| reference.range.len()).sum();
        assert_eq!(template.literal_len(), source.len() - groups - variables + strings, "{source:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    // S11
    #[test]
    fn the_compiled_renderer_equals_a_plain_one(source in text(), values in values()) {
        check_against_plain(&source, &values);
    }

    // S11
    #[test]
    fn the_compiled_renderer_equals_a_plain_one_where_most_texts_render(source in tame_text(), values in values()) {
        check_against_plain(&source, &values);
    }

    #[test]
    fn references_and_pieces_agree(source in prop_oneof![text(), tame_text()]) {
        check_references(&source);
    }

    // X1
    #[test]
    fn quotations_are_groups_and_have_the_size_that_is_rendered(source in prop_oneof![text(), tame_text()]) {
        check_quotations(&source);
    }

    // X1
    #[test]
    fn an_escaped_text_renders_to_itself(source in text()) {
        let escaped = escape(&source);
        assert_eq!(outcome(Template::compile(&escaped).render(|_| Lookup::Unknown)), Ok(source));
    }

    // X1
    #[test]
    fn any_string_escaped_renders_to_itself(source in any::<String>()) {
        let escaped = escape(&source);
        assert_eq!(outcome(Template::compile(&escaped).render(|_| Lookup::Unknown)), Ok(source));
    }

    // X1
    #[test]
    fn escaped_texts_can_be_put_together_with_each_other_and_with_references(a in text(), b in text(), c in text()) {
        let joined = format!("{}{}{{{{v}}}}{}", escape(&a), escape(&b), escape(&c));
        assert_eq!(outcome(Template::compile(&joined).render(|_| Lookup::Value("V"))), Ok(format!("{a}{b}V{c}")));
    }

    // X1
    #[test]
    fn whatever_follows_an_escaped_text_means_what_it_meant(a in text(), tail in text(), values in values()) {
        let shift = escape(&a).len();
        let alone = outcome(Template::compile(&tail).render(|name| look_up(&values, name)));
        let after = outcome(Template::compile(&(escape(&a) + &*tail)).render(|name| look_up(&values, name)));
        let expected = alone.map(|text| a + &text).map_err(|(kind, range)| (kind, range.start + shift..range.end + shift));
        assert_eq!(after, expected);
    }

    // X1
    #[test]
    fn an_escaped_text_may_follow_a_template_that_leaves_nothing_open(head in prop_oneof![text(), tame_text()], a in text()) {
        let rendered = |template: &str| Template::compile(template).render(|_| Lookup::Value("")).ok();
        let alone = rendered(&head);
        let closed = alone.is_some() && rendered(&(head.clone() + "}}")) == alone.clone().map(|text| text + "}}");
        if closed && !head.ends_with('{') {
            assert_eq!(rendered(&(head + &escape(&a))), alone.map(|text| text + &a));
        }
    }

    // X1: a value that is rendered is what it is, and a text that is raw too
    #[test]
    fn raw_text_and_values_are_never_scanned(source in text()) {
        assert_eq!(outcome(Text::raw(&*source).compile().render(|_| Lookup::Unknown)), Ok(source.clone()));
        assert_eq!(Text::raw(&*source).references().count(), 0);
        assert_eq!(outcome(Template::compile("{{v}}").render(|_| Lookup::Value(&source))), Ok(source));
    }
}
