//! What the fuzzers assert, on stable: of every kept input, and of random ones made of fragments of each grammar.

mod corpora;
mod dictionary;
mod mutation;
mod random;
mod structured;
