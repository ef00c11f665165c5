//! What is asked of every assembly that anybody sees in the midst of a round.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};

use dsh_kernel::FiberState;
use dsh_system_prompt::{AssembleContext, ErrorKind, PromptAssembly, SystemPromptExt, render};

use crate::heart::{Absent, Faults, Heart, Place};
use crate::model::{GLOBAL, Model};
use crate::pack::Track;

/// How many assemblies were seen in a run, and what came of them.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) looks: AtomicUsize,
    /// Given up because plugins kept unloading.
    pub(crate) unsettled: AtomicUsize,
    /// Packs that stayed active, and were all there.
    pub(crate) whole: AtomicUsize,
    /// Packs that were loading or draining meanwhile, and were there in part: what they had registered then.
    pub(crate) partial: AtomicUsize,
    /// Of those, the ones that come and go in one go: on one thread nobody could see a part of them.
    pub(crate) torn: AtomicUsize,
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Whose words a piece of a prompt is, as its token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Piece {
    pub(crate) kind: char,
    pub(crate) id: u32,
    pub(crate) part: u32,
    pub(crate) place: u32,
}

impl Piece {
    fn parse(text: &str) -> Option<Self> {
        let (token, _) = text.strip_prefix('#')?.split_once('#')?;
        let mut chars = token.chars();
        let kind = chars.next()?;
        let (id, rest) = chars.as_str().split_once('.')?;
        let (part, place) = rest.split_once('@')?;
        Some(Self { kind, id: id.parse().ok()?, part: part.parse().ok()?, place: place.parse().ok()? })
    }
}

/// What who looks knows for certain, since nobody else touches it.
#[derive(Default)]
pub(crate) struct Own {
    /// The first and the last number that is its own.
    pub(crate) numbers: std::ops::Range<u32>,
    pub(crate) live: Model,
    /// Numbers of what may or may not have gone.
    pub(crate) leaving: BTreeSet<u32>,
    /// Numbers of what somebody else may shadow.
    pub(crate) shadowed: BTreeSet<u32>,
}

/// A pack before somebody looked.
struct Before {
    track: Arc<Track>,
    unloads: u64,
    state: FiberState,
}

/// Assembles for a place and looks at what comes.
pub(crate) async fn look(heart: &Heart, seen: &Seen, through: &Place, place: &Place, own: &Own) {
    let tracks = heart.ledger.lock().unwrap_or_else(PoisonError::into_inner).clone();
    // The number before the state here, and after it below: what left and came back in between is told by it.
    let before: Vec<Before> = tracks
        .into_iter()
        .map(|track| Before { unloads: track.fiber.path().unloads(), state: track.fiber.state(), track })
        .collect();
    let cx = place.key.map_or_else(AssembleContext::new, AssembleContext::from);
    let result = Box::pin(through.ctx.system_prompt().assemble(cx)).await;
    count(&seen.looks);
    let assembly = match result {
        Ok(assembly) => assembly,
        Err(error) if error.kind() == ErrorKind::Unsettled => return count(&seen.unsettled),
        Err(error) => return heart.faults.say(format!("an assembly for {} failed: {error:?}", place.path)),
    };
    let pieces = pieces(&assembly, &heart.faults);
    stands_in_order(&assembly, &heart.faults);
    knows_its_place(&pieces, place, &heart.faults);
    agrees_with_own(&pieces, &assembly, place, own, &heart.faults);
    let counted = parts_of_packs(&pieces);
    for pack in &before {
        has_all_or_nothing(pack, &counted, &assembly, place, seen, &heart.faults);
    }
    for id in assembly.extension::<Absent>().into_iter().flat_map(|absent| &absent.0) {
        let parts = counted.get(id);
        heart.faults.check(parts.is_none(), || {
            format!(
                "pack {id} had gone when the listeners ended, and stands in an assembly for {}: {parts:?}",
                place.path
            )
        });
    }
}

/// The pieces of the rendered prompt that have a token.
fn pieces(assembly: &PromptAssembly, faults: &Faults) -> Vec<Piece> {
    let rendered = match render(assembly) {
        Ok(rendered) => rendered,
        Err(error) => {
            faults.say(format!("an assembly does not render: {error:?}"));
            return Vec::new();
        }
    };
    rendered.text().split("\n\n").filter_map(Piece::parse).collect()
}

/// S2: ascending, what the hooks have added at the end.
fn stands_in_order(assembly: &PromptAssembly, faults: &Faults) {
    let orders: Vec<f64> = assembly.sections().map(dsh_system_prompt::AssembledSection::order).collect();
    faults.check(orders.is_sorted(), || format!("sections out of order: {orders:?}"));
}

