//! Programs: what each instruction of a code object does.

pub(super) mod action;
pub(super) mod exec_comparison;
pub(super) mod program;
pub(super) mod trap;
