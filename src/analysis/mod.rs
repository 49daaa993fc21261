//! What one file means, as far as its tokens and a few trees tell.

mod aliases;
mod conditions;
mod constants;
mod declared;
mod device_variables;
mod excluded;
mod expression;
mod facts;
mod functions;
mod names;
mod program_text;
mod sides;
mod truth;
mod type_size;
mod unchanged;

pub use aliases::Aliases;
pub use conditions::{Branch, Chain, Conditions, Region, regions};
pub use constants::{Constant, Constants};
pub use declared::{Declaration, Declared};
pub use device_variables::{DeviceVariable, Space};
pub use expression::{Binary, Expression, Node, Unary};
pub use facts::{Facts, ProjectFacts};
pub use functions::{Function, Functions, function_name};
pub use names::{Role, looks_like_cuda, role};
pub use program_text::program_text;
pub use sides::{Side, is_always_emitted, is_in_class, side_of};
pub use truth::{Definition, Value, evaluate};
pub use type_size::size_of_type;
