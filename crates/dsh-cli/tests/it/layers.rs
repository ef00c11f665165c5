//! Several documents that make one configuration: includes, profiles, the user's file, the environment and flags (C5).

use crate::support::{Project, reads};

/// A project whose persona is what the last one in line says.
fn with(config: &str) -> Project {
    Project::new(&format!("identity = false\n{config}"))
}

#[test]
fn an_included_file_stands_below_the_one_that_includes_it() {
    // C5
    let project = with("include = ['a.toml', 'b.toml']\n[variables]\nthree = 'own'")
        .file("a.toml", "persona = '{{one}} {{two}} {{three}}'\n[variables]\none = 'a'\ntwo = 'a'\nthree = 'a'")
        .file("b.toml", "[variables]\ntwo = 'b'\nthree = 'b'");
    assert_eq!(project.prompt(&[]), "a b own");
}

#[test]
fn lists_are_replaced_and_not_joined() {
    let project = with("include = ['a.toml']\n[[sections]]\nname = 'b'\norder = 1\ntext = 'own'")
        .file("a.toml", "[[sections]]\nname = 'a'\norder = 0\ntext = 'included'");
    assert_eq!(project.prompt(&[]), "own");
}

#[test]
fn paths_are_relative_to_the_file_that_they_stand_in() {
    // C1
    let project = with("include = ['team/base.toml']")
        .file("team/base.toml", "include = ['more/deep.toml']\npersona_file = 'persona.md'\n")
        .file("team/persona.md", "team\n")
        .file("team/more/deep.toml", "[[sections]]\nname = 's'\norder = 1\nfile = '../../root.md'")
        .file("root.md", "root\n");
    assert_eq!(project.prompt(&[]), "team\n\nroot");
}

#[test]
fn an_included_file_opens_no_way_out_for_the_one_that_includes_it() {
    // C1
    let project = with("include = ['a.toml']\npersona_file = '../secret'").file("a.toml", "allow_outside = true");
    let run = project.file("../secret", "SECRET").dsh(&["prompt"]);
    assert!(run.stderr.contains("error[file::outside]"), "{run}");
    assert!(!run.stdout.contains("SECRET"), "{run}");
}

#[test]
fn an_include_that_leads_out_is_refused_and_may_be_allowed() {
    let project = with("include = ['../a.toml']").file("../a.toml", "persona = 'outside'");
    reads!(project.dsh(&["prompt"]));
    let project = with("allow_outside = true\ninclude = ['../a.toml']").file("../a.toml", "persona_file = 'b.md'");
    assert_eq!(project.file("../b.md", "beside it").dsh(&["prompt"]).status, Some(1));
    let project = with("allow_outside = true\ninclude = ['../a.toml']")
        .file("../a.toml", "allow_outside = true\npersona_file = 'b.md'");
    assert_eq!(project.file("../b.md", "beside it").prompt(&[]), "beside it");
}

#[test]
fn files_that_include_each_other_are_named() {
    let project = with("include = ['a.toml']")
        .file("a.toml", "include = ['sub/b.toml']")
        .file("sub/b.toml", "persona = 'x'\ninclude = ['../a.toml']");
    reads!(project.dsh(&["prompt"]));
    reads!(with("include = ['dsh.toml']").dsh(&["prompt"]));
}

#[test]
fn a_file_may_be_included_on_two_ways() {
    let project = with("include = ['a.toml', 'b.toml']")
        .file("a.toml", "include = ['c.toml']")
        .file("b.toml", "include = ['c.toml']")
        .file("c.toml", "persona = 'c'");
    assert_eq!(project.prompt(&[]), "c");
}

#[test]
fn includes_that_double_at_each_step_end() {
    let mut project = with("include = ['0.toml', '0.toml']");
    for depth in 0..15 {
        let next = depth + 1;
        project = project.file(&format!("{depth}.toml"), format!("include = ['{next}.toml', '{next}.toml']"));
    }
    let run = project.file("15.toml", "").dsh(&["prompt"]);
    assert!(run.stderr.contains("config::too_many_includes"), "{run}");
    assert_eq!(run.status, Some(2));
}

#[test]
fn an_included_file_that_is_missing_or_no_toml_is_wrong_use() {
    // C2
    reads!(with("include = ['nope.toml']").dsh(&["prompt"]));
    reads!(with("include = ['a.toml']").file("a.toml", "persona = \n").dsh(&["prompt"]));
}

