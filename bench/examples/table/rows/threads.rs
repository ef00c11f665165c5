//! P5: two threads that assemble and render for different agents.

use dsh_bench::Workload;
use dsh_kernel::Failure;

use crate::options::Options;
use crate::row::Row;

pub(super) fn measure(_options: &Options, _workload: &Workload) -> Result<Vec<Row>, Failure> {
    Ok(Vec::new())
}
