//! How long a stress test goes on, and from which seed.

use std::time::{Duration, Instant};

/// How long, in seconds, and the seed of the first round; `cargo xtask stress` sets them.
const SECONDS: &str = "DSH_STRESS_SECONDS";
const SEED: &str = "DSH_STRESS_SEED";

/// How long the rounds of a stress test go on, and the seed of the first one: a few seconds from seed 1, unless the environment says
/// otherwise (`DSH_STRESS_SECONDS`, `DSH_STRESS_SEED`).
///
/// ```
/// let stress = dsh_testkit::Stress::of_seconds(0);
/// assert!(stress.length() >= std::time::Duration::ZERO);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stress {
    seconds: u64,
    seed: u64,
    begun: Instant,
}

impl Stress {
    /// So many seconds from now, unless the environment says otherwise.
    #[must_use]
    pub fn of_seconds(seconds: u64) -> Self {
        #[expect(clippy::disallowed_methods, reason = "how long the rounds go on is all that the time decides")]
        let begun = Instant::now();
        Self { seconds: given(SECONDS).unwrap_or(seconds), seed: given(SEED).unwrap_or(1), begun }
    }

    /// How long the rounds go on.
    pub fn length(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// How long they have gone on.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Whether there is to be another round.
    pub fn goes_on(&self) -> bool {
        self.elapsed() < self.length()
    }

    /// The seed of the first round.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// So many turns are left to other threads before what is late is taken for what never comes.
const TURNS: usize = 1_000_000;

/// Lets other threads go on until this holds, which it may never do. One of them may just be undoing, or dropping, what it has taken
/// out: that is late, and no leak.
///
/// ```
/// let mut turns = 0;
/// dsh_testkit::yield_until(|| {
///     turns += 1;
///     turns == 3
/// });
/// assert_eq!(turns, 3);
/// ```
pub fn yield_until(mut holds: impl FnMut() -> bool) {
    let mut turns = 0;
    while !holds() && turns < TURNS {
        std::thread::yield_now();
        turns += 1;
    }
}

fn given(variable: &str) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "a test that is told by a command how long to run")]
    let text = std::env::var(variable).ok()?;
    let number = text.parse().ok();
    assert!(number.is_some(), "{variable} is to be a number, not `{text}`");
    number
}
