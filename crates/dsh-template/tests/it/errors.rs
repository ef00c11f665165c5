//! What errors say: kind, code, place, and what would be right; and which of several is reported.
#![expect(clippy::unwrap_used, reason = "assertions panic")]

use std::cell::RefCell;

use dsh_template::ErrorKind::{MalformedReference, UnknownVariable, ValuelessVariable};
use dsh_template::{Lookup, Position, Template};

use crate::support::{refused, renders};

/// Headline and help of the one error of `template`, whose variables are all unknown.
#[track_caller]
fn told(template: &str) -> (String, String) {
    let error = Template::compile(template).render(|_| Lookup::Unknown).unwrap_err();
    (error.headline().to_string(), error.help().to_string())
}

// S11
#[test]
fn the_leftmost_error_is_the_one_reported() {
    let values: &[_] = &[("v", Some("V")), ("none", None)];
    refused("{{v}}{{w}}{{ }}{{none}}", values, UnknownVariable, "{{w}}");
    refused("{{v}}{{none}}{{w}}{{ }}", values, ValuelessVariable, "{{none}}");
    refused("{{v}}{{ }}{{w}}{{none}}", values, MalformedReference, "{{ }}");
    refused("{{v}} {{v}}{{w}}{{w}}", values, UnknownVariable, "{{w}}");
}

#[test]
fn lookup_is_asked_once_for_a_name_in_order_and_not_after_a_failure() {
    let asked = RefCell::new(Vec::new());
    let error = Template::compile("{{b}}{{a}}{{b}}{{c}}{{d}}{{ }}")
        .render(|name| {
            asked.borrow_mut().push(name.to_owned());
            if name == "c" { Lookup::Valueless } else { Lookup::Value("x") }
        })
        .unwrap_err();
    assert_eq!(*asked.borrow(), ["b", "a", "c"]);
    assert_eq!(Template::compile("{{ }}").malformed().and_then(|error| error.name()), None);
    assert_eq!((error.kind(), error.name(), error.range()), (ValuelessVariable, Some("c"), 15..20));
}

#[test]
fn codes_are_stable() {
    assert_eq!(MalformedReference.code(), "template::malformed_reference");
    assert_eq!(UnknownVariable.code(), "template::unknown_variable");
    assert_eq!(ValuelessVariable.code(), "template::valueless_variable");
    assert_eq!(Template::compile("{{a}}").render(|_| Lookup::Unknown).unwrap_err().code(), UnknownVariable.code());
}

#[test]
fn help_names_what_was_likely_meant() {
    assert_eq!(
        told("{{ v }}"),
        ("malformed reference `{{ v }}`: blanks inside the braces".to_owned(), "write `{{v}}`".to_owned())
    );
    let (headline, help) = told("{{Base-Url}}");
    assert_eq!(headline, "malformed reference `{{Base-Url}}`: not a variable name");
    assert!(help.starts_with("a name is [a-z][a-z0-9_]*, as in `{{base_url}}`; "), "{help}");
    assert!(told("{{ a.b c }}").1.contains("as in `{{a_b_c}}`"));
    let (headline, help) = told("{{}}");
    assert_eq!(headline, "malformed reference `{{}}`: not a variable name");
    assert!(help.starts_with("a reference is `{{name}}`"), "{help}");
}

