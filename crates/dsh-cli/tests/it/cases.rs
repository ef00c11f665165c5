//! The cases of public bug reports, as far as they speak of configuration, assembly and rendering.

use crate::support::{Project, reads};

#[test]
fn case_01_tools_come_in_one_order_whatever_the_files_say_first() {
    let servers =
        [("disk.json", ["write", "read"]), ("srv-b.json", ["zz_last", "search"]), ("srv-a.json", ["apply", "Zed"])];
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut blocks = Vec::new();
    for order in orders {
        for turned in [false, true] {
            let names: Vec<String> = order.iter().map(|index| format!("\"{}\"", servers[*index].0)).collect();
            let mut project = Project::new(&format!(
                "tool_schemas = [{}]\ntool_order = [\"read\", \"<unlisted-tools>\", \"zz_last\"]\n",
                names.join(", ")
            ));
            for (file, mut tools) in servers {
                if turned {
                    tools.reverse();
                }
                project = project.file(file, format!(r#"[{{"name": "{}"}}, {{"name": "{}"}}]"#, tools[0], tools[1]));
            }
            blocks.push(project.dsh(&["prompt", "--tools"]));
        }
    }
    assert!(blocks.iter().all(|block| block.stdout == blocks[0].stdout));
    assert_eq!(blocks[0].tools(), ["read", "Zed", "apply", "search", "write", "zz_last"]);
}

/// The variables of case 05.
const ONE: &str = r#"
identity = false
[variables]
note = '{{token}} $& \1 <b>&amp;</b> %s'
token = "s3cret"
empty = ""
team = "harbour"
[[sections]]
name = "one"
order = 1
file = "one.md"
format = "template"
"#;

/// A project with one section, which has this text.
fn one(text: &str) -> Project {
    Project::new(ONE).file("one.md", text)
}

#[test]
fn case_03_single_braces_are_bytes() {
    let text = r#"Answer for {{team}} as {"label":"x","n":{"k":[1,2]}}. CSS: a{b:c} Set: {1; 2} Rust: {}"#;
    let right = r#"Answer for harbour as {"label":"x","n":{"k":[1,2]}}. CSS: a{b:c} Set: {1; 2} Rust: {}"#;
    assert_eq!(one(text).prompt(&[]), right);
    assert_eq!(one("left {{ alone").prompt(&[]), "left {{ alone");
}

#[test]
fn case_03_doubled_braces_are_refused_with_section_owner_and_place() {
    reads!(one(r#"Use {{"label":"x"}}"#).dsh(&["prompt"]));
}

#[test]
fn case_03_the_same_text_is_fine_where_it_is_raw_or_quoted() {
    // X1
    let raw = Project::new("identity = false\n[[sections]]\nname = \"one\"\norder = 1\nfile = \"one.md\"\n")
        .file("one.md", r#"Use {{"label":"x"}} and {{team}}"#);
    assert_eq!(raw.prompt(&[]), r#"Use {{"label":"x"}} and {{team}}"#);
    assert_eq!(one(r#"Use {{"{{\"label\":\"x\"}}"}}"#).prompt(&[]), r#"Use {{"label":"x"}}"#);
}

#[test]
fn case_05_values_are_never_looked_at_again() {
    assert_eq!(one("N={{note}} E=[{{empty}}]").prompt(&[]), r"N={{token}} $& \1 <b>&amp;</b> %s E=[]");
    assert_eq!(one("{{empty}}").prompt(&[]), "");
}

#[test]
fn case_05_names_that_are_none_are_errors_and_never_a_value() {
    for text in ["{{constructor}}", "{{__proto__}}", "{{ a b }}", "{{}}", "{{{token}}}", "{{branhc}}"] {
        let run = one(text).dsh(&["prompt"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{text}");
        assert!(run.stderr.contains("one.md:1:"), "{run}");
        assert!(!run.stderr.contains("s3cret"), "{run}");
    }
}

#[test]
fn case_05_a_megabyte_of_braces_comes_back_as_it_is() {
    let braces = "{{".repeat(1 << 19);
    assert!(one(&braces).prompt(&[]) == braces);
    let blanks = format!("{{{{ {}", " ".repeat((1 << 20) - 3));
    assert!(one(&blanks).prompt(&[]) == blanks);
    let count = (1 << 20) / "{{token}}".len();
    assert!(one(&"{{token}}".repeat(count)).prompt(&[]) == "s3cret".repeat(count));
}
