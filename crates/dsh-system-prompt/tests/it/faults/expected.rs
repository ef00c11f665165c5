//! What has to come of each row.

use super::scene::same;
use super::table::{Fault, Form, Site};

/// What came of a fault.
#[derive(Debug, Default)]
pub(crate) struct Came {
    /// Whoever came to the site was told this.
    pub(crate) told: String,
    /// The foreign code did, and was told, this.
    pub(crate) said: String,
    pub(crate) logged: String,
}

impl Came {
    pub(crate) fn is_as(&self, expected: &Self) -> Result<(), String> {
        let parts = [
            same("who came there was told", &self.told, &expected.told),
            same("the code was told", &self.said, &expected.said),
            same("the log", &self.logged, &expected.logged),
        ];
        let wrong: Vec<_> = parts.into_iter().filter_map(Result::err).collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }
}

pub(crate) struct Expected {
    pub(crate) came: Came,
    /// The next assembly.
    pub(crate) prompt: String,
    /// The next one when the culprit has gone.
    pub(crate) without_culprit: String,
}

pub(crate) fn expected(site: Site, fault: Fault) -> Expected {
    let victim = fault != Fault::Unload;
    let stays = !matches!(fault, Fault::DisposeItself | Fault::PanicInDestructor);
    let part = if stays { site.part() } else { Part::None };
    let prompt = if culprit_stays(site, fault) { prompt(victim, Culprit::Here, part) } else { without_culprit(victim) };
    let came = Came { told: told(site, fault), said: said(site, fault), logged: logged(site, fault) };
    Expected { came, prompt, without_culprit: without_culprit(victim) }
}

/// What the site itself gives to a prompt.
#[derive(Clone, Copy)]
enum Part {
    None,
    Section,
    Variable,
    Tool,
}

impl Site {
    const fn part(self) -> Part {
        match self {
            Self::VariableProvider => Part::Variable,
            Self::ToolProvider => Part::Tool,
            Self::SectionText => Part::Section,
            _ => Part::None,
        }
    }

    /// Whether the culprit is gone, or going for good, when its code runs.
    pub(crate) fn is_of_the_gone(self) -> bool {
        matches!(self, Self::DropOfAPlugin | Self::DropOfAnOutdatedFailure)
    }

    /// Whether the end of its owner has to wait for the code.
    fn is_waited_for(self) -> bool {
        match self {
            // A call inside a provider or a listener is not waited for (K9), and what is dropped by a caller is his.
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
            | Self::DropOfAnExtension
            | Self::DropOfAnUntoldFailure
            | Self::DropOfAnOutdatedFailure
            | Self::Waker
            | Self::DropOfAWaker => false,
            Self::SyncBody
            | Self::AsyncBodyFirst
            | Self::AsyncBodyLater
            | Self::SyncLink
            | Self::AsyncLinkMade
            | Self::AsyncLinkFirst
            | Self::AsyncLinkLater
            | Self::OutcomeOfALink
            | Self::StartCalled
            | Self::StartAtOnce
            | Self::StartLater
            | Self::TaskCalled
            | Self::TaskFirst
            | Self::TaskLater
            | Self::DropOfAService
            | Self::DropOfAProvider
            | Self::DropOfAListener
            | Self::DropOfALink
            | Self::DropOfAPlugin => true,
        }
    }
}

/// Whether the plugin of the faulty code has a part in the prompt.
#[derive(Clone, Copy)]
enum Culprit {
    Here,
    Gone,
}

fn prompt(victim: bool, culprit: Culprit, part: Part) -> String {
    let victim = if victim { "/victim" } else { "" };
    let culprit = match culprit {
        Culprit::Here => "/culprit",
        Culprit::Gone => "",
    };
    let (section, variable, tool) = match part {
        Part::None => ("", "", ""),
        Part::Section => ("/site", "", ""),
        Part::Variable => ("", " site", ""),
        Part::Tool => ("", "", " s_tool"),
    };
    format!("neighbour at work{victim}{culprit}{section} [calm{variable}] [n_tool{tool}]")
}

