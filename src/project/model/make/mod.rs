//! Makefiles: variables, rules, and the commands that they come to (GNU make manual).

mod functions;
mod reader;
mod recipe;
mod rules;
mod variables;

pub(super) use recipe::make_steps;
