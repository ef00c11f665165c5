//! What `dsh config` prints: TOML that says the same as all the documents it was made of (C5).

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::{Project, reads};

/// A project whose persona is what the last one in line says.
fn with(config: &str) -> Project {
    Project::new(&format!("identity = false\n{config}"))
}

#[test]
fn origins_are_told_for_every_value() {
    // C5
    let config = "include = ['a.toml']\npersona = \"Say \\\"hi\\\" in\\ntwo lines.\"\n[variables]\nteam = 't'\n[agents.\"a.b\"]\ntools = { allow = [] }\n\n[profiles.ci]\nmodel = 'm'\n[[sections]]\nname = 's'\norder = 1\ntext = 'x'\n[[sections]]\nname = 'file'\norder = 2.5\ntext = 'y'\n";
    let project = with(config).file("a.toml", "tool_order = ['<unlisted-tools>']").user_config("variables.mine = 'u'");
    let project = project.with_env("DSH_IDENTITY", "0");
    let run =
        project.dsh(&["config", "--origins", "--profile", "ci", "--config", "variables.flag=f", "--set", "set=s"]);
    reads!(run.without(&project.user_folder()));
}

#[test]
fn of_what_several_documents_deny_each_entry_has_its_origin() {
    // C5: what somebody denies, nobody permits by saying less.
    let project = Project::new("\n[permissions]\ndeny = ['read_*', 'rm']\n[profiles.ci.permissions]\ndeny = []\n");
    let project = project.user_config("[permissions]\ndeny = ['rm', 'mv']");
    let run = project.dsh(&["config", "--origins", "--profile", "ci"]);
    let deny: Vec<&str> = run.stdout.lines().skip_while(|line| !line.starts_with("permissions")).take(5).collect();
    reads!(deny.join("\n").replace(&project.user_folder().display().to_string(), "USER"));
    let json = project.dsh(&["config", "--json", "--profile", "ci"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let values = json["values"].as_array().unwrap();
    let deny = values.iter().find(|value| value["key"] == serde_json::json!(["permissions", "deny"])).unwrap();
    let tiers = deny["entries"].as_array().unwrap().iter().map(|entry| entry["tier"].as_str().unwrap());
    assert_eq!(tiers.collect::<Vec<_>>(), ["user", "user", "project"]);
}

#[test]
fn the_printed_configuration_is_one_that_says_the_same() {
    let project = Project::new(
        "persona = 'p {{a}}'\n[variables]\na = \"\\u0007\\n\\u202e'\\\"\"\n[[sections]]\nname = 's'\norder = 0x10\ntext = 't'\nformat = 'raw'\n[agents.x]\npersona = 'q'\n[agents.\"ü.b\".variables]\na = '1'",
    );
    let printed = project.dsh(&["config"]);
    let again = Project::new(&printed.stdout);
    for agent in [&[][..], &["--agent", "x"], &["--agent", "ü.b"]] {
        assert_eq!(project.prompt(agent), again.prompt(agent));
    }
    assert_eq!(again.dsh(&["config"]).stdout, printed.stdout);
}

/// The prompts and tool blocks of all agents, with their exit status.
fn prompts(project: &Project, arguments: &[&str]) -> Vec<(Option<i32>, String)> {
    let mut all = Vec::new();
    for agent in [&[][..], &["--agent", "x"], &["--agent", "y"]] {
        for tools in [&[][..], &["--tools"]] {
            let run = project.dsh(&[&["prompt"], agent, tools, arguments].concat());
            all.push((run.status, run.stdout));
        }
    }
    all
}

/// A project with the files that configurations name.
fn with_files(config: &str) -> Project {
    let tool = |name: &str| format!("[{{\"name\": \"{name}\", \"description\": \"d\", \"parameters\": {{}}}}]");
    let mut project = Project::new(config);
    for folder in ["", "team/", "../"] {
        project = project.file(&format!("{folder}p.md"), format!("file {folder} {{{{a}}}}\n"));
        project = project.file(&format!("{folder}t.json"), tool(&format!("t{}", folder.len())));
    }
    project.user_file("p.md", "the user's {{a}}\n").user_file("t.json", &tool("user"))
}

/// What `dsh config` prints must say the same without all that was around, and be printed so again.
#[track_caller]
fn says_the_same(project: &Project, arguments: &[&str]) {
    let printed = project.dsh(&[&["config"], arguments].concat());
    let again = with_files(&printed.stdout);
    let before = prompts(project, arguments);
    // A path that is refused beside one that may lead out: TOML cannot say it, and a comment does.
    if printed.stdout.contains("# `allow_outside`") && before.iter().any(|(status, _)| *status != Some(0)) {
        return;
    }
    assert_eq!(before, prompts(&again, &[]), "{printed}");
    // A table's keys stand together then.
    let values = |text: &str| {
        let mut lines: Vec<String> = text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let twice = again.dsh(&["config"]);
    assert_eq!(values(&twice.stdout), values(&printed.stdout), "{twice}");
}

#[test]
fn paths_are_printed_as_they_are_meant_from_the_projects_folder() {
    // C1
    let sections = "[[sections]]\nname = 'one'\norder = 1\nfile = 'p.md'\n[[sections]]\nname = 'two'\norder = 2\nfile = '../../p.md'\nallow_outside = true\n";
    let team = format!("tool_schemas = ['./t.json', '../t.json']\n[agents.x]\npersona_file = '../p.md'\n{sections}");
    let project = with_files("include = ['team/a.toml']\npersona_file = 'p.md'\n[variables]\na = 'A'\n")
        .file("team/a.toml", team)
        .user_config("[agents.y]\npersona_file = 'p.md'\n");
    says_the_same(&project, &[]);
    reads!(project.dsh(&["config", "--origins"]).without(&project.user_folder()));
    // What is included from outside stays there, and what may not be read may not be read.
    let outside = "allow_outside = true\ninclude = ['../a.toml']\n[agents.x]\n[agents.y]\n[variables]\na = 'A'\n";
    let project = with_files(outside).file("../a.toml", "allow_outside = true\npersona_file = 'p.md'");
    says_the_same(&project, &[]);
    let project = with_files(outside).file("../a.toml", "persona_file = 'p.md'");
    says_the_same(&project, &[]);
    assert!(!project.dsh(&["config"]).stdout.contains("allow_outside"));
    // Where TOML cannot say it, a comment does.
    let project =
        with_files("include = ['a.toml']\ntool_schemas = ['t.json']\n[agents.x]\n[agents.y]\n[variables]\na = 'A'\n");
    let project = project.file("a.toml", "allow_outside = true\npersona_file = '../p.md'");
    says_the_same(&project, &[]);
    reads!(project.dsh(&["config"]));
}

#[test]
fn every_value_is_printed_as_toml_of_the_same_kind() {
    let odd = "tool_order = [inf, -inf, nan, 1e999, 9223372036854775808, 0xFFFF_FFFF_FFFF_FFFFF, 0o17, 1979-05-27T07:32:00Z, 07:32:00]\n[[sections]]\norder = inf\n";
    let printed = with(odd).dsh(&["config"]);
    let again = Project::new(&printed.stdout).dsh(&["config"]);
    assert_eq!(again.stdout, printed.stdout, "{printed}");
    assert_eq!(again.status, Some(1), "{again}");
    reads!(printed.stdout);
    reads!(with(odd).dsh(&["config", "--json"]).stdout);
}

#[test]
fn a_table_that_says_little_hides_no_default_beside_it() {
    for little in ["[instructions]", "[instructions]\nallow_outside = true", "instructions.order = 3"] {
        let printed = with(little).dsh(&["config"]);
        for default in ["instructions.names = ", "instructions.max_bytes = ", "instructions.order = "] {
            assert!(printed.stdout.contains(default), "{printed}");
        }
        assert_eq!(Project::new(&printed.stdout).dsh(&["config"]).stdout, printed.stdout, "{printed}");
    }
    assert!(!with("instructions = false").dsh(&["config"]).stdout.contains("max_bytes"));
}

#[cfg(unix)]
#[test]
fn a_name_of_a_file_forges_no_line() {
    let name = "a\n\u{1b}[31m\u{202e}.toml";
    let included = "model = \"m\u{202e}\"\n[variables]\n\"k\\u009b\" = 'v'";
    let project = with("include = [\"a\\n\\u001b[31m\\u202e.toml\"]").file(name, included);
    reads!(project.dsh(&["config", "--origins"]).stdout);
    reads!(project.dsh(&["config", "--json"]).stdout);
}

/// A string in one of the ways to write it.
fn string() -> impl Strategy<Value = String> {
    let texts = ["one", "", "{{a}}", "two\nlines", "ends\n", "\n\nends\n\n", "{{b}} and \u{202e}", "ü \t "];
    (select(texts.to_vec()), 0..5).prop_map(|(text, way)| match way {
        0 => format!("\"\"\"\n{text}\n\"\"\""),
        1 => format!("\"\"\"{text}\"\"\""),
        2 => format!("'''\n{text}'''"),
        3 => format!("'''{text}\n'''"),
        _ => format!("\"{}\"", text.replace('\n', "\\n").replace('\t', "\\t")),
    })
}

fn line_of(key: &'static str, value: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    value.prop_map(move |value| format!("{key} = {value}\n")).boxed()
}

fn line(key: &'static str, values: &[&'static str]) -> BoxedStrategy<String> {
    line_of(key, select(values.to_vec()).prop_map(str::to_owned))
}

/// Some of these lines.
fn some(lines: Vec<BoxedStrategy<String>>) -> BoxedStrategy<String> {
    let lines: Vec<_> = lines.into_iter().map(|line| prop::option::weighted(0.4, line)).collect();
    lines.prop_map(|lines| lines.into_iter().flatten().collect()).boxed()
}

fn truth(key: &'static str) -> BoxedStrategy<String> {
    line(key, &["true", "false"])
}

fn persona() -> BoxedStrategy<String> {
    prop_oneof![line_of("persona", string()), line("persona_file", &["'p.md'", "'./p.md'", "'../p.md'"])].boxed()
}

/// The sections of the table `of`, which ends with a dot unless it is the top.
fn sections(of: &'static str) -> BoxedStrategy<String> {
    let order = select(vec!["1", "-1", "2.5", "0x10", "1e1", "+7", "200"]);
    let files = ["file = 'p.md'\n", "file = '../p.md'\nformat = 'template'\nallow_outside = true\n"];
    let words = prop_oneof![
        string().prop_map(|text| format!("text = {text}\n")),
        select(files.to_vec()).prop_map(str::to_owned),
    ];
    let section = move |(index, (order, words)): (usize, (&str, String))| {
        format!("[[{{P}}{of}sections]]\nname = 's{index}'\norder = {order}\n{words}")
    };
    vec((order, words), 1..3).prop_map(move |all| all.into_iter().enumerate().map(section).collect()).boxed()
}

/// A table of this name.
fn table(name: &'static str, body: BoxedStrategy<String>) -> BoxedStrategy<String> {
    body.prop_map(move |body| format!("[{{P}}{name}]\n{body}")).boxed()
}

/// What one document or profile says; `{P}` stands for what its headers begin with.
fn settings() -> BoxedStrategy<String> {
    let variables = |own: &[&'static str]| some(own.iter().map(|name| line_of(name, string())).collect());
    some(vec![
        truth("identity"),
        line("model", &["'m'", "\"{{\""]),
        truth("allow_outside"),
        persona(),
        line("tool_schemas", &["['t.json']", "[]", "['../t.json']"]),
        line("tool_order", &["['<unlisted-tools>']"]),
        table("variables", variables(&["a", "b", "allow_outside"])),
        table("instructions", some(vec![line("order", &["1", "-5.5"]), truth("allow_outside")])),
        table("agents.x", some(vec![truth("allow_outside"), persona()])),
        table("agents.x.tools", line("allow", &["[]", "['t*']"])),
        sections("agents.x."),
        table("agents.y.variables", variables(&["a", "allow_outside"])),
        sections(""),
    ])
}

const FLAGS: [&str; 5] = [
    "persona={{a}} is set",
    "identity=false",
    "agents.x.persona_file=p.md",
    "allow_outside=false",
    "allow_outside=true",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn it_says_the_same_as_all_that_it_was_made_of(
        documents in [settings(), settings(), settings()],
        profile in prop::option::of(settings()),
        flags in vec(select(FLAGS.to_vec()), 0..3),
    ) {
        let [own, team, user] = documents.map(|document| document.replace("{P}", ""));
        let profiled = profile.as_ref().map_or_else(String::new, |profile| {
            format!("\n[profiles.p]\n{}", profile.replace("{P}", "profiles.p."))
        });
        let project = with_files(&format!("include = ['ground.toml', 'team/a.toml']\n{own}{profiled}"))
            .file("ground.toml", "[variables]\na = 'A'\nb = 'B'\n[agents.x]\n[agents.y]\n")
            .file("team/a.toml", &team)
            .user_config(&user);
        let mut arguments: Vec<&str> = flags.iter().flat_map(|flag| ["--config", *flag]).collect();
        if profile.is_some() {
            arguments.extend(["--profile", "p"]);
        }
        says_the_same(&project, &arguments);
    }
}
