//! The rows, by clause.

mod process;
mod rendering;
mod scopes;
mod step;
mod threads;
mod wire;

use dsh_bench::Workload;
use dsh_kernel::Failure;

use crate::growth;
use crate::options::Options;
use crate::rivals::Npm;
use crate::row::Row;

/// Measures all rows that are asked for.
pub(crate) fn measure(options: &Options) -> Result<Vec<Row>, Failure> {
    let workload = Workload::load()?;
    // First, while this process is small: a process that it starts counts as resident what this one has.
    let process = if options.wants("P6") { process::measure(options)? } else { Vec::new() };
    keep_memory();
    let npm = if options.wants("P1") || options.wants("P3") { Npm::start() } else { Err("not asked for".to_owned()) };
    let mut rows = Vec::new();
    if options.wants("P1") {
        rows.extend(step::measure(options, &workload, &npm)?);
    }
    if options.wants("P2") {
        rows.extend(rendering::measure(options, &workload)?);
    }
    if options.wants("P3") {
        rows.extend(wire::measure(options, &workload, &npm)?);
    }
    if options.wants("P4") {
        rows.extend(scopes::measure(options, &workload)?);
    }
    if options.wants("P5") {
        rows.extend(threads::measure(options, &workload)?);
    }
    rows.extend(process);
    if options.wants("growth") {
        rows.extend(growth::measure(options)?);
    }
    Ok(rows)
}

/// Makes the C library keep freed memory: else it gives the top of the heap back and takes it again in the midst of a
/// measurement, whosever turn it is. It learns that from a large block that is freed.
fn keep_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(24 << 20)));
}
