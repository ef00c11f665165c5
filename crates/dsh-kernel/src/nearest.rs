//! Names that are near to a wrong one: what errors of registries suggest.

use crate::name::Name;

/// Longer names than this are not compared: nobody mistypes them, and the comparison is quadratic.
const COMPARED: usize = 64;

/// So many steps may all comparisons of one error take, each being as many as the product of the two lengths.
const STEPS: usize = 4_000_000;

/// The names in order of their distance to `wrong`; of equal ones, the first stays first. Of very many names, those that are as
/// long as `wrong`, or nearly so, are compared first; the ones that are not got to stand behind.
///
/// ```
/// use dsh_kernel::{Name, nearest_first};
///
/// let known = ["cwd", "branch", "model"].map(Name::from);
/// assert_eq!(nearest_first(Some("branhc"), known)[0].as_str(), "branch");
/// ```
pub fn nearest_first(wrong: Option<&str>, names: impl IntoIterator<Item = Name>) -> Vec<Name> {
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

/// The name nearest to `wrong`, if it is near enough to be meant; of equally near ones, the first in order of the names, so that
/// it matters not in which order they come (I7).
///
/// ```
/// use dsh_kernel::nearest;
///
/// assert_eq!(nearest("raed", ["write", "read"]), Some("read"));
/// assert_eq!(nearest("something", ["write", "read"]), None);
/// ```
pub fn nearest<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if wrong.len() > COMPARED {
        return None;
    }
    let near = wrong.chars().count().div_ceil(3).max(1);
    // A name is at least as far away as the two differ in length; most are passed by for that alone.
    let may_be_near =
        |name: &&str| name.len() <= COMPARED && name.chars().count().abs_diff(wrong.chars().count()) <= near;
    let close = names.into_iter().filter(may_be_near).map(|name| (distance(wrong, name), name));
    close.filter(|(distance, _)| *distance <= near).min().map(|(_, name)| name)
}

fn distance(wrong: &str, name: &str) -> usize {
    if wrong.len() > COMPARED || name.len() > COMPARED {
        return usize::MAX;
    }
    strsim::osa_distance(wrong, name)
}

#[cfg(test)]
mod tests {
    use super::{nearest, nearest_first};
    use crate::name::Name;

    #[test]
    fn of_equally_near_names_the_first_in_their_order_is_meant() {
        assert_eq!(nearest("cat", ["rat", "bat", "hat"]), Some("bat"));
        assert_eq!(nearest("cat", ["hat", "bat", "rat"]), Some("bat"));
    }

    #[test]
    fn what_is_too_far_or_too_long_is_not_meant() {
        assert_eq!(nearest("a", ["bcd"]), None);
        let long = "n".repeat(65);
        assert_eq!(nearest(&long, [long.as_str()]), None);
        assert_eq!(nearest("nn", [long.as_str()]), None);
    }

    #[test]
    fn all_names_are_listed_the_near_ones_first() {
        let listed = nearest_first(Some("raed"), ["write", "read", "reads"].map(Name::from));
        assert_eq!(listed.iter().map(Name::as_str).collect::<Vec<_>>(), ["read", "reads", "write"]);
        let as_they_came = nearest_first(None, ["b", "a"].map(Name::from));
        assert_eq!(as_they_came.iter().map(Name::as_str).collect::<Vec<_>>(), ["b", "a"]);
    }
}
