//! `dsh rule`, and the files that it prints: they say what is true.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use self::page::{Block, Example, Page};
use crate::support::{Project, Run, reads, repository};

/// What an example is run with, where it says nothing else.
const COMMAND: [&str; 1] = ["check"];

/// The codes whose examples cannot be shown by files that are text, or come from no configuration: each says why.
const NOT_SHOWN: &[&str] = &[
    "agent::calls_cut",
    "agent::cancelled",
    "agent::driver_failed",
    "agent::duplicate_agent",
    "agent::duplicate_factory",
    "agent::limit",
    "agent::model_panicked",
    "agent::no_factory",
    "agent::no_session_id",
    "agent::no_summary",
    "agent::panicked",
    "agent::session_chosen",
    "agent::stopped",
    "agent::unscoped",
    "agents::long_front_matter",
    "cli::input_lost",
    "cli::no_interrupts",
    "cli::no_message",
    "cli::no_runtime",
    "cli::output_lost",
    "cli::source_date",
    "command::empty_command",
    "command::invalid_word",
    "command::not_executable",
    "command::not_found",
    "command::not_started",
    "config::own_folder",
    "config::passed_over",
    "config::too_many_includes",
    "config::unknown_agent",
    "config::unmatched_permission",
    "file::name_not_utf8",
    "file::not_utf8",
    "file::too_large",
    "file::too_many",
    "file::too_much",
    "file::unreadable",
    "file::utf16",
    "init::not_written",
    "kernel::body_failed",
    "kernel::disposed",
    "kernel::duplicate_service",
    "kernel::foreign_disposer",
    "kernel::inactive",
    "kernel::injection_cycle",
    "kernel::links_failed",
    "kernel::listener_failed",
    "kernel::missing_provider",
    "kernel::missing_service",
    "kernel::reentrant",
    "kernel::service_type",
    "kernel::start_failed",
    "kernel::undeclared_service",
    "kernel::unfinished",
    "llm::number_out_of_range",
    "man::not_written",
    "model::broken_stream",
    "model::context_too_long",
    "model::invalid_request",
    "model::network",
    "model::no_rule",
    "model::other",
    "model::overloaded",
    "model::rate_limited",
    "model::unauthorized",
    "prompt::duplicate_variable",
    "prompt::provider_failed",
    "prompt::too_large",
    "prompt::unsettled",
    "run::cut_off",
    "run::ended",
    "run::failed",
    "run::left_out",
    "run::limit",
    "run::not_approved",
    "run::refused",
    "script::invalid_rule",
    "script::syntax",
    "session::already_entered",
    "session::ambiguous",
    "session::broken",
    "session::corrupt",
    "session::detached",
    "session::exists",
    "session::interrupted",
    "session::invalid_id",
    "session::invalid_message",
    "session::invalid_utf8",
    "session::io",
    "session::locked",
    "session::lone_surrogates",
    "session::newer_version",
    "session::no_folder",
    "session::no_line_end",
    "session::not_a_file",
    "session::not_found",
    "session::not_named",
    "session::not_rebuilt",
    "session::of_another",
    "session::open_to_others",
    "session::out_of_place",
    "session::stray_option",
    "session::torn_end",
    "session::turn_not_ended",
    "session::unknown_event",
    "subagent::duplicate_provider",
    "subagent::invalid_output_schema",
    "subagent::no_parent",
    "subagent::no_provider",
    "subagent::provider_failed",
    "subagent::provider_panicked",
    "subagent::too_deep",
    "subagent::too_many",
    "subagent::unsupported_capability",
    "template::malformed_reference",
    "template::unknown_variable",
    "template::valueless_variable",
    "tools::blocked",
    "tools::cancelled",
    "tools::circular_bound",
    "tools::denied",
    "tools::duplicate_tool",
    "tools::empty_filter",
    "tools::failed",
    "tools::hook_failed",
    "tools::invalid_arguments",
    "tools::invalid_schema",
    "tools::no_approver",
    "tools::panicked",
    "tools::reserved_name",
    "tools::scope_closed",
    "tools::timed_out",
    "tools::unavailable",
    "tools::unknown_tool",
    "tools::unloaded",
    "tools::unscoped_restriction",
    "trust::damaged_record",
    "trust::needed",
    "trust::not_stored",
];

#[test]
fn a_code_is_explained_with_an_example() {
    reads!(Project::empty().dsh(&["rule", "config::unknown_key"]));
    reads!(Project::empty().dsh(&["rule", "cli::unknown_agent"]));
    reads!(Project::empty().dsh(&["rule", "kernel::missing_provider"]));
}

#[test]
fn without_a_code_each_gets_a_line() {
    reads!(Project::empty().dsh(&["rule"]));
}

#[test]
fn the_name_alone_will_do_where_one_area_has_it() {
    let rule = |code| Project::empty().dsh(&["rule", code]).stdout;
    assert_eq!(rule("unmatched_pattern"), rule("config::unmatched_pattern"));
    reads!(Project::empty().dsh(&["rule", "unknown_variable"]));
}

