//! The two lists: where foreign code is called, and what it does wrong there. Each match on them is exhaustive, so that a new site has
//! to say of every fault what comes of it.

/// An enum that knows all its values.
macro_rules! list {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($(#[$doc])* $value,)* }

        impl $name {
            pub(crate) const ALL: &[Self] = &[$(Self::$value),*];
        }
    };
}

list! {
    /// Where the kernel or the registry calls foreign code.
    Site {
        VariableProvider,
        ToolProvider,
        SectionText,
        /// The listener itself, which makes the future.
        AssembleCalled,
        /// The listener's future, in its first poll.
        AssembleBeforeNext,
        /// When its `next` has given the assembly back.
        AssembleAfterNext,
        /// In a later poll.
        AssembleLater,
        ChangeOnAdd,
        ChangeOnRemove,
        EmitListener,
        SerialCalled,
        SerialFirst,
        SerialLater,
        FiberListener,
        SyncBody,
        AsyncBodyFirst,
        AsyncBodyLater,
        SyncLink,
        AsyncLinkMade,
        AsyncLinkFirst,
        AsyncLinkLater,
        /// What a link returns, made into an outcome.
        OutcomeOfALink,
        StartCalled,
        StartAtOnce,
        StartLater,
        TaskCalled,
        TaskFirst,
        TaskLater,
        DropOfAService,
        DropOfAProvider,
        DropOfAListener,
        DropOfALink,
        DropOfAPlugin,
        /// A field of the context of an assembly.
        DropOfAnExtension,
        /// The second failure of one event, which nobody gets.
        DropOfAnUntoldFailure,
        /// The failure of a provider whose plugin left, which does not count.
        DropOfAnOutdatedFailure,
        /// Whoever waits for a teardown is woken.
        Waker,
        /// Whoever waited until all is settled has lost interest.
        DropOfAWaker,
    }
}

list! {
    /// What it does there.
    Fault {
        Fail,
        Panic,
        PanicLater,
        PanicInDestructor,
        Register,
        DisposeItself,
        DisposeOwner,
        DisposeParent,
        Assemble,
        Dispatch,
        Mount,
        Unload,
        Shutdown,
        WaitForItsEnd,
        NeverEnd,
    }
}

/// What kind of call a site is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// It returns an outcome at once.
    Call,
    /// It returns a future, and can do no more than panic.
    Making,
    /// A future.
    Poll,
    /// A destructor.
    Drop,
    /// Waking.
    Wake,
}

impl Site {
    pub(crate) fn form(self) -> Form {
        match self {
            Self::VariableProvider
            | Self::ToolProvider
            | Self::SectionText
            | Self::ChangeOnAdd
            | Self::ChangeOnRemove
            | Self::EmitListener
            | Self::FiberListener
            | Self::SyncBody
            | Self::SyncLink
            | Self::OutcomeOfALink => Form::Call,
            Self::AssembleCalled | Self::SerialCalled | Self::AsyncLinkMade | Self::StartCalled | Self::TaskCalled => {
                Form::Making
            }
            Self::AssembleBeforeNext
            | Self::AssembleAfterNext
            | Self::AssembleLater
            | Self::SerialFirst
            | Self::SerialLater
            | Self::AsyncBodyFirst
            | Self::AsyncBodyLater
            | Self::AsyncLinkFirst
            | Self::AsyncLinkLater
            | Self::StartAtOnce
            | Self::StartLater
            | Self::TaskFirst
            | Self::TaskLater => Form::Poll,
            Self::DropOfAService
            | Self::DropOfAProvider
            | Self::DropOfAListener
            | Self::DropOfALink
            | Self::DropOfAPlugin
            | Self::DropOfAnExtension
            | Self::DropOfAnUntoldFailure
            | Self::DropOfAnOutdatedFailure
            | Self::DropOfAWaker => Form::Drop,
            Self::Waker => Form::Wake,
        }
    }