#[test]
fn help_for_braces_shows_a_writing_that_works() {
    let (headline, help) = told("{{{v}}}");
    assert_eq!(headline, "malformed reference `{{{v}}`: the `{{` opens no complete group");
    assert_eq!(help, r#"write `{{v}}`, or `{{"{"}}{{v}}}` for the value in braces"#);
    let (_, help) = told("{{{v w}}}");
    assert!(help.contains(r#"literal braces are written `{{"{{"}}` (one is `{{"{"}}`)"#), "{help}");
    renders(r#"{{"{"}}{{v}}}"#, &[("v", Some("V"))], "{V}");
    renders(r#"{{"{{"}}v}}"#, &[], "{{v}}");
}

#[test]
fn a_brace_too_many_or_too_few_is_told_by_the_name_between_them() {
    for template in ["{{{v}}}", "{{{ v }}}", "{{{v}}"] {
        assert!(told(template).1.starts_with("write `{{v}}`, or"), "{template}");
    }
    for template in ["{{v} }}", "{{v} and {{v}}", "{{ v } x}}"] {
        assert!(told(template).1.starts_with("a reference ends with two braces, as in `{{v}}`; "), "{template}");
    }
    for template in ["{{ {{v}}", "{{V} }}", "{{{{v}}}}", "{{{v}{w}}"] {
        assert!(told(template).1.starts_with("a reference is `{{name}}`"), "{template}");
    }
}

// Case 03
#[test]
fn doubled_braces_of_json_are_told_as_such() {
    for template in [r#"{{"label":"x"}}"#, r#"{{"a" : {"b": 1}}}"#] {
        let (headline, help) = told(template);
        assert!(headline.ends_with("no `}}` after the closing quote"), "{headline}");
        assert!(help.starts_with("single braces stand for themselves, and JSON needs no doubled ones"), "{help}");
    }
    renders(r#"{"label":"x"} {"a": {"b": 1}}"#, &[], r#"{"label":"x"} {"a": {"b": 1}}"#);
}

#[test]
fn each_fault_of_a_quoted_string_is_told() {
    for (template, what, at) in [
        (r#"{{"a}}"#, "the quoted string has no end", 6),
        (r#"{{"a" }}"#, "no `}}` after the closing quote", 5),
        (r#"{{"a\x"}}"#, "no escape of JSON in the quoted string", 4),
        (r#"{{"a\u12"}}"#, "no escape of JSON in the quoted string", 4),
        (r#"{{"\ud83d"}}"#, "half of a surrogate pair in the quoted string", 3),
        ("{{\"a\nb\"}}", "a control character in the quoted string", 4),
    ] {
        let (headline, help) = told(template);
        assert!(headline.ends_with(what), "{template}: {headline}");
        assert!(help.starts_with(r#"a quoted string is `{{"..."}}`"#), "{template}: {help}");
        let error = Template::compile(template).render(|_| Lookup::Unknown).unwrap_err();
        assert_eq!(error.broken_at(), Some(at), "{template}");
        assert!(error.to_string().contains(&format!(" (byte {at}); ")), "{error}");
    }
    assert_eq!(Template::compile("{{ }}").malformed().and_then(dsh_template::Error::broken_at), None);
}

#[test]
fn a_message_is_short_and_printable_whatever_the_source() {
    let long = "x".repeat(10_000);
    for template in [format!("{{{{{long}}}}}"), format!("{{{{ {long} }}}}"), format!("{{{{{long}{{}}}}")] {
        let error = Template::compile(&template).render(|_| Lookup::Unknown).unwrap_err();
        assert!(error.to_string().len() < 400, "{error}");
        assert!(error.headline().to_string().contains("xxx..."), "a cut shows: {error}");
    }
    let capitals = format!("{{{{{}}}}}", "X".repeat(10_000));
    assert!(told(&capitals).1.len() < 400);
    let (headline, _) = told("{{a\u{202e}\u{7}b\"}}");
    assert_eq!(headline, r#"malformed reference `{{a\u{202e}\u{7}b"}}`: not a variable name"#);
}

#[test]
fn the_whole_message_has_headline_place_and_help() {
    let error = Template::compile("is {{branch}}").render(|_| Lookup::Valueless).unwrap_err();
    assert_eq!(
        error.to_string(),
        "variable `{{branch}}` has no value at bytes 3..13; give `branch` a value or take the reference out"
    );
}

#[test]
fn positions_count_lines_and_characters_from_one() {
    let source = "a\u{e9}b\r\n\u{1f600}c\n";
    let at = |byte| {
        let position = Position::of(source, byte);
        (position.line, position.column)
    };
    assert_eq!(at(0), (1, 1));
    assert_eq!(at(3), (1, 3));
    assert_eq!(at(2), (1, 2), "inside the second character");
    assert_eq!(at(6), (2, 1));
    assert_eq!(at(10), (2, 2));
    assert_eq!(at(12), (3, 1));
    assert_eq!(at(99), (3, 1), "past the end");
}
