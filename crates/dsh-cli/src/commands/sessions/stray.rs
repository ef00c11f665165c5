//! What is given to an action that has no use for it.

use super::word;
use crate::args::{SessionsAction, SessionsArgs};
use crate::diagnostic::Diagnostic;

/// The first thing that the action would pass over in silence.
pub(super) fn stray(arguments: &SessionsArgs) -> Option<Diagnostic> {
    use SessionsAction::{Fork, List, Show};

    let action = arguments.action;
    let options = [
        (arguments.turn.is_some(), "--turn", &[Fork][..], "for `fork`: the last turn to take over"),
        (arguments.all, "--all", &[List], "for `list`: the sessions of all folders"),
        (arguments.json, "--json", &[List, Show], "for `list` and `show`; `export` prints JSON anyway"),
    ];
    let word = word(action);
    if let Some((_, option, _, what)) = options.iter().find(|(given, _, of, _)| *given && !of.contains(&action)) {
        let headline = format!("`dsh sessions {word}` has no use for `{option}`");
        return Some(Diagnostic::error(CODE, headline).with_help(format!("`{option}` is {what}")));
    }
    arguments.session.as_ref().filter(|_| action == List).map(|_| {
        let headline = format!("`dsh sessions {word}` has no use for the name of a session");
        Diagnostic::error(CODE, headline).with_help("`dsh sessions show` shows one")
    })
}

const CODE: &str = "session::stray_option";
