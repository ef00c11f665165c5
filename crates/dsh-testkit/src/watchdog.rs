//! Ends the run where a round hangs, and says which: a lost wake-up or a deadlock shows as this.

use std::io::Write;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::given_time::GivenTime;

/// How long a round may take, in real time, before it is taken to hang. One takes well under a second.
const LIMIT: Duration = Duration::from_secs(30);
/// How long the dog waits for an account of what hangs.
const ACCOUNT: Duration = Duration::from_secs(5);

/// Alive while the rounds of a stress test run; told of each. Where nothing moves for half a minute, it says what there is and ends
/// the process.
///
/// ```
/// use dsh_testkit::Watchdog;
///
/// let watchdog = Watchdog::start(|| "what there is".to_owned());
/// watchdog.beat("the round of seed 1".to_owned());
/// ```
#[derive(Debug)]
pub struct Watchdog {
    beats: mpsc::Sender<String>,
}

impl Watchdog {
    /// `account` says what there is; it is asked on a thread of its own, since it may hang too.
    pub fn start(account: impl Fn() -> String + Send + Sync + 'static) -> Self {
        let (beats, heard) = mpsc::channel::<String>();
        let account = Arc::new(account);
        std::thread::spawn(move || {
            let Some((doing, given)) = watch(&heard) else { return };
            say(&format!("\nnothing has moved for {LIMIT:?} in {doing} ({given})\n"));
            let told = Arc::new(Mutex::new(false));
            let (teller, flag) = (Arc::clone(&account), Arc::clone(&told));
            let (done, ended) = mpsc::channel::<()>();
            std::thread::spawn(move || {
                say(&teller());
                *flag.lock().unwrap_or_else(PoisonError::into_inner) = true;
                drop(done);
            });
            let _in_time = ended.recv_timeout(ACCOUNT);
            if !*told.lock().unwrap_or_else(PoisonError::into_inner) {
                say("not even an account of it ends: a lock is held\n");
            }
            // Nobody else can end a test that waits for ever.
            std::process::abort();
        });
        Self { beats }
    }

    /// Something else begins.
    pub fn beat(&self, doing: String) {
        drop(self.beats.send(doing));
    }
}

/// Returns when what is being done hangs, with what that is; nothing when the run is over.
///
/// A thread that is ready and is given no processor does not hang, its machine has too much to do: such time does not count. One
/// that waits for a lock is not ready, and one that turns in a circle is given its time.
fn watch(heard: &mpsc::Receiver<String>) -> Option<(String, String)> {
    let mut doing = String::from("the beginning");
    let (mut begun, mut last) = (GivenTime::now(), GivenTime::now());
    loop {
        match heard.recv_timeout(LIMIT) {
            Ok(next) => {
                (doing, begun) = (next, GivenTime::now());
                last = begun;
            }
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                let now = GivenTime::now();
                let (since_begun, since_last) = (now.since(begun), now.since(last));
                if since_begun.ran >= LIMIT || since_last.was_ready < LIMIT / 4 {
                    return Some((doing, since_begun.to_string()));
                }
                last = now;
            }
        }
    }
}

/// Past libtest's capture.
fn say(message: &str) {
    drop(std::io::stderr().write_all(message.as_bytes()));
}
