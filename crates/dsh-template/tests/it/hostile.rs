//! Hostile sizes: anything quadratic here takes long enough to be noticed. The work itself is counted in the scanner's own tests. (S12)

use dsh_template::ErrorKind::MalformedReference;
use dsh_template::{Lookup, Template, Text, escape, quotations, references};

use crate::support::{outcome, render};

const MIB: usize = 1 << 20;

/// `unit` repeated to about `size` bytes.
fn repeated(unit: &str, size: usize) -> String {
    unit.repeat(size / unit.len())
}

// S12, case 05
#[test]
fn megabytes_that_nothing_closes_come_back_verbatim() {
    for unit in ["{{", "}}", "{{{", "{{\"", "{{a", "{{ {", "{{\"a\"} ", "{", "}", "{{\\"] {
        let text = repeated(unit, 8 * MIB);
        assert!(render(&text, &[]) == Ok(text), "{unit:?}");
    }
    let text = format!("{{{{ {}", " ".repeat(8 * MIB));
    assert!(render(&text, &[]) == Ok(text));
}

// S12
#[test]
fn megabytes_that_something_closes_at_the_end_are_malformed_at_the_first_place() {
    for (unit, range) in [("{{", 0..3), ("{{{", 0..3), ("{{\"", 0..4), ("{{a", 0..4), ("{{ ", 0..4)] {
        let text = repeated(unit, 8 * MIB) + "}}";
        assert_eq!(render(&text, &[]), Err((MalformedReference, range)), "{unit:?}");
    }
    let text = repeated("{{\"", 8 * MIB) + "\"}}";
    assert_eq!(render(&text, &[]), Err((MalformedReference, 0..4)), "the second quote closes the first string");
}

// S12, case 05
#[test]
fn a_megabyte_of_references_is_many_pieces_and_one_name() {
    let text = repeated("{{token}}", MIB);
    let template = Template::compile(&text);
    assert_eq!(template.pieces().count(), MIB / 9);
    assert_eq!(template.names().len(), 1);
    let rendered = template.render(|_| Lookup::Value("{{token}}"));
    assert!(outcome(rendered) == Ok(text));
}

// S12
#[test]
fn a_hundred_thousand_distinct_names_keep_their_order() {
    let names: Vec<_> = (0..100_000).map(|index| format!("v{index}")).rev().collect();
    let text = format!("{{{{{}}}}}", names.join("}}{{"));
    let template = Template::compile(&text);
    assert!(template.names().eq(names.iter().map(String::as_str)));
    let values: Vec<_> = names.iter().map(|name| Lookup::Value(name)).collect();
    assert!(outcome(template.render_slots(&values)) == Ok(names.concat()));
    assert_eq!(references(&text).count(), names.len());
}

// S12, X1
#[test]
fn megabytes_are_escaped_and_read_back() {
    for unit in ["{{", "}}", "{{{", "{{\"", "{{a}}", "{ {{", "{{\\u", "\u{1f600}{{"] {
        let text = repeated(unit, 2 * MIB);
        let escaped = escape(&text);
        assert!(escaped.len() <= 4 * text.len() + 8, "{unit:?}");
        assert!(render(&escaped, &[]) == Ok(text), "{unit:?}");
    }
}

// S12
#[test]
fn a_quoted_string_of_megabytes_is_one_literal() {
    let inside = repeated("}}{{\\n\\ud83d\\ude00", 4 * MIB);
    let template = Template::compile(&format!("{{{{\"{inside}\"}}}}"));
    assert_eq!(template.pieces().count(), 1);
    assert_eq!(template.literal_len(), inside.len() / 18 * 9);
    assert!(Text::template("").compile().pieces().next().is_none());
}

// S12: what opens and closes in turns is read once, whichever comes first
#[test]
fn megabytes_of_braces_in_turns_end_at_the_first_place_that_is_wrong() {
    for (unit, range) in [
        ("{{}}", 0..4),
        ("}}{{", 2..6),
        ("{{{}}}", 0..3),
        ("}}{{{", 2..5),
        ("{{a b}} ", 0..7),
        ("{{a}}{{}}", 5..9),
        ("{{\"a\"}}{{\"b\" }}", 7..15),
        ("{{a{b}}", 0..4),
    ] {
        let text = repeated(unit, 8 * MIB) + "}}";
        assert_eq!(render(&text, &[("a", Some(""))]), Err((MalformedReference, range)), "{unit:?}");
    }
    for unit in ["{}", "}{", "}}{", "{ {", "} }"] {
        let text = repeated(unit, 8 * MIB);
        assert!(render(&text, &[]) == Ok(text), "{unit:?}");
    }
}

// S12: the same through what looks at a template without compiling it
#[test]
fn references_and_quotations_of_megabytes_end_where_rendering_does() {
    for unit in ["{{", "}}", "{{{", "{{a", "{{\"", "}}{{"] {
        let text = repeated(unit, 8 * MIB);
        assert_eq!((references(&text).count(), quotations(&text).count()), (0, 0), "{unit:?}");
    }
    let text = repeated("{{a}}{{\"\\n\"}}", 6 * MIB) + "{{ }}" + &repeated("{{a}}", MIB);
    assert_eq!((references(&text).count(), quotations(&text).count()), (6 * MIB / 13, 6 * MIB / 13));
}

// S12: a name may be as long as it likes, and is shown short
#[test]
fn a_name_of_a_megabyte_is_a_name_and_is_shown_cut() {
    let name = "n".repeat(MIB);
    let text = format!("{{{{{name}}}}}").repeat(8);
    assert!(render(&text, &[(&name, Some("x"))]) == Ok("x".repeat(8)));
    let error = Template::compile(&text).render(|_| Lookup::Unknown).unwrap_err();
    assert_eq!((error.name().map(str::len), error.range()), (Some(MIB), 0..MIB + 4));
    assert!(error.to_string().len() < 400, "{error}");
    let spaced = Template::compile(&format!("{{{{ {name} }}}}"));
    let error = spaced.malformed().unwrap();
    assert_eq!(error.range(), 0..MIB + 6);
    assert!(error.to_string().len() < 400, "{error}");
}

// S12
#[test]
fn a_text_of_a_hundred_megabytes_is_one_literal_or_many_pieces() {
    let text = repeated("prose { and } more, ", 100 * MIB);
    let template = Template::compile(&text);
    assert_eq!((template.pieces().count(), template.literal_len()), (1, text.len()));
    assert!(outcome(template.render(|_| Lookup::Unknown)) == Ok(text));
    let text = repeated("a line of prose that says something {{of}} it all, and goes on for a while\n", 100 * MIB);
    let template = Template::compile(&text);
    assert_eq!(template.pieces().count(), 2 * (text.len() / 75) + 1);
    let rendered = outcome(template.render(|_| Lookup::Value("{{of}}")));
    assert!(rendered == Ok(text));
}