#[test]
fn an_unknown_code_is_wrong_use_and_gets_the_nearest() {
    for code in ["config::mising_key", "mising_key", "prompt::missing_key", "::missing_key"] {
        let run = Project::empty().dsh(&["rule", code]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{run}");
        assert!(run.stderr.contains("did you mean `config::missing_key`?"), "{run}");
    }
    reads!(Project::empty().dsh(&["rule", "config::unknown_kee"]));
    reads!(Project::empty().dsh(&["rule", "unknown_kee"]));
    reads!(Project::empty().dsh(&["rule", "colour"]));
}

#[test]
fn as_json_one_code_is_a_list_of_one() {
    let json = Project::empty().dsh(&["rule", "config::unknown_key", "--json"]).json();
    let rule = json!({
        "code": "config::unknown_key",
        "severity": "error",
        "summary": "A table has a key that dsh does not know there.",
        "text": text(&folder().join("config/unknown_key.md")),
    });
    assert_eq!(json, json!({"version": 1, "rules": [rule]}));
    assert_eq!(rules().iter().filter(|other| **other == rule).count(), 1);
}

#[test]
fn every_file_has_the_same_parts() {
    for rule in rules() {
        let text = rule["text"].as_str().unwrap();
        let page = Page::parse(text).unwrap_or_else(|problem| panic!("{}: {problem}", rule["code"]));
        let said = (page.code.as_str(), page.summary.as_str(), page.severity.as_str());
        let listed = ["code", "summary", "severity"].map(|key| rule[key].as_str().unwrap());
        assert_eq!([said.0, said.1, said.2], listed);
        assert!(page.summary.ends_with('.') && !page.summary.contains('\n'), "{}: {}", page.code, page.summary);
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{}", page.code);
    }
}

#[test]
fn the_table_has_every_file_of_the_folder() {
    let word = |name: Option<&OsStr>| name.unwrap().to_str().unwrap().to_owned();
    let code = |file: &Path| format!("{}::{}", word(file.parent().unwrap().file_name()), word(file.file_stem()));
    let mut codes: Vec<String> = files(&folder(), "md").iter().map(|file| code(file)).collect();
    codes.sort_unstable();
    assert_eq!(codes, codes_of_rules());
}

#[test]
fn every_code_of_the_sources_has_a_rule_and_every_rule_is_of_one() {
    let mut codes = BTreeSet::new();
    for crate_folder in std::fs::read_dir(repository().join("crates")).unwrap() {
        for file in files(&crate_folder.unwrap().path().join("src"), "rs") {
            let source = text(&file);
            // Tests at the end of a file may speak of codes that are none.
            let source = source.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
            codes.extend(source.split('"').filter(|literal| is_code(literal)).map(str::to_owned));
        }
    }
    let rules: BTreeSet<String> = codes_of_rules().into_iter().collect();
    let without_rule: Vec<_> = codes.difference(&rules).collect();
    assert!(without_rule.is_empty(), "no file under rules/ explains {without_rule:?}");
    let without_code: Vec<_> = rules.difference(&codes).collect();
    assert!(without_code.is_empty(), "nothing in the sources gives {without_code:?}");
}

#[test]
fn every_example_gets_its_code_and_mended_gets_none() {
    let mut wrong = Vec::new();
    for page in pages() {
        let Example::Shown(blocks) = &page.example else { continue };
        let shown = run(blocks);
        if found(&shown) != [(page.severity.clone(), page.code.clone())].into() {
            wrong.push(format!("{}: the example\n{shown}", page.code));
        }
        assert!(page.mended.iter().all(|block| !blocks.contains(block)), "{}: a block that is as before", page.code);
        let mended = run(blocks.iter().chain(&page.mended));
        if !found(&mended).is_empty() || mended.status != Some(0) {
            wrong.push(format!("{}: mended\n{mended}", page.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_cannot_be_shown_is_known_and_says_why() {
    let mut not_shown = Vec::new();
    for page in pages() {
        if let Example::None { reason } = page.example {
            assert!(reason.ends_with('.'), "{}: {reason}", page.code);
            not_shown.push(page.code);
        }
    }
    assert_eq!(not_shown, NOT_SHOWN);
}

/// Runs what an example shows, in a project of its files. Of two blocks for one thing, the later one holds; a file goes where a later
/// one makes a folder of its name.
fn run<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> Run {
    let mut files: BTreeMap<&str, &str> = BTreeMap::new();
    let mut command: Vec<&str> = COMMAND.to_vec();
    for block in blocks {
        match block {
            Block::File { path, text } => {
                files.retain(|other, _| !path.starts_with(&format!("{other}/")));
                files.insert(path, text);
            }
            Block::Command(words) => command = words.iter().map(String::as_str).collect(),
        }
    }
    files.iter().fold(Project::empty(), |project, (path, text)| project.file(path, text)).dsh(&command)
}

/// What a run says that it found: severity and code. `dsh check` prints it on standard output, the others on standard error.
fn found(run: &Run) -> BTreeSet<(String, String)> {
    let headline = |line: &str| {
        let (severity, rest) = line.split_once('[')?;
        let (code, _) = rest.split_once("]: ")?;
        is_code(code).then(|| (severity.to_owned(), code.to_owned()))
    };
    run.stdout.lines().chain(run.stderr.lines()).filter_map(headline).collect()
}

/// Whether a text has the form of a code.
fn is_code(text: &str) -> bool {
    let word = |word: &str, of: fn(u8) -> bool| !word.is_empty() && word.bytes().all(of);
    text.split_once("::").is_some_and(|(area, name)| {
        word(area, |byte| byte.is_ascii_lowercase())
            && word(name, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

/// The rules as `dsh rule --json` lists them.
fn rules() -> Vec<Value> {
    let json = Project::empty().dsh(&["rule", "--json"]).json();
    json["rules"].as_array().unwrap().clone()
}

fn codes_of_rules() -> Vec<String> {
    rules().iter().map(|rule| rule["code"].as_str().unwrap().to_owned()).collect()
}

fn pages() -> Vec<Page> {
    rules().iter().map(|rule| Page::parse(rule["text"].as_str().unwrap()).unwrap()).collect()
}

fn folder() -> PathBuf {
    repository().join("crates/dsh-cli/rules")
}

/// The files below a folder whose names end so.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
    found
}

fn text(file: &Path) -> String {
    String::from_utf8(std::fs::read(file).unwrap()).unwrap()
}
