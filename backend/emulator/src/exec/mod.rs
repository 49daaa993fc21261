//! The executor.

mod action;
mod approximate;
mod atomic;
mod barrier_checks;
mod bf16;
mod block;
mod brief;
mod directed;
mod dpp;
mod element;
mod exact;
mod float_mode;
mod format;
mod fp8;
mod global;
mod half;
mod hardware_registers;
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
mod lds_pattern;
mod mask;
mod matrix;
mod matrix_layout;
mod matrix_number;
mod matrix_sparse;
#[cfg(test)]
mod memory_tests;
#[cfg(test)]
mod mode_tests;
mod ops;
mod program;
mod progress;
mod random;
#[cfg(test)]
mod reference_tests;
#[cfg(test)]
mod references;
mod registers;
mod report;
mod result;
mod runner;
mod scalar;
mod scalar_float;
mod scalar_load;
mod scalar_mode;
#[cfg(test)]
mod scalar_reference_tests;
mod sequence;
mod setup;
mod shadow;
mod shape;
mod source;
mod spare;
mod special;
#[cfg(test)]
mod special_tests;
mod spread;
mod texel;
mod vector;
mod wave;
mod witness;
mod word_parts;

pub(crate) use launch::{Device, run};
pub(crate) use program::Program;
pub(crate) use spare::Spare;
