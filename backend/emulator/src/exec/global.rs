//! Memory by address: global, private, and flat, which is either of them or LDS.

use super::action::{Context, Failure};
use super::atomic;
use super::lds::Lds;
use super::shape::{Access, Atomic, Item, access};
use super::wave::{LDS_APERTURE, PRIVATE_APERTURE, Private, Wave};
use crate::fault::{FaultKind, Space};
use crate::isa::{Encoding, Inst, Operand};
use crate::memory::{Cache, Memory, access as guest};

/// How addresses are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Addressing {
    /// 64 bits in vector registers.
    Vector,
    /// 64 bits in scalar registers, 32 bits in a vector register.
    Scalar,
    /// Private memory.
    Private,
    /// Private memory through a descriptor: the scalar offset counts all lanes.
    Swizzled,
}

/// An instruction that accesses memory, ready to run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Global {
    access: Access,
    addressing: Addressing,
    address: Option<usize>,
    scalar: Operand,
    offset: i32,
    data: usize,
    /// Where a loaded value or what an atomic found goes.
    dst: Option<usize>,
}

impl Global {
    /// Reads what the instruction does; `None` if it is not known.
    pub(super) fn new(inst: &Inst) -> Option<Global> {
        let access = access(inst.entry.base)?;
        let row = |operand: Operand| operand.row().map(usize::from);
        let is_buffer = inst.entry.encoding == Encoding::Mubuf;
        let returns = match access {
            Access::Load(_) => true,
            Access::Store(_) => false,
            Access::Atomic(..) => inst.cache.glc,
        };
        let addressing = match inst.entry.encoding {
            Encoding::Mubuf => Addressing::Swizzled,
            Encoding::Scratch | Encoding::ScratchReturn => Addressing::Private,
            _ if inst.src[2] == Operand::NULL => Addressing::Vector,
            _ => Addressing::Scalar,
        };
        // Buffers with an index are not private memory, and those of LDS not of registers.
        if is_buffer && (inst.flags & 6 != 0 || matches!(access, Access::Atomic(..))) {
            return None;
        }
        let dst = if is_buffer { inst.src[1] } else { inst.dst };
        Some(Global {
            access,
            addressing,
            address: if inst.flags & 1 != 0 { row(inst.src[0]) } else { None },
            scalar: inst.src[2],
            offset: inst.imm,
            data: row(inst.src[1]).unwrap_or(0),
            dst: if returns { row(dst) } else { None },
        })
    }

    fn bytes(&self) -> u32 {
        match self.access {
            Access::Load(item) | Access::Store(item) => item.bytes,
            Access::Atomic(_, bytes) => bytes,
        }
    }

    /// The address of a lane. Private addresses are offsets below their aperture.
    #[inline]
    fn address(&self, wave: &Wave, lane: usize) -> u64 {
        let offset = i64::from(self.offset).cast_unsigned();
        match self.addressing {
            Addressing::Vector => wave.rows.lane64(self.address.unwrap_or(0), lane).wrapping_add(offset),
            Addressing::Scalar => {
                let base = wave.scalars.get64(self.scalar);
                base.wrapping_add(u64::from(wave.rows.lane(self.address.unwrap_or(0), lane))).wrapping_add(offset)
            }
            Addressing::Private => {
                let scalar = wave.scalar32(self.scalar, 0);
                self.private(wave, lane, scalar)
            }
            Addressing::Swizzled => {
                let scalar = wave.scalar32(self.scalar, 0) / wave.lanes as u32;
                self.private(wave, lane, scalar)
            }
        }
    }

    fn private(&self, wave: &Wave, lane: usize, scalar: u32) -> u64 {
        let vector = self.address.map_or(0, |row| wave.rows.lane(row, lane));
        let offset = vector.wrapping_add(scalar).wrapping_add(self.offset.cast_unsigned());
        u64::from(offset) | u64::from(PRIVATE_APERTURE) << 32
    }
}

/// Where one lane's value lies.
enum Place<'p> {
    Global(u64),
    Lds(&'p mut Lds, u32),
    Private(&'p mut Private, usize, u32),
}

impl Place<'_> {
    fn load(&mut self, at: u32, bytes: u32) -> u32 {
        match self {
            Place::Global(address) => load_global(*address + u64::from(at), bytes),
            Place::Lds(lds, offset) => lds.load(*offset + at, bytes),
            Place::Private(private, lane, offset) => private.load(*lane, *offset + at, bytes),
        }
    }

    fn store(&mut self, at: u32, bytes: u32, value: u32) {
        match self {
            Place::Global(address) => store_global(*address + u64::from(at), bytes, value),
            Place::Lds(lds, offset) => lds.store(*offset + at, bytes, value),
            Place::Private(private, lane, offset) => private.store(*lane, *offset + at, bytes, value),
        }
    }
}

