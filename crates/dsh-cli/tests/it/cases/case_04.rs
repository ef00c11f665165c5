//! Case 04: an assembly is fresh each time. Hooks are no part of a configuration: `dsh-system-prompt` holds what concerns them.

use crate::support::{Project, reads};

#[test]
fn fifty_runs_give_the_same_bytes_and_change_no_file() {
    let config = "identity = false\n[[sections]]\nname = \"base\"\norder = 0\ntext = \"Be brief.\"\n[agents.crew]\n[[agents.crew.sections]]\nname = \"crew\"\norder = 20\ntext = \"Two helpers.\"\n";
    let project = Project::new(config);
    for _ in 0..50 {
        assert_eq!(project.prompt(&["--agent", "crew"]), "Be brief.\n\nTwo helpers.");
        assert_eq!(project.prompt(&[]), "Be brief.", "what is one agent's is nobody else's");
    }
    assert_eq!((project.text("dsh.toml"), project.names(".")), (config.to_owned(), vec!["dsh.toml".to_owned()]));
}

#[test]
fn of_two_sections_of_one_name_the_first_stays() {
    // S2
    let base = |text: &str| format!("name = \"base\"\norder = 0\ntext = \"{text}\"\n");
    let twice = format!("identity = false\n[[sections]]\n{}[[sections]]\n{}", base("Be brief."), base("Be long."));
    let run = Project::new(&twice).dsh(&["explain", "base"]);
    assert!(run.stdout.contains("Be brief.") && !run.stdout.contains("Be long."), "{run}");
    reads!(run);
    assert_eq!(Project::new(&twice).dsh(&["prompt"]).stdout, "");
    // Each layer has names of its own.
    let own = format!(
        "identity = false\n[[sections]]\n{}[agents.a]\n[[agents.a.sections]]\n{}[agents.b]\n",
        base("Be brief."),
        base("Be long.")
    );
    assert_eq!(Project::new(&own).prompt(&["--agent", "a"]), "Be long.");
    assert_eq!(Project::new(&own).prompt(&["--agent", "b"]), "Be brief.");
    let two = own.replace("[agents.b]", &format!("[[agents.a.sections]]\n{}[agents.b]", base("Be both.")));
    let run = Project::new(&two).dsh(&["prompt", "--agent", "b"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), "Be brief.\n"), "{run}");
    assert!(run.stderr.contains("error[prompt::duplicate_section]"), "{run}");
}
