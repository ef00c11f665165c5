//! Case 03: braces that are meant as such. What concerns a user's message (b) is not about configuration.

use crate::support::{Project, reads};

/// What surrounds the text of the cases.
const AROUND: &str = "identity = false\n[variables]\nteam = \"harbour\"\n";

/// A project with one section, whose file has this text and is a template.
fn template(text: &str) -> Project {
    let section = "[[sections]]\nname = \"format\"\norder = 10\nfile = \"format.md\"\nformat = \"template\"\n";
    Project::new(&format!("{AROUND}{section}")).file("format.md", text)
}

/// A project with one section, whose file has this text and is no template.
fn raw(text: &str) -> Project {
    let section = "[[sections]]\nname = \"format\"\norder = 10\nfile = \"format.md\"\n";
    Project::new(&format!("{AROUND}{section}")).file("format.md", text)
}

/// Every way to have a template in a project.
fn everywhere(text: &str) -> Vec<(Project, &'static [&'static str])> {
    let section = "[[sections]]\nname = \"format\"\norder = 10\ntext";
    vec![
        (template(text), &[]),
        (Project::new(&format!("persona = '''{text}'''\n{AROUND}")), &[]),
        (Project::new(&format!("persona_file = \"p.md\"\n{AROUND}")).file("p.md", text), &[]),
        (Project::new(&format!("{AROUND}{section} = '''{text}'''\n")), &[]),
        (Project::new(&format!("{AROUND}[agents.a]\npersona = '''{text}'''\n")), &["--agent", "a"]),
        (
            Project::new(AROUND).file("agents/a.md", format!("---\nformat: template\n---\n\n{text}\n")),
            &["--agent", "a"],
        ),
    ]
}

#[test]
fn braces_that_open_no_reference_are_bytes_wherever_they_stand() {
    // S11
    for text in [
        r#"Answer for {{team}} as {"label":"x","n":{"k":[1,2]}}. CSS: a{b:c} Set: {1; 2} Rust: {}"#,
        "left {{ alone, for {{team",
        "}} {{team}} } {",
        "{{team}}}",
        "{x}}{y}",
        "{ {team}} }} {{",
    ] {
        for (project, arguments) in everywhere(text) {
            let run = project.dsh(&[&["prompt"], arguments].concat());
            let right = format!("{}\n", text.replace("{{team}}", "harbour"));
            assert_eq!((run.status, run.stdout), (Some(0), right));
        }
    }
}

#[test]
fn doubled_braces_are_refused_with_section_owner_and_place() {
    // S11
    let doubled = r#"Use {{"label":"x"}}"#;
    for (project, arguments) in everywhere(doubled) {
        for command in ["prompt", "check"] {
            let run = project.dsh(&[&[command], arguments].concat());
            let told = format!("{}{}", run.stdout, run.stderr);
            assert_eq!(run.status, Some(1), "{run}");
            assert!(command == "check" || run.stdout.is_empty(), "{run}");
            assert!(told.contains("error[prompt::malformed_reference]: section `"), "{run}");
            assert!(told.contains("` of `") && told.contains(" --> "), "{run}");
        }
    }
    let run = template(&format!("One line.\n\n  {doubled}\n")).dsh(&["prompt"]);
    assert!(run.stderr.contains("section `format` of `sections`") && run.stderr.contains("format.md:3:7"), "{run}");
    reads!(template(doubled).dsh(&["prompt"]));
}

#[test]
fn the_same_text_is_fine_where_it_is_raw_or_quoted() {
    // X1
    let text = r#"Use {{"label":"x"}} and {{team}}, {{{x}}} {{ y }} {{"#;
    assert_eq!(raw(text).prompt(&[]), text);
    let inline = format!("{AROUND}[[sections]]\nname = \"a\"\norder = 1\nformat = \"raw\"\ntext = '''{text}'''\n");
    assert_eq!(Project::new(&inline).prompt(&[]), text);
    let own = Project::new(AROUND).file("agents/a.md", format!("---\n---\n{text}\n"));
    assert_eq!(own.prompt(&["--agent", "a"]), text);
    assert!(Project::new(AROUND).file("AGENTS.md", text).prompt(&[]).ends_with(text));
    assert_eq!(template(r#"Use {{"{{\"label\":\"x\"}}"}}"#).prompt(&[]), r#"Use {{"label":"x"}}"#);
}

#[test]
fn a_literal_section_refers_to_nothing() {
    let literal = raw("Literal: {{team}} and {{nobody}}.\n");
    assert!(literal.dsh(&["explain", "format"]).stdout.contains("  form       raw: literal"), "it is marked");
    let uses = |project: &Project| {
        let variables = project.dsh(&["explain", "--json"]).json()["variables"].clone();
        let team = variables.as_array().unwrap().iter().find(|variable| variable["name"] == "team").cloned().unwrap();
        team["uses"].as_array().unwrap().len()
    };
    assert_eq!((uses(&literal), uses(&template("{{team}} {{team}}"))), (0, 2));
    reads!(literal.dsh(&["check"]));
    assert_eq!(template("{{team}}").dsh(&["check"]).stdout, "dsh: 1 prompt checked, no findings\n");
}
