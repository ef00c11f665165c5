//! Futures that are ready at once, driven without a runtime's cost.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use dsh_kernel::Failure;
use tokio::runtime::{Builder, Runtime};

/// The runtime that everything here is called in: entered, not running, since nothing that is measured waits.
///
/// # Errors
///
/// Where the system refuses one.
pub fn runtime() -> Result<Runtime, Failure> {
    Ok(Builder::new_current_thread().enable_time().build()?)
}

/// What a future gives that is ready when it is first polled.
///
/// # Errors
///
/// Where it is not.
///
/// ```
/// assert_eq!(dsh_bench::at_once(async { 2 }).unwrap(), 2);
/// assert!(dsh_bench::at_once(std::future::pending::<()>()).is_err());
/// ```
pub fn at_once<F: Future>(future: F) -> Result<F::Output, Failure> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Ok(output),
        Poll::Pending => Err(Failure::msg("what should have been ready at once is waiting")),
    }
}
