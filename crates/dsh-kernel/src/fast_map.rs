//! Maps that a step looks into: persistent, and with a hasher that costs a few nanoseconds.

use foldhash::fast::RandomState;
use rpds::HashTrieMapSync;

/// A persistent map. Nothing that anyone can see iterates over it in its own order (I7).
pub(crate) type FastMap<K, V> = HashTrieMapSync<K, V, RandomState>;
