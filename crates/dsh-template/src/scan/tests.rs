//! Linear time, shown by counting the bytes looked at.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Scanner, Token};

/// How many bytes a whole scan of `text` looks at.
fn work(text: &str) -> usize {
    let mut scanner = Scanner::new(text);
    while scanner.next().is_some() {}
    scanner.looked_at
}

/// The texts that a careless scanner reads in quadratic time, at about `size` bytes each.
fn hostile(size: usize) -> Vec<(String, String)> {
    let units = [
        "{{",
        "}}",
        "{",
        "}",
        "{{{",
        "{ {",
        "{{ ",
        "{{a",
        "{{\"",
        "{{\"\\",
        "{{\"a\"",
        "{{\"a\"}",
        "{{\"{{",
        "{{\"\"}}",
        "{{\"{{\"}}",
        "{{\"}}\"}}",
        "{{\"\\ud83d\\ude00\"}}",
        "{{a}}",
        "{{token}}",
        "{{a}} {{",
        "}}{{",
        "{}",
        "\"",
        "\\",
        "a",
        "\u{e9}{{",
    ];
    let mut texts = Vec::new();
    for unit in units {
        let body = unit.repeat(size / unit.len());
        for (before, after) in
            [("", ""), ("{{", ""), ("{{\"", ""), ("", "}}"), ("", "\"}}"), ("{{\"", "\"}}"), ("{{ ", "}}")]
        {
            texts.push((format!("{before:?} {unit:?}* {after:?}"), format!("{before}{body}{after}")));
        }
    }
    texts.push((String::from("braces, then blanks"), format!("{{{{ {}", " ".repeat(size))));
    texts
}

// S12
#[test]
fn every_byte_is_looked_at_a_bounded_number_of_times() {
    for (what, text) in hostile(1 << 16) {
        let work = work(&text);
        assert!(work <= 4 * text.len() + 16, "{what}: {work} bytes looked at in a text of {}", text.len());
    }
}

// S12
#[test]
fn twice_the_text_is_at_most_twice_the_work() {
    for ((what, small), (_, large)) in hostile(1 << 14).into_iter().zip(hostile(1 << 15)) {
        let (small, large) = (work(&small), work(&large));
        assert!(large <= 2 * small + 64, "{what}: {small} bytes looked at, then {large}");
    }
}

#[test]
fn tokens_cover_a_text_without_groups_whole() {
    for text in
        ["", "a", "{", "{{", "{{{", "a }} b {", "{ {v} }", "awk {{ print {{ x", "{{\"unclosed", "\u{e9}{{\u{e9}"]
    {
        let mut joined = String::new();
        for token in Scanner::new(text) {
            match token {
                Token::Literal(part) => {
                    assert!(!part.is_empty());
                    joined.push_str(part);
                }
                Token::Quoted(_) | Token::Variable { .. } | Token::Malformed(_) => panic!("{text:?}: {token:?}"),
            }
        }
        assert_eq!(joined, text);
    }
}

#[test]
fn the_malformed_token_is_the_last() {
    let tokens: Vec<_> = Scanner::new("a{{x}}{{ }}{{y}}").collect();
    assert_eq!(tokens.len(), 3);
    assert!(matches!(&tokens[2], Token::Malformed(place) if place.range == (6..11)));
}
