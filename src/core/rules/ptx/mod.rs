//! Rules about inline PTX.

mod body;
mod dialect;
mod expand;
mod inline_ptx;
mod literal;
mod lut;
mod pattern;
mod reading;
mod sequence;
mod statement;
mod untranslated_ptx;

pub(super) use inline_ptx::InlinePtx;
pub(super) use untranslated_ptx::UntranslatedPtx;
