//! `hipshift doctor`

mod executors;
mod look;
mod missing;
mod show;

pub(super) use show::run;
