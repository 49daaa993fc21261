//! What an instruction does with memory, read from its mnemonic.

use crate::target::Generation;

/// How values lie in memory and in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    /// Bytes in memory: 1, 2, 4, 8, 12, 16.
    pub(super) bytes: u32,
    /// Short values keep their sign in registers.
    pub(super) signed: bool,
    /// Which half of a register a short value takes; `None` for all of it.
    pub(super) half: Option<bool>,
    /// A load into one half clears the other one.
    pub(super) clears: bool,
}

impl Item {
    /// As a generation brings it into registers: with memory that corrects errors, as all of gfx9 here have, loads of
    /// halves clear the other half. LLVM's `d16PreservesUnusedBits` says so, and rocBLAS's kernels count on it.
    pub(super) fn on(self, generation: Generation) -> Item {
        Item { clears: self.half.is_some() && generation.is_gfx9(), ..self }
    }

    /// Registers of the value.
    pub(super) fn registers(self) -> u32 {
        self.bytes.div_ceil(4)
    }
}

/// An atomic operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Atomic {
    Swap,
    CompareSwap,
    Add,
    Sub,
    ReverseSub,
    SignedMin,
    UnsignedMin,
    SignedMax,
    UnsignedMax,
    And,
    Or,
    Xor,
    Increment,
    Decrement,
    FloatAdd,
    FloatMin,
    FloatMax,
    /// Two halves.
    PackedHalfAdd,
    /// Two halves with the exponent of single precision.
    PackedBfloatAdd,
    /// A difference that stops at zero.
    SubClamp,
    /// A difference, or the old value where it would be negative.
    ConditionalSub,
}

/// What is done with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Load(Item),
    Store(Item),
    /// An operation on so many bytes.
    Atomic(Atomic, u32),
}

/// The part of a mnemonic behind `load_`, as gfx9 and gfx11 write it.
pub(super) fn item(name: &str) -> Option<Item> {
    let item = |bytes, signed, half| Some(Item { bytes, signed, half, clears: false });
    match name {
        "dword" | "b32" => item(4, false, None),
        "dwordx2" | "b64" => item(8, false, None),
        "dwordx3" | "b96" => item(12, false, None),
        "dwordx4" | "b128" => item(16, false, None),
        "ubyte" | "u8" | "byte" | "b8" => item(1, false, None),
        "sbyte" | "i8" => item(1, true, None),
        "ushort" | "u16" | "short" | "b16" => item(2, false, None),
        "sshort" | "i16" => item(2, true, None),
        "ubyte_d16" | "d16_u8" | "u8_d16" => item(1, false, Some(false)),
        "ubyte_d16_hi" | "d16_hi_u8" | "u8_d16_hi" | "byte_d16_hi" | "d16_hi_b8" | "b8_d16_hi" => {
            item(1, false, Some(true))
        }
        "sbyte_d16" | "d16_i8" | "i8_d16" => item(1, true, Some(false)),
        "sbyte_d16_hi" | "d16_hi_i8" | "i8_d16_hi" => item(1, true, Some(true)),
        "short_d16" | "d16_b16" | "u16_d16" => item(2, false, Some(false)),
        "short_d16_hi" | "d16_hi_b16" | "u16_d16_hi" | "b16_d16_hi" => item(2, false, Some(true)),
        _ => None,
    }
}

/// The part of a mnemonic behind `atomic_`.
pub(super) fn atomic(name: &str) -> Option<(Atomic, u32)> {
    let (name, bytes) = match name.strip_suffix("_x2") {
        Some(name) => (name, 8),
        None if name.ends_with("64") => (name, 8),
        None => (name, 4),
    };
    let operation = match name {
        "swap" | "swap_b32" | "swap_b64" => Atomic::Swap,
        "cmpswap" | "cmpswap_b32" | "cmpswap_b64" => Atomic::CompareSwap,
        "add" | "add_u32" | "add_u64" => Atomic::Add,
        "sub" | "sub_u32" | "sub_u64" => Atomic::Sub,
        "smin" | "min_i32" | "min_i64" => Atomic::SignedMin,
        "umin" | "min_u32" | "min_u64" => Atomic::UnsignedMin,
        "smax" | "max_i32" | "max_i64" => Atomic::SignedMax,
        "umax" | "max_u32" | "max_u64" => Atomic::UnsignedMax,
        "and" | "and_b32" | "and_b64" => Atomic::And,
        "or" | "or_b32" | "or_b64" => Atomic::Or,
        "xor" | "xor_b32" | "xor_b64" => Atomic::Xor,
        "inc" | "inc_u32" | "inc_u64" => Atomic::Increment,
        "dec" | "dec_u32" | "dec_u64" => Atomic::Decrement,
        "add_f32" | "add_f64" => Atomic::FloatAdd,
        "fmin" | "min_f32" | "min_f64" | "min_num_f32" | "min_num_f64" => Atomic::FloatMin,
        "fmax" | "max_f32" | "max_f64" | "max_num_f32" | "max_num_f64" => Atomic::FloatMax,
        "pk_add_f16" => Atomic::PackedHalfAdd,
        "pk_add_bf16" => Atomic::PackedBfloatAdd,
        "sub_clamp_u32" => Atomic::SubClamp,
        "cond_sub_u32" => Atomic::ConditionalSub,
        _ => return None,
    };
    Some((operation, bytes))
}

/// What an instruction on global, private or flat memory does.
pub(super) fn access(base: &str) -> Option<Access> {
    let (_space, name) = base.split_once('_')?;
    if let Some(name) = name.strip_prefix("load_") {
        return item(name).map(Access::Load);
    }
    if let Some(name) = name.strip_prefix("store_") {
        return item(name).map(Access::Store);
    }
    let (operation, bytes) = atomic(name.strip_prefix("atomic_")?)?;
    Some(Access::Atomic(operation, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_generations_name_the_same_things() {
        assert_eq!(access("global_load_dwordx3"), access("global_load_b96"));
        assert_eq!(access("flat_store_byte"), access("flat_store_b8"));
        assert_eq!(access("global_atomic_add_x2"), Some(Access::Atomic(Atomic::Add, 8)));
        assert_eq!(access("global_atomic_add_x2"), access("global_atomic_add_u64"));
        assert_eq!(access("global_atomic_smax"), access("global_atomic_max_i32"));
        assert_eq!(
            access("global_load_d16_hi_i8"),
            Some(Access::Load(Item { bytes: 1, signed: true, half: Some(true), clears: false }))
        );
        assert_eq!(access("buffer_wbl2"), None);
    }
}
