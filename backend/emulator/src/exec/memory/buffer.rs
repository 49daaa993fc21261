//! Descriptors of buffers: where lanes access memory by them, and which of them are out of range.
//!
//! The rules are those of AMD's ISA documents of CDNA 2 ("Buffer Addressing", "Range Checking") and RDNA 3 ("Buffer Addressing",
//! "Out-Of-Bounds Ranges") as others tell them; that RDNA counts the scalar offset of a raw buffer too was not read there: rocBLAS's
//! products need it.

use crate::exec::state::registers::LANES;
use crate::exec::state::wave::Wave;
use crate::isa::Operand;
use crate::target::Generation;

/// Registers of an access by descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Buffer {
    /// The first of four scalar registers.
    pub(super) descriptor: Operand,
    /// The first vector register of the address.
    pub(super) vector: usize,
    /// A vector register has an index; it lies before that of the offset.
    pub(super) has_index: bool,
    /// A vector register has an offset.
    pub(super) has_offset: bool,
}

/// What four words say of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Descriptor {
    base: u64,
    /// Bytes from one index to the next.
    stride: u64,
    /// Bytes, or indices where there is a stride.
    records: u64,
    /// Bytes that stay side by side, and indices among which they are dealt out; `None` for records one after another.
    swizzle: Option<[u64; 2]>,
    adds_lane: bool,
    range: Range,
}

/// What is out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    /// GCN and CDNA: an index where records are swizzled, else a byte, the scalar offset counted.
    Gcn,
    /// An index, or a byte behind the end of a record.
    Structure,
    /// An index.
    Index,
    /// Everything, if there are no records.
    Empty,
    /// A byte, the scalar offset counted; in swizzled records as [`Range::Structure`].
    Raw,
}

/// Where a lane's access lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub(super) address: u64,
    /// A bit for each word of 32 bits that is in range, or for the value where it is shorter.
    pub(super) inside: u8,
}

/// The bit that adds the number of the lane to the index, in the fourth word.
const ADDS_LANE: u32 = 1 << 23;
/// The bits that swizzle, in the second word; the lower one is a part of the stride before gfx11.
const SWIZZLES: u32 = 3 << 30;

impl Descriptor {
    pub(super) fn read(words: [u32; 4], generation: Generation) -> Descriptor {
        let index_stride = 8 << (words[3] >> 21 & 3);
        let element = match generation {
            Generation::Gfx11 | Generation::Gfx12 => [0, 4, 8, 16][(words[1] >> 30) as usize],
            _ if words[1] >> 31 == 0 => 0,
            Generation::Gfx10 => 4,
            _ => 2 << (words[3] >> 19 & 3),
        };
        let adds_lane = words[3] & ADDS_LANE != 0;
        let mut stride = u64::from(words[1] >> 16 & 0x3fff);
        // With the number of the lane, the bits of the data format are upper bits of the stride.
        if adds_lane && generation.is_gfx9() {
            stride |= u64::from(words[3] >> 15 & 15) << 14;
        }
        let range = match words[3] >> 28 & 3 {
            _ if generation.is_gfx9() => Range::Gcn,
            0 => Range::Structure,
            1 => Range::Index,
            2 => Range::Empty,
            _ => Range::Raw,
        };
        Descriptor {
            base: u64::from(words[0]) | u64::from(words[1] & 0xffff) << 32,
            stride,
            records: u64::from(words[2]),
            swizzle: (element != 0).then_some([element, index_stride]),
            adds_lane,
            range,
        }
    }

    /// The place of an access of so many bytes.
    fn place(&self, [index, offset, scalar]: [u64; 3], bytes: u64) -> Place {
        let within = match self.swizzle {
            Some([element, count]) if self.stride != 0 => {
                let row = (index / count * self.stride + offset / element * element) * count;
                row + index % count * element + offset % element
            }
            _ => index * self.stride + offset,
        };
        let item = bytes.min(4);
        let is_inside = |at: u64| self.is_inside([index, offset + at, within + at, scalar], item);
        let inside = (0..bytes.div_ceil(4)).filter(|word| is_inside(4 * word)).fold(0, |set, word| set | 1 << word);
        Place { address: self.base.wrapping_add(scalar).wrapping_add(within), inside }
    }

    fn is_inside(&self, [index, offset, within, scalar]: [u64; 4], bytes: u64) -> bool {
        let is_swizzled = self.swizzle.is_some() && self.stride != 0;
        let in_record = index < self.records && (self.stride == 0 || offset + bytes <= self.stride);
        match self.range {
            Range::Gcn if is_swizzled => index < self.records,
            Range::Raw if is_swizzled => in_record,
            Range::Gcn | Range::Raw => within + scalar + bytes <= self.records,
            Range::Structure => in_record,
            Range::Index => index < self.records,
            Range::Empty => self.records != 0,
        }
    }
}

