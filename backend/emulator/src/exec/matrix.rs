//! Products of matrices: MFMA of gfx908 and later, WMMA of gfx11 and gfx12. Whole waves take part, whatever lanes are
//! active.
//!
//! Which lane holds what is from AMD's instruction set manuals: "Matrix Arithmetic Instructions" of CDNA 3 (dense
//! layouts), "Wave Matrix Multiply Accumulate" of RDNA 3 and RDNA 4. A sum takes its products in the order of `k`,
//! each fused with the addition.

use super::bf16;
use super::element::Kind;
use super::half::F16;
use super::matrix_layout::{Layout, Place, Shape};
use super::wave::Wave;
use crate::isa::{Field, Inst, Operand};
use crate::target::Generation;

/// Elements of the largest result: two products of 32 by 32.
const MOST_RESULTS: usize = 2048;

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    F64,
    F32,
    F16,
    Bf16,
    I32,
    I8,
    I4,
}

impl Number {
    fn named(name: &str) -> Option<Number> {
        Some(match name {
            "f64" => Number::F64,
            "f32" => Number::F32,
            "f16" => Number::F16,
            "bf16" => Number::Bf16,
            "i32" => Number::I32,
            "i8" | "iu8" => Number::I8,
            "iu4" => Number::I4,
            _ => return None,
        })
    }

    fn bits(self) -> usize {
        match self {
            Number::F64 => 64,
            Number::F32 | Number::I32 => 32,
            Number::F16 | Number::Bf16 => 16,
            Number::I8 => 8,
            Number::I4 => 4,
        }
    }

    fn is_integer(self) -> bool {
        matches!(self, Number::I32 | Number::I8 | Number::I4)
    }

    /// How constants are read in the place of a matrix.
    fn kind(self) -> Kind {
        match self {
            Number::F64 => Kind::Float(64),
            Number::F16 | Number::Bf16 => Kind::Float(16),
            Number::F32 => Kind::Float(32),
            _ => Kind::Int(32),
        }
    }
}

/// A product of matrices, ready to run.
#[derive(Debug)]
pub(super) struct Matrix {
    /// Lanes of the waves that it is made for.
    pub(super) lanes: usize,
    shape: Shape,
    layout: Layout,
    input: Number,
    output: Number,
    /// First rows of the factors and of the result.
    factors: [usize; 2],
    dst: usize,
    summand: Operand,
    literal: u32,
    /// Whether the integers of a factor have a sign.
    signed: [bool; 2],
    /// Integers stop at the largest and smallest number.
    clamps: bool,
    /// Short results of gfx11 lie in the high halves.
    high: bool,
}

