//! Rules about inline assembly.

mod body;
mod defined;
mod dialect;
mod expand;
mod inline_ptx;
mod literal;
mod lut;
mod missing_instruction;
mod pattern;
mod reading;
mod rewrite;
mod sequence;
mod statement;
mod untranslated_ptx;

pub(super) use defined::defined_for_ptx;
pub(super) use inline_ptx::InlinePtx;
pub(super) use missing_instruction::MissingInstruction;
pub(super) use untranslated_ptx::UntranslatedPtx;
pub(crate) use untranslated_ptx::is_about_assembly;