fn without_culprit(victim: bool) -> String {
    prompt(victim, Culprit::Gone, Part::None)
}

fn culprit_stays(site: Site, fault: Fault) -> bool {
    let fails = matches!(fault, Fault::Fail | Fault::Panic | Fault::PanicLater);
    let goes = matches!(fault, Fault::DisposeOwner | Fault::DisposeParent | Fault::WaitForItsEnd | Fault::Shutdown);
    !(goes || (site.is_start() && fails) || site.is_of_the_gone())
}

/// What the code fails with, where it is its call that fails.
fn failure(site: Site, fault: Fault) -> Option<&'static str> {
    match fault {
        Fault::Fail => Some("refused"),
        Fault::Panic | Fault::PanicLater => Some("panicked: boom"),
        // What a body, a link or a task owns goes with its call.
        Fault::PanicInDestructor => {
            let is_consumed = matches!(
                site,
                Site::SyncBody
                    | Site::AsyncBodyFirst
                    | Site::AsyncBodyLater
                    | Site::SyncLink
                    | Site::AsyncLinkFirst
                    | Site::AsyncLinkLater
                    | Site::OutcomeOfALink
                    | Site::TaskFirst
                    | Site::TaskLater
            );
            is_consumed.then_some("panicked: boom")
        }
        _ => None,
    }
}

/// What was told where the site was come to.
fn told(site: Site, fault: Fault) -> String {
    let failure = failure(site, fault);
    let failed = |code: &str, label: &str| failure.map(|failure| format!("{code} of host/culprit{label}: {failure}"));
    let removed = if fault == Fault::PanicInDestructor { ", removed: ok" } else { "" };
    match site {
        Site::VariableProvider | Site::ToolProvider | Site::SectionText => {
            let label = if site == Site::ToolProvider { "" } else { " at site" };
            failed("prompt::provider_failed", label).unwrap_or_else(|| assembled(site, fault)) + removed
        }
        Site::AssembleCalled | Site::AssembleBeforeNext | Site::AssembleAfterNext | Site::AssembleLater => {
            failed("kernel::listener_failed", " at system-prompt/assemble").unwrap_or_else(|| assembled(site, fault))
        }
        Site::ChangeOnAdd => {
            if fault == Fault::Shutdown {
                // The neighbour is disposed in the midst of its registration.
                return "kernel::inactive of neighbour at section trigger, rolled back: ok".to_owned();
            }
            let failed = failed("kernel::listener_failed", " at system-prompt/change");
            failed.map_or_else(|| "ok".to_owned(), |failed| failed + ", rolled back: ok") + removed
        }
        Site::ChangeOnRemove => match failure {
            Some(failure) => format!(
                "kernel::links_failed of neighbour at section trigger: a listener of `system-prompt/change` of `host/culprit` failed: {failure}"
            ),
            None => format!("ok{removed}"),
        },
        Site::EmitListener => failed("kernel::listener_failed", " at test/ping").unwrap_or("ok".to_owned()) + removed,
        Site::SerialCalled | Site::SerialFirst | Site::SerialLater => {
            // When all is shut down, the neighbour is not asked any more (K11).
            let answer = if fault == Fault::Shutdown { "answer None" } else { "answer Some(\"neighbour\")" }.to_owned();
            failed("kernel::listener_failed", " at test/ask").unwrap_or(answer)
        }
        // Its failure is only logged (K2).
        Site::FiberListener => format!("ok{removed}"),
        Site::SyncBody | Site::AsyncBodyFirst | Site::AsyncBodyLater => body(fault, failure),
        Site::SyncLink
        | Site::AsyncLinkMade
        | Site::AsyncLinkFirst
        | Site::AsyncLinkLater
        | Site::OutcomeOfALink
        | Site::DropOfALink => failed("kernel::links_failed", " at site").unwrap_or("ok".to_owned()),
        Site::StartCalled | Site::StartAtOnce | Site::StartLater => match fault {
            Fault::DisposeOwner | Fault::DisposeParent | Fault::Shutdown | Fault::WaitForItsEnd => {
                match start_is_refused(site) {
                    Some(refused) => format!("kernel::start_failed of host/culprit: {refused}"),
                    None => "kernel::disposed of host/culprit".to_owned(),
                }
            }
            _ => failed("kernel::start_failed", "").unwrap_or("ok".to_owned()),
        },
        // Nobody waits for a task; its failure is logged (K14).
        Site::TaskCalled | Site::TaskFirst | Site::TaskLater => "ended".to_owned(),
        Site::DropOfAService | Site::DropOfAListener | Site::DropOfAPlugin | Site::Waker | Site::DropOfAWaker => {
            "ok".to_owned()
        }
        Site::DropOfAProvider => format!("{}, removed: ok", prompt(true, Culprit::Here, Part::Section)),
        Site::DropOfAnExtension => prompt(true, Culprit::Here, Part::None),
        Site::DropOfAnUntoldFailure => {
            "kernel::listener_failed of neighbour at test/ping: first, removed: ok".to_owned()
        }
        Site::DropOfAnOutdatedFailure => assembled(site, fault),
    }
}

