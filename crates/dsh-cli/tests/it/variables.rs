//! Variables whose values come from the environment: how they are written, and what is said where they have none.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use crate::support::{Project, Run, ran, reads};

const CONFIG: &str = r#"
identity = false
persona = "{{token}}"
[variables]
token = { env = "TOKEN" }
"#;

/// Runs `dsh prompt` where the folder is trusted, with this value of `TOKEN`.
fn trusted(config: &str, token: Option<&std::ffi::OsStr>) -> Run {
    let project = Project::new(config);
    let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    assert_eq!(project.dsh(&["trust", "--trust", &hash]).status, Some(0));
    let mut command = project.command();
    command.arg("prompt").env_remove("TOKEN");
    if let Some(token) = token {
        command.env("TOKEN", token);
    }
    ran(&mut command)
}

#[test]
fn a_variable_of_an_untrusted_folder_without_a_default_has_no_value() {
    // C4
    reads!(Project::new(CONFIG).dsh(&["prompt"]));
}

#[test]
fn what_is_not_set_has_no_value_and_is_told_how() {
    reads!(trusted(CONFIG, None));
}

#[test]
fn what_is_not_set_takes_its_default() {
    let config = CONFIG.replace("\"TOKEN\"", "\"TOKEN\", default = \"{{x}}\"");
    assert_eq!(trusted(&config, None).stdout, "{{x}}\n");
    assert_eq!(trusted(&config, Some("v".as_ref())).stdout, "v\n");
    assert_eq!(trusted(&config, Some("".as_ref())).stdout, "\n");
}

#[cfg(unix)]
#[test]
fn what_is_not_utf_8_has_no_value_and_is_not_shown() {
    // C3, X12
    use std::os::unix::ffi::OsStrExt;

    let config = CONFIG.replace("\"TOKEN\"", "\"TOKEN\", default = \"x\"");
    let run = trusted(&config, Some(std::ffi::OsStr::from_bytes(b"s3cret\xff")));
    assert!(!run.stderr.contains("s3cret"), "{run}");
    reads!(run);
}

#[test]
fn a_value_is_never_looked_at_again() {
    // S11
    assert_eq!(trusted(CONFIG, Some("{{token}} {{wrong}} {{".as_ref())).stdout, "{{token}} {{wrong}} {{\n");
}

#[test]
fn an_agents_own_variable_that_has_no_value_takes_none_from_the_shared_one() {
    let config = "identity = false\npersona = \"{{token}}\"\n[variables]\ntoken = \"shared\"\n[agents.a.variables]\ntoken = { env = \"TOKEN\" }\n";
    let run = Project::new(config).dsh(&["prompt", "--agent", "a"]);
    reads!(run);
    assert_eq!(Project::new(config).dsh(&["prompt"]).stdout, "shared\n");
}

#[test]
fn a_variable_without_a_value_is_null_in_json() {
    let project = Project::new("[variables]\ntoken = { env = \"TOKEN\" }\n");
    let run = project.dsh(&["prompt", "--json"]);
    assert_eq!(run.status, Some(0));
    assert_eq!(run.json()["variables"]["token"], serde_json::Value::Null);
}

#[test]
fn mistakes_in_variables_get_a_diagnostic_each() {
    let config = r#"
[variables]
number = 5
list = ["a"]
nothing = {}
text = { value = "x" }
fallback = { env = "A", defualt = "x" }
typed = { env = 5 }
typed_default = { env = "A", default = true }
empty = { env = "" }
equals = { env = "A=B" }
zero = { env = "A\u0000" }
shell = { env = "${TOKEN}" }
dollar = { env = "$" }
Upper = { env = "A" }
"#;
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn a_variable_may_be_written_as_a_table_of_its_own() {
    let config = "identity = false\npersona = \"{{token}}\"\n[variables.token]\nenv = \"TOKEN\"\ndefault = \"x\"\n";
    assert_eq!(Project::new(config).dsh(&["prompt"]).stdout, "x\n");
}
