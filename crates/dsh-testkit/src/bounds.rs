//! Bounds that a test states about a type.

/// Compiles only where `T` can be sent to and shared between threads.
///
/// ```
/// dsh_testkit::assert_send_sync::<dsh_testkit::Log>();
/// ```
///
/// ```compile_fail
/// dsh_testkit::assert_send_sync::<std::rc::Rc<()>>();
/// ```
pub const fn assert_send_sync<T: ?Sized + Send + Sync>() {}

/// Compiles only where the value, most often a future, can be sent to another thread; hands it back.
///
/// ```
/// let future = dsh_testkit::assert_send(async { 7 });
/// assert_eq!(dsh_testkit::block_on(future), 7);
/// ```
pub const fn assert_send<T: Send>(value: T) -> T {
    value
}