impl Buffer {
    fn words(self, wave: &Wave) -> [u32; 4] {
        std::array::from_fn(|at| wave.scalars.get(Operand(self.descriptor.0 + at as u16)))
    }

    /// Whether the descriptor is that of private memory: swizzled, by the number of the lane.
    pub(super) fn is_private(self, wave: &Wave) -> bool {
        let words = self.words(wave);
        words[1] & SWIZZLES != 0 && words[3] & ADDS_LANE != 0
    }

    /// The places of all lanes, active or not. `fixed` is the offset of the instruction, `scalar` that of the scalar register.
    pub(super) fn places(
        self,
        wave: &Wave,
        generation: Generation,
        [fixed, scalar]: [u32; 2],
        bytes: u32,
    ) -> [Place; LANES] {
        let descriptor = Descriptor::read(self.words(wave), generation);
        let (index_row, offset_row) = (self.vector, self.vector + usize::from(self.has_index));
        std::array::from_fn(|lane| {
            let mut index = if self.has_index { u64::from(wave.rows.lane(index_row, lane)) } else { 0 };
            if descriptor.adds_lane {
                index += lane as u64;
            }
            let offset = if self.has_offset { wave.rows.lane(offset_row, lane) } else { 0 };
            let offset = u64::from(offset) + u64::from(fixed);
            descriptor.place([index, offset, u64::from(scalar)], u64::from(bytes))
        })
    }
}

/// The descriptor of private memory that kernels find in registers: its base is zero, as addresses count from the beginning
/// of a lane's memory.
pub(crate) fn private_descriptor() -> [u32; 4] {
    [0, 1 << 31, u32::MAX, ADDS_LANE]
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: [u32; 2] = [0x1000, 0x7f00];
    const START: u64 = 0x7f00_0000_1000;

    fn descriptor(generation: Generation, second: u32, records: u32, fourth: u32) -> Descriptor {
        Descriptor::read([BASE[0], BASE[1] | second, records, fourth], generation)
    }

    #[test]
    fn raw_buffers_end_at_a_byte_with_the_scalar_offset_counted() {
        let gcn = descriptor(Generation::Gfx9, 0, 100, 0x0002_0000);
        assert_eq!(gcn.place([0, 80, 4], 16), Place { address: START + 84, inside: 0b1111 });
        assert_eq!(gcn.place([0, 88, 4], 16).inside, 0b11);
        assert_eq!(gcn.place([0, 97, 0], 4).inside, 0);
        assert_eq!(gcn.place([0, 99, 0], 1).inside, 1);
        assert_eq!(gcn.place([0, 0x8000_0000, 0], 4).inside, 0);
        let rdna = descriptor(Generation::Gfx11, 0, 100, 0x3000_4000);
        assert_eq!(rdna.place([0, 88, 4], 16), Place { address: START + 92, inside: 0b11 });
        assert_eq!(rdna.place([0, 97, 0], 4).inside, 0);
    }

    #[test]
    fn records_end_at_an_index_and_at_their_own_length() {
        let structure = descriptor(Generation::Gfx11, 12 << 16, 3, 0);
        assert_eq!(structure.place([2, 4, 0], 8), Place { address: START + 28, inside: 0b11 });
        assert_eq!(structure.place([2, 8, 0], 8).inside, 1);
        assert_eq!(structure.place([3, 0, 0], 4).inside, 0);
        assert_eq!(descriptor(Generation::Gfx11, 12 << 16, 3, 1 << 28).place([2, 8, 0], 8).inside, 0b11);
        assert_eq!(descriptor(Generation::Gfx11, 12 << 16, 0, 2 << 28).place([0, 0, 0], 4).inside, 0);
        assert_eq!(descriptor(Generation::Gfx11, 12 << 16, 1, 2 << 28).place([9, 0, 0], 4).inside, 1);
    }

    #[test]
    fn swizzled_records_are_dealt_out_among_indices() {
        // Elements of 4 bytes among 8 indices: the second element of index 9 lies in the second row of its group.
        let gcn = descriptor(Generation::Gfx9, 1 << 31 | 16 << 16, 16, 1 << 19);
        assert_eq!(gcn.place([9, 6, 0], 2), Place { address: START + (16 + 4) * 8 + 4 + 2, inside: 1 });
        assert_eq!(gcn.place([16, 0, 0], 4).inside, 0);
        let rdna = descriptor(Generation::Gfx11, 2 << 30 | 16 << 16, 16, 3 << 28 | 1 << 21);
        assert_eq!(rdna.place([17, 8, 0], 8).inside, 0);
        assert_eq!(rdna.place([1, 12, 0], 8), Place { address: START + 8 * 16 + 8 + 4, inside: 1 });
    }
}
