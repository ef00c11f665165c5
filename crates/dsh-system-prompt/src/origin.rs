//! Where a registration comes from. An origin holds no code and no context, so that it may be kept for as long as anybody likes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dsh_kernel::{Context, FiberState, Owner};

use crate::provenance::PartLayer;
use crate::state::Unfinished;

/// Whose a registration is, in which layer, and whether it went with its owner.
pub(crate) struct Origin {
    owner: Owner,
    layer: PartLayer,
    /// Set when the registration was undone because its owner left, not by its disposer alone.
    left: AtomicBool,
}

impl Origin {
    pub(crate) fn new(ctx: &Context) -> Arc<Self> {
        Arc::new(Self { owner: ctx.owner(), layer: ctx.scope_key().into(), left: AtomicBool::new(false) })
    }

    pub(crate) fn owner(&self) -> &Owner {
        &self.owner
    }

    pub(crate) fn layer(&self) -> PartLayer {
        self.layer
    }

    /// Notes that the registration is being undone; returns whether its owner is leaving.
    pub(crate) fn removed(&self) -> bool {
        let leaves = !is_live(&self.owner);
        if leaves {
            self.left.store(true, Ordering::Release);
        }
        leaves
    }

    /// Whether the owner has left, and taken the registration with it.
    pub(crate) fn has_left(&self) -> bool {
        self.left.load(Ordering::Acquire)
    }

    /// Refuses to go on with a part whose owner has left: none of its code is called any more (K9).
    pub(crate) fn stays(&self) -> Result<(), Unfinished> {
        if self.has_left() { Err(Unfinished::Left(self.owner.clone())) } else { Ok(()) }
    }
}

/// Whether code of this owner may run.
pub(crate) fn is_live(owner: &Owner) -> bool {
    matches!(owner.state(), FiberState::Loading | FiberState::Active)
}
