//! The executor.

mod action;
mod atomic;
mod barrier_checks;
mod bf16;
mod block;
mod dpp;
mod element;
mod exact;
mod format;
mod global;
mod half;
mod hidden;
mod hostcall;
mod image;
#[cfg(test)]
mod instruction_tests;
mod lane;
mod lane_checks;
mod launch;
mod lds;
mod lds_checks;
mod mask;
mod matrix;
mod matrix_layout;
mod ops;
mod program;
mod progress;
mod random;
mod registers;
mod report;
mod result;
mod runner;
mod scalar;
mod scalar_float;
mod scalar_load;
mod setup;
mod shadow;
mod shape;
mod source;
mod special;
mod texel;
mod vector;
mod wave;
mod witness;

pub(crate) use launch::{Device, run};
pub(crate) use program::Program;
