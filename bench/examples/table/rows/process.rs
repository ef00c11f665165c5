//! P6: the whole command, from its start to its end, and its size.

use dsh_kernel::Failure;

use crate::options::Options;
use crate::row::Row;

pub(super) fn measure(_options: &Options) -> Result<Vec<Row>, Failure> {
    Ok(Vec::new())
}
