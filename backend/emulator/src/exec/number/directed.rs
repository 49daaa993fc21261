//! What the mode of floats changes about vector and scalar instructions: which of them round, and what they compute where
//! they do not round to the nearest. That is rare, so floats in software are fast enough.

use rustc_apfloat::ieee::{Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::element::Kind;
use super::float_mode::FloatMode;

/// What the mode changes about an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing: it moves or looks at bits.
    None,
    /// Denormals become zero. The result is exact, an approximation, or always rounded in one direction.
    Flushes,
    /// The result is rounded, too.
    Rounds(Rounded),
    /// How its result is rounded is not known here.
    Unknown,
}

/// An operation whose result is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounded {
    Add,
    Sub,
    ReverseSub,
    Mul,
    Fma,
    /// Product and sum are rounded.
    Mad,
    /// Times a power of two.
    Scale,
    /// A fused product and sum, scaled back where a bit says so.
    DivFmas,
    /// A fused product and sum of single floats as a half.
    MixToHalf,
    /// A double as a single float.
    ToSingle,
    /// A single float as a half.
    ToHalf,
    /// Two single floats as halves.
    ToHalves,
    FromSigned,
    FromUnsigned,
}

impl Rounded {
    /// Whether the direction for single floats counts, not that for doubles and halves.
    pub(crate) fn is_single(self, result: Kind) -> bool {
        self != Rounded::ToSingle && matches!(result, Kind::Float(32) | Kind::PackedSingle)
    }
}

