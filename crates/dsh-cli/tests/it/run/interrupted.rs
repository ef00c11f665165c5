//! Ctrl-C: once, and twice (A5).

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::{CONFIG, SCRIPT, project, run, trust_hash};
use crate::support::Project;

fn begin(project: &Project, arguments: &[&str]) -> Child {
    let hash = trust_hash(project);
    let mut command = project.command();
    command.args(["run", "--trust", &hash]).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn interrupt(run: &Child) {
    kill_process(Pid::from_child(run), Signal::INT).unwrap();
}

/// Reads to the line that has this in it.
fn wait_for(lines: &mut impl Iterator<Item = std::io::Result<String>>, said: &str) {
    assert!(lines.map(Result::unwrap).any(|line| line.contains(said)), "nobody said {said}");
}

#[test]
fn once_it_cancels_the_turn_and_the_session_goes_on() {
    // A5
    let script = "[[rules]]\ncontains = \"slow\"\nanswer = \"late\"\ndelay_ms = 600000\n";
    let project = project(CONFIG).file("script.toml", format!("{script}{SCRIPT}"));
    let mut running = begin(&project, &["--json", "slow"]);
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    wait_for(&mut lines, "turn_start");
    interrupt(&running);
    wait_for(&mut lines, "\"end\":\"cancelled\"");
    assert_eq!(running.wait().unwrap().code(), Some(130));
    let again = run(&project, &["--continue", "ping"]);
    assert_eq!((again.status, again.stdout.as_str()), (Some(0), "pong\n"), "{again}");
    let sessions = project.dsh(&["sessions", "--json"]).json();
    assert_eq!(sessions["sessions"][0]["turns"], 2, "{sessions}");
}

#[test]
fn twice_it_quits_and_leaves_nothing_of_what_a_tool_has_started() {
    // A5, I120
    let config = format!(
        "{CONFIG}\n[[tools]]\nname = \"hang\"\ndescription = \"d\"\ncommand = [\"sh\", \"hang.sh\"]\n[permissions]\nallow = [\"hang\"]\n"
    );
    let hang = "trap '' TERM INT HUP\nexec 3> here\necho up >&3\nwhile :; do sleep 600; done\n";
    let script = "[[rules]]\ncontains = \"hang\"\ncalls = [{ tool = \"hang\" }]\n";
    let project = project(&config).file("script.toml", format!("{script}{SCRIPT}")).file("hang.sh", hang);
    let made = Command::new("mkfifo").arg(project.path().join("here")).status();
    assert!(made.is_ok_and(|made| made.success()));
    let mut running = begin(&project, &["hang"]);
    let mut here = File::open(project.path().join("here")).unwrap();
    let mut up = [0; 3];
    here.read_exact(&mut up).unwrap();
    let mut told = BufReader::new(running.stderr.take().unwrap()).lines();
    interrupt(&running);
    wait_for(&mut told, "once more to quit");
    interrupt(&running);
    assert_eq!(running.wait().unwrap().code(), Some(130));
    // Whoever holds the other end is gone.
    assert_eq!(here.read_to_end(&mut Vec::new()).unwrap(), 0);
    let again = run(&project, &["--continue", "ping"]);
    assert_eq!((again.status, again.stdout.as_str()), (Some(0), "pong\n"), "{again}");
}
