//! Trust (C4): what a project's files ask for is left out until a person says otherwise.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::path::PathBuf;

use crate::support::{Project, Run, ran, reads, repository};

#[cfg(unix)]
mod refused;

/// A value of the environment that nobody may see who has not been trusted with it.
const SECRET: &str = "s3cret-marker";

/// Two variables from the environment, one of them for an agent alone too.
const CONFIG: &str = r#"
persona = "Token {{token}}, user {{user}}."
[variables]
token = { env = "TOKEN", default = "none" }
user = { env = "USER_NAME", default = "nobody" }
[agents.reviewer.variables]
token = { env = "REVIEW_TOKEN", default = "no review" }
user = "reviewer"
"#;

/// A folder, and a user whose state folder lies beside it.
struct Scene {
    project: Project,
}

impl Scene {
    fn new(config: &str) -> Self {
        Self { project: Project::new(config) }
    }

    fn state(&self) -> PathBuf {
        self.project.path().parent().unwrap().join("state")
    }

    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.project.command();
        command.args(arguments);
        for name in ["TOKEN", "USER_NAME", "REVIEW_TOKEN"] {
            command.env(name, format!("{SECRET}-{name}"));
        }
        command
    }

    fn dsh(&self, arguments: &[&str]) -> Run {
        ran(&mut self.command(arguments))
    }

    /// The hash of what the folder asks for.
    fn hash(&self) -> String {
        let answer = self.dsh(&["trust", "--json"]).json();
        answer["hash"].as_str().unwrap().to_owned()
    }

    /// Trusts the folder.
    #[track_caller]
    fn trust(&self) {
        let run = self.dsh(&["trust", "--trust", &self.hash()]);
        assert_eq!(run.status, Some(0), "{run}");
    }

    /// What the records say of the folder.
    fn status(&self) -> String {
        let answer = self.dsh(&["trust", "--json"]).json();
        answer["status"].as_str().unwrap().to_owned()
    }

    /// What lies in the folder of the records, which must be the user's alone.
    fn records(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.state().join("dsh/trust")).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// The one record.
    #[track_caller]
    fn record(&self) -> PathBuf {
        let records = self.records();
        assert_eq!(records.len(), 1, "{records:?}");
        records[0].clone()
    }

    /// The run, without the path of the temporary folder.
    fn without_folder(&self, run: Run) -> Run {
        run.without(&self.project.path().parent().unwrap().canonicalize().unwrap())
    }
}

#[test]
fn an_untrusted_folder_takes_defaults_and_says_what_is_left_out() {
    // C4
    reads!(Scene::new(CONFIG).dsh(&["prompt"]));
}

#[test]
fn an_untrusted_folder_with_one_thing_left_out_says_so() {
    // C4
    reads!(Scene::new("[variables]\ntoken = { env = \"TOKEN\" }\n").dsh(&["prompt"]));
}

#[test]
fn without_a_terminal_trust_shows_what_is_asked_for_and_how_to_trust_it() {
    // C4
    let scene = Scene::new(CONFIG);
    reads!(scene.dsh(&["trust"]));
    assert!(!scene.state().exists());
}

