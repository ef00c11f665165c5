//! The compiled form as a caller with resolved values uses it.

use dsh_template::ErrorKind::{UnknownVariable, ValuelessVariable};
use dsh_template::{Lookup, Piece, Template};

use crate::support::outcome;

#[test]
fn literals_are_merged_and_slots_follow_first_use() {
    let template = Template::compile(r#"a{{"b\n"}}c{{x}}{{y}}{{""}}{{x}}}}"#);
    let pieces: Vec<_> = template
        .pieces()
        .map(|piece| match piece {
            Piece::Literal(text) => (text.to_owned(), None),
            Piece::Variable(variable) => (variable.name.to_owned(), Some((variable.slot, variable.range))),
        })
        .collect();
    assert_eq!(
        pieces,
        [
            ("ab\nc".to_owned(), None),
            ("x".to_owned(), Some((0, 11..16))),
            ("y".to_owned(), Some((1, 16..21))),
            ("x".to_owned(), Some((0, 27..32))),
            ("}}".to_owned(), None),
        ]
    );
    assert_eq!(template.literal_len(), 6);
    assert!(template.names().eq(["x", "y"]));
    assert_eq!((template.name(1), template.name(2)), (Some("y"), None));
}

#[test]
fn pieces_before_a_malformed_place_are_kept() {
    let template = Template::compile("a{{x}}b{{ }}c{{y}}");
    assert_eq!(template.pieces().count(), 3);
    assert!(template.names().eq(["x"]));
    assert_eq!(template.malformed().map(dsh_template::Error::range), Some(7..12));
    let mut out = String::new();
    template.write_into(&mut out, |_| "X");
    assert_eq!(out, "aXb");
}

#[test]
fn values_by_slot_give_the_errors_of_names() {
    let template = Template::compile("{{a}}{{b}}");
    assert_eq!(outcome(template.render_slots(&[Lookup::Value("1"), Lookup::Value("2")])), Ok("12".to_owned()));
    assert_eq!(outcome(template.render_slots(&[Lookup::Value("1")])), Err((UnknownVariable, 5..10)));
    assert_eq!(outcome(template.render_slots(&[Lookup::Valueless])), Err((ValuelessVariable, 0..5)));
    assert_eq!(outcome(template.render_slots(&[Lookup::Unknown, Lookup::Valueless])), Err((UnknownVariable, 0..5)));
    let spare = [Lookup::Value("1"), Lookup::Value("2"), Lookup::Unknown];
    assert_eq!(outcome(template.render_slots(&spare)), Ok("12".to_owned()));
}

#[test]
fn measuring_asks_once_for_a_slot_and_counts_every_use() {
    let template = Template::compile("({{a}}{{b}}{{a}})");
    let mut asked = Vec::new();
    let len = template.measure(|slot| {
        asked.push(slot);
        Lookup::Value(["xyz", "\u{e9}"][slot])
    });
    assert_eq!((len.ok(), asked), (Some(10), vec![0, 1]));
}
