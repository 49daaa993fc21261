//! All tests of the emulator but those that stand beside the code: one program, which runs them on all cores.
//! `cargo test -p hipshift-emulator --test all encodings::` runs those of `encodings.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that cannot go on fails"
)]

mod common;

mod disassembly;
mod encodings;
mod hostile;
mod kernels_basic;
mod kernels_block;
mod kernels_float;
mod kernels_fp8;
mod kernels_matrix;
mod kernels_modes;
mod kernels_services;
mod kernels_sparse;
mod speed;
mod tidy;
