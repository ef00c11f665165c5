//! Configurations that are wrong, empty or not there.

use crate::support::{Project, dsh_in, reads};

#[test]
fn a_value_in_place_of_a_table_is_told_how_the_table_is_written() {
    let config = r#"
variables = 3
agents = "reviewer"
profiles = ["ci"]
sections = "a"
"#;
    reads!(Project::new(config).dsh(&["prompt"]));
    let config = r#"
profiles.ci = "fast"
agents.one = "You review."
agents.two.tools = "read"
agents.three.tools.allow = "read"
"#;
    reads!(Project::new(config).dsh(&["prompt", "--agent", "two"]));
}

#[test]
fn what_is_not_toml_is_told_how_it_is_written() {
    let told = |config: &str| {
        let run = Project::new(config).dsh(&["prompt"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run}");
        run.stderr
    };
    let told: Vec<String> = [
        "persona = You help.\n",
        "persona = “You help.”\n",
        "persona: \"You help.\"\n",
        "persona \"You help.\"\n",
        "persona =\n",
        "persona = 'it's'\n",
        "persona = \"C:\\Users\\x\"\n",
        "persona = \"It \\is\"\n",
        "persona = \"\"\"\nYou help.\n",
        "persona = \"You help.\nThat is all.\"\n",
        "identity = True\n",
        "model = 'm\n",
        "tool_order = [\"a\" \"b\"]\n",
        "[variables\nx = \"y\"\n",
    ]
    .into_iter()
    .map(told)
    .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_nests_beyond_measure_is_told_and_overflows_nothing() {
    // Keys with dots in tables within braces: each is within the parser's limits, and together they are 6,240 deep.
    let key = vec!["a"; 78].join(".");
    let config = format!("[{key}]\n{key} = {}1{}\n", format!("{{ {key} = ").repeat(78), " }".repeat(78));
    let project = Project::new(&config);
    reads!(project.dsh(&["check", "--format", "concise"]));
    for arguments in [&["prompt"][..], &["explain"], &["config"], &["trust"], &["trust", "--json"]] {
        assert_eq!(project.dsh(arguments).status, Some(2));
    }
    assert_eq!(Project::new("").dsh(&["prompt", "--config", &format!("{key}.{key} = 1")]).status, Some(2));
    let init = Project::empty().file("Cargo.toml", &config).file("pyproject.toml", &config).dsh(&["init"]);
    assert_eq!((init.status, init.stderr.as_str()), (Some(0), ""), "{init}");
    // What no configuration needs and every reader takes is an unknown key like any other.
    assert_eq!(Project::new(&format!("{key} = 1\n")).dsh(&["check"]).status, Some(1));
}

#[test]
fn a_table_given_twice_is_shown_with_its_first_place() {
    let config = "[variables]\na = \"1\"\n[agents.one]\n[ agents.one ]\n\n[variables] # more\nb = \"2\"\n";
    reads!(Project::new(config).dsh(&["prompt"]));
}

#[test]
fn a_configuration_that_says_nothing_is_one() {
    // C2
    let defaults = Project::empty().dsh(&["prompt"]).stdout;
    for nothing in ["", "\n", "# words\n", "\u{feff}", "\u{feff}\r\n", " \t\n", "[variables]\n", "sections = []\n"] {
        for command in ["prompt", "check", "explain", "config"] {
            let run = Project::new(nothing).dsh(&[command]);
            assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{nothing:?} {run}");
        }
        assert_eq!(Project::new(nothing).dsh(&["prompt"]).stdout, defaults);
    }
}

#[test]
fn without_a_configuration_every_command_names_init() {
    // C2
    let note = Project::empty().dsh(&["prompt"]).stderr;
    assert!(note.contains("`dsh init`"), "{note}");
    for arguments in [&["explain"][..], &["explain", "cwd"], &["config"], &["config", "--origins"], &["trust"]] {
        let run = Project::empty().dsh(arguments);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), note.as_str()), "{run}");
    }
    let check = Project::empty().dsh(&["check"]);
    assert_eq!((check.status, check.stderr.as_str()), (Some(0), ""), "{check}");
    assert!(check.stdout.starts_with(note.as_str()), "{check}");
    reads!(Project::empty().dsh(&["config", "--origins"]));
}

#[test]
fn a_configuration_that_is_named_and_missing_is_wrong_use_for_every_command() {
    // C2
    let project = Project::new("include = [\"base.toml\"]\n").file("sub/a.md", "");
    let missing = project.dsh(&["prompt"]);
    let by_environment = project.dsh_with(&[("DSH_DIR", "elsewhere")], &["prompt"]);
    let profile = Project::new("").dsh(&["prompt", "--profile", "ci"]);
    for arguments in [&["check"][..], &["explain"], &["config"], &["trust"], &["trust", "--json"]] {
        let run = project.dsh(arguments);
        assert_eq!(run.status, Some(2), "{run}");
        // `check` prints what it found, with a count.
        assert!(format!("{}{}", run.stdout, run.stderr).contains(missing.stderr.trim_end()), "{run}");
        let run = project.dsh_with(&[("DSH_DIR", "elsewhere")], arguments);
        assert_eq!((run.status, run.stdout.as_str(), &run.stderr), (Some(2), "", &by_environment.stderr), "{run}");
        let run = Project::new("").dsh(&[arguments, &["--profile", "ci"]].concat());
        assert_eq!((run.status, run.stdout.as_str(), &run.stderr), (Some(2), "", &profile.stderr), "{run}");
    }
    let init = project.dsh_with(&[("DSH_DIR", "elsewhere")], &["init"]);
    assert_eq!((init.status, &init.stderr), (Some(2), &by_environment.stderr), "{init}");
    reads!(by_environment);
    reads!(profile);
    // It is that of the folder above, and named from there.
    reads!(dsh_in(&project.path().join("sub"), &["prompt"]));
}

