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
