//! Types of operands: how values of lanes lie in rows.

use super::half::F16;
use super::registers::{CHUNK, Rows};

/// What an operand is, for constants and modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// No operand.
    None,
    /// An integer, by bits.
    Int(u8),
    /// A float, by bits.
    Float(u8),
    /// Two integers of 16 bits.
    PackedInt,
    /// Two floats of 16 bits.
    PackedHalf,
    /// Two floats of 32 bits, or what is moved like them.
    PackedSingle,
}

impl Kind {
    /// Rows that a value takes.
    pub(super) fn rows(self) -> usize {
        match self {
            Kind::None => 0,
            Kind::Int(64) | Kind::Float(64) | Kind::PackedSingle => 2,
            _ => 1,
        }
    }

    /// Whether a value is half a register.
    pub(super) fn is_short(self) -> bool {
        matches!(self, Kind::Int(16) | Kind::Float(16))
    }

    pub(super) fn is_packed(self) -> bool {
        matches!(self, Kind::PackedInt | Kind::PackedHalf | Kind::PackedSingle)
    }
}

/// A type of operands.
pub(super) trait Element: Copy + Default + Send + Sync + 'static {
    /// What modifiers have to know.
    const KIND: Kind;

    /// The values of a chunk.
    fn load(rows: &Rows, row: usize, chunk: usize) -> [Self; CHUNK];

    /// Writes the values of some lanes of a chunk.
    fn store(rows: &mut Rows, row: usize, chunk: usize, values: [Self; CHUNK], lanes: u8);
}

#[inline(always)]
fn merge(rows: &mut Rows, row: usize, chunk: usize, values: [u32; CHUNK], lanes: u8) {
    let target = &mut rows.row_mut(row)[chunk];
    if lanes == u8::MAX {
        *target = values;
        return;
    }
    for (lane, value) in values.into_iter().enumerate() {
        target[lane] = if lanes & 1 << lane != 0 { value } else { target[lane] };
    }
}

macro_rules! element {
    ($type:ty, $kind:expr, $from:expr, $into:expr) => {
        impl Element for $type {
            const KIND: Kind = $kind;

            #[inline(always)]
            fn load(rows: &Rows, row: usize, chunk: usize) -> [Self; CHUNK] {
                rows.row(row)[chunk].map($from)
            }

            #[inline(always)]
            fn store(rows: &mut Rows, row: usize, chunk: usize, values: [Self; CHUNK], lanes: u8) {
                merge(rows, row, chunk, values.map($into), lanes);
            }
        }
    };
}

element!(u32, Kind::Int(32), |bits| bits, |value| value);
element!(i32, Kind::Int(32), u32::cast_signed, i32::cast_unsigned);
element!(f32, Kind::Float(32), f32::from_bits, f32::to_bits);
element!(u16, Kind::Int(16), |bits| bits as u16, u32::from);
element!(i16, Kind::Int(16), |bits| bits as i16, |value| u32::from(value.cast_unsigned()));
element!(F16, Kind::Float(16), |bits| F16(bits as u16), |value: F16| u32::from(value.0));

/// Two numbers of 16 bits: a low and a high one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pair<T>(pub(super) T, pub(super) T);

element!(Pair<u16>, Kind::PackedInt, |bits| Pair(bits as u16, (bits >> 16) as u16), |pair: Pair<u16>| u32::from(
    pair.0
) | u32::from(
    pair.1
) << 16);
element!(Pair<i16>, Kind::PackedInt, |bits| Pair(bits as i16, (bits >> 16) as i16), |pair: Pair<i16>| u32::from(
    pair.0.cast_unsigned()
) | u32::from(
    pair.1.cast_unsigned()
) << 16);
element!(Pair<F16>, Kind::PackedHalf, |bits| Pair(F16(bits as u16), F16((bits >> 16) as u16)), |pair: Pair<F16>| {
    u32::from(pair.0.0) | u32::from(pair.1.0) << 16
});

macro_rules! wide_element {
    ($type:ty, $kind:expr, $from:expr, $into:expr) => {
        impl Element for $type {
            const KIND: Kind = $kind;

            #[inline(always)]
            fn load(rows: &Rows, row: usize, chunk: usize) -> [Self; CHUNK] {
                let (low, high) = (rows.row(row)[chunk], rows.row(row + 1)[chunk]);
                std::array::from_fn(|lane| $from(low[lane], high[lane]))
            }

            #[inline(always)]
            fn store(rows: &mut Rows, row: usize, chunk: usize, values: [Self; CHUNK], lanes: u8) {
                let parts: [(u32, u32); CHUNK] = values.map($into);
                merge(rows, row, chunk, parts.map(|part| part.0), lanes);
                merge(rows, row + 1, chunk, parts.map(|part| part.1), lanes);
            }
        }
    };
}

#[inline(always)]
fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

#[inline(always)]
fn split(value: u64) -> (u32, u32) {
    (value as u32, (value >> 32) as u32)
}

wide_element!(u64, Kind::Int(64), join, split);
wide_element!(i64, Kind::Int(64), |low, high| join(low, high).cast_signed(), |value: i64| split(value.cast_unsigned()));
wide_element!(f64, Kind::Float(64), |low, high| f64::from_bits(join(low, high)), |value: f64| split(value.to_bits()));
wide_element!(
    Pair<f32>,
    Kind::PackedSingle,
    |low, high| Pair(f32::from_bits(low), f32::from_bits(high)),
    |pair: Pair<f32>| { (pair.0.to_bits(), pair.1.to_bits()) }
);
wide_element!(Pair<u32>, Kind::PackedSingle, Pair, |pair: Pair<u32>| (pair.0, pair.1));

/// No operand.
impl Element for () {
    const KIND: Kind = Kind::None;

    #[inline(always)]
    fn load(_: &Rows, _: usize, _: usize) -> [Self; CHUNK] {
        [(); CHUNK]
    }

    #[inline(always)]
    fn store(_: &mut Rows, _: usize, _: usize, _: [Self; CHUNK], _: u8) {}
}