/// K1, S2: nothing of another scope.
fn knows_its_place(pieces: &[Piece], place: &Place, faults: &Faults) {
    for piece in pieces {
        let belongs = piece.place == GLOBAL || piece.place == place.number;
        faults.check(belongs, || format!("{piece:?} stands in an assembly for {}", place.path));
    }
}

/// What this thread has registered itself is there, and what it has disposed is not.
fn agrees_with_own(pieces: &[Piece], assembly: &PromptAssembly, place: &Place, own: &Own, faults: &Faults) {
    let mine = |piece: &&Piece| piece.kind == 's' && own.numbers.contains(&piece.id);
    let may_be_shadowed = |id: &u32| place.is_wanted_by_all() && own.shadowed.contains(id);
    // What is leaving may or may not stand in the place of another one of its name.
    let leaving: BTreeSet<&str> =
        own.live.rows.iter().filter(|row| own.leaving.contains(&row.id)).map(|row| row.name.as_str()).collect();
    let blurred: BTreeSet<u32> =
        own.live.rows.iter().filter(|row| leaving.contains(row.name.as_str())).map(|row| row.id).collect();
    let certain = |id: &u32| !own.leaving.contains(id) && !blurred.contains(id) && !may_be_shadowed(id);
    let found: Vec<u32> = pieces.iter().filter(mine).map(|piece| piece.id).filter(certain).collect();
    let wanted: Vec<u32> = own.live.sections(place.number).iter().map(|row| row.id).filter(certain).collect();
    faults.check(found == wanted, || {
        format!("an assembly for {} has the sections {found:?} of who looks, not {wanted:?}", place.path)
    });
    let mine = |name: &str| own.numbers.contains(&number_in(name));
    let found: BTreeSet<&str> =
        assembly.tools().iter().map(|tool| tool.schema().name()).filter(|name| mine(name)).collect();
    let certain = |name: &String| !own.leaving.contains(&number_in(name));
    let wanted: Vec<String> = own.live.tools(place.number, "", "").into_iter().filter(certain).collect();
    let wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    let certain = |name: &&str| !own.leaving.contains(&number_in(name)) && name.starts_with('t');
    let found: BTreeSet<&str> = found.into_iter().filter(certain).collect();
    faults.check(found == wanted, || {
        format!("an assembly for {} has the tools {found:?} of who looks, not {wanted:?}", place.path)
    });
}

/// The number in the name of a tool: `t10007_1`.
fn number_in(name: &str) -> u32 {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.split('_').next().and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

/// Which parts of each pack are there.
fn parts_of_packs(pieces: &[Piece]) -> BTreeMap<u32, Vec<u32>> {
    let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for piece in pieces.iter().filter(|piece| piece.kind == 'p') {
        parts.entry(piece.id).or_default().push(piece.part);
    }
    parts
}

/// S8: a pack that stayed is all there, and one that stayed away is not there at all. Of one that was loading or draining there
/// is what it had registered at one moment, and nothing twice.
fn has_all_or_nothing(
    before: &Before,
    counted: &BTreeMap<u32, Vec<u32>>,
    assembly: &PromptAssembly,
    place: &Place,
    seen: &Seen,
    faults: &Faults,
) {
    let Before { track, unloads, state } = before;
    let spec = &track.spec;
    if spec.place != GLOBAL && spec.place != place.number {
        return;
    }
    let now = track.fiber.state();
    let stayed = now == *state && track.fiber.path().unloads() == *unloads;
    let parts = counted.get(&spec.id).map_or(&[][..], Vec::as_slice);
    let has_tool = assembly.tools().iter().any(|tool| tool.schema().name() == spec.tool());
    let all: Vec<u32> = (0..spec.sections).collect();
    let say = |what: &str| {
        format!(
            "{what} {} of {}: {parts:?} of {}, its tool: {has_tool}, in an assembly for {}",
            spec.path, now, spec.sections, place.path
        )
    };
    if stayed && *state == FiberState::Active {
        count(&seen.whole);
        faults.check(parts == all && has_tool, || say("not all there is"));
    } else if stayed && matches!(state, FiberState::Pending | FiberState::Failed | FiberState::Disposed) {
        faults.check(parts.is_empty() && !has_tool, || say("though it was away, there is"));
    } else {
        if !parts.is_empty() && parts != all {
            count(&seen.partial);
            if spec.goes_in_one_go() {
                count(&seen.torn);
            }
        }
        // Registered one after the other, and undone in reverse, but for what a composite keeps for longer.
        let known = parts.iter().all(|part| all.contains(part)) && parts.is_sorted_by(|a, b| a < b);
        let begins = spec.drains || all.starts_with(parts);
        faults.check(known && begins, || say("what was never registered by itself, there is"));
    }
}
