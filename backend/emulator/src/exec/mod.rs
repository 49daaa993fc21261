//! The executor.

mod action;
mod atomic;
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
#[cfg(test)]
mod instruction_tests;
mod lane;
mod launch;
mod lds;
mod mask;
mod matrix;
mod matrix_layout;
mod ops;
mod program;
mod registers;
mod result;
mod scalar;
mod scalar_float;
mod scalar_load;
mod setup;
mod shape;
mod source;
mod special;
mod vector;
mod wave;

pub(crate) use launch::{Device, run};
pub(crate) use program::Program;
