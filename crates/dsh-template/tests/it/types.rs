//! What the public types are: sizes, threads, cheap clones.

use std::collections::HashSet;
use std::sync::Arc;

use dsh_template::{
    Error, ErrorKind, Lookup, Piece, Pieces, Position, Reference, References, Template, Text, TextKind, Variable,
    is_variable_name,
};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn public_types_can_be_shared_between_threads() {
    assert_send_sync::<Error>();
    assert_send_sync::<ErrorKind>();
    assert_send_sync::<Lookup<'_>>();
    assert_send_sync::<Piece<'_>>();
    assert_send_sync::<Pieces<'_>>();
    assert_send_sync::<Position>();
    assert_send_sync::<Reference<'_>>();
    assert_send_sync::<References<'_>>();
    assert_send_sync::<Template>();
    assert_send_sync::<Text>();
    assert_send_sync::<TextKind>();
    assert_send_sync::<Variable<'_>>();
}

#[test]
fn an_error_is_one_pointer() {
    assert_eq!(size_of::<Error>(), size_of::<usize>());
    assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
}

#[test]
fn an_error_is_an_error_of_core() {
    let error: Box<dyn std::error::Error + Send + Sync> =
        Template::compile("{{ }}").malformed().cloned().unwrap().into();
    assert!(error.downcast_ref::<Error>().is_some());
}

#[test]
fn bare_strings_are_templates() {
    for text in [Text::from("x"), Text::from(String::from("x")), Text::from(Arc::<str>::from("x"))] {
        assert_eq!((text.kind(), text.is_raw(), text.as_str()), (TextKind::Template, false, "x"));
        assert_eq!(text, Text::template("x"));
    }
}

#[test]
fn raw_and_template_of_one_source_are_different_texts() {
    let texts: HashSet<_> = [Text::raw("x"), Text::template("x"), Text::raw("x")].into_iter().collect();
    assert_eq!(texts.len(), 2);
    assert_eq!(Text::raw("x").kind(), TextKind::Raw);
}

#[test]
fn a_clone_of_a_text_shares_it() {
    let text = Text::raw(String::from("long"));
    assert!(Arc::ptr_eq(text.shared(), text.clone().shared()));
}

#[test]
fn names_are_lower_case_letters_digits_and_underscores_after_a_letter() {
    for name in ["a", "z", "a0", "a_", "model_2", "a__b"] {
        assert!(is_variable_name(name), "{name}");
    }
    for name in ["", "_a", "0a", "A", "aB", "a-b", "a b", " a", "a ", "a.b", "\u{e9}", "a\u{e9}", "a\n", "__proto__"] {
        assert!(!is_variable_name(name), "{name:?}");
    }
}
