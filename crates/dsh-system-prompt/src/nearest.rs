//! Names that are near to a wrong one.

use dsh_kernel::Name;

/// Longer names than this are not compared: nobody mistypes them, and the comparison is quadratic.
const COMPARED: usize = 64;

/// So many steps may all comparisons of one error take, each being as many as the product of the two lengths.
const STEPS: usize = 4_000_000;

/// The names in order of their distance to `wrong`; of equal ones, the first stays first. Of very many names, those that are as
/// long as `wrong`, or nearly so, are compared first; the ones that are not got to stand behind.
pub(crate) fn nearest_first(wrong: Option<&str>, names: impl IntoIterator<Item = Name>) -> Vec<Name> {
    let mut names: Vec<Name> = names.into_iter().collect();
    let Some(wrong) = wrong.filter(|wrong| wrong.len() <= COMPARED) else { return names };
    let cost = |name: &Name| wrong.len() * name.as_str().len().min(COMPARED);
    if names.iter().map(cost).sum::<usize>() <= STEPS {
        names.sort_by_cached_key(|name| distance(wrong, name.as_str()));
        return names;
    }
    // The lengths bound the distance from below, and bring those to the front that may be near.
    names.sort_by_cached_key(|name| name.as_str().len().abs_diff(wrong.len()));
    let mut left = STEPS;
    let ranked = names.into_iter().map(|name| {
        let cost = cost(&name);
        let may_be_compared = left >= cost;
        left = left.saturating_sub(cost);
        (if may_be_compared { distance(wrong, name.as_str()) } else { usize::MAX }, name)
    });
    let mut ranked: Vec<(usize, Name)> = ranked.collect();
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().map(|(_, name)| name).collect()
}

/// The name nearest to `wrong`, if it is near enough to be meant.
pub(crate) fn nearest<'n>(wrong: &str, names: impl IntoIterator<Item = &'n Name>) -> Option<&'n Name> {
    if wrong.len() > COMPARED {
        return None;
    }
    let near = wrong.chars().count().div_ceil(3).max(1);
    // A name is at least as far away as the two differ in length; most are passed by for that alone.
    let may_be_near = |name: &&Name| name.as_str().chars().count().abs_diff(wrong.chars().count()) <= near;
    let close = names.into_iter().filter(may_be_near).map(|name| (distance(wrong, name.as_str()), name));
    close.filter(|(distance, _)| *distance <= near).min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

fn distance(wrong: &str, name: &str) -> usize {
    if wrong.len() > COMPARED || name.len() > COMPARED {
        return usize::MAX;
    }
    strsim::osa_distance(wrong, name)
}