/// What became of the assembly in which the code ran: all of a plugin or nothing of it, as it stands at the end (S8).
fn assembled(site: Site, fault: Fault) -> String {
    match fault {
        // The registry has gone with all others: the kernel is shut down.
        Fault::Shutdown => "kernel::inactive of root at system-prompt".to_owned(),
        _ if culprit_stays(site, fault) => prompt(fault != Fault::Unload, Culprit::Here, site.part()),
        _ => without_culprit(fault != Fault::Unload),
    }
}

/// A start that disposes its own plugin before it has registered anything is refused that, and so fails (K2).
fn start_is_refused(site: Site) -> Option<&'static str> {
    let refused = "`host/culprit` is being disposed and takes no `section culprit` any more";
    (site == Site::StartCalled).then_some(refused)
}

fn body(fault: Fault, failure: Option<&str>) -> String {
    match (fault, failure) {
        (_, Some(failure)) => format!("kernel::body_failed of host/culprit at site: {failure}, rolled back: ok"),
        // Disposed by its own body: undone as soon as that has ended (K8).
        (Fault::DisposeOwner | Fault::DisposeParent | Fault::Shutdown | Fault::WaitForItsEnd, None) => {
            "kernel::inactive of host/culprit at site, rolled back: ok".to_owned()
        }
        (_, None) => "ok, undone: ok".to_owned(),
    }
}

/// What the code did and was told, once.
fn said(site: Site, fault: Fault) -> String {
    let mut said = vec!["ran".to_owned()];
    said.extend(answer(site, fault));
    let has_a_link = matches!(
        site,
        Site::SyncBody
            | Site::AsyncBodyFirst
            | Site::AsyncBodyLater
            | Site::SyncLink
            | Site::AsyncLinkMade
            | Site::AsyncLinkFirst
            | Site::AsyncLinkLater
            | Site::OutcomeOfALink
            | Site::DropOfALink
    );
    if has_a_link {
        // Undoing goes on whatever happens (K7).
        said.push("undone".to_owned());
    }
    said.join(", ")
}