#[inline]
fn load_global(address: u64, bytes: u32) -> u32 {
    match bytes {
        1 => u32::from(guest::load_u8(address)),
        2 => u32::from(guest::load_u16(address)),
        _ => guest::load_u32(address),
    }
}

#[inline]
fn store_global(address: u64, bytes: u32, value: u32) {
    match bytes {
        1 => guest::store_u8(address, value as u8),
        2 => guest::store_u16(address, value as u16),
        _ => guest::store_u32(address, value),
    }
}

/// Runs one instruction.
pub(super) fn run(wave: &mut Wave, op: &Global, context: &mut Context) -> Result<(), Failure> {
    let lanes = wave.scalars.exec();
    if lanes == 0 {
        return Ok(());
    }
    if !is_all_global(wave, op, lanes, context.memory()) {
        return run_checked(wave, op, lanes, context);
    }
    match op.access {
        Access::Load(Item { bytes: 4, half: None, .. }) => {
            let dst = op.dst.unwrap_or(0);
            for lane in each(lanes) {
                let value = guest::load_u32(op.address(wave, lane));
                wave.rows.set_lane(dst, lane, value);
            }
        }
        Access::Store(Item { bytes: 4, half: None, .. }) => {
            for lane in each(lanes) {
                guest::store_u32(op.address(wave, lane), wave.rows.lane(op.data, lane));
            }
        }
        _ => {
            // Loads may overwrite the registers of their own address.
            let mut addresses = [0; 64];
            each(lanes).for_each(|lane| addresses[lane] = op.address(wave, lane));
            for lane in each(lanes) {
                one_global(wave, op, lane, addresses[lane])?;
            }
        }
    }
    Ok(())
}

/// The numbers of the lanes of a mask.
pub(super) fn each(lanes: u64) -> impl Iterator<Item = usize> {
    let mut rest = lanes;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros();
        rest &= rest.wrapping_sub(1);
        (lane < 64).then_some(lane as usize)
    })
}

/// Whether all lanes access one allocation of global memory, the most common case.
fn is_all_global(wave: &mut Wave, op: &Global, lanes: u64, memory: &Memory) -> bool {
    if matches!(op.addressing, Addressing::Private | Addressing::Swizzled) {
        return false;
    }
    let (mut least, mut most) = (u64::MAX, 0);
    for lane in each(lanes) {
        let address = op.address(wave, lane);
        least = least.min(address);
        most = most.max(address);
    }
    let Some(bytes) = (most - least).checked_add(u64::from(op.bytes())) else { return false };
    wave.cache.allows(memory, least, bytes)
}

/// Every lane is looked at: they access several allocations or spaces, or something wrong.
fn run_checked(wave: &mut Wave, op: &Global, lanes: u64, context: &mut Context) -> Result<(), Failure> {
    let mut addresses = [0; 64];
    let mut wrong = 0_u64;
    for lane in each(lanes) {
        addresses[lane] = op.address(wave, lane);
        if !is_allowed(wave, op, addresses[lane], context) {
            wrong |= 1 << lane;
        }
    }
    if wrong != 0 {
        let address = addresses[wrong.trailing_zeros() as usize];
        return Err(Failure::of_lanes(out_of_bounds(wave, op, address, context), wrong));
    }
    for lane in each(lanes) {
        let address = addresses[lane];
        match (address >> 32) as u32 {
            LDS_APERTURE => one(wave, op, lane, |_| Place::Lds(context.lds, address as u32)),
            PRIVATE_APERTURE => {
                let mut private = std::mem::take(&mut wave.private);
                one(wave, op, lane, |_| Place::Private(&mut private, lane, address as u32));
                wave.private = private;
            }
            _ => one_global(wave, op, lane, address)?,
        }
    }
    Ok(())
}

fn is_allowed(wave: &mut Wave, op: &Global, address: u64, context: &Context) -> bool {
    let (offset, bytes) = (address & 0xffff_ffff, u64::from(op.bytes()));
    match (address >> 32) as u32 {
        LDS_APERTURE => offset + bytes <= context.lds.bytes() as u64,
        PRIVATE_APERTURE => offset + bytes <= u64::from(wave.private.bytes()),
        _ => wave.cache.allows(context.memory(), address, bytes),
    }
}

fn out_of_bounds(wave: &Wave, op: &Global, address: u64, context: &Context) -> FaultKind {
    let (space, size) = match (address >> 32) as u32 {
        LDS_APERTURE => (Space::Lds, context.lds.bytes() as u64),
        PRIVATE_APERTURE => (Space::Private, u64::from(wave.private.bytes())),
        _ => (Space::Global, 0),
    };
    let is_global = space == Space::Global;
    FaultKind::OutOfBounds {
        space,
        address: if is_global { address } else { address & 0xffff_ffff },
        bytes: op.bytes(),
        write: !matches!(op.access, Access::Load(_)),
        place: if is_global { context.memory().describe(address) } else { format!("of {size} bytes there are") },
    }
}

