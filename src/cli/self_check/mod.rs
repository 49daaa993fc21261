//! `hipshift self-check`: converts, compiles and runs a small program, and says what works here.

mod check;
mod look;
mod program;
mod show;

pub(super) use show::{SelfCheck, run};
