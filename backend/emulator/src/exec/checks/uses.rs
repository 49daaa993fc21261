//! What becomes of a value that was loaded: structs are copied with their padding, which nobody wrote. That is no defect as long as nothing
//! looks at it, so that the ways from a load are searched for an instruction that computes with it.

use super::flow::{Registers, read, walk, written};
use crate::exec::launch::context::Context;
use crate::exec::launch::known::Question;
use crate::exec::launch::listing::Listing;
use crate::isa::{Form, Inst, Operand};

/// Instructions behind a load that are looked at, and registers that the value is moved to.
const MOST: usize = 1 << 12;
const MOVES: usize = 16;

/// Whether anything is computed with what the load of a step brings into a register. Of a word that was written `in_part`, nothing is known
/// of what takes bytes out of it.
pub(crate) fn computes_with(context: &Context, step: usize, register: Operand, in_part: bool) -> bool {
    context
        .shared
        .known
        .ask(Question::Uses(step, register.0, in_part), || is_used(context.listing, step, register, in_part))
}

fn is_used(listing: &Listing, load: usize, register: Operand, in_part: bool) -> bool {
    let (mut left, mut known, mut found) = (vec![(load, register)], vec![register], false);
    while let Some((from, register)) = left.pop() {
        let value = Registers::one(register);
        walk(listing, from, MOST, |step| {
            let Some(inst) = listing.steps.get(step).and_then(|step| step.inst.as_ref()) else { return false };
            let [computed, _stored, address] = read(inst);
            let is_read = computed.iter().any(|source| source.meet(value)) || adds_to(inst, value);
            let is_address = address.iter().any(|source| source.meet(value));
            if is_read && is_move(inst) {
                for copy in written(inst).map(|copy| copy.first) {
                    if !known.contains(&copy) && known.len() < MOVES {
                        known.push(copy);
                        left.push((step, copy));
                    }
                }
            } else {
                found |= is_address || is_read && takes_all(inst, in_part);
            }
            !found && !written(inst).any(|changed| changed.meet(value))
        });
    }
    found
}

/// Whether an instruction computes with what its destination held.
fn adds_to(inst: &Inst, value: Registers) -> bool {
    let base = inst.entry.base;
    let is_sum = ["fmac", "_mac_", "dot2c", "dot4c", "dot8c"].iter().any(|name| base.contains(name));
    is_sum && written(inst).any(|changed| changed.meet(value))
}

/// Whether an instruction does no more than bring a value into another register.
fn is_move(inst: &Inst) -> bool {
    let starts = ["v_mov_b", "s_mov_b", "v_accvgpr_", "v_cndmask_", "s_cselect_"];
    starts.iter().any(|start| inst.entry.base.starts_with(start))
}

/// Whether an instruction computes with all bytes of a word, not with some that it takes out of it.
fn takes_all(inst: &Inst, in_part: bool) -> bool {
    const PARTS: [&str; 32] = [
        "and",
        "or",
        "or3",
        "not",
        "nand",
        "nor",
        "andn2",
        "orn2",
        "bfe",
        "bfi",
        "bfm",
        "perm",
        "alignbit",
        "alignbyte",
        "lshl",
        "lshr",
        "ashr",
        "lshlrev",
        "lshrrev",
        "ashrrev",
        "pack",
        "readlane",
        "readfirstlane",
        "writelane",
        "permlane16",
        "permlanex16",
        "permlane64",
        "swap",
        "swaprel",
        "b16",
        "sext",
        "movreld",
    ];
    const WORDS: [&str; 6] = ["f32", "f64", "u32", "i32", "u64", "i64"];
    let mut names = inst.entry.base.split('_');
    if names.clone().any(|name| PARTS.contains(&name)) {
        return false;
    }
    let is_whole = matches!(inst.form, Form::Plain | Form::Dpp(_) | Form::Dpp8(..));
    // Conversions take bytes, too, and products with `u24` three of them.
    let is_short = names.clone().any(|name| ["cvt", "u24", "i24", "sad", "msad", "lerp"].contains(&name));
    let is_of_words = names.next_back().is_some_and(|name| WORDS.contains(&name));
    !in_part || is_whole && !is_short && is_of_words
}
