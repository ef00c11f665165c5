//! P2: rendering alone, beside a hand-written concatenation and four template engines.
//!
//! Nothing is answered from the memory of a rendered assembly: what is timed gets assemblies that differ from one another and
//! were never rendered. What a side gives is dropped when the clock stands.

use dsh_bench::{Changes, Ours, Providers, Workload};
use dsh_kernel::Failure;
use dsh_system_prompt::{render, render_prompt};

use crate::options::Options;
use crate::rivals::{ByHand, Engine, Handlebars, Minijinja, Tera, Upon, Values};
use crate::round::{Figure, Sample, interleave};
use crate::row::{Row, Target};
use crate::timing::per_prepared;

const FUNCTION: &str = "rendering.rs: measure";

pub(super) fn measure(options: &Options, workload: &Workload) -> Result<Vec<Row>, Failure> {
    let ours = Ours::start(workload, Providers::Shared, Changes::OneVariable)?;
    let assembly = ours.assemble(None)?;
    // The first of the changing values; the engines are held to the same bytes.
    let wanted = render_prompt(&assembly)?;
    let text = assembly.sections().map(|section| section.text().as_str()).collect::<Vec<_>>().join("\n\n");
    let values = Values::new(workload);
    let sets: Vec<Vec<(&str, &str)>> = values.sets().collect();
    let by_hand = ByHand::new(&assembly, &values);
    let merged = ByHand::new(&assembly, &values).merged();

    let sides: Vec<Sample<'_>> = vec![
        Box::new(|time| per_prepared(time, || ours.assemble(None), |assembly| Ok(render_prompt(assembly)?))),
        concatenation(&by_hand, &sets, &wanted)?,
        Box::new(|time| {
            per_prepared(
                time,
                || ours.assemble(None),
                |assembly| {
                    let rendered = render(assembly)?;
                    std::hint::black_box(rendered.parts().len());
                    Ok(rendered)
                },
            )
        }),
        concatenation(&merged, &sets, &wanted)?,
        engine::<Minijinja>(&text, &sets, &wanted)?,
        engine::<Tera>(&text, &sets, &wanted)?,
        engine::<Handlebars>(&text, &sets, &wanted)?,
        engine::<Upon>(&text, &sets, &wanted)?,
    ];
    let figures = interleave(options, sides)?;
    let [render, by_hand, with_parts, merged, minijinja, tera, handlebars, upon] = figures.as_slice() else {
        return Err(Failure::msg("a side gave no figure"));
    };
    let row = |against, theirs: &Figure, target: Option<Target>| {
        let row = Row::new("P2", "rendering alone", FUNCTION, *render).against(against, *theirs);
        Row { target, ..row }
    };
    let parts = Row::new("P2", "rendering with the table of parts", FUNCTION, *with_parts);
    Ok(vec![
        row("concatenation by hand", by_hand, Some(Target::AtMost(2.0))),
        parts.against("concatenation by hand", *by_hand).target(Target::AtMost(3.0)),
        row("minijinja", minijinja, Some(Target::Below(1.0))),
        row("tera", tera, Some(Target::Below(1.0))),
        row("handlebars", handlebars, Some(Target::Below(1.0))),
        row("upon", upon, Some(Target::Below(1.0))),
        row("concatenation by hand, neighbouring literals made one", merged, None),
    ])
}

/// The hand-written side.
fn concatenation<'a>(side: &'a ByHand, sets: &[Vec<(&'a str, &'a str)>], wanted: &str) -> Result<Sample<'a>, Failure> {
    let sets: Vec<Vec<&str>> = sets.iter().map(|set| set.iter().map(|(_, value)| *value).collect()).collect();
    same("by hand", sets.first().map(|set| side.concatenate(set)).as_deref(), wanted)?;
    Ok(in_turn(sets, |set| Ok(side.concatenate(set))))
}

/// An engine's side.
fn engine<'a, E: Engine + 'a>(text: &str, sets: &[Vec<(&str, &str)>], wanted: &str) -> Result<Sample<'a>, Failure>
where
    E::Values: 'a,
{
    let engine = E::new(text)?;
    let sets = sets.iter().map(|set| E::values(set)).collect::<Result<Vec<_>, _>>()?;
    let first = sets.first().map(|set| engine.render(set)).transpose()?;
    same(std::any::type_name::<E>(), first.as_deref(), wanted)?;
    Ok(in_turn(sets, move |set| engine.render(set)))
}

/// Renders each set of values in turn.
fn in_turn<'a, V: 'a>(sets: Vec<V>, render: impl Fn(&V) -> Result<String, Failure> + 'a) -> Sample<'a> {
    let mut turn = 0;
    Box::new(move |time| {
        let next = || {
            turn = (turn + 1) % sets.len();
            sets.get(turn).ok_or_else(|| Failure::msg("no values"))
        };
        per_prepared(time, next, |set| render(set))
    })
}

fn same(side: &str, text: Option<&str>, wanted: &str) -> Result<(), Failure> {
    let text = text.unwrap_or_default();
    if text == wanted {
        return Ok(());
    }
    let at = text.bytes().zip(wanted.bytes()).take_while(|(theirs, ours)| theirs == ours).count();
    Err(Failure::msg(format!("{side} renders to other bytes from byte {at} of {}", wanted.len())))
}
