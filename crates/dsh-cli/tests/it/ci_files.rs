//! What the repository offers to CI and to pre-commit is readable, and names commands that there are.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use granit_parser::{Event, Parser};

use crate::support::{Project, repository};

fn text(path: &str) -> String {
    String::from_utf8(std::fs::read(repository().join(path)).unwrap()).unwrap()
}

/// The scalars of a YAML text, in order.
#[track_caller]
fn scalars(yaml: &str) -> Vec<String> {
    let events = Parser::new_from_str(yaml).map(|event| event.unwrap().0);
    events
        .filter_map(|event| if let Event::Scalar(text, ..) = event { Some(text.into_owned()) } else { None })
        .collect()
}

#[test]
fn the_hook_for_pre_commit_runs_a_command_that_there_is() {
    let hook = scalars(&text(".pre-commit-hooks.yaml"));
    let value = |key: &str| hook[1 + hook.iter().position(|scalar| scalar == key).unwrap()].as_str();
    assert_eq!((value("id"), value("pass_filenames"), value("language")), ("dsh-check", "false", "system"));
    let words: Vec<&str> = value("entry").split(' ').collect();
    let ["dsh", arguments @ ..] = words.as_slice() else { panic!("{words:?}") };
    assert_eq!(Project::new("").dsh(arguments).status, Some(0));
}

#[test]
fn the_guide_shows_yaml_that_can_be_read_and_formats_that_there_are() {
    let guide = text("docs/ci.md");
    let blocks: Vec<&str> = guide.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 3);
    let runs: Vec<String> = blocks.iter().flat_map(|block| scalars(block)).collect();
    let formats = runs.iter().filter_map(|run| run.strip_prefix("dsh check --format ")?.split(' ').next());
    let formats: Vec<&str> = formats.collect();
    assert_eq!(formats, ["github", "sarif"]);
    for format in formats {
        assert_eq!(Project::new("").dsh(&["check", "--format", format]).status, Some(0));
    }
}

#[test]
fn the_guide_shows_what_check_prints() {
    let guide = text("docs/ci.md");
    let shown = guide.split("    $ dsh check\n").nth(1).unwrap().split("\n| ").next().unwrap();
    let shown: Vec<&str> = shown.trim_end().lines().map(|line| line.strip_prefix("    ").unwrap_or(line)).collect();
    let config = "persona = \"p\"\n\n[variables]\nproduct = \"x\"\n\n[agents.a]\n[agents.b]\n\n\n\n[[sections]]\nname = \"guide\"\norder = 100\ntext = \"You work on {{poduct}}.\"\n";
    assert_eq!(Project::new(config).dsh(&["check"]).stdout.trim_end(), shown.join("\n"));
}
