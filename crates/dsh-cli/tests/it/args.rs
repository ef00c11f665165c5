//! The options that every command takes, on either side of it and in the environment (C5).

use crate::support::{Project, dsh_in, reads};

/// A project with an error, a warning, and a note: there is a page more of tools, and one of them has a field that nobody knows.
fn with_findings() -> Project {
    Project::new("presona = \"\"\ntool_schemas = [\"tools.json\"]\n")
        .file("tools.json", r#"{"tools": [{"name": "read", "desciption": ""}], "nextCursor": "2"}"#)
}

#[test]
fn what_can_be_asked_is_told() {
    reads!(Project::new("").dsh(&["--help"]));
    reads!(Project::new("").dsh(&["prompt", "--help"]));
}

#[test]
fn dsh_alone_says_what_can_be_asked_and_is_wrong_use() {
    let run = Project::new("").dsh(&[]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""));
    assert_eq!(run.stderr, Project::new("").dsh(&["--help"]).stdout);
}

#[test]
fn without_a_folder_the_nearest_configuration_upwards_is_taken() {
    let project = Project::new("identity = false\npersona = \"above\"\n").file("src/deep/a.md", "");
    let below = project.path().join("src/deep");
    let run = dsh_in(&below, &["prompt"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "above\n", ""));
    let project = project.file("dsh.toml", "presona = \"\"\n");
    assert!(dsh_in(&below, &["prompt"]).stderr.contains("--> ../../dsh.toml:1:1"));
    let project = project.file("src/dsh.toml", "identity = false\npersona = \"nearer\"\n");
    assert_eq!(dsh_in(&below, &["prompt"]).stdout, "nearer\n");
    assert_eq!(project.dsh(&["--dir", "src/deep", "prompt"]).status, Some(0));
}

