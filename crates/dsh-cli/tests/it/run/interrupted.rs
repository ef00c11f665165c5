//! Ctrl-C: once, and twice (A5).

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt as _;
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

/// A project with a tool that hears no wish to end, and the pipe that it holds.
fn hanging() -> Project {
    let config = format!(
        "{CONFIG}\n[[tools]]\nname = \"hang\"\ndescription = \"d\"\ncommand = [\"sh\", \"hang.sh\"]\n[permissions]\nallow = [\"hang\"]\n"
    );
    let hang = "trap '' TERM INT HUP\nexec 3> here\necho up >&3\nwhile :; do sleep 600; done\n";
    let script = "[[rules]]\ncontains = \"hang\"\ncalls = [{ tool = \"hang\" }]\n";
    let project = project(&config).file("script.toml", format!("{script}{SCRIPT}")).file("hang.sh", hang);
    let made = Command::new("mkfifo").arg(project.path().join("here")).status();
    assert!(made.is_ok_and(|made| made.success()));
    project
}

/// The other end of that pipe, when the tool is up.
fn is_up(project: &Project) -> File {
    let mut here = File::open(project.path().join("here")).unwrap();
    let mut up = [0; 3];
    here.read_exact(&mut up).unwrap();
    here
}

#[test]
fn twice_it_quits_and_leaves_nothing_of_what_a_tool_has_started() {
    // A5, I120
    let project = hanging();
    let mut running = begin(&project, &["hang"]);
    let mut here = is_up(&project);
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

#[test]
fn quitting_leaves_nothing_of_what_a_tool_has_started() {
    let project = hanging();
    let mut running = begin(&project, &["hang"]);
    let mut here = is_up(&project);
    kill_process(Pid::from_child(&running), Signal::QUIT).unwrap();
    assert_eq!(running.wait().unwrap().signal(), Some(Signal::QUIT.as_raw()));
    assert_eq!(here.read_to_end(&mut Vec::new()).unwrap(), 0);
    let again = run(&project, &["--continue", "ping"]);
    assert_eq!((again.status, again.stdout.as_str()), (Some(0), "pong\n"), "{again}");
}

/// As `nohup` does it.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_goes_away_ends_no_turn_that_was_to_outlive_it() {
    let script = "[[rules]]\ncontains = \"slow\"\nanswer = \"late\"\ndelay_ms = 600000\n";
    let project = project(CONFIG).file("script.toml", format!("{script}{SCRIPT}"));
    let hash = trust_hash(&project);
    let dsh = project.command();
    let mut command = Command::new("/bin/sh");
    command.env_clear();
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(dsh.get_program());
    command.args(["run", "--trust", &hash, "--json", "slow"]);
    command.envs(dsh.get_envs().filter_map(|(name, value)| Some((name, value?))));
    if let Some(folder) = dsh.get_current_dir() {
        command.current_dir(folder);
    }
    let mut running = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    wait_for(&mut lines, "turn_start");
    kill_process(Pid::from_child(&running), Signal::HUP).unwrap();
    // Were it heard, it would be heard before the second signal, which then quits at once.
    interrupt(&running);
    wait_for(&mut lines, "\"end\":\"cancelled\"");
    assert_eq!(running.wait().unwrap().code(), Some(130));
}
