//! The restrictions of the format, as rules that a step or a scenario can break.

use std::fmt;

use crate::scenario::{Action, Content, Part, Scenario, Step};

/// A restriction of `FORMAT.md` that a scenario breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// An id is used that no successful step made.
    UnknownId,
    /// An id is made twice.
    IdTaken,
    /// D1: a throwing variable provider under a shadow.
    ThrowsUnderShadow,
    /// D2: a listener throws where a later one hears the event.
    ThrowsBeforeOthers,
    /// D3: a listener throws in a rollback, a composite's end or an unload.
    ThrowsInTeardown,
    /// D4: two visible tools of one name.
    ToolTwice,
    /// D5: a group that begins with a quote.
    QuotedGroup,
    /// D7: `next` after `replace`, or two of it.
    NextTwice,
    /// D8: a registration on a plugin that is pending or failed.
    NotActive,
    /// D13: a listener leaves a variable or a tool in an assembly whose name nobody could register.
    LeavesWrongName,
    /// Two waits, sums included, that are too near to each other to order what they end.
    WaitsTooNear,
    /// A step looks at what a rollback still undoes.
    LooksAtRollback,
    /// A composite is rolled back while a service that it collected wakes a plugin, whose start could fail or meet what the
    /// rollback still holds.
    WakesInRollback,
    /// A render with the identity's own words behind other text.
    IdentityNotFirst,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownId => "an id is used that no successful step made",
            Self::IdTaken => "an id is made twice",
            Self::ThrowsUnderShadow => "D1: a throwing variable provider stands under a shadow",
            Self::ThrowsBeforeOthers => "D2: a listener throws where a later one hears the event",
            Self::ThrowsInTeardown => "D3: a listener throws in a rollback, a composite's end or an unload",
            Self::ToolTwice => "D4: two visible tools have one name",
            Self::QuotedGroup => "D5: a group begins with a quote",
            Self::NextTwice => "D7: `next` stands after `replace` or twice",
            Self::NotActive => "D8: a registration on a plugin that is pending or failed",
            Self::LeavesWrongName => "D13: a listener leaves a name in an assembly that nobody could register",
            Self::WaitsTooNear => "two waits or sums of waits are too near to each other",
            Self::LooksAtRollback => "a step looks at what a rollback still undoes",
            Self::WakesInRollback => "a plugin is woken by a service of a composite that is rolled back",
            Self::IdentityNotFirst => "the identity would be rendered behind other text",
        })
    }
}

/// D7, which the list of actions alone decides.
pub(super) fn check_actions(actions: &[Action]) -> Result<(), Rule> {
    let mut spent = false;
    for action in actions {
        match action {
            Action::Next if spent => return Err(Rule::NextTwice),
            Action::Next | Action::Replace(_) => spent = true,
            Action::Stop | Action::Throw(_) => return Ok(()),
            Action::Log(_)
            | Action::PushSection(_)
            | Action::DropSection(_)
            | Action::SetText { .. }
            | Action::SetVariable { .. }
            | Action::PushTool(_)
            | Action::DropTool(_) => {}
        }
    }
    Ok(())
}

/// D5, which the texts alone decide: no template of the scenario holds a group that begins with a quote.
pub(super) fn check_texts(scenario: &Scenario) -> Result<(), (usize, Rule)> {
    check_text(scenario.config.persona.as_deref().unwrap_or_default()).map_err(|rule| (0, rule))?;
    for (index, step) in scenario.steps.iter().enumerate() {
        check_step_texts(step).map_err(|rule| (index, rule))?;
    }
    Ok(())
}

pub(super) fn check_step_texts(step: &Step) -> Result<(), Rule> {
    for part in step.parts() {
        if let Part::Section(section) = part
            && let Content::Fixed(text) | Content::Dynamic(text) = &section.text
        {
            check_text(text)?;
        }
    }
    let Step::OnAssemble { actions, .. } = step else { return Ok(()) };
    for action in actions {
        match action {
            Action::PushSection(section) => check_text(&section.text)?,
            Action::SetText { text, .. } => check_text(text)?,
            Action::Replace(assembly) => assembly.sections.iter().try_for_each(|section| check_text(&section.text))?,
            Action::Log(_)
            | Action::DropSection(_)
            | Action::SetVariable { .. }
            | Action::PushTool(_)
            | Action::DropTool(_)
            | Action::Next
            | Action::Stop
            | Action::Throw(_) => {}
        }
    }
    Ok(())
}

fn check_text(text: &str) -> Result<(), Rule> {
    if text.contains("{{\"") { Err(Rule::QuotedGroup) } else { Ok(()) }
}
