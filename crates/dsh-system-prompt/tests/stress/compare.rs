//! What is there, compared with the model, when nobody acts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use dsh_kernel::{Audience, Fiber, FiberState, ScopeKey};
use dsh_system_prompt::{
    AssembleContext, PartKind, PromptRegistry, PromptSection, PromptVariable, SystemPromptExt, render_prompt,
};

use crate::actor::{Actor, POOL, Round};
use crate::heart::{FIRST_TOOL, Heart, LAST_TOOL, Ping, RESIDENTS, called};
use crate::model::{GLOBAL, Model, Part, Row};
use crate::pack::Spec;

/// The scopes that are open, by number.
type Keys = BTreeMap<u32, Option<ScopeKey>>;

/// Compares all; `direct` where what was registered without a plugin is there too, that is, where the registry is the one that
/// it was registered with.
pub(crate) async fn compare(round: &Round, actors: &[Actor], direct: bool) {
    let heart = &round.heart;
    let mut packs = packs(actors);
    let services = activate(actors, &mut packs);
    for pack in &packs {
        has_its_state(heart, pack);
        for service in pack.spec.injects.iter().chain(&pack.spec.provides) {
            let (there, wanted) = (heart.root().get_dyn(service).is_ok(), services.contains(service));
            heart.faults.check(there == wanted, || format!("the service `{service}` is there: {there}, not {wanted}"));
        }
    }

    let mut all = Model { rows: heart.rows() };
    all.rows.extend(actors.iter().flat_map(Actor::rows).cloned());
    let mut present = if direct { all.clone() } else { Model { rows: heart.rows() } };
    for pack in packs.iter().filter(|pack| pack.active) {
        all.rows.extend(pack.spec.rows());
        present.rows.extend(pack.spec.rows());
    }

    let keys = keys(heart, actors, &packs);
    was_told(heart, &all, &keys);
    for (&place, &key) in &keys {
        assembles(heart, &present, &keys, place, key).await;
    }
    if direct {
        for (&place, &key) in &keys {
            is_heard(round, actors, &present, Some(place), Audience::from(key));
        }
        is_heard(round, actors, &present, None, Audience::Everyone);
        pool_is_taken(heart, &present);
    }
}

/// A pack, or the child of one, which stands after it.
struct Mounted<'a> {
    spec: &'a Arc<Spec>,
    fiber: Option<&'a Fiber>,
    parent: Option<usize>,
    /// All that it injects is there.
    due: bool,
    active: bool,
}

fn packs(actors: &[Actor]) -> Vec<Mounted<'_>> {
    let mut packs: Vec<Mounted<'_>> = Vec::new();
    for (spec, fiber) in actors.iter().flat_map(Actor::packs) {
        packs.push(Mounted { spec, fiber: Some(fiber), parent: None, due: false, active: false });
        let mut next = spec.child.as_ref();
        while let Some(spec) = next {
            let parent = Some(packs.len() - 1);
            packs.push(Mounted { spec, fiber: None, parent, due: false, active: false });
            next = spec.child.as_ref();
        }
    }
    packs
}

