//! Input that is out of all measure: it is refused in words, at once, and within little memory.

use crate::support::{Project, reads};

#[test]
fn a_prompt_that_would_be_a_gigabyte_is_refused_before_it_is_made() {
    let config = format!(
        "persona_file = \"persona.md\"\ntool_schemas = [\"tools.json\"]\n[variables]\nv = \"{}\"\n",
        "x".repeat(500_000)
    );
    let project =
        Project::new(&config).file("persona.md", "{{v}}".repeat(2_000)).file("tools.json", r#"[{"name": "read"}]"#);
    reads!(project.dsh(&["prompt"]));
    assert_eq!(project.dsh(&["prompt", "--tools"]).tools(), ["read"]);
}

#[test]
fn files_of_more_than_the_limit_together_are_refused_once() {
    let config: Vec<String> = (0..70)
        .map(|number| format!("[[sections]]\nname = \"{number}\"\norder = {number}\nfile = \"{number}.md\"\n"))
        .collect();
    let project = (0..70).fold(Project::new(&config.concat()), |project, number| {
        project.file(&format!("{number}.md"), vec![b'x'; 1 << 20])
    });
    reads!(project.dsh(&["prompt"]));
}

/// What `line` makes of the numbers below `count`, joined.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join(",\n")
}

#[test]
fn thousands_of_wrong_names_against_thousands_of_right_ones_are_told_at_once() {
    let order = lines(1_000, |number| format!("\"browser_nothing_of_the_kind_{number}\""));
    let variables = lines(3_000, |number| format!("a_variable_of_the_project_{number} = \"\""));
    let sections = lines(1_000, |number| {
        format!("{{ name = \"{number}\", order = 1, text = \"{{{{a_variable_of_teh_project_{number}}}}}\" }}")
    });
    let denied = lines(1_600, |number| format!("\"browser_tool_of_a_servre_{number}\""));
    let tools = lines(5_000, |number| format!("{{\"name\": \"browser_tool_of_a_server_{number}\"}}"));
    let orders = ["", &format!("tool_order = [\"<unlisted-tools>\", {order}]")];
    for order in orders {
        let config = format!(
            "tool_schemas = [\"tools.json\"]\n{order}\nvariables = {{ {variables} }}\nsections = [{sections}]\n[agents.a]\ntools = {{ deny = [{denied}] }}\n"
        );
        let run = Project::new(&config).file("tools.json", format!("[{tools}]")).dsh(&["prompt"]);
        assert_eq!(run.status, Some(1));
        assert!(run.stderr.contains("errors, of which the first 200 are shown"), "{run}");
        assert!(run.stderr.len() < 300_000, "{} bytes", run.stderr.len());
    }
}

#[test]
fn long_names_are_cut_and_line_breaks_in_them_are_shown_as_such() {
    let long = "k".repeat(120_000);
    let run = Project::new(&format!("{long} = 1\n")).dsh(&["prompt"]);
    assert!(run.stderr.len() < 2_000, "{} bytes", run.stderr.len());
    reads!(Project::new("\"a\\nerror: b\" = 1\n").dsh(&["prompt"]));
    reads!(Project::new("").dsh(&["prompt", "--agent", "a\nb"]));
}

#[test]
fn a_diagnostic_of_many_places_shows_some_of_them() {
    let names: Vec<String> = (0..40).map(|number| format!("\"nothing_{number}\"")).collect();
    let config = format!("tool_order = [\"<unlisted-tools>\",\n{}]\n", names.join(",\n"));
    reads!(Project::new(&config).dsh(&["prompt"]));
}

/// So many agents that have nothing of their own.
fn agents(count: usize) -> String {
    each(count, |number| format!("[agents.a{number}]\ndescription = \"x\"\n"))
}

/// What `part` makes of the numbers below `count`.
fn each(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().concat()
}

