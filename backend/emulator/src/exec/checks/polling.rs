//! Loads that wait for others: machine code does not tell an atomic load of LDS from a plain one, but a loop that loads the same place
//! again and again, and writes nothing meanwhile, waits for another wave. Compilers take plain loads out of such loops, so that
//! what stays is volatile or atomic.

use super::flow::{Registers, is_of_memory, only_loads, read, walk, written};
use crate::exec::launch::context::Context;
use crate::exec::launch::known::Question;
use crate::exec::launch::listing::Listing;
use crate::isa::{Encoding, Inst};

/// Instructions between two turns of a loop that waits.
const MOST: usize = 64;

/// Whether the load of a step waits for others.
pub(crate) fn polls(context: &Context, step: usize) -> bool {
    context.shared.known.ask(Question::Polls(step), || is_poll(context.listing, step))
}

fn is_poll(listing: &Listing, step: usize) -> bool {
    let Some(load) = instruction(listing, step).filter(|inst| is_of_memory(inst) && only_loads(inst)) else {
        return false;
    };
    let [_, _, address] = read(load);
    let mut is_met_again = false;
    // A loop that is too large for a wait is none, even if the way back was found.
    let is_small = walk(listing, step, MOST, |next| {
        is_met_again |= next == step;
        next != step && instruction(listing, next).is_some_and(|inst| is_harmless(inst, &address))
    });
    is_small && is_met_again
}

fn instruction(listing: &Listing, step: usize) -> Option<&Inst> {
    listing.steps.get(step)?.inst.as_ref()
}

/// Whether an instruction of a loop leaves memory and the address as they are, and meets nobody.
fn is_harmless(inst: &Inst, address: &[Registers]) -> bool {
    let base = inst.entry.base;
    let is_control = inst.entry.encoding == Encoding::Sopp && (base.starts_with("s_barrier") || inst.is_end());
    let stores = is_of_memory(inst) && !only_loads(inst);
    let changes =
        || written(inst).any(|row| address.iter().any(|address| address.first.row().is_some() && row.meet(*address)));
    !is_control && !stores && !changes()
}
