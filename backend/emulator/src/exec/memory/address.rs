//! Accesses to memory by address, ready to run: what they do, and the addresses of their lanes.

use super::buffer::{Buffer, Place};
use super::shape::{Access, access};
use crate::exec::state::wave::{PRIVATE_APERTURE, Wave};
use crate::isa::{Encoding, Inst, Operand};
use crate::target::Generation;

/// How addresses are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Addressing {
    /// 64 bits in vector registers.
    Vector,
    /// 64 bits in scalar registers, 32 bits in a vector register.
    Scalar,
    /// Private memory.
    Private,
    /// By a descriptor: memory of buffers, or private memory.
    Buffer(Buffer),
}

/// An instruction that accesses memory, ready to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Global {
    pub(super) access: Access,
    pub(super) addressing: Addressing,
    pub(super) address: Option<usize>,
    pub(super) scalar: Operand,
    pub(super) offset: i32,
    pub(super) data: usize,
    /// Where a loaded value or what an atomic found goes.
    pub(super) dst: Option<usize>,
}

impl Global {
    /// Reads what the instruction does; `None` if it is not known.
    pub(crate) fn new(inst: &Inst, generation: Generation) -> Option<Global> {
        let access = match access(inst.entry.base)? {
            Access::Load(item) => Access::Load(item.on(generation)),
            access => access,
        };
        let row = |operand: Operand| operand.row().map(usize::from);
        let is_buffer = inst.entry.encoding == Encoding::Mubuf;
        let returns = match access {
            Access::Load(_) => true,
            Access::Store(_) => false,
            Access::Atomic(..) => inst.cache.glc,
        };
        let addressing = match inst.entry.encoding {
            Encoding::Mubuf => Addressing::Buffer(Buffer {
                descriptor: inst.sdst,
                vector: row(inst.src[0]).unwrap_or(0),
                has_index: inst.flags & 2 != 0,
                has_offset: inst.flags & 1 != 0,
            }),
            Encoding::Scratch | Encoding::ScratchReturn => Addressing::Private,
            _ if inst.src[2] == Operand::NULL => Addressing::Vector,
            _ => Addressing::Scalar,
        };
        // From memory into LDS.
        if is_buffer && inst.flags & 4 != 0 {
            return None;
        }
        let dst = if is_buffer { inst.src[1] } else { inst.dst };
        Some(Global {
            access,
            addressing,
            address: if inst.flags & 1 != 0 || is_buffer && inst.flags & 2 != 0 { row(inst.src[0]) } else { None },
            scalar: inst.src[2],
            offset: inst.imm,
            data: row(inst.src[1]).unwrap_or(0),
            dst: if returns { row(dst) } else { None },
        })
    }

    /// Whether it can access private memory only.
    pub(super) fn is_private(&self, wave: &Wave) -> bool {
        match self.addressing {
            Addressing::Private => true,
            Addressing::Buffer(buffer) => buffer.is_private(wave),
            Addressing::Vector | Addressing::Scalar => false,
        }
    }

    /// Bytes of each lane.
    #[inline]
    pub(super) fn bytes(&self) -> u32 {
        match self.access {
            Access::Load(item) | Access::Store(item) => item.bytes,
            Access::Atomic(_, bytes) => bytes,
        }
    }

    /// The addresses of all lanes, active or not. Private addresses are offsets below their aperture.
    #[inline]
    pub(super) fn addresses(&self, wave: &Wave) -> [u64; 64] {
        let offset = i64::from(self.offset).cast_unsigned();
        let vector = wave.rows.row(self.address.unwrap_or(0)).as_flattened();
        match self.addressing {
            Addressing::Vector => {
                let high = wave.rows.row(self.address.unwrap_or(0) + 1).as_flattened();
                std::array::from_fn(|lane| (u64::from(vector[lane]) | u64::from(high[lane]) << 32).wrapping_add(offset))
            }
            Addressing::Scalar => {
                let base = wave.scalars.get64(self.scalar).wrapping_add(offset);
                std::array::from_fn(|lane| base.wrapping_add(u64::from(vector[lane])))
            }
            Addressing::Private => self.private(wave, wave.scalar32(self.scalar, 0)),
            // The scalar offset counts the bytes of all lanes.
            Addressing::Buffer(_) => self.private(wave, wave.scalar32(self.scalar, 0) / wave.lanes as u32),
        }
    }

    /// The places of all lanes in a buffer; `None` where it is private memory.
    pub(super) fn places(&self, wave: &Wave, generation: Generation) -> Option<[Place; 64]> {
        let Addressing::Buffer(buffer) = self.addressing else { return None };
        let offsets = [self.offset.cast_unsigned(), wave.scalar32(self.scalar, 0)];
        let places = || buffer.places(wave, generation, offsets, self.bytes());
        (!buffer.is_private(wave)).then(places)
    }

    fn private(&self, wave: &Wave, scalar: u32) -> [u64; 64] {
        let fixed = scalar.wrapping_add(self.offset.cast_unsigned());
        let vector = |lane| self.address.map_or(0, |row| wave.rows.lane(row, lane));
        let aperture = u64::from(PRIVATE_APERTURE) << 32;
        std::array::from_fn(|lane| aperture | u64::from(fixed.wrapping_add(vector(lane))))
    }
}