/// The diagnostics that `check` finds.
fn found(project: &Project) -> Vec<serde_json::Value> {
    project.dsh(&["check", "--format", "json"]).json()["diagnostics"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_text_that_many_share_is_told_of_once_and_not_of_all_its_variables() {
    let text: Vec<String> = (0..300).map(|number| format!("{{{{v{number}}}}}")).collect();
    let config =
        format!("[[sections]]\nname = \"s\"\norder = 1\nfile = \"s.md\"\nformat = \"template\"\n{}", agents(40));
    let found = found(&Project::new(&config).file("s.md", text.join("\n")));
    assert_eq!(found.len(), 51);
    for diagnostic in &found {
        assert_eq!(diagnostic["code"], "prompt::unknown_variable");
        assert_eq!(diagnostic["agents"].as_array().unwrap().len(), 40, "{diagnostic:#}");
    }
    let last = found.iter().find(|it| it["headline"].as_str().unwrap().contains("250 more")).unwrap();
    assert_eq!(last["places"][0]["line"], 51, "{last:#}");
}

#[test]
fn an_order_of_tools_that_nobody_knows_is_one_mistake_of_all_agents() {
    let order = lines(300, |number| format!("\"nothing_{number}\""));
    let config =
        format!("tool_schemas = [\"tools.json\"]\ntool_order = [\"<unlisted-tools>\", {order}]\n{}", agents(40));
    let found = found(&Project::new(&config).file("tools.json", r#"[{"name": "read"}]"#));
    assert_eq!(found.len(), 1);
    // It is of all of them, and so of none by name.
    assert_eq!(found[0]["agents"].as_array().unwrap().len(), 0);
}

#[test]
fn each_of_many_fields_keys_and_variables_has_the_place_of_its_own() {
    let start = |diagnostic: &serde_json::Value, place: usize| diagnostic["places"][place]["line"].as_u64().unwrap();
    let fields = lines(400, |number| format!("\"a_field_{number}\": \"a_field_{}\"", number + 1));
    let project = Project::new("tool_schemas = [\"tools.json\"]\n");
    let fields = found(&project.file("tools.json", format!("[{{\"name\": \"read\",\n{fields}}}]")));
    assert_eq!(fields.len(), 400);
    let tables = each(300, |number| format!("[t{number}]\n"));
    let tables = found(&Project::new(&tables.repeat(2)));
    assert_eq!(tables.len(), 300);
    for (number, table) in (1..).zip(&tables) {
        assert_eq!((start(table, 0), start(table, 1)), (300 + number, number), "{table:#}");
    }
    let own = each(300, |number| format!("[agents.a{number}.variables]\nv{number} = \"x\"\n"));
    let own = found(&Project::new(&own));
    assert_eq!(own.len(), 300);
    for (number, variable) in (1..).zip(&own) {
        assert_eq!((variable["code"].as_str(), start(variable, 0)), (Some("check::unused_variable"), 2 * number));
    }
    let said = each(300, |number| format!("v{number} = {{ env = \"E{number}\" }}\n"));
    let project = Project::new(&format!("[variables]\n{said}"));
    let printed = project.dsh(&["config", "--origins"]).stdout;
    assert!(printed.contains("variables.v299.env = \"E299\"  # dsh.toml:301\n"), "{printed}");
    let listed = project.dsh(&["trust"]).stdout;
    assert!(listed.contains("environment variable `E299`\n    dsh.toml:301: variable `v299`\n"), "{listed}");
}

#[test]
fn patterns_that_stand_one_within_the_other_deny_what_they_say_and_no_more() {
    let tools = lines(300, |number| format!("{{\"name\": \"t{number}\"}}"));
    let denied = lines(300, |number| format!("\"t{number}*\", \"u{number}*\", \"t1*\""));
    let config = format!("tool_schemas = [\"tools.json\"]\n[agents.a]\ntools = {{ deny = [{denied}] }}\n");
    let project = Project::new(&config).file("tools.json", format!("[{tools},\n{{\"name\": \"x\"}}]"));
    let found = found(&project);
    assert_eq!(found.len(), 300);
    assert!(found.iter().all(|it| it["code"] == "config::unmatched_pattern"));
}

#[test]
fn an_agent_is_not_said_to_be_unknown_where_the_folder_was_not_read() {
    let project =
        (0..10_001).fold(Project::empty(), |project, number| project.file(&format!("agents/a{number}.md"), "x"));
    reads!(project.dsh(&["prompt", "--agent", "a7"]));
}
