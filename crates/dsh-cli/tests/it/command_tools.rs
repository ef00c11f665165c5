//! `[[tools]]`, `[permissions]` and `[model]` in `dsh.toml`: what is wrong in them is told at its place, and what they ask for counts for
//! trust.

use crate::support::{Project, reads};

#[test]
fn what_a_tool_lacks_is_told_with_what_it_is_for() {
    // C1
    reads!(Project::new("[[tools]]\n[[tools]]\nname = \"count\"\n").dsh(&["check", "-q"]));
}

#[test]
fn what_is_wrong_in_a_tool_is_told_at_its_place() {
    // C1
    let config = r#"
[[tools]]
name = ""
description = 5
command = "python3 tools/count.py"
timeout = "30s"
exclusive = "yes"
comand = ["x"]
[[tools]]
name = "a"
description = "d"
command = []
timeout = 0
parameters = 5
[[tools]]
name = "b"
description = "d"
command = ["x", 5]
parameters = { type = "object", since = 2020-01-01 }
"#;
    reads!(Project::new(config).dsh(&["check", "-q"]));
}

#[test]
fn parameters_in_a_file_are_told_with_their_place_there() {
    let tool = |parameters: &str| {
        format!("[[tools]]\nname = \"t\"\ndescription = \"d\"\ncommand = [\"x\"]\nparameters = \"{parameters}\"\n")
    };
    reads!(Project::new(&tool("none.json")).dsh(&["check", "-q"]));
    reads!(Project::new(&tool("p.json")).file("p.json", "{\"type\": \"object\",}\n").dsh(&["check", "-q"]));
    reads!(Project::new(&tool("../p.json")).dsh(&["check", "-q"]));
    let fine = Project::new(&tool("p.json")).file("p.json", "{\"type\": \"object\", \"properties\": {\"a\": {}}}\n");
    let run = fine.dsh(&["prompt", "--tools", "-q"]);
    assert!(run.stdout.contains("\"properties\":{\"a\":{}}"), "{run}");
}

#[test]
fn two_tools_of_one_name_are_both_shown_wherever_they_stand() {
    let tool = "[[tools]]\nname = \"read\"\ndescription = \"d\"\ncommand = [\"x\"]\n";
    let project = Project::new(&format!("tool_schemas = [\"tools.json\"]\n{tool}{tool}"));
    reads!(project.file("tools.json", "[{\"name\": \"read\"}]").dsh(&["check", "-q"]));
}

