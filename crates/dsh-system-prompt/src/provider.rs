//! Providers: foreign code that is asked at each assembly, held so that neither its panic nor its destructor gets out.

use dsh_kernel::{Context, Failure, Quiet};

use crate::context::AssembleContext;
use crate::error::{Detail, Error, FailedPart};
use crate::origin::Origin;

/// The code of a provider. Whoever lets go of it last, a panic of its destructor is contained (K13).
pub(crate) type Code<T> = Quiet<Box<dyn Fn(&AssembleContext) -> Result<T, Failure> + Send + Sync>>;

/// Code with the context that it runs in. Only what may still call it holds one: never an assembly.
pub(crate) struct Provider<T> {
    ctx: Context,
    code: Code<T>,
}

impl<T> Provider<T> {
    pub(crate) fn new(ctx: &Context, code: Code<T>) -> Self {
        Self { ctx: ctx.clone(), code }
    }

    /// Calls it: its failure, or its panic, becomes an error that names owner and part (S8, K13).
    pub(crate) fn ask(
        &self,
        origin: &Origin,
        cx: &AssembleContext,
        part: impl FnOnce() -> FailedPart,
    ) -> Result<T, Error> {
        let answer = self.ctx.call(|| (self.code)(cx)).and_then(|answer| answer);
        answer.map_err(|failure| {
            let detail = Detail::ProviderFailed { part: part(), failure };
            Error::about(detail, Some(origin.owner().clone()), None)
        })
    }
}
