//! A wave: its registers, where it is, and what it waits for.

use std::hash::{Hash, Hasher};

use super::evidence::{ExecComparison, HeapCall, MissingLanes};
use super::lds_pattern::Patterns;
use super::registers::{Rows, SCRATCH, Scalars};
use crate::exec::number::element::Kind;
use crate::exec::number::float_mode::FloatMode;
use crate::exec::number::half::F16;
use crate::isa::Operand;
use crate::memory::Cache;

/// High words of addresses that mean LDS and private memory; no pointer of the host has them.
pub(crate) const LDS_APERTURE: u32 = 0x0001_0000;
pub(crate) const PRIVATE_APERTURE: u32 = 0x0002_0000;

/// What a wave does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum State {
    Running,
    /// Waits for the other waves of the block.
    AtBarrier,
    /// Waits for all blocks of the grid, having seen so many meetings before.
    AtGrid(u64),
    Ended,
}

/// A wave.
pub(crate) struct Wave {
    pub(crate) rows: Rows,
    pub(crate) scalars: Scalars,
    /// Number of the next step.
    pub(crate) pc: usize,
    /// 32 or 64.
    pub(crate) lanes: usize,
    pub(crate) state: State,
    /// Number in the block.
    pub(crate) number: u32,
    pub(crate) cache: Cache,
    pub(crate) private: Private,
    /// How LDS was read last.
    pub(crate) patterns: Patterns,
    /// Register numbers are indexed by M0.
    indexes: bool,
    mode: FloatMode,
    /// Registers are named by their own numbers, and floats are computed as the host does.
    is_plain: bool,
    /// Lanes with a thread.
    pub(crate) present: u64,
    pub(crate) missing_lanes: MissingLanes,
    /// The step that accessed memory of others last.
    pub(crate) last_access: Option<usize>,
    /// The call that manages the heap and has not returned.
    pub(crate) heap_call: Option<HeapCall>,
    pub(crate) exec_comparison: Option<ExecComparison>,
}

impl Wave {
    pub(crate) fn new(lanes: usize) -> Wave {
        Wave {
            rows: Rows::new(),
            scalars: Scalars::new(),
            pc: 0,
            lanes,
            state: State::Running,
            number: 0,
            cache: Cache::default(),
            private: Private::default(),
            patterns: Patterns::default(),
            indexes: false,
            mode: FloatMode::USUAL,
            is_plain: true,
            present: 0,
            missing_lanes: MissingLanes::default(),
            last_access: None,
            heap_call: None,
            exec_comparison: None,
        }
    }

    /// A number for all that decides what the wave does next, beside memory that it shares. `registers` are those of
    /// both kinds that its kernel uses.
    pub(crate) fn digest(&self, hasher: &mut impl Hasher, registers: [usize; 2]) {
        (self.pc, self.state, self.indexes, self.mode).hash(hasher);
        self.scalars.hash(hasher);
        for (first, count) in [0, 256].into_iter().zip(registers) {
            (first..first + count).for_each(|row| self.rows.row(row).hash(hasher));
        }
        self.private.words.hash(hasher);
    }

    /// Whether registers are named by their own numbers, and floats are computed as the host does.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    pub(crate) fn mode(&self) -> FloatMode {
        self.mode
    }

    pub(crate) fn set_mode(&mut self, mode: FloatMode) {
        self.mode = mode;
        self.is_plain = !self.indexes && mode.is_usual();
    }

    /// Turns the indexing of registers on or off.
    pub(crate) fn set_indexing(&mut self, indexes: bool) {
        self.indexes = indexes;
        self.is_plain = !indexes && self.mode.is_usual();
    }

    /// A bit for each lane.
    #[inline]
    pub(crate) fn all_lanes(&self) -> u64 {
        u64::MAX >> (64 - self.lanes)
    }

    /// The row that a source names: another one where registers are indexed.
    #[inline]
    pub(crate) fn indexed_src(&self, row: usize, scratch: usize) -> usize {
        if self.indexes { self.indexed(row, ((scratch - SCRATCH) / 4 & 3) as u32) } else { row }
    }

    /// The row that a destination names.
    #[inline]
    pub(crate) fn indexed_dst(&self, row: usize) -> usize {
        if self.indexes { self.indexed(row, 3) } else { row }
    }

    fn indexed(&self, row: usize, bit: u32) -> usize {
        let m0 = self.scalars.get(Operand::M0);
        let applies = m0 >> (12 + bit) & 1 != 0 && row < 256;
        if applies { (row + (m0 & 0xff) as usize) & 255 } else { row }
    }

    /// A scalar source of 32 bits.
    #[inline]
    pub(crate) fn scalar32(&self, operand: Operand, literal: u32) -> u32 {
        if operand.0 < 128 && operand != Operand::NULL {
            return self.scalars.get(operand);
        }
        self.scalar_source(operand, literal, Kind::Int(32)) as u32
    }

    /// A scalar source of 64 bits.
    #[inline]
    pub(crate) fn scalar64(&self, operand: Operand, literal: u32) -> u64 {
        if operand.0 < 128 && operand != Operand::NULL {
            return self.scalars.get64(operand);
        }
        self.scalar_source(operand, literal, Kind::Int(64))
    }

    /// The bits of a scalar register or a constant, as an operand of a kind has them.
    pub(crate) fn scalar_source(&self, operand: Operand, literal: u32, kind: Kind) -> u64 {
        if operand == Operand::NULL {
            return 0;
        }
        if operand.0 < 128 {
            let is_wide = kind.rows() == 2;
            return if is_wide { self.scalars.get64(operand) } else { u64::from(self.scalars.get(operand)) };
        }
        match operand.0 {
            251 => u64::from(self.scalars.get64(Operand::VCC) & self.all_lanes() == 0),
            252 => u64::from(self.scalars.exec() == 0),
            253 => u64::from(self.scalars.scc),
            _ => constant(operand, literal, kind).unwrap_or(0),
        }
    }
}

