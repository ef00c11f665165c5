//! Agents that have Markdown files of their own: `agents/*.md`.

use crate::support::{Project, Run, reads};

/// The tools of case 12.
const TOOLS: &str =
    r#"[{"name": "read"}, {"name": "write"}, {"name": "mcp__foo__query"}, {"name": "mcp__foo_bar__query"}]"#;

/// A project with these files of agents, the tools of case 12 and no identity.
fn project(files: &[(&str, &str)]) -> Project {
    let project = Project::new("identity = false\ntool_schemas = [\"tools.json\"]\n").file("tools.json", TOOLS);
    files.iter().fold(project, |project, (name, text)| project.file(&format!("agents/{name}"), text))
}

/// A run that asks for an agent of a project with this one file.
fn asked(name: &str, text: &str) -> Run {
    project(&[(&format!("{name}.md"), text)]).dsh(&["prompt", "--agent", name])
}

/// The five files of case 13.
fn case_13() -> Project {
    let wide: Vec<u8> = "\u{feff}---\nname: wide\n---\nHello\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    project(&[
        (
            "scout.md",
            "\u{feff}---\r\nname: scout\r\ndeny_tools: [write]\r\n---\r\n\r\nLook first.\r\nKeep \u{feff}this.\r\n",
        ),
        ("plain.md", "---\nname: plain\ndeny_tools: [write]\n---\n\nLook first.\nKeep \u{feff}this.\n"),
        ("mixed.md", "---\r\nname: mixed\ndeny_tools: [write]\r\n---\n\nLook first.\n"),
    ])
    .file("agents/wide.md", wide)
    .file("agents/bad.md", b"---\nname: bad\n---\nprice 5\x80\n")
}

#[test]
fn case_13_what_can_be_read_loads_beside_what_cannot() {
    let project = case_13();
    for (agent, prompt) in [
        ("scout", "Look first.\nKeep \u{feff}this.\n"),
        ("plain", "Look first.\nKeep \u{feff}this.\n"),
        ("mixed", "Look first.\n"),
    ] {
        let run = project.dsh(&["prompt", "--agent", agent]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), prompt), "{run}");
        let tools = project.dsh(&["prompt", "--agent", agent, "--tools"]).json();
        let tools: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(tools, ["mcp__foo__query", "mcp__foo_bar__query", "read"]);
    }
}

#[test]
fn case_13_what_cannot_be_read_is_named_with_its_first_wrong_byte() {
    reads!(case_13().dsh(&["prompt", "--agent", "bad"]));
    let wide = case_13().dsh(&["prompt", "--agent", "wide"]);
    assert_eq!((wide.status, wide.stdout.as_str()), (Some(1), ""));
}

#[test]
fn case_13_saving_with_other_line_ends_changes_nothing() {
    let text = "---\nname: plain\ndescription: Looks.\ndeny_tools: [write]\n---\n\nLook first.\nKeep \u{feff}this.\n";
    let before = project(&[("plain.md", text)]);
    let after = project(&[("plain.md", &text.replace('\n', "\r\n"))]);
    let arguments = ["--agent", "plain", "--json", "--set", "cwd=here"];
    assert_eq!(before.prompt(&arguments), after.prompt(&arguments));
}

/// The names of the tools that an agent with this front matter sees.
#[track_caller]
fn seen(front: &str) -> Vec<String> {
    let text = format!("---\n{front}\n---\nYou look.\n");
    project(&[("a.md", &text)]).dsh(&["prompt", "--agent", "a", "--tools"]).tools()
}

#[test]
fn case_12_allow_and_deny_choose_tools() {
    assert_eq!(seen(""), ["mcp__foo__query", "mcp__foo_bar__query", "read", "write"]);
    for none in ["tools: []", "tools: ''", "tools: \"\"", "tools: read\ndeny_tools: read"] {
        assert_eq!(seen(none), Vec::<String>::new(), "{none}");
    }
    assert_eq!(seen("deny_tools: []"), seen(""));
    for two in ["tools: [write, read]", "tools: read, write", "tools:\n  - read\n  - write", "deny_tools: mcp__*"] {
        assert_eq!(seen(two), ["read", "write"], "{two}");
    }
    assert_eq!(seen("deny_tools: [\"mcp__foo_*\"]"), ["read", "write"]);
    assert_eq!(seen("deny_tools: mcp__foo__*"), ["mcp__foo_bar__query", "read", "write"]);
    assert_eq!(seen("tools: '*'\ndeny_tools: [write]"), ["mcp__foo__query", "mcp__foo_bar__query", "read"]);
}

