//! The name that is near to a wrong one.

/// Longer names than this are not compared: nobody mistypes them, and the comparison is quadratic.
const COMPARED: usize = 64;

/// The name nearest to `wrong`, if it is near enough to be meant; of equally near ones, the first in order of the names.
pub(crate) fn nearest<'n>(wrong: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if wrong.len() > COMPARED {
        return None;
    }
    let near = wrong.chars().count().div_ceil(3).max(1);
    // A name is at least as far away as the two differ in length; most are passed by for that alone.
    let may_be_near =
        |name: &&str| name.len() <= COMPARED && name.chars().count().abs_diff(wrong.chars().count()) <= near;
    let close = names.into_iter().filter(may_be_near).map(|name| (strsim::osa_distance(wrong, name), name));
    close.filter(|(distance, _)| *distance <= near).min().map(|(_, name)| name)
}
