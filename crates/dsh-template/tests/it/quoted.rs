//! The quoted form, place by place, and `escape` by example. (X1)

use std::borrow::Cow;

use dsh_template::ErrorKind::MalformedReference;
use dsh_template::{Template, Text, escape};

use crate::support::{refused, renders};

#[test]
fn a_quoted_string_stands_for_itself() {
    for (template, expected) in [
        (r#"{{""}}"#, ""),
        (r#"[{{"a"}}]"#, "[a]"),
        (r#"{{"{{v}}"}}"#, "{{v}}"),
        (r#"{{"}}"}}"#, "}}"),
        (r#"{{"{"}}{{"}"}}"#, "{}"),
        (r#"{{"a"}}}"#, "a}"),
        (r#"{{" a "}}"#, " a "),
        (r#"{{"\"}}"}}"#, "\"}}"),
        (r#"{{"\\"}}"#, "\\"),
        (r#"{{"\/\b\f\n\r\t"}}"#, "/\u{8}\u{c}\n\r\t"),
        (r#"{{"\u0041\u00e9\u20AC"}}"#, "A\u{e9}\u{20ac}"),
        (r#"{{"\u0000"}}"#, "\0"),
        (r#"{{"\uffff\uFFFF"}}"#, "\u{ffff}\u{ffff}"),
        (r#"{{"x\ud83d\uDE00y"}}"#, "x\u{1f600}y"),
        (r#"{{"\uD800\uDC00\uDBFF\uDFFF"}}"#, "\u{10000}\u{10ffff}"),
        ("{{\"\u{e9}\u{1f600}\u{7f}\"}}", "\u{e9}\u{1f600}\u{7f}"),
        (r#"{{"unclosed"#, r#"{{"unclosed"#),
        (r#"{{"bad \q" and no more"#, r#"{{"bad \q" and no more"#),
        (r#"{{"a"}"#, r#"{{"a"}"#),
    ] {
        renders(template, &[], expected);
    }
}

#[test]
fn whatever_is_not_quite_the_quoted_form_is_malformed() {
    for (template, at) in [
        (r#"{{ "a" }}"#, r#"{{ "a" }}"#),
        (r#"{{"a" }}"#, r#"{{"a" }}"#),
        (r#"{{"a"b}}"#, r#"{{"a"b}}"#),
        (r#"{{"a"}b}}"#, r#"{{"a"}"#),
        (r#"{{"a}}"#, r#"{{"a}}"#),
        (r#"{{"a{}}"#, r#"{{"a{"#),
        (r"{{'a'}}", r"{{'a'}}"),
        (r#"{{{"a"}}"#, "{{{"),
        (r#"{{"\q"}}"#, r#"{{"\q"}}"#),
        (r#"{{"\"}}"#, r#"{{"\"}}"#),
        (r#"{{"\U0041"}}"#, r#"{{"\U0041"}}"#),
        (r#"{{"\u004"}}"#, r#"{{"\u004"}}"#),
        (r#"{{"\u+041"}}"#, r#"{{"\u+041"}}"#),
        (r#"{{"\u00g0"}}"#, r#"{{"\u00g0"}}"#),
        (r#"{{"\u{41}"}}"#, r#"{{"\u{"#),
        (r#"{{"\ud83d"}}"#, r#"{{"\ud83d"}}"#),
        (r#"{{"\ude00"}}"#, r#"{{"\ude00"}}"#),
        (r#"{{"\ude00\ud83d"}}"#, r#"{{"\ude00\ud83d"}}"#),
        (r#"{{"\ud83dx\ude00"}}"#, r#"{{"\ud83dx\ude00"}}"#),
        (r#"{{"\ud83d\ud83d\ude00"}}"#, r#"{{"\ud83d\ud83d\ude00"}}"#),
        (r#"{{"\ud83d\u0041"}}"#, r#"{{"\ud83d\u0041"}}"#),
        ("{{\"a\tb\"}}", "{{\"a\tb\"}}"),
        ("{{\"a\u{0}b\"}}", "{{\"a\u{0}b\"}}"),
        ("{{\"a\u{1f}b\"}}", "{{\"a\u{1f}b\"}}"),
    ] {
        refused(template, &[], MalformedReference, at);
    }
}

#[test]
fn closing_braces_in_a_later_quoted_string_close_an_open_reference_too() {
    refused(r#"awk {{ print {{"x"}}"#, &[], MalformedReference, "{{ print {");
}

#[test]
fn escape_touches_only_braces_that_need_it() {
    for (text, expected) in [
        ("{{", r#"{{"{{"}}"#),
        ("{", r#"{{"{"}}"#),
        ("a{", r#"a{{"{"}}"#),
        ("{{{{{", r#"{{"{{{{{"}}"#),
        ("{{v}} {x} {{\"q\"}}", r#"{{"{{"}}v}} {x} {{"{{"}}"q"}}"#),
        ("}}{{}}", r#"}}{{"{{"}}}}"#),
    ] {
        assert_eq!(escape(text), expected);
        renders(&escape(text), &[], text);
    }
}

#[test]
fn escape_hands_back_text_that_needs_nothing() {
    for text in ["", "plain", "back\\slash \"quote\" \u{0} \u{1f600}", "}} }", r#"{"a":{"b":1}}"#, "fn f() {}"] {
        assert!(matches!(escape(text), Cow::Borrowed(same) if same == text), "{text:?}");
    }
}

#[test]
fn a_text_without_references_is_shared_and_not_copied() {
    for text in [Text::raw("{{v}}"), Text::template("prose {{ }"), Text::raw(""), Text::template(r#"{"a":{"b":1}}"#)] {
        let compiled = text.compile();
        let literal = compiled.as_literal().expect("no references");
        assert!(std::sync::Arc::ptr_eq(literal, text.shared()));
    }
    assert_eq!(Template::compile("{{v}}").as_literal(), None);
    assert_eq!(Template::compile("{{ }}").as_literal(), None);
}
