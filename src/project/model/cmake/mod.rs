//! Files of CMake: the commands that describe targets, followed as CMake would ("cmake-commands(7)").

mod condition;
mod draft;
mod finish;
mod generator;
mod known;
mod lists;
mod projects;
mod run;
mod scope;
mod targets;
mod texts;

pub(super) use projects::cmake_targets;
