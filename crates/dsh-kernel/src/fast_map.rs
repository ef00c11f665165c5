//! Maps that a step looks into: persistent, and with a hasher that costs a few nanoseconds.

use foldhash::fast::RandomState;
use rpds::HashTrieMapSync;

/// A persistent map. Nothing that anyone can see iterates over it in its own order (I7).
pub(crate) type FastMap<K, V> = HashTrieMapSync<K, V, RandomState>;

/// A write copies the nodes on its way, and counts a reference for each of their children. Small nodes make a write in one
/// of 10,000 scopes a good deal cheaper than the usual ones of 64; a look-up follows a few pointers more.
const DEGREE: u8 = 8;

/// A map with nothing in it.
pub(crate) fn empty<K: std::hash::Hash + Eq, V>() -> FastMap<K, V> {
    FastMap::new_with_hasher_and_degree_and_ptr_kind(RandomState::default(), DEGREE)
}