#[test]
fn a_mistake_in_an_included_file_is_shown_there() {
    reads!(with("include = ['a.toml']").file("a.toml", "presona = 'x'\n").dsh(&["prompt"]));
}

#[test]
fn a_profile_is_laid_over_the_rest_where_it_is_chosen() {
    // C5
    let project = with("persona = '{{who}}'\n[variables]\nwho = 'all'\n[profiles.ci.variables]\nwho = 'ci'");
    assert_eq!(project.prompt(&[]), "all");
    assert_eq!(project.prompt(&["--profile", "ci"]), "ci");
    let by_environment = project.with_env("DSH_PROFILE", "ci");
    assert_eq!(by_environment.prompt(&[]), "ci");
    reads!(with("[profiles.ci]").dsh(&["prompt", "--profile", "cli"]));
}

#[test]
fn a_mistake_in_a_profile_that_was_not_chosen_is_told_and_stops_nothing() {
    reads!(with("persona = 'p'\n[profiles.ci]\npresona = 'x'\ninclude = []\n").dsh(&["prompt"]));
}

#[test]
fn the_tiers_override_each_other_in_order() {
    // C5: flag > environment > profile > project > user's file > default
    let tiers = [
        ("user", "persona = 'user'\nmodel = 'user'\n[profiles.p]\nmodel = 'user profile'"),
        ("project", "persona = '{{model}}'\nmodel = 'project'"),
    ];
    let project = with(tiers[1].1).user_config(tiers[0].1);
    assert_eq!(project.prompt(&[]), "project");
    assert_eq!(project.prompt(&["--profile", "p"]), "user profile");
    let project = project.with_env("DSH_MODEL", "environment");
    assert_eq!(project.prompt(&["--profile", "p"]), "environment");
    assert_eq!(project.prompt(&["--profile", "p", "--config", "model=flag"]), "flag");
    assert_eq!(project.prompt(&["--config", "model=flag", "--set", "model=set"]), "set");
    assert_eq!(with("").user_config(tiers[0].1).prompt(&[]), "user");
}

#[test]
fn the_users_file_names_files_beside_it() {
    let project = with("").user_config("persona_file = 'persona.md'").user_file("persona.md", "mine");
    assert_eq!(project.prompt(&[]), "mine");
    let project = Project::empty().user_config("identity = false\npersona = 'p'");
    assert_eq!(project.dsh(&["prompt"]).stdout, "p\n");
}

#[test]
fn a_set_variable_overrides_every_layer() {
    let config = "persona = '{{a}}'\n[variables]\na = 'shared'\n[agents.x.variables]\na = 'own'\n[agents.y]\n";
    let project = with(config);
    assert_eq!(project.prompt(&["--set", "a=set"]), "set");
    assert_eq!(project.prompt(&["--set", "a=set", "--agent", "x"]), "set");
    assert_eq!(project.prompt(&["--set", "a=one", "--set", "a=two=2", "--agent", "y"]), "two=2");
    assert_eq!(with("persona = '{{new}}'").prompt(&["--set", "new={{a}}"]), "{{a}}");
}

#[test]
fn a_flag_that_is_wrong_is_shown_in_itself() {
    reads!(with("").dsh(&["prompt", "--config", "presona=x"]));
    reads!(with("").dsh(&["prompt", "--config", "model=\"x"]));
    reads!(with("").with_env("DSH_IDENTITY", "no").dsh(&["prompt"]));
}

#[test]
fn a_flag_or_a_profile_closes_the_way_out_and_opens_it_for_itself_alone() {
    // C1, C5
    let refused = |project: &Project, arguments: &[&str]| {
        let run = project.dsh(&[&["prompt"], arguments].concat());
        assert_eq!((run.status, run.stderr.contains("error[file::outside]")), (Some(1), true), "{run}");
    };
    let close = ["--config", "allow_outside=false"];
    let persona = with("allow_outside = true\npersona_file = '../out'\n[profiles.p]\nallow_outside = false");
    let persona = persona.file("../out", "outside");
    assert_eq!(persona.prompt(&[]), "outside");
    refused(&persona, &close);
    refused(&persona, &["--profile", "p"]);
    // The last word of the flags counts, and says nothing of what others may.
    refused(&persona, &["--profile", "p", "--config", "allow_outside=true"]);
    assert_eq!(persona.prompt(&[&close[..], &["--config", "allow_outside=true"]].concat()), "outside");
    let own = ["--config", "persona_file=../out", "--config", "allow_outside=true"];
    assert_eq!(with("allow_outside = false").file("../out", "outside").prompt(&own), "outside");
    refused(&with("persona_file = '../out'").file("../out", "outside"), &["--config", "allow_outside=true"]);

    let section = "[[sections]]\nname = 's'\norder = 1\nfile = '../out'\nallow_outside = true\n";
    let section = with(section).file("../out", "outside");
    assert_eq!(section.prompt(&[]), "outside");
    refused(&section, &close);
    let agent = with("[agents.a]\nallow_outside = true\npersona_file = '../out'").file("../out", "outside");
    assert_eq!(agent.prompt(&["--agent", "a"]), "outside");
    refused(&agent, &["--agent", "a", "--config", "agents.a.allow_outside=false"]);
    refused(&agent, &["--agent", "a", "--config", "allow_outside=false"]);
}