#[test]
fn a_configuration_that_cannot_be_read_is_not_passed_by() {
    let project = Project::new("persona = \"above\"\n").file("src/dsh.toml/a.md", "");
    let run = dsh_in(&project.path().join("src"), &["prompt"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run}");
}

#[test]
fn the_folder_is_also_told_by_the_environment_and_the_option_wins() {
    // C5
    let project = Project::empty().file("a/dsh.toml", "identity = false\npersona = \"a\"\n");
    let project = project.file("b/dsh.toml", "identity = false\npersona = \"b\"\n");
    assert_eq!(project.dsh_with(&[("DSH_DIR", "a")], &["prompt"]).stdout, "a\n");
    assert_eq!(project.dsh_with(&[("DSH_DIR", "a")], &["prompt", "--dir", "b"]).stdout, "b\n");
    reads!(project.dsh_with(&[("DSH_DIR", "c")], &["prompt"]));
    reads!(project.dsh_with(&[("DSH_DIR", "")], &["prompt"]));
}

#[test]
fn an_option_of_one_value_is_taken_once_on_whichever_side() {
    reads!(Project::new("").dsh(&["--dir", "a", "prompt", "--dir=b"]));
    let hash = "0".repeat(64);
    for (option, value) in [("--profile", "x"), ("--trust", &hash), ("--color", "never"), ("--dir", "x")] {
        for arguments in [
            [option, value, "prompt", option, value],
            [option, value, option, value, "prompt"],
            ["prompt", option, value, option, value],
        ] {
            let run = Project::new("").dsh(&arguments);
            assert_eq!(run.status, Some(2), "{run}");
            assert!(run.stderr.contains(&format!("'{option} <")) && run.stderr.contains("multiple times"), "{run}");
        }
    }
    let run = Project::new("").dsh(&["-q", "prompt", "--quiet"]);
    assert_eq!(run.status, Some(2), "{run}");
}

#[test]
fn quiet_leaves_errors_alone_and_verbose_says_what_was_read() {
    let project = with_findings();
    reads!(project.dsh(&["prompt"]));
    reads!(project.dsh(&["-q", "prompt"]));
    reads!(project.dsh(&["prompt", "-v"]));
    assert_eq!(project.dsh_with(&[("DSH_QUIET", "true")], &["prompt"]).stderr, project.dsh(&["prompt", "-q"]).stderr);
    assert_eq!(project.dsh_with(&[("DSH_VERBOSE", "1")], &["prompt"]).stderr, project.dsh(&["prompt", "-v"]).stderr);
    assert_eq!(
        project.dsh_with(&[("DSH_VERBOSE", "1")], &["-q", "prompt"]).stderr,
        project.dsh(&["prompt", "-q"]).stderr
    );
    assert_eq!(Project::empty().dsh(&["prompt", "-q"]).stderr, "");
}

#[test]
fn verbose_tells_files_from_what_was_said_and_leaves_out_what_is_not_there() {
    let project =
        Project::empty().file("AGENTS.md", "Run the tests.\n").user_config("[profiles.ci]\nidentity = false\n");
    let run = project.dsh_with(
        &[("DSH_MODEL", "a-model")],
        &["prompt", "-v", "--profile", "ci", "--set", "a=s3cret", "--config", "persona=p"],
    );
    // C3
    assert!(!run.stderr.contains("s3cret"), "{run}");
    reads!(run.without(&project.user_folder()));
}

#[test]
fn quiet_and_verbose_at_once_is_wrong_use() {
    reads!(Project::new("").dsh(&["-q", "prompt", "--verbose"]));
    reads!(Project::new("").dsh_with(&[("DSH_QUIET", "1"), ("DSH_VERBOSE", "1")], &["prompt"]));
}

#[test]
fn a_value_in_the_environment_that_is_none_is_wrong_use() {
    reads!(Project::new("").dsh_with(&[("DSH_COLOR", "sometimes")], &["prompt"]));
    reads!(Project::new("").dsh_with(&[("DSH_QUIET", "yes")], &["prompt"]));
    for name in ["DSH_COLOR", "DSH_QUIET", "DSH_VERBOSE", "DSH_PROFILE", "DSH_TRUST", "DSH_DIR"] {
        assert_eq!(Project::new("").dsh_with(&[(name, "")], &["prompt"]).status, Some(0), "{name}");
    }
}

#[test]
fn colours_are_had_without_a_terminal_by_those_who_ask_for_them() {
    // C2, C5
    let project = with_findings();
    let coloured = |environment: &[(&str, &str)], arguments: &[&str]| {
        let run = project.dsh_with(environment, arguments);
        [run.stdout, run.stderr].concat().contains('\u{1b}')
    };
    for arguments in [&["prompt"][..], &["promt"], &["--help"], &["prompt", "--help"]] {
        assert!(!coloured(&[], arguments));
        assert!(coloured(&[("DSH_COLOR", "always"), ("NO_COLOR", "1"), ("CLICOLOR", "0")], arguments), "{arguments:?}");
        let never = [&["--color=never"], arguments].concat();
        assert!(!coloured(&[("DSH_COLOR", "always")], &never), "{arguments:?}");
        let always = [&["--color", "always"], arguments].concat();
        assert!(coloured(&[("DSH_COLOR", "never"), ("NO_COLOR", "1")], &always), "{arguments:?}");
        let auto = [&["--color", "auto"], arguments].concat();
        assert!(!coloured(&[("DSH_COLOR", "always")], &auto), "{arguments:?}");
    }
}

#[test]
fn what_is_set_on_the_command_line_has_a_name_and_a_value() {
    // C3
    reads!(Project::new("").dsh(&["prompt", "--set", "Team=s3cret"]));
    reads!(Project::new("").dsh(&["--set", "team", "prompt"]));
    reads!(Project::new("").dsh(&["prompt", "--config", "=x"]));
    let several =
        ["--set", "a=1", "prompt", "--set", "b=", "--config", "agents.a.persona=x", "--config", "identity=false"];
    assert_eq!(Project::new("").dsh(&several).status, Some(0));
}

#[test]
fn a_misspelt_command_gets_the_nearest() {
    reads!(Project::new("").dsh(&["--dir", ".", "promt"]));
}

#[test]
fn an_argument_that_hides_characters_is_shown_with_escapes() {
    // X12
    let hidden = "a\u{202e}\u{1b}[35mb";
    let words = [
        "rule",
        "explain",
        "help",
        "man",
        "completions",
        "",
        "--no-such-option",
        "prompt --agent",
        "check --agent",
        "prompt --profile",
        "prompt --set",
        "prompt --config",
        "prompt --dir",
        "prompt --trust",
        "check --format",
        "prompt --color",
    ];
    for words in words {
        let mut arguments: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
        let option = format!("--{hidden}");
        match words {
            "--no-such-option" => arguments = vec![option.as_str()],
            _ => arguments.push(hidden),
        }
        let run = Project::new("").dsh(&[&["--color", "always"], arguments.as_slice()].concat());
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run}");
        assert!(!run.stderr.contains('\u{202e}') && !run.stderr.contains("\u{1b}[35mb"), "{words}: {:?}", run.stderr);
        // What may be a secret is not shown at all.
        let is_kept_back = ["prompt --color", "prompt --set", "prompt --config"].contains(&words);
        assert!(run.stderr.contains(r"a\u{202E}\u{1B}[35mb") || is_kept_back, "{words}: {run}");
    }
}

#[test]
fn a_word_too_many_gets_the_option_that_takes_it() {
    let project = Project::new("[agents.reviewer]\n").file("parts/dsh.toml", "");
    reads!(project.dsh(&["prompt", "reviewer"]));
    for (arguments, hint) in [
        (&["check", "reviewer"][..], "use '--agent reviewer'"),
        (&["check", "."], "use '--dir .'"),
        (&["check", "parts"], "use '--dir parts'"),
        (&["prompt", "--json", "../x"], "use '--dir ../x'"),
        (&["init", "foo"], "use '--dir foo'"),
        (&["--set", "a=b", "config", "foo"], "use '--dir foo'"),
    ] {
        let run = project.dsh(arguments);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run}");
        assert!(run.stderr.contains(hint), "{run}");
    }
    for arguments in [&["completions", "bash", "x"][..], &["prompt", "--agnet", "x"]] {
        let run = project.dsh(arguments);
        assert!(!run.stderr.contains("to name"), "{run}");
    }
    reads!(project.dsh(&["explain", "reviewer"]));
}
