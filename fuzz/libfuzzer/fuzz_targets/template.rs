//! Feeds `dsh_fuzz::template`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dsh_fuzz::template(bytes));