#[cfg(unix)]
#[test]
fn of_instruction_files_the_last_word_says_whether_they_may_lead_out() {
    // C5
    let project = with("[instructions]\nallow_outside = true").file("../out.md", "outside");
    std::os::unix::fs::symlink("../out.md", project.path().join("AGENTS.md")).unwrap();
    assert!(project.prompt(&[]).ends_with("outside"));
    let run = project.dsh(&["prompt", "--config", "instructions.allow_outside=false"]);
    assert_eq!((run.status, run.stdout.contains("outside")), (Some(1), false), "{run}");
}

#[test]
fn a_name_is_a_name_whatever_it_means_elsewhere() {
    let project = with(
        "include = ['a.toml']\npersona_file = 'p.md'\n[variables]\nallow_outside = 'own'\n[agents.allow_outside.variables]\nv = 'own'\n[profiles.allow_outside.variables]\nallow_outside = 'profile'",
    );
    let project = project
        .file("p.md", "{{allow_outside}}")
        .file("a.toml", "[variables]\nallow_outside = 'included'\n[agents.allow_outside]\npersona = '{{v}}'\n[agents.allow_outside.variables]\nv = 'included'");
    assert_eq!(project.prompt(&[]), "own");
    assert_eq!(project.prompt(&["--agent", "allow_outside"]), "own");
    assert_eq!(project.prompt(&["--profile", "allow_outside"]), "profile");
    assert_eq!(project.prompt(&["--set", "allow_outside=set"]), "set");
    assert_eq!(project.prompt(&["--config", "variables.allow_outside=flag"]), "flag");
    let printed = Project::new(&project.dsh(&["config"]).stdout).file("p.md", "{{allow_outside}}");
    assert_eq!(printed.prompt(&[]), "own");
}

#[test]
fn a_profile_that_is_right_where_it_is_laid_is_right() {
    // C5: tables merge
    let base = "persona = '{{t}}'\n[variables]\nt = { env = 'T', default = 'd' }\n[agents.a]\ntools = { allow = [] }\n[instructions]\nmax_bytes = 9\n";
    let profile = "[profiles.ci.variables.t]\ndefault = 'c'\n[profiles.ci.agents.a.tools]\ndeny = []\n[profiles.ci.instructions]\norder = 3\n";
    let run = with(&format!("{base}{profile}")).dsh(&["check", "--format", "concise"]);
    assert_eq!(run.status, Some(0), "{run}");
    // What is wrong in both is told once, and what the profile makes wrong is told of it.
    let base = "[variables]\nt = { env = 'T', defualt = 'd' }\nu = { default = 'd' }\n[agents.a.tools]\n";
    let profile = "[profiles.ci.variables]\nt.default = 'c'\nu.default = 'c'\nv.default = 'c'\n[profiles.ci.agents.a.tools]\nallow = 5\n[profiles.ci.agents.a]\nx = 1\n";
    reads!(with(&format!("{base}{profile}")).dsh(&["check", "--format", "concise"]));
}

#[test]
fn a_mistake_in_an_agent_of_a_profile_that_was_not_chosen_stops_no_prompt() {
    let run = with("persona = 'p'\n[agents.a]\n[profiles.ci.agents.a]\nx = 1").dsh(&["prompt", "--agent", "a"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), "p\n"), "{run}");
}

