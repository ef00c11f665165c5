//! Feeds `dsh_fuzz::agent_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dsh_fuzz::agent_file(bytes));
