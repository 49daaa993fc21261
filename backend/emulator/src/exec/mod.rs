//! The executor.

mod action;
mod atomic;
mod block;
mod dpp;
mod element;
mod exact;
mod format;
mod global;
mod half;
mod hidden;
mod hostcall;
mod lane;
mod launch;
mod lds;
mod mask;
mod matrix;
mod ops;
mod program;
mod registers;
mod result;
mod scalar;
mod scalar_load;
mod setup;
mod shape;
mod source;
mod special;
mod vector;
mod wave;

pub(crate) use launch::{Device, run};
pub(crate) use program::Program;
