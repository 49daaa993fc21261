//! How floats of a wave are rounded and what becomes of denormals: the low bits of the register MODE (AMD, "Instinct MI200
//! ISA", 3.5 "MODE"; LLVM, "User Guide for AMDGPU Backend", "Kernel Descriptor").

use rustc_apfloat::Round;

use super::element::Kind;
use crate::target::Generation;

/// The register MODE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FloatMode(u32);

/// Bits for directions of rounding and for denormals.
const FLOATS: u32 = 0xff;

impl FloatMode {
    /// To the nearest, and denormals are numbers as others.
    pub(crate) const USUAL: FloatMode = FloatMode(0xf0);

    /// The mode that a kernel begins with, from the first resource word of its descriptor.
    pub(crate) fn of(rsrc1: u32, generation: Generation) -> FloatMode {
        let floats = rsrc1 >> 12 & FLOATS;
        // What clamps do with NaN, and whether signaling NaN are quieted: for reads only. The bits went with gfx12.
        let others = (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9;
        FloatMode(if generation == Generation::Gfx12 { floats } else { floats | others })
    }

    /// Whether floats are computed as the host does.
    pub(crate) fn is_usual(self) -> bool {
        self.0 & FLOATS == FloatMode::USUAL.0
    }

    /// The bits of the register.
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    /// The mode after a write of `size` bits from `offset` on; `None` if it changes more than floats.
    pub(crate) fn with(self, offset: u32, size: u32, value: u32) -> Option<FloatMode> {
        let field = u32::MAX.checked_shr(32 - size).unwrap_or(0) << offset;
        let bits = self.0 & !field | value << offset & field;
        ((bits ^ self.0) & !FLOATS == 0).then_some(FloatMode(bits))
    }

    /// Whether results are rounded to the nearest (see [`FloatMode::rounding`]).
    pub(crate) fn is_nearest(self, is_single: bool) -> bool {
        self.rounding(is_single) == Round::NearestTiesToEven
    }

    /// Whether all results are rounded to the nearest.
    pub(crate) fn is_to_nearest(self) -> bool {
        self.0.is_multiple_of(16)
    }

    /// The direction for single floats, or for doubles and halves and for what is made of doubles.
    pub(crate) fn rounding(self, is_single: bool) -> Round {
        match self.0 >> if is_single { 0 } else { 2 } & 3 {
            0 => Round::NearestTiesToEven,
            1 => Round::TowardPositive,
            2 => Round::TowardNegative,
            _ => Round::TowardZero,
        }
    }

    /// Whether denormal sources of a kind count as zero.
    pub(crate) fn flushes_sources(self, kind: Kind) -> bool {
        self.denormals(kind) & 1 == 0
    }

    /// Whether denormal results of a kind become zero.
    pub(crate) fn flushes_results(self, kind: Kind) -> bool {
        self.denormals(kind) & 2 == 0
    }

    /// Bit 0: denormal sources are kept; bit 1: denormal results are.
    fn denormals(self, kind: Kind) -> u32 {
        match kind {
            Kind::Float(32) | Kind::PackedSingle => self.0 >> 4 & 3,
            Kind::Float(_) | Kind::PackedHalf => self.0 >> 6 & 3,
            _ => 3,
        }
    }
}

/// A value of a kind with denormals as zeros of the same sign.
pub(crate) fn flushed(kind: Kind, bits: u64) -> u64 {
    let number = |bits: u64, sign: u64, exponent: u64| if bits & exponent == 0 { bits & sign } else { bits };
    let half = |bits: u64| number(bits & 0xffff, 0x8000, 0x7c00);
    let single = |bits: u64| number(bits & 0xffff_ffff, 0x8000_0000, 0x7f80_0000);
    match kind {
        Kind::Float(16) => half(bits),
        Kind::Float(32) => single(bits),
        Kind::Float(64) => number(bits, 1 << 63, 0x7ff << 52),
        Kind::PackedHalf => half(bits) | half(bits >> 16) << 16,
        Kind::PackedSingle => single(bits) | single(bits >> 32) << 32,
        _ => bits,
    }
}
