#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hipshift_fuzz::tables::run(bytes));
