//! Case 01: the order of tools hangs on nothing but names and `tool_order`.

use crate::support::{Project, reads};

/// The orders of three files.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// A list of tools in one of the forms that files have.
fn list(form: usize, names: &[&str]) -> String {
    let tools: Vec<String> = names.iter().map(|name| format!("{{\"name\": \"{name}\"}}")).collect();
    let tools = tools.join(", ");
    match form % 3 {
        0 => format!("[{tools}]"),
        1 => format!("{{\"tools\": [{tools}]}}"),
        _ => format!("{{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {{\"tools\": [{tools}]}}}}"),
    }
}

#[test]
fn tools_come_in_one_order_whatever_the_files_say_first() {
    // S6, X5
    let servers =
        [("disk.json", ["write", "read"]), ("srv-b.json", ["zz_last", "search"]), ("srv-a.json", ["apply", "Zed"])];
    let mut blocks = Vec::new();
    for (form, order) in ORDERS.into_iter().enumerate() {
        for turned in [false, true] {
            let names: Vec<&str> = order.iter().map(|index| servers[*index].0).collect();
            let config = format!(
                "tool_schemas = {names:?}\ntool_order = [\"read\", \"<unlisted-tools>\", \"zz_last\"]\n[agents.one]\n"
            );
            let mut project = Project::new(&config);
            for (file, mut tools) in servers {
                if turned {
                    tools.reverse();
                }
                project = project.file(file, list(form, &tools));
            }
            blocks.extend([project.dsh(&["prompt", "--tools"]), project.dsh(&["prompt", "--tools", "--agent", "one"])]);
        }
    }
    assert_eq!(blocks[0].tools(), ["read", "Zed", "apply", "search", "write", "zz_last"]);
    assert!(blocks.iter().all(|block| block.stdout == blocks[0].stdout));
}

#[test]
fn capitals_come_first_and_names_are_compared_by_their_code_units() {
    // S6: by UTF-16 code units, in which a character beyond U+FFFF comes before U+FB01.
    let names = ["b", "a_", "a-", "aB", "Z", "\u{fb01}", "\u{1f600}", "é", "_", "0", "10", "9"];
    let sorted = ["0", "10", "9", "Z", "_", "a-", "aB", "a_", "b", "é", "\u{1f600}", "\u{fb01}"];
    let mut turned = names;
    turned.reverse();
    for names in [names, turned] {
        let project = Project::new("tool_schemas = [\"tools.json\"]\n").file("tools.json", list(0, &names));
        let json = project.dsh(&["prompt", "--tools"]).json();
        let printed: Vec<_> = json.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(printed, sorted);
    }
}

#[test]
fn check_says_what_is_wrong_with_an_order() {
    let told = |order: &str| {
        let config = format!("tool_schemas = [\"tools.json\"]\ntool_order = {order}\n[agents.one]\n[agents.two]\n");
        Project::new(&config).file("tools.json", list(1, &["read", "write"])).dsh(&["check"])
    };
    let (duplicate, rest, unknown) = ("tool_order_duplicate", "tool_order_missing_rest", "tool_order_unknown");
    for (order, codes) in [
        (r#"["read", "write"]"#, &[rest][..]),
        ("[]", &[rest]),
        (r#"["read", "<unlisted-tools>", "read"]"#, &[duplicate]),
        (r#"["<unlisted-tools>", "<unlisted-tools>"]"#, &[duplicate]),
        (r#"["read", "read"]"#, &[duplicate, rest]),
        (r#"["raed", "zz_last"]"#, &[rest, unknown]),
        (r#"["raed", "write", "write", "<unlisted_tools>"]"#, &[duplicate, rest, unknown]),
    ] {
        let run = told(order);
        assert_eq!((run.status, run.stdout.matches("error[").count()), (Some(1), codes.len()), "{run}");
        for code in codes {
            assert!(run.stdout.contains(&format!("error[prompt::{code}]")), "{run}");
        }
    }
    reads!(told(r#"["raed", "<unlisted-tools>", "wrte", "weather"]"#));
}

#[test]
fn a_listed_tool_that_no_agent_sees_is_no_error() {
    // S6
    let config = "identity = false\ntool_schemas = [\"tools.json\"]\ntool_order = [\"write\", \"<unlisted-tools>\", \"read\"]\n[agents.one]\ntools = { allow = [] }\n[agents.two]\ntools = { deny = [\"wr*\"] }\n";
    let project = Project::new(config)
        .file("tools.json", list(2, &["read", "write", "ask"]))
        .file("agents/three.md", "---\ntools: read\n---\n");
    for (agent, tools) in [("one", &[][..]), ("two", &["ask", "read"]), ("three", &["read"])] {
        assert_eq!(project.dsh(&["prompt", "--tools", "--agent", agent]).tools(), tools);
    }
    assert_eq!(project.dsh(&["check"]).stdout, "dsh: 3 agents checked, no findings\n");
}
