//! Every text of the conformance scenario `render-strict`, with what the npm package made of it.

use dsh_template::ErrorKind::{MalformedReference, UnknownVariable};

use crate::support::{refused, renders};

const V: &[(&str, Option<&str>)] = &[("v", Some("V"))];

// S11
#[test]
fn texts_that_render() {
    for (template, expected) in [
        ("no braces", "no braces"),
        ("{{v}}", "V"),
        ("{{v}}{{v}}", "VV"),
        ("awk {{ print", "awk {{ print"),
        ("{{v}} and {{", "V and {{"),
        ("a }} b", "a }} b"),
        (r#"{"a":{"b":1}}"#, r#"{"a":{"b":1}}"#),
        ("{ {v} }", "{ {v} }"),
    ] {
        renders(template, V, expected);
    }
}

// S11
#[test]
fn texts_that_are_refused() {
    for (template, kind, at) in [
        ("{{ v }}", MalformedReference, "{{ v }}"),
        ("{{}}", MalformedReference, "{{}}"),
        ("{{w}}", UnknownVariable, "{{w}}"),
        ("{{constructor}}", UnknownVariable, "{{constructor}}"),
        ("{{__proto__}}", MalformedReference, "{{__proto__}}"),
        ("{{{v}}}", MalformedReference, "{{{"),
        ("{{a{b}}", MalformedReference, "{{a{"),
        ("{{ and {{v}}", MalformedReference, "{{ and {"),
        (r#"{{"a":1}}"#, MalformedReference, r#"{{"a":1}}"#),
        ("{{{{v}}}}", MalformedReference, "{{{"),
        ("{{V}}", MalformedReference, "{{V}}"),
        ("{{v\n}}", MalformedReference, "{{v\n}}"),
    ] {
        refused(template, V, kind, at);
    }
}
