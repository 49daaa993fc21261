//! Products whose first factor has two of each four elements of a row; a register holds which two, by two bits for each.
//!
//! From AMD's manual "Instinct CDNA 4 ISA", 7.5 "Sparse Matrices", for SMFMAC; for SWMMAC from the comments on its layouts
//! in AMD's Composable Kernel (`sparse_mma` for gfx12). Both deal rows of lanes 128 bits of a column of the second factor in
//! turn, and the 64 bits that meet them of a row of the first.

use super::layout::{Layout, Shape};
use super::number::Number;
use crate::exec::state::wave::Wave;
use crate::isa::Inst;

/// Which elements of the first factor there are.
#[derive(Debug)]
pub(super) struct Sparse {
    shape: Shape,
    layout: Layout,
    /// Elements of the factors that a lane holds before those of the next begin.
    pub(super) pieces: [usize; 2],
    /// Row of the indices, and the first of their bits.
    row: usize,
    shift: usize,
}

impl Sparse {
    /// Reads which set of indices the instruction chooses; `None` if they are not in a vector register.
    pub(super) fn new(inst: &Inst, layout: Layout, shape: Shape, inputs: [Number; 2]) -> Option<Sparse> {
        let lanes = if layout == Layout::Mfma { 64 } else { 32 };
        let pieces = [(shape.k / 2 * shape.m, 64), (shape.k * shape.n, 128)];
        let pieces = [0, 1].map(|which| (pieces[which].0 / lanes).min(pieces[which].1 / inputs[which].bits()));
        // Indices of a lane take as many bits as its elements of the first factor have twice.
        let bits = 2 * (shape.k / 2 * shape.m / lanes);
        let (modifiers, sets) = (inst.modifiers, 32 / bits);
        let set = match layout {
            // The low bits of `cbsz` mean the first set.
            Layout::Mfma if modifiers.abs % 4 != 0 => 0,
            Layout::Mfma => usize::from(modifiers.op_sel) % sets,
            _ if usize::from(modifiers.op_sel) >= sets => return None,
            _ => usize::from(modifiers.op_sel),
        };
        let row = usize::from(inst.src[2].row()?);
        Some(Sparse { shape, layout, pieces, row, shift: set * bits })
    }

    /// For each element of the first factor, row by row, the element of a column that it is multiplied with.
    pub(super) fn partners(&self, wave: &Wave) -> Vec<usize> {
        let steps = self.shape.k / 2;
        let all = (0..self.shape.m).flat_map(|line| (0..steps).map(move |step| (line, step)));
        all.map(|(line, step)| {
            let place = self.layout.dealt(self.shape.m, self.pieces[0], line, step);
            let index = wave.rows.lane(self.row, place.lane) >> (self.shift + 2 * place.item) & 3;
            step / 2 * 4 + index as usize
        })
        .collect()
    }
}
