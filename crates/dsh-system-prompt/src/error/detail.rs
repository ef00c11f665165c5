//! What each kind of error knows.

use dsh_kernel::{Failure, Name, Owner};

use crate::assembly::AssembledSection;
use crate::error::ErrorKind;
use crate::provenance::PartLayer;

/// At most so many names are listed in a message; [`Error::known`](crate::Error::known) has all of them.
pub(crate) const LISTED: usize = 8;

/// A section that rendering refused, with the variables that there are.
pub(crate) struct Refused {
    pub(crate) section: AssembledSection,
    pub(crate) error: dsh_template::Error,
    pub(crate) known: Vec<Name>,
    /// Of the variable that is referred to, where there is one.
    pub(crate) variable_owner: Option<Owner>,
}

impl Refused {
    pub(crate) fn is(&self, kind: dsh_template::ErrorKind) -> bool {
        self.error.kind() == kind
    }
}

/// The part whose provider failed.
pub(crate) enum FailedPart {
    Section(Name),
    Variable(Name),
    Tools,
}

pub(crate) enum Detail {
    DuplicateSection { name: Name, layer: PartLayer },
    DuplicateVariable { name: Name, layer: PartLayer },
    InvalidVariableName { name: Name },
    InvalidOrder { name: Name, order: f64 },
    Refused(Refused),
    ToolOrderDuplicate { name: Name, first: usize, position: usize },
    ToolOrderMissingRest,
    ToolOrderUnknown { unknown: Vec<(Name, usize)>, known: Vec<Name> },
    ReservedToolName { editor: Option<Owner> },
    DuplicateTool { name: Name, editor: Option<Owner> },
    ProviderFailed { part: FailedPart, failure: Failure },
    Unsettled { restarts: u32 },
    Kernel(dsh_kernel::Error),
}

impl Detail {
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::DuplicateSection { .. } => ErrorKind::DuplicateSection,
            Self::DuplicateVariable { .. } => ErrorKind::DuplicateVariable,
            Self::InvalidVariableName { .. } => ErrorKind::InvalidVariableName,
            Self::InvalidOrder { .. } => ErrorKind::InvalidOrder,
            Self::Refused(refused) if refused.is(dsh_template::ErrorKind::UnknownVariable) => {
                ErrorKind::UnknownVariable
            }
            Self::Refused(refused) if refused.is(dsh_template::ErrorKind::ValuelessVariable) => {
                ErrorKind::ValuelessVariable
            }
            Self::Refused(_) => ErrorKind::MalformedReference,
            Self::ToolOrderDuplicate { .. } => ErrorKind::ToolOrderDuplicate,
            Self::ToolOrderMissingRest => ErrorKind::ToolOrderMissingRest,
            Self::ToolOrderUnknown { .. } => ErrorKind::ToolOrderUnknown,
            Self::ReservedToolName { .. } => ErrorKind::ReservedToolName,
            Self::DuplicateTool { .. } => ErrorKind::DuplicateTool,
            Self::ProviderFailed { .. } => ErrorKind::ProviderFailed,
            Self::Unsettled { .. } => ErrorKind::Unsettled,
            Self::Kernel(_) => ErrorKind::Kernel,
        }
    }
}