#[test]
fn without_a_terminal_the_hash_is_the_answer_yes() {
    // C4
    let scene = Scene::new(CONFIG);
    let run = scene.dsh(&["trust", "--trust", &scene.hash()]);
    reads!(run);
    reads!(scene.dsh(&["trust"]));
    let run = scene.dsh(&["prompt"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    assert!(run.stdout.ends_with("Token s3cret-marker-TOKEN, user s3cret-marker-USER_NAME.\n"), "{run}");
    let run = scene.dsh(&["prompt", "--agent", "reviewer"]);
    assert!(run.stdout.ends_with("Token s3cret-marker-REVIEW_TOKEN, user reviewer.\n"), "{run}");
}

#[test]
fn what_is_stored_holds_the_path_and_the_hash_and_no_value() {
    let scene = Scene::new(CONFIG);
    scene.trust();
    let record = String::from_utf8(std::fs::read(scene.record()).unwrap()).unwrap();
    let path = scene.project.path().canonicalize().unwrap();
    assert_eq!(record, format!("dsh trust record 1\npath {}\nhash {}\n", path.display(), scene.hash()));
}

#[test]
fn a_hash_trusts_one_run_and_stores_nothing() {
    // C4
    let scene = Scene::new(CONFIG);
    let run = scene.dsh(&["prompt", "--trust", &scene.hash()]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    assert!(run.stdout.contains(SECRET), "{run}");
    assert_eq!(scene.status(), "untrusted");
    assert!(!scene.state().exists());
}

#[test]
fn another_hash_trusts_nothing_and_both_are_named() {
    // C4
    let scene = Scene::new(CONFIG);
    let other = "0".repeat(64);
    reads!(scene.dsh(&["prompt", "--trust", &other]));
    reads!(scene.dsh(&["trust", "--trust", &other]));
    assert!(!scene.state().exists());
    // C5: nor where the folder is trusted otherwise.
    scene.trust();
    assert!(!scene.dsh(&["prompt", "--trust", &other]).stdout.contains(SECRET));
    let answer = scene.dsh(&["trust", "--json", "--trust", &other]).json();
    assert_eq!(answer["status"], "other-hash");
}

#[test]
fn what_is_no_hash_is_wrong_use() {
    let scene = Scene::new(CONFIG);
    reads!(scene.dsh(&["prompt", "--trust", "81aeec0a"]));
    reads!(scene.dsh(&["prompt", "--trust", &"o".repeat(64)]));
}

#[test]
fn the_hash_may_stand_in_the_environment() {
    // C5
    let scene = Scene::new(CONFIG);
    let with = |hash: &str, arguments: &[&str]| ran(scene.command(arguments).env("DSH_TRUST", hash));
    let run = with(&scene.hash(), &["prompt"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    assert!(run.stdout.contains(SECRET), "{run}");
    assert!(!with(&"0".repeat(64), &["prompt"]).stdout.contains(SECRET));
    assert!(with(&"0".repeat(64), &["prompt", "--trust", &scene.hash()]).stdout.contains(SECRET));
    reads!(with("81aeec0a", &["prompt"]));
}

#[test]
fn quiet_says_nothing_but_errors() {
    let scene = Scene::new(CONFIG);
    assert_eq!(scene.dsh(&["prompt", "-q"]).stderr, "");
    assert!(scene.dsh(&["trust", "-q"]).stderr.starts_with("error[trust::no_terminal]"));
    assert_eq!(scene.dsh(&["trust", "-q", "--trust", &scene.hash()]).stderr, "");
    assert_eq!(scene.dsh(&["trust", "-q", "--revoke"]).stderr, "");
}

#[test]
fn a_folder_that_asks_for_something_else_is_untrusted_again() {
    // C4
    let mut scene = Scene::new(CONFIG);
    scene.trust();
    let more = format!("{CONFIG}more = {{ env = \"MORE\" }}\n");
    scene.project = scene.project.file("dsh.toml", more);
    reads!(scene.dsh(&["prompt"]));
    assert_eq!(scene.status(), "changed");
    // Less is something else, too.
    scene.project = scene.project.file("dsh.toml", "[variables]\ntoken = { env = \"TOKEN\" }\n");
    assert_eq!(scene.status(), "changed");
    // What was trusted still is: where and in which order it is asked for is no matter.
    let same = "[variables]\na = { env = \"USER_NAME\" }\nb = { env = \"REVIEW_TOKEN\" }\nc = { env = \"TOKEN\" }\n";
    scene.project = scene.project.file("dsh.toml", same);
    assert_eq!(scene.status(), "trusted");
}

#[test]
fn a_folder_that_was_moved_is_another_one() {
    // C4
    let scene = Scene::new(CONFIG);
    scene.trust();
    let moved = scene.project.path().with_file_name("moved");
    std::fs::rename(scene.project.path(), &moved).unwrap();
    let answer = ran(scene.command(&["trust", "--json"]).current_dir(&moved)).json();
    assert_eq!(answer["status"], "untrusted");
    std::fs::rename(&moved, scene.project.path()).unwrap();
    assert_eq!(scene.status(), "trusted");
}

#[cfg(unix)]
#[test]
fn a_folder_is_the_same_whatever_way_leads_to_it() {
    let scene = Scene::new(CONFIG);
    scene.trust();
    std::os::unix::fs::symlink("project", scene.project.path().with_file_name("link")).unwrap();
    for way in [".", "../project", "../link"] {
        assert_eq!(scene.dsh(&["trust", "--json", "--dir", way]).json()["status"], "trusted", "{way}");
    }
}

#[test]
fn trust_is_taken_back() {
    // C4
    let scene = Scene::new(CONFIG);
    reads!(scene.dsh(&["trust", "--revoke"]));
    scene.trust();
    reads!(scene.dsh(&["trust", "--revoke"]));
    assert_eq!(scene.status(), "untrusted");
    assert_eq!(scene.records(), [] as [PathBuf; 0]);
}

#[test]
fn trust_is_taken_back_whatever_the_files_have_become() {
    let mut scene = Scene::new(CONFIG);
    scene.trust();
    scene.project = scene.project.file("dsh.toml", "= not TOML");
    let run = scene.dsh(&["trust", "--revoke"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), "This folder is no longer trusted.\n"));
    scene.project = scene.project.file("dsh.toml", CONFIG);
    assert_eq!(scene.status(), "untrusted");
}

#[test]
fn a_folder_that_asks_for_nothing_needs_no_trust() {
    // C4
    let scene = Scene::new("persona = \"p\"\n[variables]\nteam = \"harbour\"\n");
    reads!(scene.dsh(&["trust"]));
    reads!(scene.dsh(&["trust", "--json"]));
    // A hash that belongs to something else does no harm to what needs none.
    let run = scene.dsh(&["prompt", "--trust", &"0".repeat(64)]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    reads!(Scene { project: Project::empty() }.dsh(&["trust"]));
}

#[test]
fn trust_as_json_says_everything_and_stores_nothing() {
    let scene = Scene::new(CONFIG);
    let run = scene.dsh(&["trust", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
    let answer = format!("{:#}", run.json());
    insta::assert_snapshot!(answer);
    let with_hash = scene.dsh(&["trust", "--json", "--trust", &scene.hash()]);
    assert_eq!(with_hash.json()["status"], "trusted");
    assert!(!scene.state().exists());
    assert_eq!(scene.dsh(&["trust", "--json", "--revoke"]).status, Some(2));
}

#[test]
fn findings_of_the_files_are_told_with_what_is_asked_for() {
    let scene = Scene::new("presona = \"\"\n[variables]\ntoken = { env = \"TOKEN\" }\nwrong = { env = \"A=B\" }\n");
    reads!(scene.dsh(&["trust", "--trust", &scene.hash()]));
    assert_eq!(scene.status(), "trusted");
    reads!(Scene::new("= not TOML").dsh(&["trust"]));
}

#[test]
fn names_are_shown_as_what_they_are() {
    // X12: a name cannot hide another, or pass for one.
    let config = r#"
[variables]
a = { env = "\u001b[1A\u001b[2KTOKEN" }
b = { env = "Т\u202eOKEN`, and no more" }
c = { env = "two\nlines" }
[agents."agent\u001b[8m".variables]
d = { env = "D" }
"#;
    reads!(Scene::new(config).dsh(&["trust"]));
}

#[test]
fn no_value_of_the_environment_is_printed_before_trust_and_after_it_only_in_prompts() {
    // C3, C4
    let config = format!("{CONFIG}[[sections]]\nname = \"s\"\norder = 1\ntext = \"{{{{token}}}} {{{{wrong}}}}\"\n");
    let scene = Scene::new(&config);
    let run = |arguments: &str| scene.dsh(&arguments.split(' ').collect::<Vec<_>>());
    let everywhere = [
        "trust",
        "trust --json",
        "prompt",
        "prompt --json",
        "prompt -v",
        "check",
        "check --format concise",
        "check --format json",
        "check --format github",
        "check --format sarif",
        "explain",
        "explain --json",
        "explain token",
        "explain s",
        "config --origins",
        "config --json",
    ];
    for arguments in everywhere.into_iter().chain(["prompt --agent reviewer", "explain --agent reviewer"]) {
        let run = run(arguments);
        assert!(run.status != Some(2) && !run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run}");
    }
    // A prompt that has an error is not printed, and the error has no value.
    scene.trust();
    for arguments in everywhere {
        let run = run(arguments);
        assert!(run.status != Some(2) && !run.stdout.contains(SECRET) && !run.stderr.contains(SECRET), "{run}");
    }
}

#[test]
fn many_that_trust_at_once_leave_one_whole_record() {
    let scene = Scene::new(CONFIG);
    let hash = scene.hash();
    let start = || {
        let mut command = scene.command(&["trust", "--trust", &hash]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
    };
    let mut children: Vec<_> = (0..24).map(|_| start()).collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    scene.record();
    assert_eq!(scene.status(), "trusted");
}

#[test]
fn two_folders_are_trusted_one_by_one() {
    let scene = Scene::new(CONFIG);
    scene.trust();
    let second = scene.project.path().with_file_name("second");
    std::fs::create_dir(&second).unwrap();
    std::fs::write(second.join("dsh.toml"), CONFIG).unwrap();
    let hash = scene.hash();
    assert_eq!(scene.dsh(&["trust", "--json", "--dir", "../second"]).json()["status"], "untrusted");
    assert_eq!(scene.dsh(&["trust", "--dir", "../second", "--trust", &hash]).status, Some(0));
    assert_eq!(scene.records().len(), 2);
    assert_eq!(scene.dsh(&["trust", "--dir", "../second", "--revoke"]).status, Some(0));
    assert_eq!(scene.status(), "trusted");
}

/// A project with two profiles, each with a variable of its own from the environment.
const PROFILES: &str = r#"
include = ["more.toml"]
persona = "{{token}}"
[variables]
token = { env = "TOKEN", default = "none" }
[profiles.ci.variables]
token = { env = "USER_NAME", default = "nobody" }
[profiles.dev.agents.reviewer.variables]
token = { env = "REVIEW_TOKEN" }
"#;

impl Scene {
    fn with_profiles() -> Self {
        let more = "[variables]\nmore = { env = \"MORE\" }\ntoken = { env = \"OVERRIDDEN\" }\n";
        Self { project: Project::new(PROFILES).file("more.toml", more) }
    }
}

#[test]
fn what_every_profile_and_include_asks_for_is_shown() {
    // C4: what is overridden within the project's own files is asked for by nobody.
    reads!(Scene::with_profiles().dsh(&["trust"]));
}

#[test]
fn the_set_is_one_whatever_a_run_lays_over_it() {
    // C4, C5
    let mut scene = Scene::with_profiles();
    let hash = scene.hash();
    scene.project = scene.project.user_config(
        "[variables]\nown = { env = \"OWN\" }\nmore = \"m\"\n[profiles.ci.variables]\nmore = \"in ci\"\n[profiles.mine]\n",
    );
    let runs: [&[&str]; 7] = [
        &[],
        &["--profile", "ci"],
        &["--profile", "dev"],
        &["--profile", "mine"],
        &["--set", "token=x"],
        &["--config", "variables.token=\"x\""],
        &["--config", "variables={ token = { env = \"FLAG\" } }"],
    ];
    for arguments in runs {
        let answer = scene.dsh(&[&["trust", "--json"], arguments].concat()).json();
        assert_eq!(answer["hash"].as_str(), Some(hash.as_str()), "{arguments:?}");
    }
    scene.trust();
    let prompt = |arguments: &[&str]| scene.dsh(&[&["prompt"], arguments].concat()).stdout;
    assert!(prompt(&[]).ends_with("s3cret-marker-TOKEN\n"));
    assert!(prompt(&["--profile", "ci"]).ends_with("s3cret-marker-USER_NAME\n"));
    assert!(prompt(&["--set", "token=x"]).ends_with("\n\nx\n"));
}

#[test]
fn what_the_user_asks_for_needs_no_trust() {
    // C4
    let own = "[variables]\ntoken = { env = \"TOKEN\" }\n[profiles.mine.variables]\ntoken = { env = \"USER_NAME\" }\n";
    let scene = Scene { project: Project::new("persona = \"{{token}}\"").user_config(own) };
    for (arguments, value) in [
        (&["prompt"][..], "s3cret-marker-TOKEN\n"),
        (&["prompt", "--profile", "mine"], "s3cret-marker-USER_NAME\n"),
        (&["prompt", "--config", "variables.token={ env = \"REVIEW_TOKEN\" }"], "s3cret-marker-REVIEW_TOKEN\n"),
    ] {
        let run = scene.dsh(arguments);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{run}");
        assert!(run.stdout.ends_with(value), "{run}");
    }
    assert_eq!(scene.status(), "nothing-to-trust");
}

#[test]
fn what_a_project_asks_for_beside_the_users_own_is_not_read() {
    // C4: the project overrides what the user's file says, and gets nothing by that.
    let project = Project::new("persona = \"{{token}}\"\n[variables]\ntoken = { env = \"USER_NAME\" }\n");
    let scene = Scene { project: project.user_config("[variables]\ntoken = { env = \"TOKEN\", default = \"x\" }\n") };
    assert!(scene.dsh(&["prompt"]).stdout.ends_with("\n\nx\n"));
    // Nor by a mistake that a flag mends.
    let mistaken = "persona = \"{{token}}\"\n[variables]\ntoken = { env = \"TOKEN\", default = 5 }\n";
    let run = Scene::new(mistaken).dsh(&["prompt", "--config", "variables.token.default=\"x\""]);
    assert!(run.stdout.ends_with("\n\nx\n") && run.stderr.contains("note[trust::untrusted]"), "{run}");
    // Nor by one that a profile of its own mends, so that neither part by itself asks for anything.
    let in_parts = format!("{mistaken}[profiles.ci.variables]\ntoken = {{ default = \"x\" }}\n");
    let run = Scene::new(&in_parts).dsh(&["prompt", "--profile", "ci"]);
    assert!(run.stdout.ends_with("\n\nx\n") && run.stderr.contains("note[trust::untrusted]"), "{run}");
}

/// A file of the documentation, from the heading on.
fn documented(file: &str, heading: &str) -> String {
    let text = std::fs::read(repository().join("crates/dsh-cli/docs").join(file)).unwrap();
    let text = String::from_utf8(text).unwrap();
    text.split_once(heading).unwrap().1.to_owned()
}

/// The first block of this language in a text.
fn block<'t>(text: &'t str, language: &str) -> &'t str {
    let rest = text.split_once(&format!("```{language}\n")).unwrap().1;
    rest.split_once("```").unwrap().0
}

#[test]
fn the_guide_to_trust_shows_what_is_printed() {
    let guide = documented("trust.md", "# Trust");
    let scene = Scene::new(block(&guide, "toml"));
    let conversation = block(&guide, "console");
    let printed = scene.dsh(&["trust"]).stdout;
    let (list, hash) = printed.split_once("hash: ").unwrap();
    let shown = format!(
        "$ dsh trust\n{list}hash: {}…\nIt asks for 1 environment variable. Trust this folder? [y/N] y\n",
        &hash.get(..4).unwrap()
    );
    assert!(conversation.starts_with(&shown), "{shown}");
    let documented = documented("json.md", "## `dsh trust --json`");
    let documented: serde_json::Value = serde_json::from_str(block(&documented, "json")).unwrap();
    let config = "\n\n\n\n\n[agents.reviewer.variables]\ntoken = { env = \"TOKEN\" }\n";
    assert_eq!(Scene::new(config).dsh(&["trust", "--json"]).json(), documented);
}
