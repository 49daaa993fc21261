//! Products of matrices: MFMA of gfx908 and later, WMMA of gfx11 and gfx12, and those whose first factor lacks half of its
//! elements (SMFMAC, SWMMAC). Whole waves take part, whatever lanes are active.
//!
//! Which lane holds what is from AMD's instruction set manuals: "Matrix Arithmetic Instructions" of CDNA 3 (dense
//! layouts), "Wave Matrix Multiply Accumulate" of RDNA 3 and RDNA 4. A sum takes its products in the order of `k`,
//! each fused with the addition. Factors of "xf32" are rounded to ten bits of mantissa (CDNA 3, "XF32").
//! Products with scales for the factors are not executed.

use super::layout::{Layout, Place, Shape};
use super::number::Number;
use super::sparse::Sparse;
use crate::exec::state::wave::Wave;
use crate::isa::{Field, Inst, Operand};
use crate::target::Generation;

/// Elements of the largest result: two products of 32 by 32.
const MOST_RESULTS: usize = 2048;

/// A product of matrices, ready to run.
#[derive(Debug)]
pub(crate) struct Matrix {
    /// Lanes of the waves that it is made for.
    pub(crate) lanes: usize,
    shape: Shape,
    layout: Layout,
    inputs: [Number; 2],
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
    /// Which elements the first factor has, if not all.
    sparse: Option<Sparse>,
    /// Elements of the factors that a lane holds before those of the next begin, where these are not all that it has.
    pieces: Option<[usize; 2]>,
}