fn answer(site: Site, fault: Fault) -> Option<String> {
    let accepted = |label: &str| {
        if site.is_of_the_gone() { format!("kernel::inactive of host/culprit at {label}") } else { "ok".to_owned() }
    };
    let ends = || if site.is_waited_for() { "waits" } else { "ok" }.to_owned();
    // Of others, a registration or its undoing is under way, a plugin is starting, a scope is unloading.
    let is_others = matches!(site, Site::ChangeOnAdd | Site::ChangeOnRemove | Site::FiberListener | Site::DropOfAWaker);
    Some(match fault {
        Fault::Fail | Fault::Panic | Fault::PanicLater | Fault::NeverEnd => return None,
        Fault::PanicInDestructor => "dropped".to_owned(),
        Fault::Register => accepted("section extra"),
        Fault::Mount => accepted("child"),
        // A task cannot have ended while it runs; what is in a listener or provider is not waited for.
        Fault::Shutdown if is_others => "waits".to_owned(),
        Fault::DisposeItself | Fault::DisposeOwner | Fault::DisposeParent | Fault::Shutdown => ends(),
        // Its own listener takes more than one poll.
        Fault::Assemble if site == Site::AssembleLater => "waits".to_owned(),
        Fault::Assemble | Fault::Unload => "ok".to_owned(),
        Fault::Dispatch => match site {
            Site::SerialLater => "ok waits ok".to_owned(),
            Site::DropOfAnUntoldFailure => "kernel::listener_failed of neighbour at test/ping: first ok ok".to_owned(),
            _ => "ok ok ok".to_owned(),
        },
        Fault::WaitForItsEnd => {
            let of_a_start = if site.is_start() { " kernel::reentrant" } else { "" };
            format!("kernel::reentrant kernel::reentrant{of_a_start}")
        }
    })
}

fn logged(site: Site, fault: Fault) -> String {
    let failure = failure(site, fault);
    let line = |what: &str, failure: &str| format!("{what} failure={failure:?}");
    let of_culprit = |what: &str, label: &str| {
        failure.map(|failure| line(&format!("{what} owner=host/culprit{label}"), failure)).unwrap_or_default()
    };
    if fault == Fault::PanicInDestructor && failure.is_none() {
        let what = match site.form() {
            Form::Poll => "ERROR the destructor of a future panicked",
            Form::Call | Form::Making | Form::Drop | Form::Wake => "ERROR a destructor panicked",
        };
        return line(what, "panicked: boom");
    }
    match site {
        Site::SyncLink
        | Site::AsyncLinkMade
        | Site::AsyncLinkFirst
        | Site::AsyncLinkLater
        | Site::OutcomeOfALink
        | Site::DropOfALink => of_culprit("WARN a link failed", " label=site"),
        Site::StartCalled | Site::StartAtOnce | Site::StartLater => match (start_is_refused(site), fault) {
            (Some(refused), Fault::DisposeOwner | Fault::DisposeParent | Fault::Shutdown | Fault::WaitForItsEnd) => {
                line("ERROR a plugin's start failed owner=host/culprit", refused)
            }
            _ => of_culprit("ERROR a plugin's start failed", ""),
        },
        Site::TaskCalled | Site::TaskFirst | Site::TaskLater => of_culprit("ERROR a task failed", " label=site"),
        Site::FiberListener => of_culprit("ERROR a listener of kernel/fiber failed", ""),
        Site::ChangeOnRemove => match failure {
            Some(failure) => {
                let failure = format!("a listener of `system-prompt/change` of `host/culprit` failed: {failure}");
                line("WARN a link failed owner=neighbour label=section trigger", &failure)
            }
            None => String::new(),
        },
        Site::DropOfAService
        | Site::DropOfAProvider
        | Site::DropOfAListener
        | Site::DropOfAPlugin
        | Site::DropOfAnExtension
        | Site::DropOfAnUntoldFailure
        | Site::DropOfAnOutdatedFailure
        | Site::DropOfAWaker => failure.map(|failure| line("ERROR a destructor panicked", failure)).unwrap_or_default(),
        Site::Waker => failure.map(|failure| line("ERROR a waker panicked", failure)).unwrap_or_default(),
        // Whoever came there is told.
        Site::VariableProvider
        | Site::ToolProvider
        | Site::SectionText
        | Site::AssembleCalled
        | Site::AssembleBeforeNext
        | Site::AssembleAfterNext
        | Site::AssembleLater
        | Site::ChangeOnAdd
        | Site::EmitListener
        | Site::SerialCalled
        | Site::SerialFirst
        | Site::SerialLater
        | Site::SyncBody
        | Site::AsyncBodyFirst
        | Site::AsyncBodyLater => String::new(),
    }
}

/// The assembly while the code of a site never ends, and when the culprit has gone.
pub(crate) fn prompts(site: Site) -> (String, String) {
    (prompt(true, Culprit::Here, site.part()), without_culprit(true))
}
