//! Feeds `dsh_fuzz::tools`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dsh_fuzz::tools(bytes));