/// K10: finds out which packs are active, and returns the services that are provided then.
fn activate(actors: &[Actor], packs: &mut [Mounted<'_>]) -> BTreeSet<String> {
    let mut services: BTreeSet<String> = actors.iter().flat_map(Actor::services).map(ToOwned::to_owned).collect();
    loop {
        let mut changed = false;
        for index in 0..packs.len() {
            let pack = &packs[index];
            let under = pack.parent.is_none_or(|parent| packs[parent].active);
            if pack.due || !under || !pack.spec.injects.iter().all(|service| services.contains(service)) {
                continue;
            }
            let active = !pack.spec.fails;
            if active {
                services.extend(pack.spec.provides.clone());
            }
            (packs[index].due, packs[index].active, changed) = (true, active, true);
        }
        if !changed {
            return services;
        }
    }
}

/// K2: active, or failed, or pending, as it has to be.
fn has_its_state(heart: &Heart, pack: &Mounted<'_>) {
    let Some(fiber) = pack.fiber else { return };
    let state = fiber.state();
    let fine = (state == FiberState::Active && pack.active)
        || (state == FiberState::Failed && pack.spec.fails)
        || (state == FiberState::Pending && !pack.due);
    let due = pack.due;
    heart
        .faults
        .check(fine, || format!("{} is {state}; what it injects is there: {due}; {:?}", pack.spec.path, fiber.error()));
}

fn keys(heart: &Heart, actors: &[Actor], packs: &[Mounted<'_>]) -> Keys {
    let open = heart.places.iter().chain(actors.iter().flat_map(Actor::open_scopes));
    let mut keys: Keys = open.map(|place| (place.number, place.key)).collect();
    for pack in packs.iter().filter(|pack| pack.active) {
        let opened = *pack.spec.opened.lock().unwrap_or_else(PoisonError::into_inner);
        keys.extend(pack.spec.nested_place().map(|place| (place, opened)));
    }
    keys
}

/// S9: each change was told once.
fn was_told(heart: &Heart, model: &Model, keys: &Keys) {
    let mut wanted: BTreeMap<String, i64> = BTreeMap::new();
    for row in &model.rows {
        let (kind, name) = match &row.part {
            Part::Section { .. } => (PartKind::Section, &row.name),
            Part::Variable { .. } => (PartKind::Variable, &row.name),
            Part::Tools { .. } => (PartKind::ToolProvider, &row.owner),
            Part::Ear { .. } | Part::Hook { .. } => continue,
        };
        let key = keys.get(&row.place).copied().flatten();
        *wanted.entry(called(&format!("{kind:?}"), key, name)).or_default() += 1;
    }
    let wanted: Vec<String> =
        wanted.into_iter().map(|(what, net)| if net == 1 { what } else { format!("{what} x {net}") }).collect();
    let told = heart.heard_of();
    heart.faults.check(told == wanted, || {
        let (told, wanted): (BTreeSet<_>, BTreeSet<_>) = (told.iter().collect(), wanted.iter().collect());
        format!(
            "told of changes, and not registered: {:?}; registered, and not told of: {:?}",
            told.difference(&wanted),
            wanted.difference(&told)
        )
    });
}

/// S2 to S8, S11: the view, and what it is assembled and rendered to.
async fn assembles(heart: &Heart, model: &Model, keys: &Keys, place: u32, key: Option<ScopeKey>) {
    let faults = &heart.faults;
    let prompt = heart.root().system_prompt();
    let view = match prompt.view(key) {
        Ok(view) => view,
        Err(error) => return faults.say(format!("no view of {place}: {error:?}")),
    };
    let found: Vec<_> = view
        .sections()
        .map(|section| (section.name.to_owned(), section.order, section.owner.to_string(), section.layer))
        .collect();
    let layer = |row: &Row| keys.get(&row.place).copied().flatten().into();
    let wanted: Vec<_> = model
        .sections(place)
        .into_iter()
        .filter_map(|row| {
            let Part::Section { order, .. } = &row.part else { return None };
            Some((row.name.clone(), *order, row.owner.clone(), layer(row)))
        })
        .collect();
    faults.check(found == wanted, || format!("the view of {place} has\n{found:?}\nnot\n{wanted:?}"));
    let found: BTreeSet<&str> = view.variables().map(|variable| variable.name).collect();
    let wanted: BTreeSet<&str> = model.variables(place).into_keys().collect();
    faults.check(found == wanted, || format!("the view of {place} has the variables {found:?}, not {wanted:?}"));

    let cx = key.map_or_else(AssembleContext::new, AssembleContext::from);
    let assembly = match Box::pin(prompt.assemble(cx)).await {
        Ok(assembly) => assembly,
        Err(error) => return faults.say(format!("no assembly for {place}: {error:?}")),
    };
    let tools: Vec<&str> = assembly.tools().iter().map(|tool| tool.schema().name()).collect();
    let wanted = model.tools(place, FIRST_TOOL, LAST_TOOL);
    faults.check(tools == wanted, || format!("the tools of {place} are {tools:?}, not {wanted:?}"));
    let values: BTreeMap<&str, &str> =
        assembly.variables().filter_map(|variable| Some((variable.name(), variable.value()?.as_str()))).collect();
    let wanted = model.variables(place);
    faults.check(values == wanted, || format!("the variables of {place} are {values:?}, not {wanted:?}"));
    let wanted = model.prompt(place);
    match render_prompt(&assembly) {
        Ok(text) => faults.check(*text == *wanted, || format!("{place} renders to\n{text}\nnot to\n{wanted}")),
        Err(error) => faults.say(format!("{place} does not render: {error:?}")),
    }
}

/// K11, K12: who hears a dispatch. The order is known among the listeners of one actor.
fn is_heard(round: &Round, actors: &[Actor], model: &Model, place: Option<u32>, audience: Audience) {
    let dispatch = round.dispatch();
    let sent = round.heart.root().emit(&Ping(dispatch), audience);
    round.heart.faults.check(sent.is_ok(), || format!("a listener failed: {sent:?}"));
    let ears = model.ears(place);
    for actor in actors {
        let found = actor.heard(dispatch);
        let own: BTreeSet<u32> = actor.rows().map(|row| row.id).collect();
        let wanted: Vec<u32> = ears.iter().copied().filter(|ear| own.contains(ear)).collect();
        let fine = found == wanted;
        round
            .heart
            .faults
            .check(fine, || format!("a dispatch to {audience:?} was heard by {found:?}, not by {wanted:?}"));
    }
}

/// S2, S4: a name of the pool is refused where somebody has it, who is named, and only there.
fn pool_is_taken(heart: &Heart, model: &Model) {
    for place in heart.places.iter().take(RESIDENTS as usize + 1) {
        for name in (0..POOL).map(|name| format!("pool{name}")) {
            let holder = |same: fn(&Row) -> bool| {
                model
                    .rows
                    .iter()
                    .find(|row| row.place == place.number && row.name == name && same(row))
                    .map(|row| row.owner.clone())
            };
            let prompt = place.ctx.system_prompt();
            let results = [
                (prompt.section(PromptSection::new(name.clone(), 1, "")), holder(Row::is_section)),
                (prompt.variable(PromptVariable::new(name.clone(), "")), holder(Row::is_variable)),
            ];
            for (result, wanted) in results {
                let found = result.as_ref().err().and_then(|error| error.first_owner().map(ToString::to_string));
                heart.faults.check(found == wanted, || {
                    format!("`{name}` in {} is held by {found:?}, not by {wanted:?}: {result:?}", place.path)
                });
                drop(result.map(dsh_kernel::Disposer::dispose));
            }
        }
    }
}

/// K15: when all have left, nothing is there but what was before the first round, and what was handed in has been dropped,
/// though the scopes that stay remember what they were assembled from.
pub(crate) async fn is_empty(heart: &Heart) {
    let faults = &heart.faults;
    let model = Model { rows: heart.rows() };
    let keys: Keys = heart.places.iter().map(|place| (place.number, place.key)).collect();
    dsh_testkit::yield_until(|| heart.probes.balance() == 0);
    faults.check(heart.probes.balance() == 0, || format!("{} of what was handed in live on", heart.probes.balance()));
    was_told(heart, &model, &keys);
    for (&place, &key) in &keys {
        assembles(heart, &model, &keys, place, key).await;
    }
    let registry = heart.root().get::<PromptRegistry>().resolve();
    let shown = format!("{registry:?}");
    let layers = format!("Snapshot({RESIDENTS} scopes)");
    faults.check(shown.contains(&layers), || format!("the registry is {shown}, without {layers}"));
    debug_assert_eq!(keys.first_key_value().map(|(place, _)| *place), Some(GLOBAL));
}
