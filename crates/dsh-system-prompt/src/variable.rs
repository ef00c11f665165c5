//! Variables: named values that section texts refer to as `{{name}}` (S4).

use std::fmt;

use dsh_kernel::{Failure, Name};

use crate::context::AssembleContext;
use crate::provenance::Stability;
use crate::provider::Code;
use crate::value::{IntoValue, Value};

/// A variable to be registered: a name `[a-z][a-z0-9_]*`, and a value that is fixed or computed (S4).
///
/// No value (`None`) is allowed, and is an error only where a section refers to it.
///
/// ```
/// use std::sync::Arc;
/// use dsh_system_prompt::{PromptVariable, Stability};
///
/// let project = PromptVariable::new("project", "dsh");
/// let branch = PromptVariable::computed("branch", |_| None::<String>).stability(Stability::Turn);
/// // Handing out a clone of a kept string copies no text.
/// let kept: Arc<str> = "/srv/work".into();
/// let cwd = PromptVariable::computed("cwd", move |_| kept.clone());
/// # drop((project, branch, cwd));
/// ```
pub struct PromptVariable {
    pub(crate) name: Name,
    pub(crate) body: VariableBody,
    pub(crate) stability: Stability,
}

pub(crate) enum VariableBody {
    Fixed(Option<Value>),
    Computed(Code<Option<Value>>),
}

impl PromptVariable {
    /// A variable whose value is fixed.
    pub fn new(name: impl Into<Name>, value: impl IntoValue) -> Self {
        Self { name: name.into(), body: VariableBody::Fixed(value.into_value()), stability: Stability::Static }
    }

    /// A variable whose value is computed at each assembly.
    pub fn computed<V: IntoValue>(
        name: impl Into<Name>,
        value: impl Fn(&AssembleContext) -> V + Send + Sync + 'static,
    ) -> Self {
        Self::try_computed(name, move |cx| Ok(value(cx)))
    }

    /// A variable whose value is computed at each assembly and may fail, which fails the assembly (S8).
    pub fn try_computed<V: IntoValue>(
        name: impl Into<Name>,
        value: impl Fn(&AssembleContext) -> Result<V, Failure> + Send + Sync + 'static,
    ) -> Self {
        let body = VariableBody::Computed(Code::new(Box::new(move |cx| value(cx).map(IntoValue::into_value))));
        Self { name: name.into(), body, stability: Stability::Step }
    }

    /// How often the value may change (X4). Without this, a fixed value is static and a computed one may change each step.
    #[must_use]
    pub fn stability(mut self, stability: Stability) -> Self {
        self.stability = stability;
        self
    }
}

impl fmt::Debug for PromptVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptVariable").field("name", &self.name).finish_non_exhaustive()
    }
}
