//! Ways through a program: which steps may come after a step, and which registers an instruction reads and writes.

use std::collections::HashSet;

use crate::exec::launch::listing::Listing;
use crate::isa::{Encoding, Field, Inst, Operand};

/// Registers side by side: the first, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Registers {
    pub(super) first: Operand,
    pub(super) count: u16,
}

impl Registers {
    pub(super) fn one(first: Operand) -> Registers {
        Registers { first, count: 1 }
    }

    /// Whether these and others have a register in common; constants are none.
    pub(super) fn meet(self, other: Registers) -> bool {
        if [self, other].iter().any(|registers| (128..256).contains(&registers.first.0)) {
            return false;
        }
        let is_before = |a: Registers, b: Registers| a.first.0 + a.count <= b.first.0;
        !is_before(self, other) && !is_before(other, self)
    }
}

/// Whether an instruction is one of memory by vector addresses, or of LDS.
pub(super) fn is_of_memory(inst: &Inst) -> bool {
    matches!(
        inst.entry.encoding,
        Encoding::Ds
            | Encoding::Flat
            | Encoding::FlatReturn
            | Encoding::Global
            | Encoding::GlobalReturn
            | Encoding::Scratch
            | Encoding::ScratchReturn
            | Encoding::Mubuf
            | Encoding::Mimg
            | Encoding::Vsample
    )
}

/// Whether an instruction of memory only reads.
pub(super) fn only_loads(inst: &Inst) -> bool {
    let base = inst.entry.base;
    base.contains("_load_") || base.starts_with("ds_read") || inst.entry.slots.is_empty()
}

/// Registers that an instruction writes.
pub(super) fn written(inst: &Inst) -> impl Iterator<Item = Registers> {
    let width = [Field::Dst, Field::ScalarDst].into_iter().find_map(|field| inst.entry.slot(field));
    let is_load_of_buffer = inst.entry.encoding == Encoding::Mubuf && only_loads(inst);
    let first = if is_load_of_buffer {
        let count = inst.entry.registers(Field::X).max(inst.entry.registers(Field::Dst));
        Some(Registers { first: inst.src[1], count: count.into() })
    } else {
        width.map(|slot| Registers { first: inst.dst, count: slot.registers.max(1).into() })
    };
    first.into_iter().chain(inst.dual.map(|(_, dst, _)| Registers::one(dst)))
}

/// Registers that an instruction computes with, data that it brings to memory, and what addresses are made of, in this order.
pub(super) fn read(inst: &Inst) -> [Vec<Registers>; 3] {
    let entry = inst.entry;
    let of = |at: usize, field| Registers { first: inst.src[at], count: entry.registers(field).into() };
    let is_load_of_buffer = entry.encoding == Encoding::Mubuf && only_loads(inst);
    match entry.encoding {
        Encoding::Smem => [Vec::new(), Vec::new(), vec![Registers { first: inst.src[0], count: 2 }, of(1, Field::C)]],
        Encoding::Ds => {
            [Vec::new(), data(inst, 1, Field::X).chain(data(inst, 2, Field::Y)).collect(), vec![of(0, Field::A)]]
        }
        _ if is_of_memory(inst) => {
            let stored = if is_load_of_buffer { Vec::new() } else { data(inst, 1, Field::X).collect() };
            [Vec::new(), stored, vec![of(0, Field::A), Registers { first: inst.src[2], count: 2 }]]
        }
        _ => {
            let own = [of(0, Field::A), of(1, Field::B), of(2, Field::C)];
            let second = inst.dual.into_iter().flat_map(|(_, _, sources)| sources).map(Registers::one);
            [own.into_iter().chain(second).collect(), Vec::new(), Vec::new()]
        }
    }
}

/// Data of an instruction of memory, if it has that operand.
fn data(inst: &Inst, at: usize, field: Field) -> impl Iterator<Item = Registers> {
    let slot = inst.entry.slot(field);
    slot.into_iter().map(move |slot| Registers { first: inst.src[at], count: slot.registers.max(1).into() })
}

/// The steps that may come after a step. None behind an end, a return and a call, whose ways are not known.
pub(super) fn after(listing: &Listing, step: usize) -> impl Iterator<Item = usize> {
    let found = listing.steps.get(step).and_then(|step| step.inst.as_ref().map(|inst| (step.address, inst)));
    let (mut next, mut target) = (None, None);
    if let Some((address, inst)) = found {
        let base = inst.entry.base;
        let leaves = inst.is_end() || ["s_setpc", "s_swappc", "s_call"].iter().any(|start| base.starts_with(start));
        next = (!leaves && base != "s_branch").then_some(step + 1);
        let offset = inst.branch_offset().filter(|_| !leaves);
        target = offset.and_then(|offset| listing.find(address.wrapping_add_signed(offset)));
    }
    next.into_iter().chain(target)
}

/// Walks all ways from a step, which is not looked at itself. `goes_on` says of each step that is met whether the way goes on
/// behind it. False if there are more than `most` steps.
pub(super) fn walk(listing: &Listing, from: usize, most: usize, mut goes_on: impl FnMut(usize) -> bool) -> bool {
    let mut seen = HashSet::new();
    let mut left: Vec<usize> = after(listing, from).collect();
    while let Some(step) = left.pop() {
        if !seen.insert(step) {
            continue;
        }
        if seen.len() > most {
            return false;
        }
        if goes_on(step) {
            left.extend(after(listing, step));
        }
    }
    true
}

/// Whether a way leads from one step to another; `None` if there is too much to look at.
pub(super) fn reaches(listing: &Listing, from: usize, to: usize) -> Option<bool> {
    const MOST: usize = 1 << 14;
    let mut found = false;
    let is_all = walk(listing, from, MOST, |step| {
        found |= step == to;
        !found
    });
    (found || is_all).then_some(found)
}