/// The bits of a source that is the same in all waves at all times.
pub(crate) fn constant(operand: Operand, literal: u32, kind: Kind) -> Option<u64> {
    if operand == Operand::NULL {
        return Some(0);
    }
    if let Some(value) = operand.integer() {
        let bits = i64::from(value).cast_unsigned();
        return Some(if matches!(kind, Kind::Int(64) | Kind::Float(64)) { bits } else { bits & 0xffff_ffff });
    }
    if let Some(value) = operand.float() {
        return Some(float_bits(value, kind));
    }
    let aperture = |high: u32| match kind.rows() {
        2 => u64::from(high) << 32,
        _ => u64::from(high),
    };
    Some(match operand.0 {
        255 if kind == Kind::Float(64) => u64::from(literal) << 32,
        255 => u64::from(literal),
        235 => aperture(LDS_APERTURE),
        236 => aperture(LDS_APERTURE) | 0xffff_ffff,
        237 => aperture(PRIVATE_APERTURE),
        238 => aperture(PRIVATE_APERTURE) | 0xffff_ffff,
        _ => return None,
    })
}

/// A floating-point constant in the format of an operand.
fn float_bits(value: f64, kind: Kind) -> u64 {
    match kind {
        Kind::Float(64) | Kind::Int(64) => value.to_bits(),
        Kind::Float(16) | Kind::Int(16) | Kind::PackedHalf => u64::from(F16::nearest_double(value).0),
        _ => u64::from((value as f32).to_bits()),
    }
}

/// Private memory of the lanes of a wave, word by word for all lanes.
#[derive(Debug, Default)]
pub(crate) struct Private {
    words: Vec<u32>,
    lanes: usize,
    bytes: u32,
}

impl Private {
    /// Makes room for so many bytes in each lane.
    pub(crate) fn resize(&mut self, bytes: u32, lanes: usize) {
        self.bytes = bytes.next_multiple_of(4);
        self.lanes = lanes;
        let words = self.bytes as usize / 4 * lanes;
        if self.words.len() < words {
            self.words.resize(words, 0);
        }
    }

    /// Bytes of each lane.
    pub(crate) fn bytes(&self) -> u32 {
        self.bytes
    }

    #[inline]
    fn word(&mut self, lane: usize, offset: u32) -> Option<&mut u32> {
        let at = (offset / 4) as usize * self.lanes + lane;
        self.words.get_mut(at)
    }

    /// Reads up to four bytes; the caller has checked that they are there.
    pub(crate) fn load(&mut self, lane: usize, offset: u32, bytes: u32) -> u32 {
        if bytes == 4 && offset.is_multiple_of(4) {
            return self.word(lane, offset).map_or(0, |word| *word);
        }
        let byte =
            |private: &mut Private, at: u32| private.word(lane, at).map_or(0, |word| *word >> (8 * (at % 4)) & 255);
        (0..bytes).map(|index| byte(self, offset + index) << (8 * index)).sum()
    }

    /// Writes up to four bytes.
    pub(crate) fn store(&mut self, lane: usize, offset: u32, bytes: u32, value: u32) {
        if bytes == 4 && offset.is_multiple_of(4) {
            if let Some(word) = self.word(lane, offset) {
                *word = value;
            }
            return;
        }
        for index in 0..bytes {
            let (at, byte) = (offset + index, value >> (8 * index) & 255);
            if let Some(word) = self.word(lane, at) {
                let shift = 8 * (at % 4);
                *word = *word & !(255 << shift) | byte << shift;
            }
        }
    }
}
