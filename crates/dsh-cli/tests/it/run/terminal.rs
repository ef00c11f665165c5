//! A run on a terminal: questions, and the spinner. The terminal is a pseudo-terminal.

#![expect(clippy::unwrap_used, reason = "helpers of tests: what fails here fails the test")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::{CONFIG, SCRIPT, project, trust_hash};
use crate::support::Project;

/// What a run on a terminal left.
#[derive(Debug)]
struct OnTerminal {
    status: Option<i32>,
    stdout: String,
    /// All that came to the terminal, what was typed included.
    screen: String,
}

/// The ends of a pseudo-terminal: a person's, and a program's; none, with a reason on standard error, where this machine has none.
#[expect(clippy::print_stderr, reason = "a test that is not tried says why")]
fn terminal() -> Option<(File, File)> {
    let open = || -> rustix::io::Result<(OwnedFd, std::ffi::CString)> {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&person)?;
        unlockpt(&person)?;
        let name = ptsname(&person, Vec::new())?;
        Ok((person, name))
    };
    let opened = open().map_err(std::io::Error::from).and_then(|(person, name)| {
        let program = File::options().read(true).write(true).open(name.to_str().unwrap_or_default())?;
        Ok((File::from(person), program))
    });
    opened.inspect_err(|error| eprintln!("not tried: this machine has no pseudo-terminals ({error})")).ok()
}

/// Runs a message on a terminal, and types an answer to each question.
fn on_terminal(project: &Project, arguments: &[&str], answers: &[&str]) -> Option<OnTerminal> {
    let (mut person, program) = terminal()?;
    let hash = trust_hash(project);
    let mut command = project.command();
    command.args(["run", "--color", "never", "--trust", &hash]).args(arguments).stdout(Stdio::piped());
    command.stdin(program.try_clone().unwrap()).stderr(program);
    let mut run = command.spawn().unwrap();
    // It holds the program's end, too.
    drop(command);
    let mut screen = Vec::new();
    let (mut bytes, mut asked) = ([0; 1_024], 0);
    // The person's end fails when nobody has the program's any more.
    while let Ok(count) = person.read(&mut bytes) {
        screen.extend_from_slice(bytes.get(..count).unwrap_or_default());
        let text = String::from_utf8_lossy(&screen);
        while text.matches("[y/N] ").count() > asked {
            let answer = answers.get(asked).copied().unwrap_or("n");
            person.write_all(format!("{answer}\n").as_bytes()).unwrap();
            asked += 1;
        }
    }
    assert_eq!(asked, answers.len());
    let mut stdout = String::new();
    run.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    let status = run.wait().unwrap().code();
    Some(OnTerminal { status, stdout, screen: String::from_utf8(screen).unwrap() })
}

#[test]
fn who_is_at_the_terminal_is_asked_and_their_answer_holds() {
    // T4
    let project = project(CONFIG);
    let Some(yes) = on_terminal(&project, &["count these"], &["y"]) else { return };
    assert_eq!((yes.status, yes.stdout.as_str()), (Some(0), "I count.\nThere are 3 words.\n"), "{yes:?}");
    assert!(yes.screen.contains("Tool `count` (it runs a command):\r\n    {\"text\":\"one two three\"}"), "{yes:?}");
    // To be told no is no want of an approver.
    let no = on_terminal(&project, &["count these"], &["n"]).unwrap();
    assert_eq!((no.status, no.stdout.contains("It failed")), (Some(0), true), "{no:?}");
    assert!(no.screen.contains("tools::denied"), "{no:?}");
}

#[test]
fn a_terminal_has_a_spinner_while_the_model_is_waited_for_and_none_afterwards() {
    let script = "[[rules]]\ncontains = \"slow\"\nanswer = \"late\"\ndelay_ms = 150\n";
    let project = project(CONFIG).file("script.toml", format!("{script}{SCRIPT}"));
    let Some(run) = on_terminal(&project, &["slow"], &[]) else { return };
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), "late\n"), "{run:?}");
    assert!(run.screen.contains('⠋') && run.screen.ends_with("\r \r"), "{run:?}");
    let quiet = on_terminal(&project, &["-q", "slow"], &[]).unwrap();
    assert_eq!((quiet.status, quiet.screen.as_str()), (Some(0), ""), "{quiet:?}");
}