/// One lane of an access to global memory; atomics are atomic for all threads.
fn one_global(wave: &mut Wave, op: &Global, lane: usize, address: u64) -> Result<(), Failure> {
    let Access::Atomic(operation, bytes) = op.access else {
        one(wave, op, lane, |_| Place::Global(address));
        return Ok(());
    };
    if address % u64::from(bytes) != 0 {
        return Err(Failure::of_lanes(FaultKind::Misaligned { address, bytes }, 1 << lane));
    }
    if bytes == 4 {
        let (data, compare) = (wave.rows.lane(op.data, lane), wave.rows.lane(op.data + 1, lane));
        let old = guest::update_u32(address, |old| atomic::new_u32(operation, old, data, compare));
        give(wave, op, lane, u64::from(old), 4);
    } else {
        let (data, compare) = (wave.rows.lane64(op.data, lane), wave.rows.lane64(op.data + 2, lane));
        let old = guest::update_u64(address, |old| atomic::new_u64(operation, old, data, compare));
        give(wave, op, lane, old, 8);
    }
    Ok(())
}

/// Puts what an atomic found into its destination.
fn give(wave: &mut Wave, op: &Global, lane: usize, old: u64, bytes: u32) {
    let Some(dst) = op.dst else { return };
    wave.rows.set_lane(dst, lane, old as u32);
    if bytes == 8 {
        wave.rows.set_lane(dst + 1, lane, (old >> 32) as u32);
    }
}

/// One lane of an access.
fn one<'p>(wave: &mut Wave, op: &Global, lane: usize, place: impl FnOnce(()) -> Place<'p>) {
    let mut place = place(());
    match op.access {
        Access::Load(item) => load_item(wave, op.dst.unwrap_or(0), lane, item, |at, bytes| place.load(at, bytes)),
        Access::Store(item) => store_item(wave, op.data, lane, item, |at, bytes, value| place.store(at, bytes, value)),
        Access::Atomic(operation, bytes) => {
            let old = read_wide(&mut place, bytes);
            let new = combined(wave, op, lane, operation, old, bytes);
            place.store(0, 4, new as u32);
            if bytes == 8 {
                place.store(4, 4, (new >> 32) as u32);
            }
            give(wave, op, lane, old, bytes);
        }
    }
}

fn read_wide(place: &mut Place, bytes: u32) -> u64 {
    let low = u64::from(place.load(0, 4));
    if bytes == 8 { low | u64::from(place.load(4, 4)) << 32 } else { low }
}

fn combined(wave: &Wave, op: &Global, lane: usize, operation: Atomic, old: u64, bytes: u32) -> u64 {
    if bytes == 8 {
        let (data, compare) = (wave.rows.lane64(op.data, lane), wave.rows.lane64(op.data + 2, lane));
        return atomic::new_u64(operation, old, data, compare);
    }
    let (data, compare) = (wave.rows.lane(op.data, lane), wave.rows.lane(op.data + 1, lane));
    u64::from(atomic::new_u32(operation, old as u32, data, compare))
}

/// Brings a value from memory into registers.
pub(super) fn load_item(wave: &mut Wave, dst: usize, lane: usize, item: Item, mut load: impl FnMut(u32, u32) -> u32) {
    if item.bytes >= 4 {
        for register in 0..item.registers() {
            let value = load(4 * register, 4);
            wave.rows.set_lane(dst + register as usize, lane, value);
        }
        return;
    }
    let raw = load(0, item.bytes);
    let unused = 32 - 8 * item.bytes;
    let value = if item.signed { ((raw << unused).cast_signed() >> unused).cast_unsigned() } else { raw };
    let old = wave.rows.lane(dst, lane);
    let merged = match item.half {
        None => value,
        Some(false) => old & 0xffff_0000 | value & 0xffff,
        Some(true) => old & 0xffff | value << 16,
    };
    wave.rows.set_lane(dst, lane, merged);
}

/// Brings a value from registers into memory.
pub(super) fn store_item(wave: &Wave, data: usize, lane: usize, item: Item, mut store: impl FnMut(u32, u32, u32)) {
    if item.bytes >= 4 {
        for register in 0..item.registers() {
            store(4 * register, 4, wave.rows.lane(data + register as usize, lane));
        }
        return;
    }
    let value = wave.rows.lane(data, lane);
    let value = if item.half == Some(true) { value >> 16 } else { value };
    store(0, item.bytes, value & (u32::MAX >> (32 - 8 * item.bytes)));
}
