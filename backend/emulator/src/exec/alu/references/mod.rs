//! What vector instructions compute, written anew: integers as numbers of any size, floats in software (`rustc_apfloat`).

mod conversions;
mod dots;
mod extremes;
mod floats;
mod integers;
#[path = "../../../../tests/common/small_floats.rs"]
pub(super) mod small_floats;

/// Operands, each in the low bits.
pub(super) type Operands = [u64; 3];

/// How a result is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The low bits of the result, of this width.
    Bits(u32),
    /// A float of this width: all NaNs are one, and so are the zeros where the flag says so.
    Float(u32, bool),
    /// Two halves.
    Halves,
    /// Two floats of 16 bits with the exponent of single precision.
    Brains,
}

/// An instruction by what it computes: names, widths of the sources, kind of the result, reference.
pub(super) struct Case {
    pub(super) names: &'static str,
    pub(super) sources: [u32; 3],
    pub(super) result: Kind,
    pub(super) reference: Box<dyn Fn(Operands) -> u64>,
}

impl Case {
    /// Whether an instruction is one of the case.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.names.split_whitespace().any(|known| known == name)
    }
}

fn case(names: &'static str, sources: [u32; 3], result: Kind, reference: impl Fn(Operands) -> u64 + 'static) -> Case {
    Case { names, sources, result, reference: Box::new(reference) }
}

/// An operation on integers of 32 bits with results of 32 bits.
fn word(names: &'static str, reference: impl Fn(Operands) -> u64 + 'static) -> Case {
    case(names, [32; 3], Kind::Bits(32), reference)
}

fn short(names: &'static str, reference: impl Fn(Operands) -> u64 + 'static) -> Case {
    case(names, [16; 3], Kind::Bits(16), reference)
}

/// A number with a sign, of so many bits.
pub(super) fn signed(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    (bits << unused).cast_signed() >> unused
}

fn wide(bits: u64) -> i64 {
    signed(bits, 32)
}

/// All of them.
pub(super) fn cases() -> Vec<Case> {
    [integers::cases(), floats::cases(), extremes::cases(), conversions::cases(), dots::cases()]
        .into_iter()
        .flatten()
        .collect()
}
