//! Feeds `dsh_fuzz::instructions`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dsh_fuzz::instructions(bytes));
