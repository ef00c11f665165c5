//! Texts whose braces are wrong.

use crate::support::{Project, reads};

#[test]
fn blanks_within_the_braces_are_refused_with_the_right_writing() {
    // S11
    let config = "model = \"m-1\"\npersona = \"You run on {{ model }}.\"\n";
    reads!(Project::new(config).dsh(&["prompt"]));
    assert!(Project::new(&config.replace("{{ model }}", "{{model}}")).prompt(&[]).ends_with("You run on m-1."));
}

#[test]
fn three_braces_are_refused_with_both_right_writings() {
    // S11
    let config = |text: &str| format!("identity = false\npersona = '{text}'\n[variables]\nx = \"y\"\n");
    reads!(Project::new(&config("Set {{{x}}}.")).dsh(&["prompt"]));
    assert_eq!(Project::new(&config("Set {{x}}.")).prompt(&[]), "Set y.");
    assert_eq!(Project::new(&config(r#"Set {{"{"}}{{x}}}."#)).prompt(&[]), "Set {y}.");
}

#[test]
fn unbalanced_braces_are_refused_or_told_as_prose() {
    // S11
    let config = r#"
identity = false
[variables]
x = "y"
[[sections]]
name = "one too few in the middle"
order = 1
text = "a {{x} b {{x}}"
[[sections]]
name = "none at the end"
order = 2
text = "a {{x"
[[sections]]
name = "one too few at the end"
order = 3
text = "a {{x}"
[[sections]]
name = "an opening within"
order = 4
text = "a {{ {{x}}"
[[sections]]
name = "prose"
order = 5
text = "a {x}} }} { {{ b"
"#;
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn a_persona_with_literal_json_is_kept_and_doubled_braces_are_told() {
    // X1, case 03
    let json = r#"Answer as {"label": "x", "n": {"k": [1, 2]}}, or {}."#;
    assert_eq!(Project::new(&format!("identity = false\npersona = '''{json}'''\n")).prompt(&[]), json);
    let file = Project::new("identity = false\npersona_file = \"persona.md\"\n").file("persona.md", json);
    assert_eq!(file.prompt(&[]), json);
    let config = r#"
identity = false
persona = '''
Answer as {{"label": "x", "n": {{"k": [1, 2]}}}},
or {{ }}.'''
"#;
    reads!(Project::new(config).dsh(&["prompt"]));
}
