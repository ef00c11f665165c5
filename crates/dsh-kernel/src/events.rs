//! Events: typed, each in the one mode that its type fixes (K11).

mod dispatch;
mod hub;
mod listen;

use std::future::Future;

use crate::clock::BoxFuture;
use crate::failure::Failure;
use crate::fiber::FiberState;
use crate::owner::Owner;
use crate::scope_key::ScopeKey;
use crate::sync::Arc;

pub use dispatch::Next;
pub(crate) use hub::Events;
pub use listen::Prepended;

/// How an event is heard.
pub trait EventMode: sealed::Sealed + 'static {
    /// The mode's name, for the catalog.
    const NAME: &'static str;
}

/// Synchronous: every listener hears, and the first failure is returned after all have heard.
#[derive(Clone, Copy, Debug)]
pub struct Emit;

/// Asynchronous, one listener after the other: the first answer wins.
#[derive(Clone, Copy, Debug)]
pub struct Serial;

/// Asynchronous, one listener round the other: each gets the value and `next`, and returns the value.
#[derive(Clone, Copy, Debug)]
pub struct Waterfall;

mod sealed {
    #[expect(unnameable_types, reason = "that nobody else can name it is its purpose")]
    pub trait Sealed {}
    impl Sealed for super::Emit {}
    impl Sealed for super::Serial {}
    impl Sealed for super::Waterfall {}
}

impl EventMode for Emit {
    const NAME: &'static str = "emit";
}

impl EventMode for Serial {
    const NAME: &'static str = "serial";
}

impl EventMode for Waterfall {
    const NAME: &'static str = "waterfall";
}

/// A type of event. Its value is what listeners are told; its mode is fixed by the type (K11).
///
/// ```
/// use dsh_kernel::{Audience, Emit, Event, Kernel};
///
/// struct Saved { path: String }
///
/// impl Event for Saved {
///     const NAME: &'static str = "editor/saved";
///     const DOC: &'static str = "A file was written.";
///     type Mode = Emit;
/// }
///
/// let kernel = Kernel::new();
/// let root = kernel.root();
/// root.on(|saved: &Saved| println!("{}", saved.path))?;
/// root.emit(&Saved { path: "notes.md".into() }, Audience::Everyone)?;
/// # Ok::<(), dsh_kernel::Error>(())
/// ```
pub trait Event: Send + Sync + 'static {
    /// The event's name, such as `system-prompt/change`.
    const NAME: &'static str;

    /// One line on when it comes.
    const DOC: &'static str;

    /// [`Emit`], [`Serial`] or [`Waterfall`].
    type Mode: EventMode;
}

/// A serial event: listeners are awaited one by one until one answers.
pub trait SerialEvent: Event<Mode = Serial> {
    /// What a listener may answer.
    type Answer: Send + 'static;
}

/// A waterfall event. The event itself is the context that all listeners share; the value goes from one to the next.
///
/// ```
/// use std::sync::Arc;
/// use dsh_kernel::{Audience, Event, Kernel, Waterfall, WaterfallEvent};
///
/// struct Polish;
///
/// impl Event for Polish {
///     const NAME: &'static str = "text/polish";
///     const DOC: &'static str = "A text is about to go out.";
///     type Mode = Waterfall;
/// }
///
/// impl WaterfallEvent for Polish {
///     type Value = String;
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let kernel = Kernel::new();
/// let root = kernel.root();
/// root.on_waterfall(|text, _: Arc<Polish>, next| async move {
///     let text = next.run(text + ", once").await?;
///     Ok(text + ".")
/// })?;
/// let text = root.waterfall(Arc::new(Polish), "said".to_owned(), Audience::Everyone).await?;
/// assert_eq!(text, "said, once.");
/// # Ok::<(), dsh_kernel::Error>(())
/// # }).unwrap();
/// ```
pub trait WaterfallEvent: Event<Mode = Waterfall> {
    /// What goes through the listeners.
    type Value: Send + 'static;

    /// Called whenever the value comes into a listener's hands, with the listener's owner: before the listener, and when
    /// its `next` gives the value back. So a value can record who edits it (K11).
    fn entering(&self, _value: &mut Self::Value, _owner: &Owner) {}

    /// Called whenever the value leaves a listener's hands, with the listener's owner: when it calls `next`, and when it
    /// returns. A value that a listener made afresh meets this hook first.
    fn leaving(&self, _value: &mut Self::Value, _owner: &Owner) {}
}

/// Who hears a dispatch (K12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Audience {
    /// All listeners, whatever their scope: an unfiltered dispatch.
    Everyone,
    /// Listeners without a scope: a filtered dispatch without a key.
    Untagged,
    /// Listeners without a scope, and those of this one.
    Scope(ScopeKey),
}

impl From<Option<ScopeKey>> for Audience {
    /// The audience of a filtered dispatch for that key.
    fn from(key: Option<ScopeKey>) -> Self {
        key.map_or(Self::Untagged, Self::Scope)
    }
}

/// `kernel/fiber`: a fiber has gone from one state to another (K2). A failing listener is logged.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FiberChanged {
    /// Which fiber.
    pub path: Owner,
    /// The state that it left.
    pub from: FiberState,
    /// The state that it is in.
    pub to: FiberState,
}

impl Event for FiberChanged {
    const NAME: &'static str = "kernel/fiber";
    const DOC: &'static str = "A fiber has gone from one state to another.";
    type Mode = Emit;
}

pub(crate) type EmitListener<E> = dyn Fn(&E) -> Result<(), Failure> + Send + Sync;
pub(crate) type SerialListener<E> =
    dyn Fn(Arc<E>) -> BoxFuture<'static, Result<Option<<E as SerialEvent>::Answer>, Failure>> + Send + Sync;
pub(crate) type WaterfallListener<E> = dyn Fn(
        <E as WaterfallEvent>::Value,
        Arc<E>,
        Next<E>,
    ) -> BoxFuture<'static, Result<<E as WaterfallEvent>::Value, Failure>>
    + Send
    + Sync;

/// A future that a listener returns.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what this listener returns",
    note = "it returns a future, `Send` and without borrows, of `Result<{T}, Failure>`"
)]
pub trait ListenerFuture<T>: Future<Output = Result<T, Failure>> + Send + 'static {}

impl<T, F: Future<Output = Result<T, Failure>> + Send + 'static> ListenerFuture<T> for F {}
