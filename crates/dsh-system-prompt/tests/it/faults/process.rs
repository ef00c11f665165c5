//! A table of rows in a process of its own, where a row that aborts or hangs is named, and nothing that is panicked on purpose is shown.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Told to the child as one more name of tests, which no test has.
const CHILD: &str = "in-a-process-of-its-own";
/// No row takes so long, in real time, unless it hangs.
const LIMIT: Duration = Duration::from_secs(30);
const BEGINS: &str = "row begins: ";
const WRONG: &str = "row is wrong: ";
const OVER: &str = "rows are over: ";

/// Runs each row; fails with all that were wrong. It is called by a `#[test]` function, whose name it finds by the name of its thread.
pub(crate) fn each_row<R: std::fmt::Debug>(rows: &[R], run: impl Fn(&R) -> Result<(), String>) {
    if std::env::args().any(|argument| argument == CHILD) {
        std::panic::set_hook(Box::new(|_| {}));
        for row in rows {
            tell(BEGINS, &format!("{row:?}"));
            if let Err(why) = run(row) {
                tell(WRONG, &format!("{row:?}: {}", why.replace('\n', "\\n")));
            }
        }
        return tell(OVER, &rows.len().to_string());
    }
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let arguments = [&name, CHILD, "--exact", "--nocapture", "--test-threads=1"];
    let program = std::env::current_exe().unwrap();
    let mut child = Command::new(program).args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (lines, read) = mpsc::channel();
    let out = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| lines.send(line)));
    let (mut last, mut wrong, mut over) = (String::new(), Vec::new(), None);
    let hangs = loop {
        match read.recv_timeout(LIMIT) {
            Ok(line) => {
                let after = |mark| line.split_once(mark).map(|(_, rest)| rest.to_owned());
                if let Some(row) = after(BEGINS) {
                    last = row;
                } else if let Some(row) = after(WRONG) {
                    wrong.push(row);
                } else if let Some(count) = after(OVER) {
                    over = Some(count);
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break false,
            Err(mpsc::RecvTimeoutError::Timeout) => break true,
        }
    };
    if hangs {
        child.kill().unwrap();
        wrong.push(format!("{last}: it hangs, and the rows after it have not run"));
    }
    let status = child.wait().unwrap();
    if !hangs && over.is_none() {
        wrong.push(format!("{last}: the process ended with it ({status}), and the rows after it have not run"));
    }
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} of {} rows are wrong:\n  {}", rows.len(), wrong.join("\n  "));
    assert_eq!(over, Some(rows.len().to_string()), "all rows have run");
}

/// Past the harness, a line at a time.
fn tell(what: &str, row: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{what}{row}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}
