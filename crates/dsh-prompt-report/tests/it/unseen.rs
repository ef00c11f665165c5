//! Case 06: tools that a text names and the model does not get.

use std::collections::BTreeSet;

use dsh_prompt_report::unseen_tools;
use dsh_system_prompt::PromptAssembly;
use dsh_template::Text;
use proptest::prelude::*;

use crate::support::{assembly, bare, section, world};

/// Section, tool, and the text at the range of each finding.
fn found<'a>(assembly: &'a PromptAssembly, known: &[&'a str]) -> Vec<(&'a str, &'a str, usize)> {
    unseen_tools(assembly, known.iter().copied())
        .into_iter()
        .map(|unseen| {
            assert_eq!(unseen.section.text().as_str().get(unseen.range.clone()), Some(unseen.tool));
            (unseen.section.name(), unseen.tool, unseen.range.start)
        })
        .collect()
}

/// Case 06
#[tokio::test]
async fn case_06_a_denied_tool_that_prose_names_is_found_once() {
    let world = world().await;
    let scribe = world.root.scope("scribe").unwrap();
    let text = "Use `write` for new files and `patch` for the rest. A dispatch may take a while.";
    section(&world.plugin("notes").await, "editing", 120, text);
    let mut assembly = world.assemble(scribe.key()).await;
    assembly.tools_mut().extend(crate::support::assembly([""; 0], &["write"]).tools().iter().cloned());
    let unseen = unseen_tools(&assembly, ["patch", "write"]);
    assert_eq!(unseen.len(), 1);
    assert_eq!((unseen[0].section.name(), unseen[0].tool, unseen[0].range.clone()), ("editing", "patch", 31..36));
    assert_eq!(unseen[0].section.owner().unwrap().to_string(), "notes");
    // Everybody else gets both.
    let mut others = world.assemble(bare()).await;
    others.tools_mut().extend(crate::support::assembly([""; 0], &["patch", "write"]).tools().iter().cloned());
    assert!(unseen_tools(&others, ["patch", "write"]).is_empty());
}

#[test]
fn one_finding_for_each_section_and_tool_at_the_first_place_in_order() {
    let assembly = assembly(["bb then aa, then bb, then shown", "none", "aa"], &["shown"]);
    assert_eq!(found(&assembly, &["aa", "bb", "shown", "bb"]), [("0", "bb", 0), ("0", "aa", 8), ("2", "aa", 0)]);
    assert_eq!(found(&assembly, &[]), []);
    assert_eq!(found(&assembly, &["shown", "", " "]), []);
}

#[test]
fn a_name_is_a_whole_word() {
    let known = ["patch", "read", "fs.read", "git-log"];
    let none = ["dispatch patches read_file pre-patch --patch patch.rs fs.read.x git-logs d\u{E9}patch Patch"];
    assert_eq!(found(&assembly(none, &[]), &known), []);
    for text in [
        "patch.",
        "(patch)",
        "patch's",
        "patch:",
        "\"patch\"",
        "*patch*,",
        "patch...",
        "a/patch",
        "\u{7528}patch\u{5427}",
    ] {
        assert_eq!(found(&assembly([text], &[]), &known).len(), 1, "{text}");
    }
    assert_eq!(found(&assembly(["fs.read. git-log!"], &[]), &known), [("0", "fs.read", 0), ("0", "git-log", 9)]);
}

#[test]
fn other_names_are_found_in_code_spans() {
    let known = ["fs/read", "run it", "x:"];
    assert_eq!(found(&assembly(["fs/read, run it, x:"], &[]), &known), []);
    let text = "`` run it `` or ` fs/read `, `x:` and `x:y`";
    assert_eq!(found(&assembly([text], &[]), &known), [("0", "run it", 3), ("0", "fs/read", 18), ("0", "x:", 30)]);
}

#[test]
fn a_name_of_one_character_is_found_in_code_spans() {
    assert_eq!(found(&assembly(["a x, X or \u{e9}"], &[]), &["a", "x", "X", "\u{e9}"]), []);
    assert_eq!(found(&assembly(["a tool, ` a `: press `x`"], &[]), &["a", "x"]), [("0", "a", 10), ("0", "x", 22)]);
}

#[test]
fn whether_a_code_span_names_it_is_told() {
    let assembly = assembly(["read all, then `patch`; write or `write`, not `read me`"], &[]);
    let told: Vec<_> =
        unseen_tools(&assembly, ["read", "patch", "write"]).iter().map(|it| (it.tool, it.is_in_code)).collect();
    assert_eq!(told, [("read", false), ("patch", true), ("write", true)]);
}

#[test]
fn a_reference_names_a_variable() {
    let text = r#"{{patch}} {{read}}, {{"patch"}}"#;
    assert_eq!(found(&assembly([Text::template(text)], &[]), &["patch", "read"]), [("0", "patch", 23)]);
    let raw = found(&assembly([Text::raw(text)], &[]), &["patch", "read"]).len();
    assert_eq!(raw, 2, "raw text has no references");
}

/// Linear: each name against each text would not end.
#[test]
fn many_names_and_long_texts_are_gone_through_once() {
    let names: Vec<String> = (0..20_000).map(|index| format!("tool_{index}")).collect();
    let odd: Vec<String> = (0..20_000).map(|index| format!("tool/{index}")).collect();
    let known: Vec<&str> = names.iter().chain(&odd).map(String::as_str).collect();
    let rows: String = (1..1_500).map(|len| "`".repeat(len) + " ").collect();
    let texts = ["tool_x. ".repeat(200_000), ".-_".repeat(500_000), "`".repeat(1_000_000), "` ".repeat(500_000), rows];
    assert_eq!(found(&assembly(texts, &[]), &known), []);
    let all = assembly([names.join(" ")], &[]);
    assert_eq!(unseen_tools(&all, known.iter().copied()).len(), 20_000);
}

/// The rule by the letter: a mention has no word character beside it, and no dot with one behind.
fn names_by_the_letter(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        let mut before = text.get(..at).unwrap().chars().rev();
        let mut after = text.get(at + name.len()..).unwrap().chars();
        let joined = |first: Option<char>, second: Option<char>| {
            first.is_some_and(is_word) || (first == Some('.') && second.is_some_and(is_word))
        };
        !joined(before.next(), before.next()) && !joined(after.next(), after.next())
    })
}

proptest! {
    #[test]
    fn what_is_found_is_what_stands_as_a_word(text in "[ab.`_\\- ]{0,24}") {
        let known = ["aa", "ba", "ab", "a.b", "a-b", "__"];
        let assembly = assembly([Text::raw(text.as_str())], &[]);
        let found: BTreeSet<&str> = found(&assembly, &known).into_iter().map(|(_, tool, _)| tool).collect();
        let wanted: BTreeSet<&str> = known.into_iter().filter(|name| names_by_the_letter(&text, name)).collect();
        prop_assert_eq!(found, wanted);
    }
}