impl Effect {
    /// That of an instruction.
    pub(crate) fn of(base: &str) -> Effect {
        let name = base.split_once('_').map_or(base, |(_unit, name)| name);
        let name = ["dual_", "pk_", "s_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
        if let Some(effect) = conversion(name) {
            return effect;
        }
        // The last part is the type.
        match name.rsplit_once('_').map_or(name, |(name, _type)| name) {
            "add" => Effect::Rounds(Rounded::Add),
            "sub" => Effect::Rounds(Rounded::Sub),
            "subrev" => Effect::Rounds(Rounded::ReverseSub),
            "mul" => Effect::Rounds(Rounded::Mul),
            "fma" | "fmac" | "fmamk" | "fmaak" | "fma_mix" => Effect::Rounds(Rounded::Fma),
            "fma_legacy" if base.ends_with("f16") => Effect::Rounds(Rounded::Fma),
            "mad" | "mac" | "madmk" | "madak" => Effect::Rounds(Rounded::Mad),
            "mad_legacy" if base.ends_with("f16") => Effect::Rounds(Rounded::Mad),
            "ldexp" => Effect::Rounds(Rounded::Scale),
            "div_fmas" => Effect::Rounds(Rounded::DivFmas),
            "fma_mixlo" | "fma_mixhi" => Effect::Rounds(Rounded::MixToHalf),
            "frexp_mant" | "frexp_exp_i16" | "frexp_exp_i32" | "mov" => Effect::None,
            name if name.starts_with("cmp") => {
                if name.ends_with("class") {
                    Effect::None
                } else {
                    Effect::Flushes
                }
            }
            "ceil" | "floor" | "trunc" | "rndne" | "rcp" | "rcp_iflag" | "rsq" | "sqrt" | "exp" | "log" | "sin"
            | "cos" | "div_scale" | "div_fixup" | "div_fixup_legacy" | "trig_preop" | "pack_b32" | "min" | "max"
            | "min_num" | "max_num" | "minimum" | "maximum" | "min3" | "max3" | "med3" | "min3_num" | "max3_num"
            | "med3_num" | "minimum3" | "maximum3" | "minmax" | "maxmin" | "minmax_num" | "maxmin_num"
            | "minimummaximum" | "maximumminimum" => Effect::Flushes,
            _ => Effect::Unknown,
        }
    }
}

fn conversion(name: &str) -> Option<Effect> {
    Some(match name.strip_prefix("cvt_")? {
        "f32_f64" => Effect::Rounds(Rounded::ToSingle),
        "f16_f32" => Effect::Rounds(Rounded::ToHalf),
        "pk_f16_f32" => Effect::Rounds(Rounded::ToHalves),
        "f32_i32" | "f16_i16" => Effect::Rounds(Rounded::FromSigned),
        "f32_u32" | "f16_u16" => Effect::Rounds(Rounded::FromUnsigned),
        "f64_f32" | "f64_i32" | "f64_u32" | "f32_f16" | "hi_f32_f16" | "f32_bf16" | "pkrtz_f16_f32"
        | "pk_rtz_f16_f32" | "f32_ubyte0" | "f32_ubyte1" | "f32_ubyte2" | "f32_ubyte3" | "off_f32_i4" => {
            Effect::Flushes
        }
        // To the nearest, whatever the mode says; denormals of single floats are too small to count.
        "f32_fp8" | "f32_bf8" | "pk_f32_fp8" | "pk_f32_bf8" | "pk_fp8_f32" | "pk_bf8_f32" => Effect::None,
        // To integers: towards zero, or as the name says.
        name if name.starts_with(['i', 'u']) || name.contains("_i32_") => Effect::Flushes,
        "pk_i16_f32" | "pk_u16_f32" => Effect::Flushes,
        _ => Effect::Unknown,
    })
}

/// The result of an operation for a lane. `kind` is that of the result; `bit` that of the lane.
pub(crate) fn result(operation: Rounded, kind: Kind, operands: [u64; 3], bit: bool, mode: FloatMode) -> u64 {
    let (single, other) = (mode.rounding(true), mode.rounding(false));
    let part = |shift: u32, mask: u64| operands.map(|operand| operand >> shift & mask);
    match (operation, kind) {
        (Rounded::ToSingle, _) => converted::<Double, Single>(operands[0], other),
        (Rounded::ToHalf, _) => converted::<Single, Half>(operands[0] & 0xffff_ffff, other),
        (Rounded::ToHalves, _) => {
            let [low, high] = [operands[0], operands[1]].map(|it| converted::<Single, Half>(it & 0xffff_ffff, other));
            low | high << 16
        }
        (Rounded::MixToHalf, _) => {
            // A direction once more changes nothing; only nearest numbers of nearest ones are not the nearest.
            let sum = computed::<Double>(Rounded::Fma, part(0, 0xffff_ffff).map(widened), false, other);
            converted::<Double, Half>(sum, other)
        }
        (_, Kind::Float(64)) => computed::<Double>(operation, operands, bit, other),
        (_, Kind::Float(16)) => computed::<Half>(operation, part(0, 0xffff), bit, other),
        (_, Kind::PackedHalf) => {
            let [low, high] = [0, 16].map(|at| computed::<Half>(operation, part(at, 0xffff), bit, other));
            low | high << 16
        }
        (_, Kind::PackedSingle) => {
            let [low, high] = [0, 32].map(|at| computed::<Single>(operation, part(at, 0xffff_ffff), bit, single));
            low | high << 32
        }
        _ => computed::<Single>(operation, part(0, 0xffff_ffff), bit, single),
    }
}

/// A single float as a double; exact.
fn widened(bits: u64) -> u64 {
    converted::<Single, Double>(bits, Round::NearestTiesToEven)
}

fn converted<A: Float + FloatConvert<B>, B: Float>(bits: u64, round: Round) -> u64 {
    let value: B = A::from_bits(bits.into()).convert_r(round, &mut false).value;
    value.to_bits() as u64
}

fn computed<F: Float>(operation: Rounded, operands: [u64; 3], bit: bool, round: Round) -> u64 {
    let [a, b, c] = operands.map(|bits| F::from_bits(bits.into()));
    let value = match operation {
        Rounded::Add => a.add_r(b, round).value,
        Rounded::Sub => a.sub_r(b, round).value,
        Rounded::ReverseSub => b.sub_r(a, round).value,
        Rounded::Mul => a.mul_r(b, round).value,
        Rounded::Mad => mad(operands, round),
        Rounded::Scale => scaled(a, operands[1], round),
        Rounded::DivFmas if bit => {
            let sum = a.mul_add_r(b, c, round).value;
            let by = if F::BITS == 64 { 128 } else { 64 };
            let is_large = c.is_finite_non_zero() && c.ilogb() > 0 || c.is_infinite();
            sum.scalbn_r(if is_large { by } else { -by }, round)
        }
        Rounded::FromSigned => {
            let unused = if F::BITS == 16 { 48 } else { 32 };
            F::from_i128_r(i128::from((operands[0] << unused).cast_signed() >> unused), round).value
        }
        Rounded::FromUnsigned => F::from_u128_r(operands[0].into(), round).value,
        _ => a.mul_add_r(b, c, round).value,
    };
    value.to_bits() as u64
}

/// Times two to the power of a number with a sign: of 16 bits for halves, of 32 for others.
fn scaled<F: Float>(value: F, by: u64, round: Round) -> F {
    let by = if F::BITS == 16 { i32::from(by as i16) } else { by as i32 };
    // Further than from the smallest to the largest double.
    value.scalbn_r(by.clamp(-5000, 5000), round)
}

/// Product and sum, each rounded; for single floats with denormals as zero (see `ops/float.rs`).
fn mad<F: Float>(operands: [u64; 3], round: Round) -> F {
    let number = |value: F| if F::BITS == 32 && value.is_denormal() { F::ZERO.copy_sign(value) } else { value };
    let [a, b, c] = operands.map(|bits| number(F::from_bits(bits.into())));
    let product = number(a.mul_r(b, round).value);
    number(product.add_r(c, round).value)
}