    /// Whether it is a plugin's start.
    pub(crate) fn is_start(self) -> bool {
        matches!(self, Self::StartCalled | Self::StartAtOnce | Self::StartLater)
    }

    /// Why nothing can dispose the registration at this site from within, if so.
    fn has_no_disposer(self) -> Option<&'static str> {
        match self {
            Self::SyncBody | Self::AsyncBodyFirst | Self::AsyncBodyLater => {
                Some("there is no disposer before the body has ended")
            }
            Self::SyncLink
            | Self::AsyncLinkMade
            | Self::AsyncLinkFirst
            | Self::AsyncLinkLater
            | Self::OutcomeOfALink
            | Self::DropOfAService
            | Self::DropOfAProvider
            | Self::DropOfAListener
            | Self::DropOfALink => Some("its disposer is consumed: it is being undone"),
            Self::StartCalled | Self::StartAtOnce | Self::StartLater | Self::DropOfAPlugin => {
                Some("what it is of is the plugin itself: see DisposeOwner")
            }
            Self::TaskCalled => Some("there is no disposer before the task is begun"),
            Self::DropOfAnExtension | Self::Waker | Self::DropOfAWaker => Some("it is no registration"),
            Self::DropOfAnOutdatedFailure => Some("its registration has gone with its owner already"),
            Self::VariableProvider
            | Self::ToolProvider
            | Self::SectionText
            | Self::AssembleCalled
            | Self::AssembleBeforeNext
            | Self::AssembleAfterNext
            | Self::AssembleLater
            | Self::ChangeOnAdd
            | Self::ChangeOnRemove
            | Self::EmitListener
            | Self::SerialCalled
            | Self::SerialFirst
            | Self::SerialLater
            | Self::FiberListener
            | Self::TaskFirst
            | Self::TaskLater
            | Self::DropOfAnUntoldFailure => None,
        }
    }

    /// Why a wait from this site for the end of its owner is as good as anybody's, if so.
    fn is_nobodys(self) -> Option<&'static str> {
        match (self.form(), self) {
            // A link goes inside of the call.
            (Form::Call | Form::Making | Form::Poll, _) | (Form::Drop, Self::DropOfALink) => None,
            (Form::Wake, _) | (Form::Drop, Self::DropOfAWaker) => {
                Some("it is the waiting caller's, and no end waits for that one")
            }
            (Form::Drop, Self::DropOfAnExtension) => {
                Some("it is the assembling caller's, and no end waits for that one")
            }
            (Form::Drop, _) => Some("it is dropped by whoever lets go of it last, and cannot wait"),
        }
    }
}

/// Why a fault cannot be made at a site, if so.
pub(crate) fn impossible(site: Site, fault: Fault) -> Option<&'static str> {
    match fault {
        Fault::Fail => match site.form() {
            Form::Call | Form::Poll => None,
            Form::Making => Some("it returns a future, and no outcome"),
            Form::Drop => Some("a destructor returns nothing"),
            Form::Wake => Some("waking returns nothing"),
        },
        Fault::PanicLater | Fault::NeverEnd => match site.form() {
            Form::Poll => None,
            Form::Call | Form::Making => Some("it is called once and returns: it would hold the thread"),
            Form::Drop | Form::Wake => Some("it is over when it returns"),
        },
        Fault::PanicInDestructor => match site.form() {
            Form::Call | Form::Poll => None,
            Form::Making => Some("what it has is in the closure of the site that polls its future"),
            Form::Drop => Some("it is a destructor: see Panic"),
            Form::Wake => Some("see DropOfAWaker"),
        },
        Fault::DisposeItself => site.has_no_disposer(),
        Fault::WaitForItsEnd => site.is_nobodys(),
        Fault::Panic
        | Fault::Register
        | Fault::DisposeOwner
        | Fault::DisposeParent
        | Fault::Assemble
        | Fault::Dispatch
        | Fault::Mount
        | Fault::Unload
        | Fault::Shutdown => None,
    }
}
