//! What a build file becomes for HIP: all changes at once, of which each rule reports its own.

mod change;
mod cmake;
mod cmake_call;
mod cmake_commands;
mod cmake_finds;
mod cmake_flags;
mod cmake_joined;
mod cmake_loops;
mod cmake_names;
mod cmake_openmp;
mod cmake_packages;
mod cmake_properties;
mod cmake_sources;
mod cmake_style;
mod folders;
mod host_options;
mod leftover;
mod library_files;
mod make;
mod make_device_link;
mod make_gpus;
mod make_line;
mod make_variables;
mod options;
mod own_words;
mod planner;
mod prefixes;
mod speaking;
mod style;
mod switch_limits;
mod touched;
mod unread;
mod versions;
mod whole;

pub(crate) use change::{Change, Topic};
pub(crate) use whole::changes_of;
