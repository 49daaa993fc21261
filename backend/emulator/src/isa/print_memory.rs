//! Text of instructions that access memory.

use super::operand::Operand;
use super::print_cache;
use super::table::{Encoding, Field};
use super::text::Text;
use crate::target::Generation;

/// Writes an instruction that accesses memory.
pub(super) fn write(text: &mut Text) {
    let inst = text.inst;
    text.out.push_str(inst.entry.mnemonic);
    match inst.entry.encoding {
        Encoding::Ds => lds(text),
        Encoding::Mubuf => buffer(text),
        _ => flat(text),
    }
}

fn lds(text: &mut Text) {
    let inst = text.inst;
    let mut is_first = true;
    for slot in &inst.entry.slots {
        let operand = match slot.field {
            Field::Dst => inst.dst,
            Field::A => inst.src[0],
            Field::X => inst.src[1],
            Field::Y => inst.src[2],
            _ => continue,
        };
        text.separate(&mut is_first);
        text.operand(operand, slot.registers);
    }
    let (first, second) = (inst.imm & 255, inst.imm >> 8);
    if inst.entry.base == "ds_swizzle_b32" {
        swizzle(text);
    } else if has_two_offsets(inst.entry.base) {
        if first != 0 {
            text.put(format_args!(" offset0:{first}"));
        }
        if second != 0 {
            text.put(format_args!(" offset1:{second}"));
        }
    } else if inst.imm != 0 {
        text.put(format_args!(" offset:{}", inst.imm));
    }
    text.out.push_str(if inst.flags & 1 != 0 { " gds" } else { "" });
}

/// Whether an LDS instruction accesses two places.
pub(crate) fn has_two_offsets(base: &str) -> bool {
    ["read2", "write2", "wrxchg2", "2addr"].iter().any(|part| base.contains(part))
}

fn swizzle(text: &mut Text) {
    let imm = text.inst.imm;
    if imm == 0 {
        return;
    }
    if imm & 0x8000 != 0 {
        if imm & 0x7f00 == 0 {
            let lanes: Vec<String> = (0..4).map(|lane| (imm >> (2 * lane) & 3).to_string()).collect();
            return text.put(format_args!(" offset:swizzle(QUAD_PERM,{})", lanes.join(",")));
        }
        if imm & 0xf81f == 0xc000 {
            return text.put(format_args!(" offset:swizzle(ROTATE,{},{})", imm >> 10 & 1, imm >> 5 & 31));
        }
        return text.put(format_args!(" offset:{imm}"));
    }
    let (and, or, xor) = (imm & 31, imm >> 5 & 31, imm >> 10 & 31);
    let power = |value: i32| value.count_ones() == 1;
    if and == 31 && or == 0 && power(xor) {
        text.put(format_args!(" offset:swizzle(SWAP,{xor})"));
    } else if and == 31 && or == 0 && xor > 0 && power(xor + 1) {
        text.put(format_args!(" offset:swizzle(REVERSE,{})", xor + 1));
    } else if xor == 0 && power(32 - and) && or < 32 - and {
        text.put(format_args!(" offset:swizzle(BROADCAST,{},{or})", 32 - and));
    } else {
        let pattern: String = (0..5).rev().map(|bit| pattern(and >> bit & 1, or >> bit & 1, xor >> bit & 1)).collect();
        text.put(format_args!(" offset:swizzle(BITMASK_PERM,\"{pattern}\")"));
    }
}

/// What happens to one bit of the lane's number: it is set, cleared, kept, inverted.
fn pattern(and: i32, or: i32, xor: i32) -> char {
    match (and, or, xor) {
        (0, 0, 0) | (_, 1, 1) => '0',
        (0, 0, 1) | (_, 1, 0) => '1',
        (_, _, 0) => 'p',
        _ => 'i',
    }
}

fn flat(text: &mut Text) {
    let inst = text.inst;
    let scalar = inst.src[2];
    let mut is_first = true;
    let encoding = inst.entry.encoding;
    let is_flat = matches!(encoding, Encoding::Flat | Encoding::FlatReturn);
    let is_scratch = matches!(encoding, Encoding::Scratch | Encoding::ScratchReturn);
    for slot in &inst.entry.slots {
        text.separate(&mut is_first);
        match slot.field {
            Field::Dst => text.operand(inst.dst, slot.registers),
            Field::X => text.operand(inst.src[1], slot.registers),
            _ if is_scratch && inst.flags & 1 == 0 => text.out.push_str("off"),
            _ => {
                let registers = if is_flat || (scalar == Operand::NULL && !is_scratch) { 2 } else { 1 };
                text.operand(inst.src[0], registers);
            }
        }
    }
    if is_scratch && inst.entry.slot(Field::A).is_none() {
        text.separate(&mut is_first);
        text.out.push_str("off");
    }
    if inst.entry.slots.is_empty() {
        return print_cache::write(text);
    }
    if !is_flat {
        text.out.push_str(", ");
        if scalar == Operand::NULL {
            text.out.push_str("off");
        } else {
            text.operand(scalar, if is_scratch { 1 } else { 2 });
        }
    }
    if inst.imm != 0 {
        text.put(format_args!(" offset:{}", inst.imm));
    }
    print_cache::write(text);
}

fn buffer(text: &mut Text) {
    let inst = text.inst;
    let Some(data) = inst.entry.slot(Field::X) else {
        // Bits of instructions for whole caches are not written for GCN and the first CDNA processors.
        if text.generation != Generation::Gfx9 {
            print_cache::write(text);
        }
        return;
    };
    let mut is_first = true;
    text.separate(&mut is_first);
    text.operand(inst.src[1], data.registers);
    text.out.push_str(", ");
    match inst.flags & 3 {
        0 => text.out.push_str("off"),
        3 => text.operand(inst.src[0], 2),
        _ => text.operand(inst.src[0], 1),
    }
    text.out.push_str(", ");
    text.operand(inst.sdst, 4);
    text.out.push_str(", ");
    text.operand(inst.src[2], 1);
    text.out.push_str(if inst.flags & 2 != 0 { " idxen" } else { "" });
    text.out.push_str(if inst.flags & 1 != 0 { " offen" } else { "" });
    if inst.imm != 0 {
        text.put(format_args!(" offset:{}", inst.imm));
    }
    print_cache::write(text);
    text.out.push_str(if inst.flags & 4 != 0 { " lds" } else { "" });
}
