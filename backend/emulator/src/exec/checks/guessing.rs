//! Loads whose value is a guess: a loop that sets a value by compare-and-swap loads it first, and learns at the swap whether it was
//! right. That load races with the swaps of others, and harms nobody. Where a language has no operation of a processor (additions of
//! `double`, halves, values of 16 bits), the compiler or a header writes that loop.

use super::flow::{Registers, is_of_memory, only_loads, read, walk, written};
use crate::exec::launch::context::Context;
use crate::exec::launch::known::Question;
use crate::exec::launch::listing::Listing;
use crate::isa::{Encoding, Inst, Operand};

/// Instructions behind a load that are looked at.
const MOST: usize = 256;

/// Whether the load of a step is compared with what is there before something is written.
pub(crate) fn is_guessed(context: &Context, step: usize) -> bool {
    context.shared.known.ask(Question::Guesses(step), || is_guess(context.listing, step))
}

fn is_guess(listing: &Listing, step: usize) -> bool {
    let instruction = |step: usize| listing.steps.get(step)?.inst.as_ref();
    let Some(load) = instruction(step).filter(|inst| is_of_memory(inst) && only_loads(inst)) else { return false };
    let mut behind = Vec::new();
    // Of a way that is too long, what was met counts.
    walk(listing, step, MOST, |next| {
        let Some(inst) = instruction(next).filter(|inst| !meets(inst)) else { return false };
        behind.push(inst);
        // What is written before the swap was not compared.
        !is_of_memory(inst) || only_loads(inst)
    });
    let swaps: Vec<&Inst> = behind.iter().copied().filter(|inst| is_swap(inst, load)).collect();
    if swaps.is_empty() {
        return false;
    }
    let mut made: Vec<Registers> = written(load).collect();
    loop {
        let takes = |registers: &[Registers]| registers.iter().any(|one| made.iter().any(|of| one.meet(*of)));
        if swaps.iter().any(|swap| takes(&compared(swap))) {
            return true;
        }
        let computed = behind.iter().filter(|inst| !is_of_memory(inst) && takes(&read(inst)[0]));
        let new: Vec<Registers> = computed.flat_map(|inst| written(inst)).filter(|one| !made.contains(one)).collect();
        if new.is_empty() {
            return false;
        }
        made.extend(new);
    }
}

/// Whether an instruction compares and swaps where `load` may have loaded: what has an address alone lies anywhere.
fn is_swap(inst: &Inst, load: &Inst) -> bool {
    let base = inst.entry.base;
    match inst.entry.encoding {
        Encoding::Ds => base.starts_with("ds_cmpst") && !is_global(load),
        Encoding::Flat | Encoding::FlatReturn => base.contains("_cmpswap"),
        Encoding::Global | Encoding::GlobalReturn => base.contains("_cmpswap") && load.entry.encoding != Encoding::Ds,
        _ => false,
    }
}

fn is_global(inst: &Inst) -> bool {
    matches!(inst.entry.encoding, Encoding::Global | Encoding::GlobalReturn)
}

/// The registers that a swap compares with what is there. `ds_cmpst` takes them first, `ds_cmpstore` of RDNA 3 behind the new value
/// (ISA documents, "LDS instructions"), and an atomic operation of memory in the upper half of its data.
fn compared(swap: &Inst) -> Vec<Registers> {
    let [_, data, _] = read(swap);
    let base = swap.entry.base;
    match (base.starts_with("ds_cmpst_"), base.starts_with("ds_cmpstore_")) {
        (true, _) => data.into_iter().take(1).collect(),
        (_, true) => data.into_iter().skip(1).collect(),
        _ => data.into_iter().map(upper_half).collect(),
    }
}

fn upper_half(registers: Registers) -> Registers {
    let half = registers.count / 2;
    Registers { first: Operand(registers.first.0 + half), count: half }
}

/// Whether waves meet at an instruction.
fn meets(inst: &Inst) -> bool {
    inst.entry.encoding == Encoding::Sopp && inst.entry.base.starts_with("s_barrier")
}