impl Matrix {
    /// Reads what the instruction does; `None` if it is not known, or changes its factors on the way.
    pub(super) fn new(inst: &Inst, generation: Generation) -> Option<Matrix> {
        let base = inst.entry.base;
        let (name, layout) = if let Some(name) = base.strip_prefix("v_mfma_") {
            (name, Layout::Mfma)
        } else {
            let is_gfx12 = generation == Generation::Gfx12;
            (base.strip_prefix("v_wmma_")?, if is_gfx12 { Layout::Wmma12 } else { Layout::Wmma11 })
        };
        let (output, rest) = name.split_once('_')?;
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != 'x')?;
        let sizes: Vec<usize> = rest[..end].split('x').filter_map(|size| size.parse().ok()).collect();
        let [m, n, k] = sizes[..] else { return None };
        let (output, input) = (Number::named(output)?, Number::named(type_name(&rest[end..]))?);
        // 32 numbers of four bits are not in the order that the others have.
        if input == Number::I4 && k != 16 {
            return None;
        }
        let lanes = if layout == Layout::Mfma { 64 } else { 32 };
        let registers = usize::from(inst.entry.registers(Field::Dst));
        let blocks = if layout == Layout::Mfma { registers * lanes * 32 / output.bits() / (m * n) } else { 1 };
        let modifiers = inst.modifiers;
        let is_changed = match layout {
            Layout::Mfma => (modifiers.abs, modifiers.op_sel, modifiers.neg) != (0, 0, 0),
            _ if input.is_integer() => modifiers.abs != 0 || modifiers.neg & 4 != 0,
            _ => modifiers.abs != 0 || modifiers.neg != 0,
        };
        let fits = m * n * blocks <= MOST_RESULTS && blocks > 0;
        if is_changed || !fits {
            return None;
        }
        let row = |operand: Operand| operand.row().map(usize::from);
        let takes_signs = layout != Layout::Mfma;
        Some(Matrix {
            lanes,
            shape: Shape { m, n, k, blocks, is_double: output == Number::F64 },
            layout,
            input,
            output,
            factors: [row(inst.src[0])?, row(inst.src[1])?],
            dst: row(inst.dst)?,
            summand: inst.src[2],
            literal: inst.literal,
            signed: [0, 1].map(|factor| !takes_signs || modifiers.neg >> factor & 1 != 0),
            clamps: modifiers.clamp,
            high: modifiers.op_sel & 4 != 0,
        })
    }

    /// Bits of the place that an element of the result takes: on gfx11 a whole register, of which half may be used.
    fn result_bits(&self) -> usize {
        if self.layout == Layout::Wmma11 { 32 } else { self.output.bits() }
    }

    fn factor(&self, wave: &Wave, which: usize, place: Place) -> u64 {
        read(wave, self.factors[which], place, self.input.bits())
    }

    /// An element of the matrix that is added to.
    fn summand(&self, wave: &Wave, place: Place) -> u64 {
        let Some(row) = self.summand.row() else {
            return wave.scalar_source(self.summand, self.literal, self.output.kind());
        };
        let bits = read(wave, usize::from(row), place, self.result_bits());
        if self.is_half_of_register() && self.high { bits >> 16 } else { bits }
    }

    fn is_half_of_register(&self) -> bool {
        self.result_bits() == 32 && self.output.bits() == 16
    }

    fn give(&self, wave: &mut Wave, place: Place, value: u64) {
        if self.is_half_of_register() {
            let place = Place { lane: place.lane, item: 2 * place.item + usize::from(self.high) };
            return write(wave, self.dst, place, 16, value);
        }
        write(wave, self.dst, place, self.result_bits(), value);
    }
}

/// What stands behind the sizes: `_2b_f32`, `bf16_1k`, `_iu8`.
fn type_name(rest: &str) -> &str {
    let rest = rest.strip_prefix('_').unwrap_or(rest);
    let rest = rest.strip_suffix("_1k").unwrap_or(rest);
    match rest.split_once("b_") {
        Some((blocks, name)) if blocks.chars().all(|c| c.is_ascii_digit()) => name,
        _ => rest,
    }
}

/// Reads an element of a matrix whose first row is `first`.
fn read(wave: &Wave, first: usize, place: Place, bits: usize) -> u64 {
    if bits == 64 {
        return wave.rows.lane64(first + 2 * place.item, place.lane);
    }
    let at = place.item * bits;
    let word = wave.rows.lane(first + at / 32, place.lane) >> (at % 32);
    u64::from(word) & (u64::MAX >> (64 - bits))
}

/// Writes an element of a matrix; other bits of the register stay.
fn write(wave: &mut Wave, first: usize, place: Place, bits: usize, value: u64) {
    if bits == 64 {
        wave.rows.set_lane(first + 2 * place.item, place.lane, value as u32);
        wave.rows.set_lane(first + 2 * place.item + 1, place.lane, (value >> 32) as u32);
        return;
    }
    let at = place.item * bits;
    let (row, shift) = (first + at / 32, at % 32);
    let mask = (u32::MAX >> (32 - bits)) << shift;
    let old = wave.rows.lane(row, place.lane);
    wave.rows.set_lane(row, place.lane, old & !mask | (value as u32) << shift & mask);
}

