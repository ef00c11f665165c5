//! Where a session can be cut: at the end of a turn, or, where only one is left, at the end of a step.

use std::sync::Arc;

use dsh_session::{Record, SessionEvent, derive};

use super::size::size_of;
use crate::code;

/// The `seq` of the last record that gives way, so that no more than `keep` bytes of messages stay: as little as that takes, and
/// always as much as can go where nothing suffices. `None` where nothing can go.
pub(super) fn cut(records: &[Arc<Record>], keep: usize) -> Option<u64> {
    let compacted = records.iter().rev().find_map(|record| {
        if let SessionEvent::Compacted(compacted) = &record.event { Some(compacted.through_seq) } else { None }
    });
    let is_new = |seq: &u64| compacted.is_none_or(|before| *seq > before);
    let open_turn = records.last().filter(|_| is_turn_open(records)).map(|last| last.turn);
    let ends = ends_of_turns(records).filter(is_new);
    // A turn of which nothing was said is no gain.
    let best = enough(records, ends, keep);
    match (best, open_turn) {
        (Some((seq, true)), _) | (Some((seq, false)), None) => Some(seq),
        (best, Some(turn)) => {
            let steps = ends_of_steps(records, turn).filter(is_new);
            enough(records, steps, keep).or(best).map(|(seq, _)| seq)
        }
        (None, None) => None,
    }
}

/// Whether a summary was asked for in this turn and came to nothing, no more than as many steps ago as the turn had then: asking costs as
/// much again, and so a long turn asks less and less often.
pub(super) fn was_tried(records: &[Arc<Record>], turn: u32, step: u32) -> bool {
    let failed = records.iter().rev().take_while(|record| record.turn == turn).find_map(|record| {
        let SessionEvent::StepFailed(failed) = &record.event else { return None };
        (failed.code == code::NO_SUMMARY).then_some(failed.step)
    });
    failed.is_some_and(|failed| step <= failed.saturating_mul(2))
}

/// How long the summary is that stands for the oldest part already.
pub(super) fn standing(records: &[Arc<Record>]) -> usize {
    let summary = records.iter().rev().find_map(|record| {
        if let SessionEvent::Compacted(compacted) = &record.event { Some(size_of(&compacted.summary)) } else { None }
    });
    summary.unwrap_or(0)
}

/// The first of these places after which no more than `keep` bytes stay, or the last of them; and whether it suffices.
fn enough(records: &[Arc<Record>], places: impl Iterator<Item = u64>, keep: usize) -> Option<(u64, bool)> {
    let mut last = None;
    for seq in places {
        let from = usize::try_from(seq).unwrap_or(usize::MAX).saturating_add(1);
        let kept: usize = derive(records.get(from..).unwrap_or_default()).iter().map(size_of).sum();
        last = Some((seq, kept <= keep));
        if kept <= keep {
            break;
        }
    }
    last
}

fn is_turn_open(records: &[Arc<Record>]) -> bool {
    let is_end =
        |record: &&Arc<Record>| matches!(record.event, SessionEvent::TurnStarted(_) | SessionEvent::TurnEnded(_));
    records.iter().rev().find(is_end).is_some_and(|record| matches!(record.event, SessionEvent::TurnStarted(_)))
}

fn ends_of_turns(records: &[Arc<Record>]) -> impl Iterator<Item = u64> {
    records.iter().filter(|record| matches!(record.event, SessionEvent::TurnEnded(_))).map(|record| record.seq)
}

/// Before each request of the turn but the first all calls have their results: a step ends there. The model has not read the results of
/// the last one yet: it stays.
fn ends_of_steps(records: &[Arc<Record>], turn: u32) -> impl Iterator<Item = u64> {
    let last = |of: &[Arc<Record>]| of.iter().rev().find(|record| is_end_of_step(record)).map(|record| record.seq);
    let in_turn = move |record: &&Arc<Record>| record.turn == turn;
    let requests = records.iter().enumerate().filter(move |(_, record)| {
        in_turn(record) && matches!(&record.event, SessionEvent::Request(request) if request.step > 1)
    });
    requests.filter_map(move |(at, _)| last(records.get(..at).unwrap_or_default()))
}

fn is_end_of_step(record: &Record) -> bool {
    matches!(record.event, SessionEvent::CallEnded(_) | SessionEvent::Answered(_))
}
