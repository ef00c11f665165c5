//! Hostile files: refused or read at once, and told in few words.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test by panicking")]

use crate::support::Project;

/// What `line` makes of the numbers below `count`.
fn each(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// What `check` finds: the codes, each with how often.
fn found(project: &Project) -> Vec<(String, usize)> {
    let run = project.dsh(&["check", "--format", "json"]);
    let mut codes: Vec<(String, usize)> = Vec::new();
    for diagnostic in run.json()["diagnostics"].as_array().unwrap() {
        let code = diagnostic["code"].as_str().unwrap();
        match codes.last_mut() {
            Some((last, count)) if last == code => *count += 1,
            _ => codes.push((code.to_owned(), 1)),
        }
    }
    codes
}

fn one(code: &str, count: usize) -> Vec<(String, usize)> {
    vec![(code.to_owned(), count)]
}

#[test]
fn a_megabyte_of_braces_that_nothing_closes_is_a_prompt() {
    let config = "identity = false\n[[sections]]\nname = \"s\"\norder = 1\nfile = \"s.md\"\nformat = \"template\"\n";
    for unit in ["{{", "}}", "{{{", "{{a", "{{\"", "{ {"] {
        let text = unit.repeat(1_000_000 / unit.len());
        let project = Project::new(config).file("s.md", &text);
        let run = project.dsh(&["prompt"]);
        assert!(run.stdout.trim_end_matches('\n') == text, "{unit:?}");
        assert_eq!(project.dsh(&["check"]).status, Some(0), "{unit:?}");
    }
}

#[test]
fn a_megabyte_of_malformed_braces_is_told_by_its_first_places() {
    let config = "[[sections]]\nname = \"s\"\norder = 1\nfile = \"s.md\"\nformat = \"template\"\n";
    for unit in ["{{}}", "}}{{", "{{{}}", "{{a b}}", "{{'}}"] {
        let project = Project::new(config).file("s.md", unit.repeat(1_000_000 / unit.len()));
        let found = found(&project);
        let [(code, count)] = found.as_slice() else { panic!("{unit:?}: {found:?}") };
        assert_eq!(
            (code.as_str(), (1..=20).contains(count)),
            ("prompt::malformed_reference", true),
            "{unit:?}: {count}"
        );
        let run = project.dsh(&["prompt"]);
        assert_eq!(run.status, Some(1));
        // As many places, each shown by a piece of its line.
        assert!(run.stderr.len() < 32_000, "{unit:?}: {run}");
    }
}

#[test]
fn tool_files_a_hundred_thousand_levels_deep_are_refused_at_the_level_that_is_too_deep() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        for tools in [deep.clone(), format!("[{{\"name\": \"t\", \"inputSchema\": {deep}}}]"), open.repeat(100_000)] {
            let project = Project::new("tool_schemas = [\"tools.json\"]\n").file("tools.json", tools);
            assert_eq!(found(&project), one("llm::too_deep", 1));
        }
    }
}

#[test]
fn a_tool_file_of_ten_thousand_tools_and_an_order_of_them_are_read() {
    let tools = each(10_000, |number| format!("{{\"name\": \"t{number:04}\"}},"));
    let order = each(10_000, |number| format!("\"t{:04}\",", 9_999 - number));
    let config = format!("tool_schemas = [\"tools.json\"]\ntool_order = [{order} \"<unlisted-tools>\"]\n");
    let project = Project::new(&config).file("tools.json", format!("[{}]", tools.trim_end_matches(',')));
    let tools = project.dsh(&["prompt", "--tools"]).tools();
    assert_eq!((tools.len(), tools[0].as_str(), tools[9_999].as_str()), (10_000, "t9999", "t0000"));
}

#[test]
fn tens_of_thousands_of_keys_are_unknown_one_by_one() {
    assert_eq!(
        found(&Project::new(&each(20_000, |number| format!("k{number} = 1\n")))),
        one("config::unknown_key", 20_000)
    );
}

#[test]
fn tens_of_thousands_of_lines_that_are_no_toml_are_told_one_by_one() {
    for (line, count) in [("x\n", 30_000), ("a = 1\n", 29_999), ("a = 'x' y\n", 59_999)] {
        let found = found(&Project::new(&line.repeat(30_000)));
        let [(code, found)] = found.as_slice() else { panic!("{line:?}: {found:?}") };
        assert_eq!((code.as_str(), *found), ("config::not_toml", count), "{line:?}");
    }
}

#[test]
fn tables_by_the_ten_thousand_that_come_twice_are_told_and_more_are_refused_in_one_word() {
    let twice = |count: usize| each(count, |number| format!("[t{number}]\n")).repeat(2);
    assert_eq!(found(&Project::new(&twice(5_000))), one("config::not_toml", 5_000));
    let project = Project::new(&twice(50_000));
    assert_eq!(found(&project), one("config::not_toml", 1));
    let run = project.dsh(&["check"]);
    assert!(run.stdout.contains("more than 10000 tables have a header of their own"), "{run}");
    assert!(run.stdout.contains("dsh.toml:10001:1"), "{run}");
    // Not only mistakes: a table behind the ones within it is moved to its place, too.
    let behind = each(40_000, |number| format!("[t{number}.x]\n")) + &each(40_000, |number| format!("[t{number}]\n"));
    assert_eq!(found(&Project::new(&behind)), one("config::not_toml", 1));
}

#[test]
fn lists_of_tables_and_lines_of_lists_are_no_headers() {
    let sections =
        each(12_000, |number| format!("[[sections]]\nname = \"s{number}\"\norder = {number}\ntext = \"x\"\n"));
    let run = Project::new(&format!("identity = false\n{sections}")).dsh(&["prompt"]);
    assert_eq!(run.stdout.trim_end().split("\n\n").count(), 12_000);
    let lines = format!("identity = false\npersona = \"\"\"\n{}\"\"\"\n", "[ ] something to do\n".repeat(20_000));
    assert_eq!(Project::new(&lines).dsh(&["prompt"]).stdout.lines().count(), 20_000);
}

#[test]
fn twenty_thousand_variables_are_referred_to_by_one_section() {
    let variables = each(20_000, |number| format!("v{number} = \"x\"\n"));
    let text = each(20_000, |number| format!("{{{{v{number}}}}}"));
    let config = format!(
        "identity = false\n[[sections]]\nname = \"s\"\norder = 1\nfile = \"s.md\"\nformat = \"template\"\n[variables]\n{variables}"
    );
    let project = Project::new(&config).file("s.md", &text);
    assert!(project.dsh(&["prompt"]).stdout.trim_end() == "x".repeat(20_000));
    assert_eq!(project.dsh(&["check"]).status, Some(0));
    let project = project.file("s.md", text.replace("{{v19999}}", "{{v500000}}"));
    let run = project.dsh(&["prompt"]);
    assert_eq!(run.status, Some(1));
    assert!(run.stderr.contains("unknown variable `v500000`"), "{run}");
}

#[test]
fn names_of_a_megabyte_are_shown_cut() {
    let name = "n".repeat(400_000);
    let config = format!("[[sections]]\nname = \"{name}\"\norder = 1\ntext = \"{{{{{name}}}}}\"\n");
    let run = Project::new(&config).dsh(&["prompt"]);
    assert_eq!(run.status, Some(1));
    assert!(run.stderr.len() < 3_000, "{} bytes", run.stderr.len());
}
