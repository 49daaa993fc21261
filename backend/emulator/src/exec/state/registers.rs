//! The registers of a wave.

use crate::exec::number::element::Kind;
use crate::isa::Operand;

/// Lanes of the widest wave.
pub(crate) const LANES: usize = 64;
/// Lanes that loops handle at a time.
pub(crate) const CHUNK: usize = 32;
/// Lanes whose bits become a mask of the host's vectors without any detour.
pub(crate) const GROUP: usize = 16;
/// Chunks of a row.
pub(crate) const CHUNKS: usize = LANES / CHUNK;
/// Rows: 256 vector registers, 256 for accumulation, and room for operands that have to be made.
const ROWS: usize = 1024;
/// First row that no instruction names.
pub(crate) const SCRATCH: usize = 512;

/// Writes the lanes of a group that have a bit. There is no branch in the loop: it has to become a blend of whole vectors.
#[inline(always)]
pub(crate) fn blend(target: &mut [u32; GROUP], values: &[u32; GROUP], lanes: u32) {
    for lane in 0..GROUP {
        let written = (lanes >> lane & 1).wrapping_neg();
        target[lane] = target[lane] & !written | values[lane] & written;
    }
}

/// One register of all lanes.
pub(crate) type Row = [[u32; CHUNK]; CHUNKS];

/// The vector registers.
pub(crate) struct Rows(Box<[Row; ROWS]>);

impl Rows {
    #[expect(clippy::large_stack_arrays, reason = "the length is right, so the rows made on the heap are taken")]
    pub(crate) fn new() -> Rows {
        let rows = vec![[[0; CHUNK]; CHUNKS]; ROWS].into_boxed_slice();
        Rows(rows.try_into().unwrap_or_else(|_| Box::new([[[0; CHUNK]; CHUNKS]; ROWS])))
    }

    /// A row; numbers wrap.
    #[inline(always)]
    pub(crate) fn row(&self, number: usize) -> &Row {
        &self.0[number & (ROWS - 1)]
    }

    /// A row; numbers wrap.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, number: usize) -> &mut Row {
        &mut self.0[number & (ROWS - 1)]
    }

    /// The value of one lane.
    #[inline(always)]
    pub(crate) fn lane(&self, row: usize, lane: usize) -> u32 {
        self.row(row).as_flattened()[lane & (LANES - 1)]
    }

    /// Changes the value of one lane.
    #[inline(always)]
    pub(crate) fn set_lane(&mut self, row: usize, lane: usize, value: u32) {
        self.row_mut(row).as_flattened_mut()[lane & (LANES - 1)] = value;
    }

    /// The value of one lane in two rows.
    #[inline(always)]
    pub(crate) fn lane64(&self, row: usize, lane: usize) -> u64 {
        u64::from(self.lane(row, lane)) | u64::from(self.lane(row + 1, lane)) << 32
    }

    /// The value of one lane, as a kind has it: in one row, in two or in none.
    #[inline]
    pub(crate) fn lane_of(&self, kind: Kind, row: usize, lane: usize) -> u64 {
        match kind.rows() {
            0 => 0,
            1 => u64::from(self.lane(row, lane)),
            _ => self.lane64(row, lane),
        }
    }

    /// Changes the value of one lane, as a kind has it.
    #[inline]
    pub(crate) fn set_lane_of(&mut self, kind: Kind, row: usize, lane: usize, value: u64) {
        let rows = kind.rows();
        if rows > 0 {
            self.set_lane(row, lane, value as u32);
        }
        if rows > 1 {
            self.set_lane(row + 1, lane, (value >> 32) as u32);
        }
    }

    /// Gives all lanes the same value.
    #[inline(always)]
    pub(crate) fn fill(&mut self, row: usize, value: u32) {
        *self.row_mut(row) = [[value; CHUNK]; CHUNKS];
    }

    /// Copies the lanes of a mask from one row to another.
    pub(crate) fn copy(&mut self, from: usize, to: usize, lanes: u64) {
        let source = *self.row(from);
        let target = self.row_mut(to).as_flattened_mut();
        for (lane, value) in source.as_flattened().iter().enumerate() {
            if lanes >> lane & 1 != 0 {
                target[lane] = *value;
            }
        }
    }

    /// Forgets what a wave before left.
    pub(crate) fn clear(&mut self, first: usize, rows: usize) {
        for row in self.0.iter_mut().skip(first).take(rows) {
            *row = [[0; CHUNK]; CHUNKS];
        }
    }
}

/// The scalar registers, VCC, M0 and EXEC among them, and the condition code.
#[derive(Debug, Clone, Hash)]
pub(crate) struct Scalars {
    values: [u32; 128],
    /// The condition code.
    pub(crate) scc: bool,
}

impl Scalars {
    pub(crate) fn new() -> Scalars {
        Scalars { values: [0; 128], scc: false }
    }

    /// A register of 32 bits.
    #[inline(always)]
    pub(crate) fn get(&self, operand: Operand) -> u32 {
        self.values[usize::from(operand.0 & 127)]
    }

    /// A pair of registers.
    #[inline(always)]
    pub(crate) fn get64(&self, operand: Operand) -> u64 {
        u64::from(self.get(operand)) | u64::from(self.get(Operand(operand.0 + 1))) << 32
    }

    /// Writes a register. Nothing keeps no value.
    #[inline(always)]
    pub(crate) fn set(&mut self, operand: Operand, value: u32) {
        if operand != Operand::NULL {
            self.values[usize::from(operand.0 & 127)] = value;
        }
    }

    /// Writes a pair of registers.
    #[inline(always)]
    pub(crate) fn set64(&mut self, operand: Operand, value: u64) {
        if operand != Operand::NULL {
            self.values[usize::from(operand.0 & 127)] = value as u32;
            self.values[usize::from((operand.0 + 1) & 127)] = (value >> 32) as u32;
        }
    }

    /// Active lanes.
    #[inline(always)]
    pub(crate) fn exec(&self) -> u64 {
        self.get64(Operand::EXEC)
    }
}