#[test]
fn case_12_an_entry_that_matches_no_tool_is_an_error() {
    reads!(asked("c", "---\ntools: raed, write\ndeny_tools:\n  - mpc_*\n  - read*er\n  - ''\n---\n"));
}

#[test]
fn case_12_a_mistyped_list_is_an_error_and_never_all_tools() {
    reads!(asked("a", "---\ntools:\n---\n"));
    reads!(asked("b", "---\ntools: false\ndeny_tools: ~\n---\n"));
    reads!(asked("c", "---\ntools: { allow: [read] }\ndeny_tools: [3, [read], null]\n---\n"));
}

#[test]
fn an_agent_is_what_its_file_says() {
    let project = project(&[(
        "guide.md",
        "---\n# Shown to whoever chooses.\nname: harbour:guide\ndescription: Knows the way.\nformat: template\ntools: read\n---\n\n\n    You know {{who}}.\n\n---\n\nAll of them. \n\n\n",
    )])
    .file("dsh.toml", "identity = false\npersona = \"Shared.\"\ntool_schemas = [\"tools.json\"]\n[variables]\nwho = \"them\"\n");
    let json = project.dsh(&["prompt", "--agent", "harbour:guide", "--json"]).json();
    assert_eq!(json["prompt"], "    You know them.\n\n---\n\nAll of them. ");
    assert_eq!(json["description"], "Knows the way.");
    assert_eq!(json["sections"][0]["owner"], "harbour:guide/persona");
    assert_eq!(json["tools"].as_array().unwrap().len(), 1);
}

#[test]
fn the_file_in_the_readme_is_right() {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once("```markdown\n").unwrap();
    let (text, _) = rest.split_once("```").unwrap();
    let tools = r#"[{"name": "read"}, {"name": "write"}, {"name": "search_all"}, {"name": "search_text"}]"#;
    let project = project(&[("readme.md", text)]).file("tools.json", tools);
    assert_eq!(project.prompt(&["--agent", "scout"]), "You look before anybody else does.");
    assert_eq!(project.dsh(&["prompt", "--agent", "scout", "--tools"]).tools(), ["read", "search_text"]);
}

#[test]
fn a_file_that_says_nothing_makes_an_agent_like_all() {
    let project = project(&[("a.md", "---\n---\n \n"), ("b.md", "---\n# none\n---")])
        .file("dsh.toml", "identity = false\npersona = \"Shared.\"\n");
    assert_eq!(project.prompt(&["--agent", "a"]), "Shared.");
    assert_eq!(project.prompt(&["--agent", "b"]), "Shared.");
}

#[test]
fn the_text_is_raw_unless_it_says_otherwise() {
    // X1
    let text = "Set {{\"a\": {b: 1}}} and {{nobody}}.";
    let raw = project(&[("a.md", &format!("---\nname: a\n---\n{text}\n"))]);
    assert_eq!(raw.prompt(&["--agent", "a"]), text);
    let said = project(&[("a.md", &format!("---\nname: a\nformat: raw\n---\n{text}\n"))]);
    assert_eq!(said.prompt(&["--agent", "a"]), text);
    reads!(asked("a", "---\nname: a\nformat: template\n---\n\nSet {{ x }}.\nAsk {{nobody}}.\n"));
}

#[test]
fn agents_are_found_without_a_configuration() {
    let project = Project::empty().file("agents/a.md", "---\n---\nYou look.\n");
    let run = project.dsh(&["prompt", "--agent", "a"]);
    assert!(run.stdout.ends_with("\n\nYou look.\n"), "{run}");
    assert_eq!(run.status, Some(0));
}

#[test]
fn agents_of_the_configuration_come_first_and_files_by_their_names() {
    let config = "[agents.zed]\ndescription = \"Last of the alphabet.\"\n[agents.mid]\n";
    let project = Project::new(config)
        .file("agents/b.md", "---\nname: x\n---\n")
        .file("agents/a.md", "---\n---\n")
        .file("agents/B.md", "---\n---\n");
    reads!(project.dsh(&["prompt", "--agent", "wrong"]));
}

#[test]
fn what_is_no_agents_file_is_left_alone() {
    let project =
        project(&[(".hidden.md", "x"), ("notes.txt", "x"), ("team/deep.md", "x"), ("a.md~", "x"), ("md", "x")]);
    assert_eq!(project.prompt(&[]), "");
    assert_eq!(Project::new("identity = false\n").file("agents", "x").dsh(&["prompt"]).status, Some(0));
}

