//! Case 05: one pass, and strict.

use crate::support::{Project, reads};

/// The variables of the case, in this order, and a section with this text.
fn one(variables: &[&str], text: &str) -> Project {
    let variables = variables.join("\n");
    let section = "[[sections]]\nname = \"one\"\norder = 1\nfile = \"one.md\"\nformat = \"template\"\n";
    Project::new(&format!("identity = false\n[variables]\n{variables}\n{section}")).file("one.md", text)
}

const NOTE: &str = r"note = '''{{token}} $& $' $1 \1 <b>&amp;</b> %s {{'''";
const TOKEN: &str = "token = \"s3cret\"";
const EMPTY: &str = "empty = \"\"";
const BRANCH: &str = "branch = { env = \"NOBODY_SETS_THIS\" }";

#[test]
fn values_are_never_looked_at_again() {
    // S11
    let right = r"N={{token}} $& $' $1 \1 <b>&amp;</b> %s {{ E=[] T=s3cret";
    let text = "N={{note}} E=[{{empty}}] T={{token}}";
    for variables in [[NOTE, TOKEN, EMPTY], [TOKEN, NOTE, EMPTY], [EMPTY, TOKEN, NOTE], [NOTE, EMPTY, TOKEN]] {
        assert_eq!(one(&variables, text).prompt(&[]), right);
    }
    // Whoever gives it: an agent, the command line, a profile.
    let config =
        format!("[variables]\n{TOKEN}\n[agents.a]\npersona = \"{text}\"\n[agents.a.variables]\n{EMPTY}\n{NOTE}\n");
    let own = Project::new(&format!("identity = false\n{config}"));
    assert_eq!(own.prompt(&["--agent", "a"]), right);
    let note = r"note={{token}} $& $' $1 \1 <b>&amp;</b> %s {{";
    assert_eq!(one(&[TOKEN, EMPTY], text).prompt(&["--set", note]), right);
}

#[test]
fn a_mistyped_name_gets_the_nearest_one() {
    // S11
    let run =
        one(&[TOKEN, BRANCH, "team = \"t\""], "On {{branhc}} of {{taem}}").dsh(&["prompt", "--trust", &"0".repeat(64)]);
    assert!(run.stderr.contains("section `one` of `sections`: unknown variable `branhc`"), "{run}");
    assert!(
        run.stderr.contains("did you mean `{{branch}}`?") && run.stderr.contains("did you mean `{{team}}`?"),
        "{run}"
    );
    assert!(run.stdout.is_empty() && !run.stderr.contains("s3cret"), "{run}");
}

#[test]
fn a_variable_without_a_value_is_not_unknown() {
    // S4
    let project = one(&[BRANCH], "On {{branch}}, {{model}}, {{git_branch}}.");
    let run = project.dsh(&["prompt"]);
    assert_eq!(run.stderr.matches("error[prompt::valueless_variable]").count(), 3, "{run}");
    assert!(!run.stderr.contains("unknown"), "{run}");
    reads!(run);
    // It is no mistake where nobody refers to it.
    assert_eq!(one(&[BRANCH], "On nothing.").dsh(&["prompt"]).status, Some(0));
}

#[test]
fn names_that_are_none_are_errors_and_never_a_value() {
    // S11
    for (text, code) in [
        ("{{constructor}}", "unknown_variable"),
        ("{{to_string}}", "unknown_variable"),
        ("{{token_}}", "unknown_variable"),
        ("{{__proto__}}", "malformed_reference"),
        ("{{Token}}", "malformed_reference"),
        ("{{ token }}", "malformed_reference"),
        ("{{ a b }}", "malformed_reference"),
        ("{{token.length}}", "malformed_reference"),
        ("{{token|upper}}", "malformed_reference"),
        ("{{#token}}", "malformed_reference"),
        ("{{&token}}", "malformed_reference"),
        ("{{tök}}", "malformed_reference"),
        ("{{}}", "malformed_reference"),
        ("{{{token}}}", "malformed_reference"),
        ("{{\ntoken\n}}", "malformed_reference"),
    ] {
        let project = one(&[TOKEN], &format!("Say:\n  {text}"));
        for command in ["prompt", "check", "explain"] {
            let run = project.dsh(&[command]);
            let told = format!("{}{}", run.stdout, run.stderr);
            assert_eq!(run.status, Some(1), "{run}");
            assert_eq!(told.matches("error[").count(), 1, "{run}");
            assert!(told.contains(&format!("error[prompt::{code}]: section `one` of `sections`")), "{run}");
            assert!(told.contains("one.md:2:3") && !told.contains("s3cret"), "{run}");
        }
    }
}

#[test]
fn a_section_that_renders_to_nothing_goes_with_its_blank_line() {
    // S11
    let section =
        |order: usize, text: &str| format!("[[sections]]\nname = \"{order}\"\norder = {order}\ntext = \"{text}\"\n");
    let texts = ["One.", "{{empty}}", "", "{{empty}}{{empty}}", "Two.", " ", "{{blank}}", "{{empty}}"];
    let sections: Vec<String> = texts.iter().zip(1..).map(|(text, order)| section(order, text)).collect();
    let config = format!("identity = false\n[variables]\n{EMPTY}\nblank = \"\\n\"\n{}", sections.concat());
    assert_eq!(Project::new(&config).prompt(&[]), "One.\n\nTwo.\n\n \n\n\n");
    assert_eq!(one(&[EMPTY], "{{empty}}").prompt(&[]), "");
}

#[test]
fn a_megabyte_of_braces_comes_back_as_it_is() {
    // S12
    let braces = "{{".repeat(1 << 19);
    assert!(one(&[TOKEN], &braces).prompt(&[]) == braces);
    let blanks = format!("{{{{ {}", " ".repeat((1 << 20) - 3));
    assert!(one(&[TOKEN], &blanks).prompt(&[]) == blanks);
    let count = (1 << 20) / "{{token}}".len();
    assert!(one(&[TOKEN], &"{{token}}".repeat(count)).prompt(&[]) == "s3cret".repeat(count));
}
