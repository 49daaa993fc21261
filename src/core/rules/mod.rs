//! The rules. Each is one file that finds one kind of problem in CUDA text.
//!
//! Rules read the original text only, never another rule's output.

mod alternatives;
mod api;
mod asm;
mod build;
mod by_argument;
mod by_header;
mod call_edits;
mod conditional;
mod context;
mod declared_shape;
mod defined;
mod definitions;
mod groups;
mod header;
mod kernel;
mod launch;
mod macro_branches;
mod managed_variables;
mod meaning;
mod member_objects;
mod name;
mod name_list;
mod own_lines;
mod ownership;
mod ptx;
mod query;
mod redirects;
mod registry;
mod rule;
mod started_names;
mod stubs;
mod suppression;
mod taken_over;
mod wave;

pub(crate) use api::{declared_elsewhere, is_unknown};
pub use asm::{Asm, AsmKeyword};
pub use by_header::{HeaderForm, HeaderUse, OwnUse};
pub(crate) use by_header::{header_uses, is_served_by_any_header, own_uses};
pub(crate) use call_edits::expand as expand_template;
pub(crate) use conditional::blocks_for_cuda;
pub use context::Context;
pub(crate) use defined::define_all;
pub use launch::waves_per_eu;
pub(crate) use meaning::{may_be_names, name_at};
pub use name::{Meaning, Name, Owner};
pub use name_list::NameList;
pub(crate) use ownership::own_names;
pub(crate) use ptx::is_about_assembly;
pub use query::{Checker, Query, TextLiteral, WholeFile};
pub use registry::{RULES, find};
pub use rule::{Registered, Rule};
pub(crate) use suppression::{is_about_suppressions, unused_suppression};
pub(crate) use wave::{is_about_waves, is_meeting_function, lane_needs};