#[test]
fn a_description_is_a_string_in_both_forms() {
    reads!(
        Project::new("[agents.a]\ndescription = 3\n")
            .file("agents/b.md", "---\ndescription: 3\n---\n")
            .dsh(&["prompt"])
    );
}

#[test]
fn values_of_other_types_are_told_at_their_places() {
    reads!(asked("a", "---\nname: 123\ndescription: [One, two]\nformat: true\n1: x\n? [b]\n: x\n---\nText.\n"));
    reads!(asked("b", "---\nname:\ndescription: {{product}}\nformat: Template\ndeny_tools:\n-\n---\n"));
    reads!(asked("c", "---\nname: !person c\ndescription: &d Looks.\ndeny_tools: [*d, *e]\n---\n"));
    reads!(asked("d", "---\n- name: d\n---\n"));
    reads!(asked("e", "---\nJust words.\n---\n"));
}

#[test]
fn an_unknown_key_is_a_warning_with_the_nearest_right_one() {
    let both = asked("b", "---\ntools: [read]\nallowed-tools: [read]\n---\n");
    assert!(both.stderr.contains("help: the keys of an agent's file are"), "{both}");
    let text = "---\nname: a\ndescripton: Looks.\ntool: [read]\ndisallowedTools: write\nmodel: opus\nprompt: Hello\nhooks: { a: [*b] }\n---\nYou look.\n";
    let run = asked("a", text);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "You look.\n"));
    reads!(run);
}

#[test]
fn a_key_given_twice_is_shown_with_its_first_place() {
    reads!(asked("a", "---\nname: a\ntools: [read]\ndeny_tools: []\n\"tools\": [write]\n---\n"));
}

#[test]
fn front_matter_that_is_not_yaml_is_told_by_its_place_in_the_file() {
    reads!(asked("colon", "---\ndescription: Use it so: often\n---\n"));
    reads!(asked("bracket", "---\nname: bracket\ntools: [read\n---\n\nText.\n"));
    reads!(asked("quote", "---\nname: quote\ndescription: \"Looks\n---\n"));
    reads!(asked("behind", "---\ndescription: 'It's here'\n---\n"));
    reads!(asked("star", "---\nname: star\ntools: *\n---\n"));
    reads!(asked("tab", "---\ndescription: Looks\n\tand sees\nname: tab\n---\n"));
    reads!(asked("column", "---\n name: column\ntools: read\n---\n"));
    reads!(asked("bare", "---\nname: bare\ndescription\n---\n"));
    reads!(asked("dash", "---\ntools: - read\n---\n"));
    reads!(asked("brace", "---\nname: brace\ndescription: {{product}} knows\n---\n"));
    reads!(asked("escape", "---\nname: escape\ndescription: \"C:\\dir\"\n---\n"));
    reads!(asked("mention", "---\nname: mention\ndescription: @you\n---\n"));
    reads!(asked("second", "---\nname: second\n--- # more\ntools: read\n---\n"));
    reads!(asked("deep", &format!("---\nx: {}\n---\n", "[".repeat(1_000))));
}

#[test]
fn front_matter_that_never_ends_or_is_too_long_is_told_where_it_begins() {
    reads!(asked("open", "---\nname: open\ndeny_tools: [write]\n\nLook first.\n"));
    reads!(asked("long", &format!("---\ndescription: {}\n---\n", "x ".repeat(40_000))));
}

#[test]
fn a_file_without_front_matter_makes_no_agent_and_that_is_said() {
    let project = project(&[
        ("readme.md", "# Our agents\n\nThey are many.\n"),
        ("late.md", "\n\n---\nname: late\n---\nText.\n"),
        ("blank.md", " ---\nname: blank\n---\nText.\n"),
        ("empty.md", ""),
    ]);
    let run = project.dsh(&["prompt"]);
    assert_eq!(run.status, Some(0));
    reads!(run);
    reads!(asked("late", "\n---\nname: late\n---\nText.\n"));
}

#[test]
fn a_name_that_cannot_be_an_agents_is_told_wherever_it_comes_from() {
    reads!(asked("my agent", "---\ndescription: x\n---\n"));
    reads!(asked("a", "---\nname: a/b\n---\n"));
    reads!(asked("b", "---\nname: ''\n---\n"));
}

