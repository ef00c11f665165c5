//! What may be a secret stands in no message (C3), and what would move a terminal in none either (X12).

use crate::support::{Project, reads};

const SECRET: &str = "s3cret-marker";

#[test]
fn what_is_given_to_an_option_without_its_name_is_not_shown() {
    // C3
    for given in [SECRET.to_owned(), format!("{SECRET}="), format!("={SECRET}"), format!("{SECRET}==")] {
        let run = Project::empty().dsh(&["prompt", "--set", &given]);
        assert_eq!(run.status, Some(2));
        assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{}", run.stderr);
    }
    let run = Project::empty().dsh(&["prompt", "--config", SECRET]);
    assert!(run.status == Some(2) && !run.stderr.contains(SECRET), "{}", run.stderr);
}

#[test]
fn no_value_of_a_variable_is_shown_of_a_config_flag() {
    // C3
    let with = |given: &str| Project::new("").dsh(&["check", "--config", given]);
    for given in [
        format!("variables.t=\"{SECRET}"),
        format!("variables.t='''{SECRET}"),
        format!("model=\"{SECRET}"),
        format!("variables.t={SECRET}"),
        format!("variables.t=\"{SECRET}\""),
        format!("variables.T=\"{SECRET}\""),
        format!("variables={{t=[\"{SECRET}\"]}}"),
        format!("agents.a.variables.t=[\"{SECRET}\"]"),
        format!("agents.a={{variables={{t={{x=\"{SECRET}\"}}}}}}"),
        format!("\"v\\u0061riables\".t=[\"{SECRET}\"]"),
    ] {
        let run = with(&given);
        assert!(!run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{given}: {}", run.stderr);
    }
    reads!(with("variables.t=\"x"));
    // What is no value of a variable is pointed at.
    assert!(with("persona=You are {{nobody}}.").stdout.contains("You are {{nobody}}."));
}

#[test]
fn json_tells_a_value_of_the_environment_in_the_prompt_alone() {
    // C3
    let own = "[variables]\nt = { env = 'TOKEN' }\nunset = { env = 'UNSET', default = 'none' }\nc = 'constant'\n";
    let project =
        Project::new("[agents.a.variables]\nc = { env = 'TOKEN' }\n").with_env("TOKEN", SECRET).user_config(own);
    let run = project.dsh(&["prompt", "--json"]);
    assert!(!run.stdout.contains(SECRET), "{run}");
    let variables = &run.json()["variables"];
    let values = ["t", "unset", "c"].map(|name| variables[name].as_str());
    assert_eq!(values, [None, Some("none"), Some("constant")]);
    let set = project.dsh(&["prompt", "--json", "--set", "t=said"]).json();
    assert_eq!(set["variables"]["t"], "said");
    let own = format!("{own}[agents.a]\npersona = '{{{{t}}}}'\n");
    let project = project.user_config(&own);
    let run = project.dsh(&["prompt", "--json", "--agent", "a"]);
    assert_eq!(run.stdout.matches(SECRET).count(), 1, "{run}");
}

#[test]
fn no_wrong_argument_moves_a_terminal() {
    // X12
    let hidden = ["\u{202e}", "\u{9b}2J", "\u{1b}]0;x\u{7}", "\u{200b}", "\r", "\u{e0041}"];
    for text in hidden {
        let lines = [
            vec![format!("pro{text}mpt")],
            vec!["prompt".to_owned(), format!("x{text}")],
            vec!["prompt".to_owned(), format!("--x{text}")],
            vec!["prompt".to_owned(), format!("--agent{text}=x")],
            vec!["prompt".to_owned(), format!("-q{text}")],
            vec!["prompt".to_owned(), "--color".to_owned(), format!("a{text}")],
            vec!["prompt".to_owned(), "--trust".to_owned(), format!("a{text}")],
            vec!["prompt".to_owned(), "--set".to_owned(), format!("a{text}=x")],
            vec!["prompt".to_owned(), "--config".to_owned(), format!("a{text}=x")],
            vec!["prompt".to_owned(), "--dir".to_owned(), format!("a{text}")],
            vec!["prompt".to_owned(), "--agent".to_owned(), format!("a{text}")],
            vec!["prompt".to_owned(), "--profile".to_owned(), format!("a{text}")],
            vec!["rule".to_owned(), format!("a{text}")],
            vec!["help".to_owned(), format!("a{text}")],
            vec!["man".to_owned(), format!("a{text}")],
            vec!["man".to_owned(), "--all".to_owned(), format!("a{text}")],
            vec!["explain".to_owned(), format!("a{text}")],
            vec!["completions".to_owned(), format!("a{text}")],
            vec!["check".to_owned(), format!("--format=a{text}")],
        ];
        for line in lines {
            let line: Vec<&str> = line.iter().map(String::as_str).collect();
            let run = Project::new("").dsh(&line);
            assert_ne!(run.status, Some(0), "{line:?}");
            let raw =
                |said: &str| text.chars().any(|character| !character.is_ascii_graphic() && said.contains(character));
            assert!(!raw(&run.stdout) && !raw(&run.stderr), "{line:?}: {:?}", run.stderr);
        }
        for (name, value) in [("DSH_TRUST", text), ("DSH_COLOR", text), ("DSH_DIR", text), ("DSH_PROFILE", text)] {
            let run = Project::new("").dsh_with(&[(name, value)], &["prompt"]);
            assert!(!run.stderr.contains(text), "{name}: {:?}", run.stderr);
        }
    }
    reads!(Project::empty().dsh(&["prompt", "--x\u{202e}"]).stderr);
}