#[test]
fn what_files_alone_can_have_is_refused_in_a_profile_chosen_or_not() {
    let project = with("persona = 'p'\n[profiles.ci]\ninclude = ['x.toml']\n[profiles.ci.profiles.more]\n");
    for arguments in [&["check", "--format", "concise"][..], &["check", "--format", "concise", "--profile", "ci"]] {
        let run = project.dsh(arguments);
        let unknown = |key: &str| run.stdout.contains(&format!("unknown key `{key}` in a profile"));
        assert_eq!((run.status, unknown("include"), unknown("profiles")), (Some(1), true, true), "{run}");
    }
}

#[test]
fn quotes_on_a_line_of_their_own_end_the_last_line() {
    let text = |quoted: &str| with(&format!("persona = {quoted}")).prompt(&[]);
    assert_eq!(text("\"\"\"\na\n\"\"\""), "a");
    assert_eq!(text("'''\na\n\n'''"), "a\n");
    assert_eq!(text("\"\"\"a\\n\\\n\"\"\""), "a\n");
    assert_eq!(text("\"\"\"a\\\\\n\"\"\""), "a\\");
    assert_eq!(text("\"a\\n\""), "a\n");
    let constant = with("persona = '{{a}}'\n[variables]\na = '''\nx\n'''");
    assert_eq!(constant.prompt(&[]), "x\n");
}

#[test]
fn a_flags_value_that_is_no_toml_is_a_string() {
    for text in ["{{date}} is today", "a # b", "two\nlines", "= x"] {
        let shown = text.replace("{{date}}", "2025-01-01");
        assert_eq!(with("").prompt(&["--config", &format!("persona={text}")]), shown);
    }
    reads!(with("").dsh(&["prompt", "--config", "persona=[draft] text"]));
    reads!(with("").dsh(&["prompt", "--config", "persona=You {{ help"]));
}

#[cfg(unix)]
#[test]
fn what_the_environment_says_in_a_keys_place_is_utf8() {
    use std::os::unix::ffi::OsStrExt;
    for name in ["DSH_PERSONA", "DSH_MODEL", "DSH_IDENTITY", "DSH_PERSONA_FILE", "DSH_PROFILE"] {
        let project = with("");
        let mut command = project.command();
        command.arg("prompt").env(name, std::ffi::OsStr::from_bytes(b"a\xff"));
        let run = crate::support::ran(&mut command);
        let refused = run.stderr.contains(&format!("the environment variable {name} is not UTF-8"));
        assert_eq!((run.status, refused), (Some(2), true), "{run}");
    }
}

#[test]
fn what_the_environment_says_wrong_is_shown_in_itself() {
    reads!(with("").with_env("DSH_PERSONA", "a").with_env("DSH_PERSONA_FILE", "b").dsh(&["prompt"]));
    reads!(with("").with_env("DSH_PERSONA", "You {{help me}} out.").dsh(&["prompt"]));
    reads!(with("").with_env("DSH_PROFILE", "ci").dsh(&["prompt"]));
}

#[test]
fn what_is_wrong_with_an_include_has_its_own_remedy() {
    let outside = with("allow_outside = true\ninclude = ['../a.toml']").file("../a.toml", "persona_file = 'p.md'");
    reads!(outside.file("../p.md", "p").dsh(&["prompt"]));
    reads!(with("include = ['sub']").file("sub/a.toml", "").dsh(&["prompt"]));
    let many = with(&format!("include = [{}]", "'a.toml', ".repeat(300))).file("a.toml", "");
    reads!(many.dsh(&["check", "--format", "concise"]));
}

#[test]
fn a_file_of_schemas_that_is_named_twice_is_told_once() {
    let tools = "[{\"name\": \"a\", \"description\": \"\"}, {\"name\": \"b\", \"description\": \"\"}]";
    reads!(with("tool_schemas = ['t.json', 't.json']").file("t.json", tools).dsh(&["check"]));
}

#[test]
fn a_large_file_may_be_included_many_times_between_others() {
    let large: Vec<String> = (0..20_000).map(|index| format!("v{index} = 'some words of a constant'")).collect();
    let names = ["'large.toml'", "'small.toml'"].repeat(32).join(", ");
    let project = with(&format!("include = [{names}]\npersona = '{{{{v7}}}}'"))
        .file("large.toml", format!("[variables]\n{}", large.join("\n")))
        .file("small.toml", "variables.v7 = 'small'");
    assert_eq!(project.prompt(&[]), "small");
}

#[test]
fn the_configuration_shows_no_values_and_so_needs_no_trust() {
    let run = with("[variables]\nt = { env = 'T' }").dsh(&["config"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
}
