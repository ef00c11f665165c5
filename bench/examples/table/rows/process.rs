//! P6: the command `dsh prompt` on a real project, from its start to its end: time, memory, size.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use dsh_kernel::Failure;
use wait4::Wait4 as _;

use crate::options::Options;
use crate::round::Figure;
use crate::row::{Row, Target, Unit};
use crate::timing::nanoseconds;

const FUNCTION: &str = "process.rs: measure";

/// The project.
const PROJECT: &str = "examples/coding-agent";

/// It is started so many times in each round.
const STARTS: usize = 20;

pub(super) fn measure(options: &Options) -> Result<Vec<Row>, Failure> {
    let figures = match &options.dsh {
        Some(dsh) => figures(options, dsh).map(Some)?,
        None => None,
    };
    let row = |what, unit, limit, figure: fn(&Figures) -> Figure| {
        let row = Row::new("P6", what, FUNCTION, figures.as_ref().map_or(Figure::exact(0.0), figure)).unit(unit);
        let row = if figures.is_some() { row } else { row.skipped(None, "no `--dsh` given") };
        row.target(Target::Limit(limit))
    };
    Ok(vec![
        row("`dsh prompt` on examples/coding-agent, whole process", Unit::Milliseconds, 10.0, |figures| figures.time),
        row("its largest resident memory", Unit::Megabytes, 20.0, |figures| figures.memory),
        row("the binary `dsh`, profile dist", Unit::Megabytes, 15.0, |figures| figures.size),
    ])
}

struct Figures {
    time: Figure,
    memory: Figure,
    size: Figure,
}

fn figures(options: &Options, dsh: &Path) -> Result<Figures, Failure> {
    start(dsh)?;
    let starts = (0..options.rounds * STARTS).map(|_| start(dsh)).collect::<Result<Vec<_>, _>>()?;
    let (times, memories): (Vec<f64>, Vec<f64>) = starts.into_iter().unzip();
    let size = std::fs::metadata(dsh)?.len();
    Ok(Figures { time: Figure::of(times), memory: Figure::of(memories), size: Figure::exact(megabytes(size)) })
}

/// Starts the command once: milliseconds to its end, megabytes of memory.
///
/// It gets no environment, so that nobody's own configuration is read. What the system tells as its largest memory is at
/// least what this process has itself, which is why P6 is measured first.
fn start(dsh: &Path) -> Result<(f64, f64), Failure> {
    let mut command = Command::new(dsh);
    command.env_clear().args(["prompt", "--dir", PROJECT]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = Instant::now();
    let end = command.spawn()?.wait4()?;
    let time: Duration = begun.elapsed();
    if !end.status.success() {
        return Err(Failure::msg(format!("`dsh prompt` ended with {}", end.status)));
    }
    Ok((nanoseconds(time) / 1e6, megabytes(end.rusage.maxrss)))
}

fn megabytes(bytes: u64) -> f64 {
    // Thousands of bytes fit exactly.
    f64::from(u32::try_from(bytes / 1000).unwrap_or(u32::MAX)) / 1000.0
}