impl Matrix {
    /// Reads what the instruction does; `None` if it is not known, or changes its factors on the way.
    pub(crate) fn new(inst: &Inst, generation: Generation) -> Option<Matrix> {
        let (name, layout, is_sparse) = family(inst.entry.base, generation)?;
        let (output, rest) = name.split_once('_')?;
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != 'x')?;
        let sizes: Vec<usize> = rest[..end].split('x').filter_map(|size| size.parse().ok()).collect();
        let [m, n, k] = sizes[..] else { return None };
        let output = Number::named(output, generation)?;
        let types = type_name(&rest[end..]);
        let modifiers = inst.modifiers;
        let are_chosen = types == "f8f6f4";
        let inputs = if are_chosen {
            [Number::chosen(modifiers.abs, generation)?, Number::chosen(modifiers.neg, generation)?]
        } else {
            Number::pair(types, generation)?
        };
        // More than 16 numbers of four bits are not in the order that the others have.
        if inputs[0] == Number::I4 && k != 16 {
            return None;
        }
        let lanes = if layout == Layout::Mfma { 64 } else { 32 };
        let registers = usize::from(inst.entry.registers(Field::Dst));
        let blocks = if layout == Layout::Mfma { registers * lanes * 32 / output.bits() / (m * n) } else { 1 };
        let shape = Shape { m, n, k, blocks, is_double: output == Number::F64 };
        let sparse = if is_sparse { Some(Sparse::new(inst, layout, shape, inputs)?) } else { None };
        let fits = m * n * blocks <= MOST_RESULTS && blocks > 0;
        // A scale of the factors would be told by a bit of `abid`.
        let is_changed =
            if are_chosen { modifiers.op_sel != 0 } else { is_changed(inst, layout, inputs[0], is_sparse) };
        if !fits || is_changed {
            return None;
        }
        // "Instinct CDNA 4 ISA", 7.1.5.1: bytes lie in two pieces, shorter numbers in one.
        let chosen = are_chosen.then(|| inputs.map(|input| if input.bits() == 8 { 16 } else { 32 }));
        let row = |operand: Operand| operand.row().map(usize::from);
        let takes_signs = layout != Layout::Mfma;
        Some(Matrix {
            lanes,
            shape,
            layout,
            inputs,
            output,
            factors: [row(inst.src[0])?, row(inst.src[1])?],
            dst: row(inst.dst)?,
            summand: if is_sparse { inst.dst } else { inst.src[2] },
            literal: inst.literal,
            signed: [0, 1].map(|factor| !takes_signs || modifiers.neg >> factor & 1 != 0),
            clamps: modifiers.clamp,
            high: !is_sparse && modifiers.op_sel & 4 != 0,
            pieces: sparse.as_ref().map(|sparse| sparse.pieces).or(chosen),
            sparse,
        })
    }

    /// Elements of the first factor in a row.
    fn steps(&self) -> usize {
        if self.sparse.is_some() { self.shape.k / 2 } else { self.shape.k }
    }

    /// Bits of the place that an element of the result takes: on gfx11 a whole register, of which half may be used.
    fn result_bits(&self) -> usize {
        if self.layout == Layout::Wmma11 { 32 } else { self.output.bits() }
    }

    fn factor(&self, wave: &Wave, which: usize, place: Place) -> u64 {
        read(wave, self.factors[which], place, self.inputs[which].bits())
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

/// The part of a mnemonic behind its family, how elements lie, and whether the first factor lacks some.
fn family(base: &str, generation: Generation) -> Option<(&str, Layout, bool)> {
    let wmma = if generation == Generation::Gfx12 { Layout::Wmma12 } else { Layout::Wmma11 };
    [
        ("v_mfma_", Layout::Mfma, false),
        ("v_smfmac_", Layout::Mfma, true),
        ("v_wmma_", wmma, false),
        ("v_swmmac_", wmma, true),
    ]
    .into_iter()
    .find_map(|(start, layout, is_sparse)| Some((base.strip_prefix(start)?, layout, is_sparse)))
}

/// Whether modifiers permute, broadcast or change the factors. Those of sparse products choose indices.
fn is_changed(inst: &Inst, layout: Layout, input: Number, is_sparse: bool) -> bool {
    let modifiers = inst.modifiers;
    match layout {
        Layout::Mfma if is_sparse => modifiers.neg != 0,
        Layout::Mfma => (modifiers.abs, modifiers.op_sel, modifiers.neg) != (0, 0, 0),
        _ if input.is_integer() => modifiers.abs != 0 || modifiers.neg & 4 != 0,
        _ => modifiers.abs != 0 || modifiers.neg != 0,
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
    // Elements of six bits cross registers.
    let is_crossing = at % 32 + bits > 32;
    let row = first + at / 32;
    let word = if is_crossing { wave.rows.lane64(row, place.lane) } else { wave.rows.lane(row, place.lane).into() };
    word >> (at % 32) & (u64::MAX >> (64 - bits))
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
pub(crate) fn run(wave: &mut Wave, matrix: &Matrix) {
    let mut results = [0; MOST_RESULTS];
    match (matrix.inputs[0], matrix.output) {
        (Number::F64, _) => products(wave, matrix, &mut results, |_, bits| f64::from_bits(bits), double_sum),
        (input, _) if input.is_integer() => {
            let unused = 64 - input.bits();
            let convert = |which: usize, bits: u64| {
                if matrix.signed[which] { (bits << unused).cast_signed() >> unused } else { bits.cast_signed() }
            };
            products(wave, matrix, &mut results, convert, |c, terms| integer_sum(c, terms, matrix.clamps));
        }
        (_, output) => {
            let convert = |which: usize, bits: u64| matrix.inputs[which].single(bits);
            products(wave, matrix, &mut results, convert, |c, terms| single_sum(output, c, terms));
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
    let length = if which == 0 { matrix.steps() } else { shape.k };
    let all = (0..shape.blocks).flat_map(|block| (0..lines).map(move |line| (block, line)));
    let all = all.flat_map(|(block, line)| (0..length).map(move |k| [line, k, block]));
    let place = |[line, k, block]: [usize; 3]| match matrix.pieces {
        None => layout.factor(shape, lines, [line, k, block]),
        Some(pieces) => layout.dealt(lines, pieces[which], line, k),
    };
    all.map(|at| convert(which, matrix.factor(wave, which, place(at)))).collect()
}

/// All sums, row by row and block by block.
fn products<T: Copy>(
    wave: &Wave,
    matrix: &Matrix,
    results: &mut [u64; MOST_RESULTS],
    convert: impl Fn(usize, u64) -> T,
    add: impl Fn(u64, &mut dyn Iterator<Item = (T, T)>) -> u64,
) {
    let (shape, layout, steps) = (matrix.shape, matrix.layout, matrix.steps());
    let [first, second] = [0, 1].map(|which| factor(wave, matrix, which, &convert));
    let partners = matrix.sparse.as_ref().map(|sparse| sparse.partners(wave));
    for (number, result) in results.iter_mut().enumerate().take(shape.m * shape.n * shape.blocks) {
        let (block, i, j) = (number / shape.n / shape.m, number / shape.n % shape.m, number % shape.n);
        let (a, b) = (steps * (block * shape.m + i), shape.k * (block * shape.n + j));
        let (row, column) = (&first[a..a + steps], &second[b..b + shape.k]);
        let summand = matrix.summand(wave, layout.result(shape, i, j, block));
        *result = match &partners {
            None => add(summand, &mut row.iter().copied().zip(column.iter().copied())),
            Some(partners) => {
                let met = partners[a..a + steps].iter().map(|k| column[*k]);
                add(summand, &mut row.iter().copied().zip(met))
            }
        };
    }
}

fn double_sum(summand: u64, terms: &mut dyn Iterator<Item = (f64, f64)>) -> u64 {
    terms.fold(f64::from_bits(summand), |sum, (a, b)| a.mul_add(b, sum)).to_bits()
}

/// A sum in single precision; a short result is rounded once more in the end.
fn single_sum(output: Number, summand: u64, terms: &mut dyn Iterator<Item = (f32, f32)>) -> u64 {
    output.nearest(terms.fold(output.single(summand), |sum, (a, b)| a.mul_add(b, sum)))
}

fn integer_sum(summand: u64, terms: &mut dyn Iterator<Item = (i64, i64)>, clamps: bool) -> u64 {
    let sum = i64::from((summand as u32).cast_signed()) + terms.map(|(a, b)| a * b).sum::<i64>();
    let result = if clamps { sum.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) } else { sum };
    result.cast_unsigned() & 0xffff_ffff
}
