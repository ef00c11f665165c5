//! Child processes: run to their end, or to a limit, and never left behind.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::watch::{self, Watch};
use crate::{Error, Outcome};

/// The cargo that runs this program, or the one on the path.
pub(crate) fn cargo() -> OsString {
    variable("CARGO").unwrap_or_else(|| "cargo".into())
}

/// An environment variable.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    #[expect(clippy::disallowed_methods, reason = "xtask is a command of its own, outside the product")]
    std::env::var_os(name)
}

/// A file's text.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    #[expect(clippy::disallowed_methods, reason = "xtask reads the repository")]
    std::fs::read_to_string(path).map_err(|error| Error::new(format!("cannot read `{}`: {error}", path.display())))
}

/// Writes a file's text, whole or not at all: where that fails, as on a full disk, the text of before stands and nothing lies beside it.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        // What cannot be taken away either is told by nobody; the failure that led here is told.
        drop(std::fs::remove_file(&beside));
        Error::new(format!("cannot write `{}`: {error}", path.display()))
    })
}

/// Now, on the monotonic clock.
pub(crate) fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "xtask times the gates and is no part of the product")]
    Instant::now()
}

/// Whether a program of that name is on the path.
pub(crate) fn on_path(program: &str) -> bool {
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    variable("PATH").is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(&file).is_file()))
}

/// The command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let words = command.get_args().map(|arg| {
        let arg = arg.to_string_lossy();
        if arg.is_empty() || arg.contains(char::is_whitespace) { format!("'{arg}'") } else { arg.into_owned() }
    });
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ")
}

/// Runs a command with this program's outputs and no input; whether it succeeded.
pub(crate) fn run(mut command: Command) -> Result<bool, Error> {
    announce(&command);
    let status = command.stdin(Stdio::null()).status().map_err(|error| not_started(&command, &error))?;
    Ok(status.success())
}

/// Runs a command that has this project's exit statuses.
pub(crate) fn run_to_outcome(mut command: Command) -> Result<Outcome, Error> {
    announce(&command);
    let status = command.stdin(Stdio::null()).status().map_err(|error| not_started(&command, &error))?;
    Ok(match status.code() {
        Some(0) => Outcome::Fine,
        Some(1) => Outcome::Findings,
        _ => Outcome::Broken,
    })
}

/// What a command writes to standard output; its failure is an error.
pub(crate) fn stdout_of(mut command: Command) -> Result<String, Error> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| not_started(&command, &error))?;
    if !output.status.success() {
        return Err(Error::new(format!("`{}` failed ({})", shown(&command), output.status)));
    }
    String::from_utf8(output.stdout)
        .map_err(|error| Error::new(format!("`{}` wrote no UTF-8: {error}", shown(&command))))
}

/// What a `cargo build` makes of the target of that name.
pub(crate) fn executable_of(mut build: Command, target: &str) -> Result<String, Error> {
    build.args(["--message-format", "json-render-diagnostics"]);
    let messages = stdout_of(build)?;
    let executable = messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        (message["target"]["name"] == target).then_some(())?;
        message["executable"].as_str().map(str::to_owned)
    });
    executable.ok_or_else(|| Error::new(format!("cargo built no program `{target}`")))
}

/// How a command with a limit ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Success,
    Failure,
    /// Ended by this program, with what [`Watch::last_begun`] says.
    OverLimit(String),
}

/// Runs a command whose output goes through to this program's and is watched for the tests it names; ends it, with all
/// that it started, at `limit`.
pub(crate) fn run_watched(mut command: Command, limit: Instant) -> Result<End, Error> {
    announce(&command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| not_started(&command, &error))?;
    let watch = Arc::new(Mutex::new(Watch::default()));
    let (ended, ends) = channel::<Infallible>();
    if let Some(pipe) = child.stdout.take() {
        forward(pipe, std::io::stdout(), watch::Stream::Out, &watch, ended.clone());
    }
    if let Some(pipe) = child.stderr.take() {
        forward(pipe, std::io::stderr(), watch::Stream::Err, &watch, ended.clone());
    }
    drop(ended);
    // Nothing is ever sent: each reader holds a sender until its pipe has ended.
    if ends.recv_timeout(limit.saturating_duration_since(now())) == Err(RecvTimeoutError::Timeout) {
        let last = watch.lock().unwrap_or_else(PoisonError::into_inner).last_begun();
        end_with_descendants(&mut child);
        return Ok(End::OverLimit(last));
    }
    let status = child.wait().map_err(|error| Error::new(format!("cannot wait for a child process: {error}")))?;
    Ok(if status.success() { End::Success } else { End::Failure })
}

/// Copies `from` to `to` as it comes and shows it to the watch; lets go of `ended` when `from` has ended.
fn forward(
    mut from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
    stream: watch::Stream,
    watch: &Arc<Mutex<Watch>>,
    ended: Sender<Infallible>,
) {
    let watch = Arc::clone(watch);
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let bytes = buffer.get(..length).unwrap_or_default();
            watch.lock().unwrap_or_else(PoisonError::into_inner).feed(stream, bytes);
            // Nobody may be listening any more; the tests go on all the same.
            drop(to.write_all(bytes).and_then(|()| to.flush()));
        }
        drop(ended);
    });
}