#[test]
fn rules_of_agents_and_the_order_of_tools_know_them() {
    // Case 12
    let config = r#"
tool_order = ["count", "<unlisted-tools>"]
[[tools]]
name = "count"
description = "d"
command = ["x"]
[[tools]]
name = "append"
description = "d"
command = ["x"]
[agents.a]
[agents.b]
tools = { allow = [] }
[agents.c]
tools = { allow = ["cuont", "append"] }
[agents.d]
tools = { deny = ["app*"] }
"#;
    let project = Project::new(config);
    let names = |agent: &str| {
        let run = project.dsh(&["prompt", "--tools", "-q", "--agent", agent]);
        let block: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        block
            .as_array()
            .map(|tools| tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(names("a").unwrap(), ["count", "append"]);
    assert_eq!(names("b").unwrap(), [""; 0]);
    assert_eq!(names("c"), None);
    assert_eq!(names("d").unwrap(), ["count"]);
    reads!(project.dsh(&["check", "-q"]));
}

#[test]
fn what_is_wrong_in_permissions_is_told_at_its_place() {
    let config = r#"
permissions = { alow = ["x"], deny = "y" }
[agents.a]
permissions = { allow = ["a*b", 5] }
[agents.b]
permissions = {}
"#;
    reads!(Project::new(config).dsh(&["check", "-q"]));
    let config = "[[tools]]\nname = \"count\"\ndescription = \"d\"\ncommand = [\"x\"]\n[permissions]\nallow = [\"cuont\"]\ndeny = [\"rm*\"]\n";
    reads!(Project::new(config).dsh(&["check"]));
}

#[test]
fn a_model_is_a_name_or_a_table_and_its_script_is_read() {
    let says = |config: &str| {
        let project = Project::new(&format!("persona = \"{{{{model}}}}\"\n{config}"));
        let project = project.file("m.toml", "name = \"script\"\n[[rules]]\nanswer = \"a\"\n");
        project.dsh(&["prompt", "-q"]).stdout.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(says("model = \"one\""), "one");
    assert_eq!(says("model = { name = \"two\" }"), "two");
    assert_eq!(says("model = { scripted = \"m.toml\" }"), "script");
    assert_eq!(says("[model]\nscripted = \"m.toml\"\nname = \"three\""), "three");
    reads!(Project::new("model = 5\n").dsh(&["check", "-q"]));
    reads!(Project::new("[model]\nscriptd = \"m.toml\"\n").dsh(&["check", "-q"]));
    let project = Project::new("[model]\nscripted = \"m.toml\"\n");
    reads!(project.file("m.toml", "[[rules]]\nanswr = \"a\"\n").dsh(&["check", "-q"]));
}

#[test]
fn the_name_of_a_model_is_laid_over_the_table_that_has_it() {
    // C5
    let project = Project::new("[model]\nname = \"one\"\nscripted = \"m.toml\"\n[profiles.ci]\nmodel = \"two\"\n");
    let project = project.file("m.toml", "[[rules]]\nanswer = \"a\"\n");
    let printed = |environment: &[(&str, &str)], arguments: &[&str]| {
        let run = project.dsh_with(environment, &[&["config", "--origins", "-q"], arguments].concat());
        run.stdout.lines().filter(|line| line.starts_with("model")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(printed(&[], &[]), "model.name = \"one\"  # dsh.toml:2\nmodel.scripted = \"m.toml\"  # dsh.toml:3");
    assert_eq!(
        printed(&[], &["--profile", "ci"]),
        "model.name = \"two\"  # dsh.toml:5, profile \"ci\"\nmodel.scripted = \"m.toml\"  # dsh.toml:3"
    );
    assert_eq!(
        printed(&[("DSH_MODEL", "three")], &[]),
        "model.name = \"three\"  # DSH_MODEL, environment\nmodel.scripted = \"m.toml\"  # dsh.toml:3"
    );
    let project = Project::new("").user_config("model = \"mine\"\n");
    let run = project.dsh(&["config", "-q", "--config", "model.scripted=\"m.toml\""]);
    assert!(run.stdout.starts_with("model.name = \"mine\"\nmodel.scripted = \"m.toml\"\n"), "{run}");
}

/// A project that asks for one thing of each kind.
const ASKS: &str = r#"
[variables]
token = { env = "TOKEN", default = "none" }
[[tools]]
name = "count"
description = "d"
command = ["python3", "tools/count.py", "two\nlines"]
[[tools]]
name = "words"
description = "d"
command = ["python3", "tools/count.py", "two\nlines"]
[model]
scripted = "m.toml"
[permissions]
allow = ["count"]
deny = ["words"]
[agents.a.permissions]
allow = []
[profiles.ci.permissions]
allow = ["*"]
[[profiles.ci.tools]]
name = "curl"
description = "d"
command = ["curl"]
"#;

fn asking() -> Project {
    Project::new(ASKS).file("m.toml", "[[rules]]\nanswer = \"a\"\n")
}

#[test]
fn what_is_asked_for_is_shown_kind_by_kind() {
    // C4
    reads!(asking().dsh(&["trust"]));
    insta::assert_snapshot!(format!("{:#}", asking().dsh(&["trust", "--json"]).json()));
    reads!(asking().dsh(&["prompt"]));
}

#[test]
fn another_word_of_a_command_or_another_permission_is_another_set() {
    // C4
    let hash =
        |config: &str| Project::new(config).dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    let base = hash(ASKS);
    let others = [
        ("tools/count.py\", \"two\\nlines", "tools/count.py\", \"two lines"),
        ("allow = [\"count\"]", "allow = [\"count\", \"words\"]"),
        ("deny = [\"words\"]\n", ""),
        ("m.toml", "n.toml"),
        ("[agents.a.permissions]", "[agents.b.permissions]"),
    ];
    for (from, to) in others {
        let changed = ASKS.replace(from, to);
        assert_ne!(changed, ASKS, "{from}");
        assert_ne!(hash(&changed), base, "{from}");
    }
    // What a tool is called, and what is said of it, is no part of it.
    assert_eq!(hash(&ASKS.replace("\"words\"\ndescription = \"d\"", "\"words\"\ndescription = \"other\"")), base);
}

#[cfg(unix)]
#[test]
fn what_is_the_users_own_needs_no_trust() {
    // C4
    let own = "[[tools]]\nname = \"mine\"\ndescription = \"d\"\ncommand = [\"echo\", \"ran\"]\n[permissions]\nallow = [\"mine\"]\n";
    let run = Project::new("").user_config(own).dsh(&["tools", "call", "mine"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "ran\n", ""), "{run}");
    // A project's permissions in their place hold only once it is trusted.
    let run = Project::new("[permissions]\nallow = [\"*\"]\n").user_config(own).dsh(&["tools", "call", "mine"]);
    assert_eq!(run.status, Some(1), "{run}");
    assert!(run.stderr.contains("error[tools::no_approver]"), "{run}");
}

#[test]
fn a_pattern_that_takes_more_than_linear_time_is_told_by_check_at_its_tool() {
    // T4
    let config = r#"
identity = false
[[tools]]
name = "find"
description = "d"
command = ["x"]
parameters = { type = "object", properties = { word = { type = "string", pattern = "(?=a)a" } } }
"#;
    let project = Project::new(config);
    let run = project.dsh(&["check", "--format", "concise"]);
    assert_eq!(run.status, Some(1), "{run}");
    assert!(run.stdout.contains("dsh.toml:4:8: error[tools::invalid_schema]"), "{run}");
    assert!(run.stdout.contains("`(?=a)a` at /properties/word/pattern"), "{run}");
    let fine = Project::new(&config.replace("(?=a)a", "^a+$")).dsh(&["check"]);
    assert_eq!(fine.status, Some(0), "{fine}");
}

#[test]
fn check_tells_of_each_tool_whose_every_call_would_fail() {
    // T4
    let tool = |name: &str, parameters: &str| {
        format!("[[tools]]\nname = \"{name}\"\ndescription = \"d\"\ncommand = [\"x\"]\nparameters = {parameters}\n")
    };
    let wrong = [
        "{ type = \"objekt\" }",
        "{ type = \"object\", properties = { a = { minimum = \"1\" } } }",
        "{ type = \"object\", properties = { a = { \"$ref\" = \"#/definitions/none\" } } }",
        "{ type = \"object\", properties = { a = { \"$ref\" = \"https://example.com/schema.json\" } } }",
        "{ type = \"object\", required = \"a\" }",
    ];
    let tools: String = wrong.iter().enumerate().map(|(at, wrong)| tool(&format!("t{at}"), wrong)).collect();
    let fine = tool("fine", "{ \"$schema\" = \"http://json-schema.org/draft-07/schema#\", type = \"object\" }");
    let run = Project::new(&format!("identity = false\n{tools}{fine}")).dsh(&["check", "--format", "concise"]);
    assert_eq!(run.status, Some(1), "{run}");
    for at in 0..wrong.len() {
        let said = format!("dsh.toml:{}:8: error[tools::invalid_schema]", 3 + 5 * at);
        assert_eq!(run.stdout.matches(&said).count(), 1, "{said}: {run}");
    }
    assert_eq!(run.stdout.matches("invalid_schema").count(), wrong.len(), "{run}");
}

#[cfg(unix)]
#[test]
fn what_the_user_denies_does_not_run_where_a_project_writes_it_wrong() {
    // C4, C5
    let own = "[[tools]]\nname = \"mine\"\ndescription = \"d\"\ncommand = [\"touch\", \"ran\"]\n[permissions]\nallow = [\"mine\"]\ndeny = [\"mine\"]\n";
    let wrong = [
        "[permissions]\ndeny = []\n",
        "[permissions]\ndeny = \"x\"\n",
        "[permissions]\ndeny = [5]\n",
        "[permissions]\ndeny = {}\n",
        "permissions = \"x\"\n",
        "permissions = []\n",
        "[profiles.ci.permissions]\ndeny = 5\n",
    ];
    let script = "[[rules]]\nfrom = \"user\"\ncalls = [{ tool = \"mine\" }]\n[[rules]]\nanswer = \"done\"\n";
    for wrong in wrong {
        let project = Project::new(wrong).user_config(own).file("script.toml", script);
        let profile: &[&str] = if wrong.contains("profiles") { &["--profile", "ci"] } else { &[] };
        for command in [&["tools", "call", "mine"][..], &["run", "--scripted", "script.toml", "go"]] {
            let run = project.dsh(&[command, profile].concat());
            assert!(!project.path().join("ran").exists(), "{wrong}: {run}");
            assert!(run.stderr.contains("error[") || run.stderr.contains("permissions.deny"), "{wrong}: {run}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_agent_whose_denials_cannot_be_read_works_for_nobody() {
    // C4, G2
    let config = "subagents = { agents = [\"helper\"] }\n[model]\nscripted = \"script.toml\"\n[[tools]]\nname = \"touch\"\ndescription = \"d\"\ncommand = [\"touch\", \"ran\"]\n[permissions]\nallow = [\"*\"]\n[agents.helper]\npersona = \"p\"\n[agents.helper.permissions]\ndeny = 5\n";
    let script = "[[rules]]\ncontains = \"delegate\"\ncalls = [{ tool = \"task\", arguments = { agent = \"helper\", description = \"d\", prompt = \"touch\" } }]\n[[rules]]\ncontains = \"touch\"\nfrom = \"user\"\ncalls = [{ tool = \"touch\" }]\n[[rules]]\nanswer = \"done\"\n";
    let project = Project::new(config).file("script.toml", script);
    let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    let run = project.dsh(&["run", "--trust", &hash, "delegate"]);
    assert_eq!(run.status, Some(1), "{run}");
    assert!(run.stderr.contains("error[config::wrong_type]") && !project.path().join("ran").exists(), "{run}");
    // Who is offered no `task` has nothing to do with it.
    let alone = format!("{config}[agents.alone]\ntools = {{ deny = [\"task\"] }}\n");
    let project = Project::new(&alone).file("script.toml", script);
    let hash = project.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    let run = project.dsh(&["run", "--trust", &hash, "--agent", "alone", "hello"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "done\n"), "{run}");
    let right = Project::new(&config.replace("deny = 5", "deny = []")).file("script.toml", script);
    let hash = right.dsh(&["trust", "--json"]).json()["hash"].as_str().unwrap().to_owned();
    let run = right.dsh(&["run", "--trust", &hash, "delegate"]);
    assert!(run.status == Some(0) && right.path().join("ran").exists(), "{run}");
}

#[test]
fn a_tool_that_was_left_out_as_wrong_is_nowhere_missed() {
    let config = |tool: &str| {
        format!(
            "identity = false\ntool_order = [\"stock\", \"<unlisted-tools>\"]\n[permissions]\nallow = [\"stock\"]\n[[sections]]\nname = \"s\"\norder = 1\ntext = \"x\"\nrequires_tools = [\"stock\"]\n[agents.a]\ntools = {{ allow = [\"stock\"] }}\n[[tools]]\nname = \"stock\"\ndescription = \"d\"\n{tool}\n"
        )
    };
    for wrong in ["command = [\"x\"]\ntimeout = -1", "command = \"sh x\"", "command = []", ""] {
        let run = Project::new(&config(wrong)).dsh(&["check", "--format", "concise"]);
        let codes: Vec<&str> =
            run.stdout.lines().filter(|line| line.contains("error[") || line.contains("warning[")).collect();
        assert!(run.status == Some(1) && codes.len() == 1, "{wrong}: {run}");
    }
    let fine = Project::new(&config("command = [\"x\"]")).dsh(&["check", "--format", "concise"]);
    assert!(fine.status == Some(0) && fine.stdout.matches("warning[").count() == 0, "{fine}");
}