/// Runs one instruction.
pub(super) fn run(wave: &mut Wave, matrix: &Matrix) {
    let mut results = [0; MOST_RESULTS];
    match (matrix.input, matrix.output) {
        (Number::F64, _) => products(wave, matrix, &mut results, |_, bits| f64::from_bits(bits), double_sum),
        (Number::F32, _) => {
            products(wave, matrix, &mut results, |_, bits| f32::from_bits(bits as u32), |c, terms| single(c, terms));
        }
        (Number::F16, output) => {
            products(wave, matrix, &mut results, |_, bits| F16(bits as u16).single(), |c, terms| sum(output, c, terms));
        }
        (Number::Bf16, output) => {
            products(wave, matrix, &mut results, |_, bits| bf16::single(bits as u16), |c, terms| sum(output, c, terms));
        }
        (input, _) => {
            let unused = 64 - input.bits();
            let convert = |which: usize, bits: u64| {
                if matrix.signed[which] { (bits << unused).cast_signed() >> unused } else { bits.cast_signed() }
            };
            products(wave, matrix, &mut results, convert, |c, terms| integer_sum(c, terms, matrix.clamps));
        }
    }
    let shape = matrix.shape;
    for (number, value) in results.iter().enumerate().take(shape.m * shape.n * shape.blocks) {
        let place =
            matrix.layout.result(shape, number / shape.n % shape.m, number % shape.n, number / shape.n / shape.m);
        matrix.give(wave, place, *value);
    }
}

/// All elements of a factor, line by line and block by block.
fn factor<T>(wave: &Wave, matrix: &Matrix, which: usize, convert: impl Fn(usize, u64) -> T) -> Vec<T> {
    let (shape, layout) = (matrix.shape, matrix.layout);
    let lines = if which == 0 { shape.m } else { shape.n };
    let all = (0..shape.blocks).flat_map(|block| (0..lines).map(move |line| (block, line)));
    let all = all.flat_map(|(block, line)| (0..shape.k).map(move |k| [line, k, block]));
    all.map(|at| convert(which, matrix.factor(wave, which, layout.factor(shape, lines, at)))).collect()
}

/// All sums, row by row and block by block.
fn products<T: Copy>(
    wave: &Wave,
    matrix: &Matrix,
    results: &mut [u64; MOST_RESULTS],
    convert: impl Fn(usize, u64) -> T,
    add: impl Fn(u64, &mut dyn Iterator<Item = (T, T)>) -> u64,
) {
    let (shape, layout) = (matrix.shape, matrix.layout);
    let [first, second] = [0, 1].map(|which| factor(wave, matrix, which, &convert));
    for (number, result) in results.iter_mut().enumerate().take(shape.m * shape.n * shape.blocks) {
        let (block, i, j) = (number / shape.n / shape.m, number / shape.n % shape.m, number % shape.n);
        let (a, b) = (shape.k * (block * shape.m + i), shape.k * (block * shape.n + j));
        let mut terms = first[a..a + shape.k].iter().copied().zip(second[b..b + shape.k].iter().copied());
        let summand = matrix.summand(wave, layout.result(shape, i, j, block));
        *result = add(summand, &mut terms);
    }
}

fn double_sum(summand: u64, terms: &mut dyn Iterator<Item = (f64, f64)>) -> u64 {
    terms.fold(f64::from_bits(summand), |sum, (a, b)| a.mul_add(b, sum)).to_bits()
}

fn single(summand: u64, terms: &mut dyn Iterator<Item = (f32, f32)>) -> u64 {
    let sum = terms.fold(f32::from_bits(summand as u32), |sum, (a, b)| a.mul_add(b, sum));
    u64::from(sum.to_bits())
}

/// A sum in single precision; a short result is rounded once more in the end.
fn sum(output: Number, summand: u64, terms: &mut dyn Iterator<Item = (f32, f32)>) -> u64 {
    let widened = match output {
        Number::F16 => F16(summand as u16).single(),
        Number::Bf16 => bf16::single(summand as u16),
        _ => f32::from_bits(summand as u32),
    };
    let sum = f32::from_bits(single(u64::from(widened.to_bits()), terms) as u32);
    match output {
        Number::F16 => u64::from(F16::nearest(sum).0),
        Number::Bf16 => u64::from(bf16::nearest(sum)),
        _ => u64::from(sum.to_bits()),
    }
}

fn integer_sum(summand: u64, terms: &mut dyn Iterator<Item = (i64, i64)>, clamps: bool) -> u64 {
    let sum = i64::from((summand as u32).cast_signed()) + terms.map(|(a, b)| a * b).sum::<i64>();
    let result = if clamps { sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) } else { sum };
    result.cast_unsigned() & 0xffff_ffff
}