/// Ends a child and all that descends from it. Not by a process group: the child stays in the terminal's, so that an
/// interrupt from the keyboard reaches it.
fn end_with_descendants(child: &mut Child) {
    let mut pids = vec![child.id()];
    let parents = parents();
    let mut at = 0;
    while let Some(pid) = pids.get(at).copied() {
        pids.extend(parents.iter().filter(|(_, parent)| *parent == pid).map(|(pid, _)| *pid));
        at += 1;
    }
    if let [_, descendants @ ..] = pids.as_slice()
        && !descendants.is_empty()
    {
        let mut kill = if cfg!(windows) { Command::new("taskkill") } else { Command::new("kill") };
        kill.arg(if cfg!(windows) { "/F" } else { "-KILL" });
        for pid in descendants {
            if cfg!(windows) {
                kill.arg("/PID");
            }
            kill.arg(pid.to_string());
        }
        drop(kill.stdin(Stdio::null()).status());
    }
    drop(child.kill());
    drop(child.wait());
}

/// All processes, each with its parent: from `/proc` where there is one, else from `ps`.
fn parents() -> Vec<(u32, u32)> {
    if let Ok(folder) = std::fs::read_dir("/proc") {
        let of = |pid: u32| {
            // The name, which may hold anything, stands in parentheses; after it the state and the parent.
            let stat = read(Path::new(&format!("/proc/{pid}/stat"))).ok()?;
            let parent = stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()?;
            Some((pid, parent))
        };
        return folder.flatten().filter_map(|entry| of(entry.file_name().to_str()?.parse().ok()?)).collect();
    }
    let mut ps = Command::new("ps");
    ps.args(["-A", "-o", "pid=", "-o", "ppid="]);
    let table = stdout_of(ps).unwrap_or_default();
    let row = |line: &str| {
        let mut numbers = line.split_ascii_whitespace().map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    table.lines().filter_map(row).collect()
}

/// A duration for a person: `3.2 s`, `4 min 07 s`.
pub(crate) fn spoken(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

fn announce(command: &Command) {
    say(&format!("$ {}", shown(command)));
}

/// A line on standard error, where all that a chore tells about itself goes.
pub(crate) fn say(line: &str) {
    drop(writeln!(std::io::stderr(), "{line}"));
}

fn not_started(command: &Command, error: &std::io::Error) -> Error {
    Error::new(format!("`{}` does not start: {error}", shown(command)))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{Command, Duration, End, now, read, run_watched, shown, spoken, write};

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    /// The names in a folder.
    fn names(folder: &std::path::Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_cannot_take_its_place_leaves_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.md");
        write(&page, "of before").unwrap();
        write(&page, "new").unwrap();
        assert_eq!((read(&page).unwrap(), names(folder.path())), ("new".to_owned(), vec!["page.md".to_owned()]));
        // In its place is a folder, which no file can be put over.
        std::fs::create_dir(folder.path().join("taken.md")).unwrap();
        let error = write(&folder.path().join("taken.md"), "text").unwrap_err().to_string();
        assert!(error.contains("taken.md`: ") && error.contains("cannot write"), "{error}");
        assert_eq!(names(folder.path()), ["page.md", "taken.md"]);
        // Its folder is a file.
        assert!(write(&page.join("below"), "text").is_err());
        assert_eq!(read(&page).unwrap(), "new");
    }

    #[test]
    fn a_full_disk_leaves_the_text_of_before() {
        const CHILD: &str = "with-no-room-for-a-file";
        const NAME: &str = "process::tests::a_full_disk_leaves_the_text_of_before";
        if let Some(at) = std::env::args().position(|argument| argument == CHILD) {
            let page = std::env::args().nth(at + 1).unwrap();
            let error = write(std::path::Path::new(&page), "a new text").unwrap_err();
            assert!(error.to_string().contains("page.md`: File too large"), "{error}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.md");
        write(&page, "of before").unwrap();
        // A file can have no byte there, as on a full disk: the test begins anew in such a shell.
        let child = sh("trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"")
            .arg(std::env::current_exe().unwrap())
            .args([NAME, "--exact", "--test-threads=1", CHILD])
            .arg(&page)
            .output()
            .unwrap();
        let (text, names) = (read(&page).unwrap(), names(folder.path()));
        let said = String::from_utf8_lossy(&child.stdout).into_owned();
        assert!(child.status.success() && said.contains("1 passed"), "{said}");
        assert_eq!((text.as_str(), names), ("of before", vec!["page.md".to_owned()]));
    }

    #[test]
    fn a_watched_command_tells_success_from_failure() {
        let limit = now() + Duration::from_mins(1);
        assert_eq!(run_watched(sh("exit 0"), limit).unwrap(), End::Success);
        assert_eq!(run_watched(sh("exit 3"), limit).unwrap(), End::Failure);
    }

    #[test]
    fn a_command_over_its_limit_is_ended_with_its_children_and_the_test_is_named() {
        // The inner shell and its `cat`, which waits for input that never comes, hold `alive` open until they are gone.
        let folder = tempfile::tempdir().unwrap();
        let (never, alive) = (folder.path().join("never"), folder.path().join("alive"));
        assert!(Command::new("mkfifo").args([&never, &alive]).status().unwrap().success());
        let inner = format!("exec 3> {}; printf 'test hangs ... '; cat < {}", alive.display(), never.display());
        let gone = std::thread::spawn(move || read(&alive).unwrap());
        let end = run_watched(sh(&format!("sh -c \"{inner}\"; true")), now() + Duration::from_secs(3)).unwrap();
        assert_eq!(end, End::OverLimit("`hangs`".to_owned()));
        assert_eq!(gone.join().unwrap(), "");
    }

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("cargo");
        command.args(["test", "-E", "a b"]);
        assert_eq!(shown(&command), "cargo test -E 'a b'");
        assert_eq!(spoken(Duration::from_millis(3_210)), "3.2 s");
        assert_eq!(spoken(Duration::from_secs(247)), "4 min 07 s");
    }
}
