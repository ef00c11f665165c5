//! How far a turn goes: `[limits]` and `[compaction]` (A4).

use super::{CONFIG, SCRIPT, project, run};

const ALLOWED: &str = "\n[permissions]\nallow = [\"count\"]\n";

#[test]
fn each_limit_ends_a_turn_with_status_three() {
    // A4
    for (limit, message, which) in [
        ("steps = 1", "count these", "steps"),
        ("tokens = 10", "count these", "tokens"),
        ("time = 0.05", "slow", "time"),
        ("same_calls = 2", "loop", "identical calls in a row"),
    ] {
        let script = format!(
            "[[rules]]\ncontains = \"slow\"\nanswer = \"late\"\ndelay_ms = 600000\n\n[[rules]]\nfrom = \"user\"\ncontains = \"these\"\ncalls = [{{ tool = \"count\", arguments = {{ text = \"a b\" }} }}]\nusage = {{ input = 20, output = 1 }}\n{SCRIPT}"
        );
        let project = project(&format!("{CONFIG}{ALLOWED}[limits]\n{limit}\n")).file("script.toml", script);
        let run = run(&project, &[message]);
        assert_eq!(run.status, Some(3), "{run}");
        assert!(run.stderr.contains(&format!("run::limit]: the turn ended at a limit: {which}")), "{run}");
    }
}

#[test]
fn an_agent_has_limits_of_its_own_over_those_of_all() {
    let own = "[agents.careful]\nlimits = { steps = 1 }\n[agents.free]\nlimits = { same_calls = 5 }\n";
    let project = project(&format!("{CONFIG}{ALLOWED}{own}[limits]\nsteps = 2\n"));
    assert_eq!(run(&project, &["count these"]).status, Some(0));
    assert_eq!(run(&project, &["--agent", "careful", "count these"]).status, Some(3));
    assert_eq!(run(&project, &["--agent", "free", "count these"]).status, Some(0));
    let looped = run(&project, &["--agent", "free", "loop"]);
    assert!(looped.stderr.contains("a limit: steps"), "{looped}");
}

#[test]
fn a_session_that_grows_too_long_gives_way_to_a_summary_where_that_is_configured() {
    let script =
        format!("[[rules]]\ncontains = \"Summarise the conversation\"\nanswer = \"We said ping and pong.\"\n{SCRIPT}");
    let of = |compaction: &str| {
        let project = project(&format!("{CONFIG}{compaction}")).file("script.toml", &script);
        assert_eq!(run(&project, &["ping"]).status, Some(0));
        let again = run(&project, &["--continue", "ping"]);
        assert_eq!((again.status, again.stdout.as_str()), (Some(0), "pong\n"), "{again}");
        let shown = project.dsh(&["sessions", "show", "last"]).stdout;
        let is_told = again.stderr.contains("= the oldest part of the session gave way to a summary");
        assert_eq!(is_told, shown.contains("We said"), "{again}");
        let events = run(&project, &["--continue", "--json", "ping"]).stdout;
        assert_eq!(events.contains(r#"{"event":"compacted","session":""#), is_told, "{events}");
        shown
    };
    assert!(of("[compaction]\nover_tokens = 1\n").contains("We said ping and pong."));
    assert!(!of("").contains("We said"));
    assert!(!of("[compaction]\n").contains("We said"), "the usual threshold is far away");
    assert!(!of("compaction = false\n").contains("We said"));
}

#[test]
fn what_is_wrong_with_numbers_is_told_at_its_place() {
    // C1
    let config = "[limits]\nsteps = 0\ntokens = \"5\"\ntime = 90_000\nsame_calls = 1\nsecond = 1\n[compaction]\nover_tokens = 5\nkeep_tokens = 5\n[subagents]\nagents = [\"reviwer\", \"x*\"]\nusual = \"forc\"\ndepth = 17\n[agents.reviewer]\npersona = \"p\"\n[agents.spawn]\nlimits = 5\n";
    let project = crate::support::Project::new(config);
    crate::support::reads!(project.dsh(&["check"]));
}

#[test]
fn an_answer_that_was_cut_off_or_refused_is_told() {
    for (stop, why) in [("max_tokens", "the most that it may say"), ("refusal", "refused")] {
        let script = format!("[[rules]]\nanswer = \"half\"\nstop = \"{stop}\"\n");
        let project = project(CONFIG).file("script.toml", script);
        let said = run(&project, &["ping"]);
        assert_eq!((said.status, said.stdout.as_str()), (Some(0), "half\n"), "{said}");
        assert!(said.stderr.contains("warning[run::cut_off]") && said.stderr.contains(why), "{said}");
        let events = run(&project, &["--json", "ping"]).stdout;
        assert!(events.contains(&format!(r#""stop":"{stop}""#)), "{events}");
    }
    let whole = run(&project(CONFIG), &["--json", "ping"]);
    assert!(whole.stdout.contains(r#""stop":"end_turn""#) && !whole.stderr.contains("cut_off"), "{whole}");
}
