//! Products of small matrices that the lanes of a wave hold together.

use super::half::F16;
use super::wave::Wave;
use crate::isa::{Inst, Operand};

/// Types of the factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Factor {
    Single,
    Double,
    Half,
    Brain,
    Byte,
}

/// A matrix instruction, ready to run: `blocks` products of an m by k and a k by m matrix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix {
    factor: Factor,
    size: usize,
    depth: usize,
    blocks: usize,
    sources: [Operand; 3],
    literal: u32,
    dst: usize,
}

impl Matrix {
    /// Reads shape and types from the mnemonic; `None` for what is not known, and for broadcasts.
    pub(super) fn new(inst: &Inst) -> Option<Matrix> {
        let rest = inst.entry.base.strip_prefix("v_mfma_")?;
        let (_, rest) = rest.split_once('_')?;
        let mut parts = rest.splitn(3, 'x');
        let size: usize = parts.next()?.parse().ok()?;
        parts.next()?;
        let last = parts.next()?;
        let digits = last.find(|c: char| !c.is_ascii_digit())?;
        let depth: usize = last.get(..digits)?.parse().ok()?;
        let factor = match last.get(digits..)? {
            "f32" => Factor::Single,
            "f64" => Factor::Double,
            "f16" => Factor::Half,
            "bf16" | "bf16_1k" => Factor::Brain,
            "i8" => Factor::Byte,
            _ => return None,
        };
        let modifiers = inst.modifiers;
        if modifiers.abs != 0 || modifiers.op_sel != 0 || modifiers.neg != 0 {
            return None;
        }
        let packed = match (factor, last.ends_with("_1k")) {
            (Factor::Half | Factor::Byte, _) | (Factor::Brain, true) => 4,
            (Factor::Brain, false) => 2,
            _ => 1,
        };
        // All lanes give `packed` values each; what one product does not need makes more products.
        let blocks = 64 * packed / (size * depth);
        Some(Matrix {
            factor,
            size,
            depth,
            blocks,
            sources: inst.src,
            literal: inst.literal,
            dst: usize::from(inst.dst.row()?),
        })
    }

    /// Values of a factor that one lane holds.
    fn packed(&self) -> usize {
        self.blocks * self.size * self.depth / 64
    }
}

/// Runs one instruction. The mask of active lanes is ignored, as the hardware does.
pub(super) fn run(wave: &mut Wave, matrix: &Matrix) {
    let Matrix { size, depth, blocks, .. } = *matrix;
    let mut results = Vec::with_capacity(blocks * size * size);
    for block in 0..blocks {
        for row in 0..size {
            for column in 0..size {
                results.push(element(wave, matrix, block, row, column, depth));
            }
        }
    }
    for (index, value) in results.into_iter().enumerate() {
        let (block, row, column) = (index / (size * size), index / size % size, index % size);
        let (register, lane) = place(matrix, block, row, column);
        write(wave, matrix, register, lane, value);
    }
}

/// Register and lane of an element of the result: groups of four rows lie in neighbouring registers.
fn place(matrix: &Matrix, block: usize, row: usize, column: usize) -> (usize, usize) {
    let size = matrix.size;
    if matrix.factor == Factor::Double {
        // Rows follow each other through the lanes, four at a time.
        return if size == 4 { (0, 16 * row + 4 * block + column) } else { (row / 4, 16 * (row % 4) + column) };
    }
    let groups = 64 / size;
    match size {
        4 => (row, 4 * block + column),
        _ => {
            let per_block = size * size / 64;
            let (group, inner) = (row / 4, row % 4);
            (block * per_block + group / groups * 4 + inner, size * (group % groups) + column)
        }
    }
}

/// One element of a result, as bits.
fn element(wave: &Wave, matrix: &Matrix, block: usize, row: usize, column: usize, depth: usize) -> u64 {
    let (register, lane) = place(matrix, block, row, column);
    let start = source(wave, matrix, 2, register, lane);
    let products =
        (0..depth).map(|k| (value(wave, matrix, 0, block, row, k), value(wave, matrix, 1, block, column, k)));
    match matrix.factor {
        Factor::Double => products
            .fold(f64::from_bits(start), |sum, (a, b)| f64::from_bits(a).mul_add(f64::from_bits(b), sum))
            .to_bits(),
        Factor::Byte => {
            let sum = products.fold(start as u32, |sum, (a, b)| {
                let product = i32::from(a as i8) * i32::from(b as i8);
                sum.wrapping_add(product.cast_unsigned())
            });
            u64::from(sum)
        }
        _ => {
            let number = |bits: u64| match matrix.factor {
                Factor::Half => F16(bits as u16).single(),
                Factor::Brain => f32::from_bits((bits as u32) << 16),
                _ => f32::from_bits(bits as u32),
            };
            let sum = products.fold(f32::from_bits(start as u32), |sum, (a, b)| number(a).mul_add(number(b), sum));
            u64::from(sum.to_bits())
        }
    }
}

/// An element of a factor: `index` is the row of the first or the column of the second.
fn value(wave: &Wave, matrix: &Matrix, which: usize, block: usize, index: usize, k: usize) -> u64 {
    let packed = matrix.packed();
    let (size, depth) = (matrix.size, matrix.depth);
    let steps = depth / packed;
    let lane = if matrix.factor == Factor::Double && size == 4 {
        16 * k + 4 * block + index
    } else {
        index + size * (block * steps + k / packed)
    };
    let part = k % packed;
    match matrix.factor {
        Factor::Single => u64::from(source(wave, matrix, which, 0, lane) as u32),
        Factor::Double => source(wave, matrix, which, 0, lane),
        Factor::Half | Factor::Brain => {
            let word = source(wave, matrix, which, part / 2, lane) as u32;
            u64::from(word >> (16 * (part % 2)) & 0xffff)
        }
        Factor::Byte => u64::from(source(wave, matrix, which, 0, lane) as u32 >> (8 * part) & 0xff),
    }
}

/// The bits of a register of a source.
fn source(wave: &Wave, matrix: &Matrix, which: usize, register: usize, lane: usize) -> u64 {
    let operand = matrix.sources[which];
    let is_double = matrix.factor == Factor::Double;
    let Some(row) = operand.row() else {
        return if is_double {
            wave.scalar64(operand, matrix.literal)
        } else {
            u64::from(wave.scalar32(operand, matrix.literal))
        };
    };
    let row = usize::from(row);
    if is_double { wave.rows.lane64(row + 2 * register, lane) } else { u64::from(wave.rows.lane(row + register, lane)) }
}

fn write(wave: &mut Wave, matrix: &Matrix, register: usize, lane: usize, value: u64) {
    if matrix.factor == Factor::Double {
        wave.rows.set_lane(matrix.dst + 2 * register, lane, value as u32);
        wave.rows.set_lane(matrix.dst + 2 * register + 1, lane, (value >> 32) as u32);
    } else {
        wave.rows.set_lane(matrix.dst + register, lane, value as u32);
    }
}
