//! Types of operands: how values of lanes lie in rows.

use super::half::F16;

/// What an operand is, for constants and modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
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
    pub(crate) fn rows(self) -> usize {
        match self {
            Kind::None => 0,
            Kind::Int(64) | Kind::Float(64) | Kind::PackedSingle => 2,
            _ => 1,
        }
    }

    /// Whether a value is half a register.
    pub(crate) fn is_short(self) -> bool {
        matches!(self, Kind::Int(16) | Kind::Float(16))
    }

    /// Whether a value is one float or two.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Kind::Float(_) | Kind::PackedHalf | Kind::PackedSingle)
    }

    pub(crate) fn is_packed(self) -> bool {
        matches!(self, Kind::PackedInt | Kind::PackedHalf | Kind::PackedSingle)
    }
}

/// A change of 32 bits: first some are cleared, then some are flipped. What keeps none is a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flip {
    pub(crate) kept: u32,
    pub(crate) flipped: u32,
}

impl Flip {
    /// No change.
    pub(crate) const NONE: Flip = Flip { kept: u32::MAX, flipped: 0 };

    /// Always these bits.
    pub(crate) fn to(bits: u32) -> Flip {
        Flip { kept: 0, flipped: bits }
    }

    #[inline(always)]
    pub(crate) fn apply(self, bits: u32) -> u32 {
        bits & self.kept ^ self.flipped
    }
}

/// A type of operands.
pub(crate) trait Element: Copy + Default + Send + Sync + 'static {
    /// What modifiers have to know.
    const KIND: Kind;

    /// A value from the bits of its row, or of its two rows.
    fn join(low: u32, high: u32) -> Self;

    /// The bits of its row, or of its two rows.
    fn split(self) -> (u32, u32);
}

macro_rules! element {
    ($type:ty, $kind:expr, $from:expr, $into:expr) => {
        impl Element for $type {
            const KIND: Kind = $kind;

            #[inline(always)]
            fn join(low: u32, _high: u32) -> Self {
                $from(low)
            }

            #[inline(always)]
            fn split(self) -> (u32, u32) {
                ($into(self), 0)
            }
        }
    };
}

element!(u32, Kind::Int(32), |bits: u32| bits, |value: u32| value);
element!(i32, Kind::Int(32), u32::cast_signed, i32::cast_unsigned);
element!(f32, Kind::Float(32), f32::from_bits, f32::to_bits);
element!(u16, Kind::Int(16), |bits: u32| bits as u16, u32::from);
element!(i16, Kind::Int(16), |bits: u32| bits as i16, |value: i16| u32::from(value.cast_unsigned()));
element!(F16, Kind::Float(16), |bits: u32| F16(bits as u16), |value: F16| u32::from(value.0));

/// Two numbers of 16 bits: a low and a high one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pair<T>(pub(crate) T, pub(crate) T);

element!(Pair<u16>, Kind::PackedInt, |bits: u32| Pair(bits as u16, (bits >> 16) as u16), |pair: Pair<u16>| u32::from(
    pair.0
) | u32::from(
    pair.1
) << 16);
element!(Pair<i16>, Kind::PackedInt, |bits: u32| Pair(bits as i16, (bits >> 16) as i16), |pair: Pair<i16>| u32::from(
    pair.0.cast_unsigned()
) | u32::from(
    pair.1.cast_unsigned()
) << 16);
element!(Pair<F16>, Kind::PackedHalf, |bits: u32| Pair(F16(bits as u16), F16((bits >> 16) as u16)), |pair: Pair<
    F16,
>| {
    u32::from(pair.0.0) | u32::from(pair.1.0) << 16
});

macro_rules! wide_element {
    ($type:ty, $kind:expr, $from:expr, $into:expr) => {
        impl Element for $type {
            const KIND: Kind = $kind;

            #[inline(always)]
            fn join(low: u32, high: u32) -> Self {
                $from(low, high)
            }

            #[inline(always)]
            fn split(self) -> (u32, u32) {
                $into(self)
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
wide_element!(i64, Kind::Int(64), |low: u32, high: u32| join(low, high).cast_signed(), |value: i64| split(
    value.cast_unsigned()
));
wide_element!(f64, Kind::Float(64), |low: u32, high: u32| f64::from_bits(join(low, high)), |value: f64| split(
    value.to_bits()
));
wide_element!(
    Pair<f32>,
    Kind::PackedSingle,
    |low: u32, high: u32| Pair(f32::from_bits(low), f32::from_bits(high)),
    |pair: Pair<f32>| { (pair.0.to_bits(), pair.1.to_bits()) }
);
wide_element!(Pair<u32>, Kind::PackedSingle, Pair, |pair: Pair<u32>| (pair.0, pair.1));

/// No operand.
impl Element for () {
    const KIND: Kind = Kind::None;

    #[inline(always)]
    fn join(_: u32, _: u32) -> Self {}

    #[inline(always)]
    fn split(self) -> (u32, u32) {
        (0, 0)
    }
}
