//! What one file means, as far as its tokens and a few trees tell.

mod aliases;
mod conditions;
mod constants;
mod declared;
mod excluded;
mod expression;
mod facts;
mod functions;
mod lane_kinds;
mod lane_templates;
mod lanes;
mod mask_uses;
mod name_ids;
mod names;
mod program_text;
mod statements;
mod truth;
mod unchanged;
mod wave;

pub use aliases::Aliases;
pub use conditions::{Branch, Chain, Conditions, Region, regions};
pub use constants::{Constant, Constants};
pub use declared::{Declaration, Declared};
pub use expression::{Binary, Expression, Node, Unary};
pub use facts::{Facts, ProjectFacts};
pub use functions::{Function, Functions, function_name};
pub use lanes::MaskFunctions;
pub use mask_uses::{BitFunction, MaskDeclaration, MaskUses, MaskWidth};
pub use names::{Role, looks_like_cuda, role};
pub use program_text::program_text;
pub use statements::{Declaration as VariableDeclaration, Declarator, Statement, declaration, statements};
pub use truth::{Definition, Value, evaluate};
pub use wave::{FixedSize, SizePurpose, WaveEvidence, WaveWidth};