#[test]
fn ten_mistakes_are_ten_in_check_too() {
    let run = Project::new(crate::bad_values::TEN_MISTAKES).dsh(&["check", "--format", "concise"]);
    assert_eq!(run.stdout.lines().count(), 10, "{run}");
    reads!(run);
}

#[test]
fn two_broken_agents_of_three_are_both_told_by_check() {
    let config = r#"
identity = false
[agents.one]
persona = "{{nobody}}"
[agents.two]
persona_file = "missing.md"
[agents.three]
persona = "The third."
"#;
    let project = Project::new(config);
    reads!(project.dsh(&["check"]));
    let third = project.dsh(&["check", "--agent", "three"]);
    assert_eq!((third.status, third.stderr.as_str()), (Some(0), ""), "{third}");
}

#[test]
fn a_key_of_the_whole_file_below_a_header_is_led_above_it() {
    reads!(Project::new("[variables]\nteam = \"x\"\n\npersona = \"You help {{team}}.\"\n").dsh(&["prompt"]));
    // Each is told once.
    let config = "[variables]\ntool_schemas = [\"a.json\"]\nidentity = false\n[agents.a]\nmodel = \"m\"\ntool_schemas = [\"a.json\"]\ninstructions = { order = 1 }\n[agents.a.variables]\npersona = \"x\"\n";
    reads!(Project::new(config).dsh(&["check"]));
}

#[test]
fn a_variable_that_is_called_like_a_key_and_meant_is_no_mistake() {
    for config in [
        "persona = \"{{persona}}\"\n[variables]\npersona = \"x\"\n",
        "[variables]\nsections = \"x\"\n[agents.a]\npersona = \"{{sections}}\"\n",
        "persona = \"{{model}}\"\n[variables]\nmodel = \"x\"\n",
        "[[sections]]\nname = \"a\"\norder = 1\nfile = \"a.md\"\nformat = \"template\"\n[variables]\nidentity = \"x\"\n",
    ] {
        let run = Project::new(config).file("a.md", "{{identity}}").dsh(&["prompt"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    }
    let set = Project::new("").dsh(&["prompt", "--set", "persona=x"]);
    assert_eq!((set.status, set.stderr.as_str()), (Some(0), ""), "{set}");
    let raw = "[[sections]]\nname = \"a\"\norder = 1\ntext = \"{{persona}}\"\nformat = \"raw\"\n[variables]\npersona = \"x\"\n";
    let raw = Project::new(raw).dsh(&["check", "--format", "concise"]);
    assert!(raw.stdout.contains("config::misplaced_key") && !raw.stdout.contains("unused_variable"), "{raw}");
}

#[test]
fn a_truth_is_told_as_it_is_given() {
    let project = Project::new("");
    let by_environment = Project::new("").with_env("DSH_IDENTITY", "yes").dsh(&["prompt"]);
    assert!(by_environment.stderr.contains("write `DSH_IDENTITY=true`"), "{by_environment}");
    let by_environment = Project::new("").with_env("DSH_IDENTITY", "FALSE").dsh(&["prompt"]);
    assert!(by_environment.stderr.contains("write `DSH_IDENTITY=false`"), "{by_environment}");
    let flag = project.dsh(&["prompt", "--config", "identity=no"]);
    assert!(flag.stderr.contains("write `--config identity=false`"), "{flag}");
    let file = Project::new("identity = \"On\"\n").dsh(&["prompt"]);
    assert!(file.stderr.contains("write `identity = true`"), "{file}");
    let quoted = Project::new("identity = \"true\"\n").dsh(&["prompt"]);
    assert!(quoted.stderr.contains("leave the quotes out"), "{quoted}");
}

#[test]
fn an_unknown_key_is_said_to_be_where_it_is() {
    let project =
        Project::new("include = [\"base.toml\"]\n").file("base.toml", "colour = 1\n").user_config("shade = 1\n");
    let run = project.dsh(&["check", "--format", "concise", "--config", "hue=1"]);
    for key in ["colour", "shade", "hue"] {
        assert!(run.stdout.contains(&format!("unknown key `{key}` in the configuration\n")), "{run}");
    }
    let own = Project::new("colour = 1\n").dsh(&["prompt"]);
    assert!(own.stderr.contains("unknown key `colour` in dsh.toml\n"), "{own}");
}
