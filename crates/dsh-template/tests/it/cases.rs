//! The parts of cases 03 and 05 that are about one text.

use dsh_template::ErrorKind::{MalformedReference, UnknownVariable, ValuelessVariable};
use dsh_template::{Lookup, Position, Template, Text, escape};

use crate::support::{lookup, outcome, refused, renders};

const TEAM: &[(&str, Option<&str>)] = &[("team", Some("harbour"))];

// case 03 a
#[test]
fn single_braces_and_stray_closing_ones_are_bytes() {
    renders(
        r#"Answer for {{team}} as {"label":"x","n":{"k":[1,2]}}. CSS: a{b:c} Set: {1; 2} Rust: {}"#,
        TEAM,
        r#"Answer for harbour as {"label":"x","n":{"k":[1,2]}}. CSS: a{b:c} Set: {1; 2} Rust: {}"#,
    );
}

// case 03 b
#[test]
fn a_raw_text_is_sent_byte_for_byte() {
    let message = "why does <p>{{msg}}</p> print nothing? also {{team}} and {{";
    let text = Text::raw(message);
    assert_eq!(outcome(text.compile().render(lookup(TEAM))), Ok(message.to_owned()));
    assert_eq!(text.references().count(), 0);
    renders(&escape(message), TEAM, message);
}

// case 03 c
#[test]
fn the_doubling_habit_of_other_libraries_is_malformed_and_placed() {
    let template = r#"Use {{"label":"x"}}"#;
    refused(template, TEAM, MalformedReference, r#"{{"label":"x"}}"#);
    let source = format!("First line.\n{template}");
    let error = Template::compile(&source).render(lookup(TEAM)).unwrap_err();
    let at = Position::of(&source, error.range().start);
    assert_eq!((at.line, at.column), (2, 5));
}

// case 03 d
#[test]
fn opening_braces_that_nothing_closes_are_prose() {
    renders("left {{ alone", TEAM, "left {{ alone");
    renders("left {{ alone {{{ and {{\"quoted", TEAM, "left {{ alone {{{ and {{\"quoted");
}

// case 03 e
#[test]
fn the_doubled_text_escaped_comes_out_verbatim() {
    let text = r#"Use {{"label":"x"}} for {{team}}"#;
    renders(&escape(text), TEAM, text);
    assert_eq!(Text::from(escape(text)).references().count(), 0);
}

const NOTE: &str = r"{{token}} $& $' $1 \1 <b>&amp;</b> %s";
const VARIABLES: &[(&str, Option<&str>)] =
    &[("note", Some(NOTE)), ("token", Some("s3cret")), ("empty", Some("")), ("branch", None)];

// case 05
#[test]
fn what_was_put_in_is_not_looked_at_again() {
    renders("N={{note}} E=[{{empty}}]", VARIABLES, &format!("N={NOTE} E=[]"));
}

// case 05
#[test]
fn unknown_and_valueless_are_told_apart() {
    refused("{{branhc}}", VARIABLES, UnknownVariable, "{{branhc}}");
    refused("{{branch}}", VARIABLES, ValuelessVariable, "{{branch}}");
    let error = Template::compile("{{branhc}}").render(lookup(VARIABLES)).unwrap_err();
    assert_eq!(error.name(), Some("branhc"));
}

// case 05
#[test]
fn no_error_shows_a_value() {
    for template in ["{{constructor}}", "{{__proto__}}", "{{ a b }}", "{{}}", "{{{token}}}"] {
        let error = Template::compile(template).render(lookup(VARIABLES)).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{template}");
    }
    assert!(!format!("{:?}", Lookup::Value("s3cret")).contains("s3cret"));
}

// case 05
#[test]
fn a_text_of_references_without_values_renders_empty() {
    renders("{{empty}}{{empty}}", VARIABLES, "");
}