#[test]
fn two_agents_of_one_name_are_both_shown_and_stop_no_other() {
    let config = "identity = false\n[agents.one]\npersona = \"One.\"\n[agents.other]\npersona = \"Other.\"\n";
    let project = Project::new(config)
        .file("agents/one.md", "---\n---\nOne again.\n")
        .file("agents/three.md", "---\nname: two\n---\nThree.\n")
        .file("agents/two.md", "---\nname: two\n---\nTwo.\n");
    reads!(project.dsh(&["prompt", "--agent", "other"]));
    for stopped in ["one", "two"] {
        let run = project.dsh(&["prompt", "--agent", stopped]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    }
}

#[test]
fn two_broken_files_of_three_do_not_keep_the_third_from_printing() {
    let project = project(&[
        ("one.md", "---\nname: [\n---\n"),
        ("two.md", "---\ntools: raed\n---\n"),
        ("three.md", "---\n---\nThe third.\n"),
    ]);
    let third = project.dsh(&["prompt", "--agent", "three"]);
    assert_eq!((third.status, third.stdout.as_str()), (Some(1), "The third.\n"));
    reads!(third);
    for broken in ["one", "two"] {
        let run = project.dsh(&["prompt", "--agent", broken]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    }
}

#[test]
fn a_folder_or_a_large_file_of_an_agents_name_is_told() {
    let project = project(&[("folder.md/a.md", "x")]).file("agents/large.md", vec![b'x'; (1 << 20) + 1]);
    reads!(project.dsh(&["prompt", "--agent", "folder"]));
}

#[test]
fn a_file_in_place_of_the_folder_is_a_warning() {
    reads!(Project::new("identity = false\n").file("agents", "x").dsh(&["prompt"]));
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::{Project, project, reads};

    #[test]
    fn links_that_lead_out_are_refused_and_those_inside_followed() {
        // C1
        let project = project(&[("here.md", "---\n---\nHere.\n")])
            .file("../out.md", "---\n---\nSECRET\n")
            .file("docs/in.md", "---\n---\nInside.\n");
        let link = |to: &str, name: &str| symlink(to, project.path().join("agents").join(name)).unwrap();
        link("../../out.md", "out.md");
        link("../docs/in.md", "in.md");
        link("nowhere.md", "dangling.md");
        let inside = project.dsh(&["prompt", "--agent", "in"]);
        assert_eq!(inside.stdout, "Inside.\n");
        reads!(inside);
        let out = project.dsh(&["prompt", "--agent", "out"]);
        assert_eq!((out.status, out.stdout.as_str()), (Some(1), ""));
    }

    #[test]
    fn a_folder_that_is_a_link_out_is_refused_and_stops_nobody() {
        // C1
        let project = Project::new("identity = false\n[agents.a]\npersona = \"A.\"\n")
            .file("../elsewhere/out.md", "---\n---\nSECRET\n");
        symlink("../elsewhere", project.path().join("agents")).unwrap();
        let run = project.dsh(&["prompt", "--agent", "a"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), "A.\n"));
        reads!(run);
    }

    #[test]
    fn a_folder_that_is_a_link_inside_is_followed() {
        let project = Project::new("identity = false\n").file("docs/agents/a.md", "---\n---\nA.\n");
        symlink("docs/agents", project.path().join("agents")).unwrap();
        assert_eq!(project.prompt(&["--agent", "a"]), "A.");
    }

    #[test]
    fn a_pipe_of_an_agents_name_is_told_and_nobody_waits_for_it() {
        let project = project(&[("a.md", "---\n---\nA.\n")]);
        let made = std::process::Command::new("mkfifo").arg(project.path().join("agents/pipe.md")).status().unwrap();
        assert!(made.success());
        reads!(project.dsh(&["prompt", "--agent", "a"]));
    }

    #[test]
    fn a_name_that_is_not_utf_8_is_told() {
        let project = project(&[("a.md", "---\n---\nA.\n")]);
        let folder = project.path().join("agents");
        std::fs::write(folder.join(OsStr::from_bytes(b"caf\xe9.md")), "---\n---\n").unwrap();
        std::fs::write(folder.join(OsStr::from_bytes(b"caf\xe9.txt")), "").unwrap();
        let run = project.dsh(&["prompt", "--agent", "a"]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), "A.\n"));
        reads!(run);
    }

    #[test]
    fn a_folder_of_too_many_entries_is_not_read() {
        let project = project(&[("a.md", "---\n---\nA.\n")]);
        for number in 0..10_000 {
            std::fs::hard_link(project.path().join("tools.json"), project.path().join(format!("agents/{number}")))
                .unwrap();
        }
        reads!(project.dsh(&["prompt"]));
    }
}
