//! What one file means, as far as its tokens and a few trees tell.

mod conditions;
mod declared;
mod excluded;
mod facts;
mod functions;
mod names;

pub use conditions::{Region, regions};
pub use declared::{Declaration, Declared};
pub use facts::{Facts, ProjectFacts};
pub use functions::{Function, Functions};
pub use names::{Role, looks_like_cuda, role};
