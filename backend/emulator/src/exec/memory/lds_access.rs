//! Instructions on LDS, and the lane exchange that is done through it.

use pulp::Arch;

use super::atomic;
use super::item::{load_item, store_item};
use super::shape::{Atomic, Item, atomic as atomic_named, item};
use super::store_check::check_store;
use crate::bounds::Bounds;
use crate::exec::checks::barrier_checks;
use crate::exec::checks::lane_checks;
use crate::exec::checks::lds_checks::{self, Touched};
use crate::exec::launch::context::Context;
use crate::exec::launch::failure::Failure;
use crate::exec::state::lanes::each;
use crate::exec::state::lds::{Lds, WORDS};
use crate::exec::state::registers::LANES;
use crate::exec::state::spread::{self, Reach};
use crate::exec::state::wave::{State, Wave};
use crate::fault::{FaultKind, Space};
use crate::isa::Inst;
use crate::target::Generation;

/// What an instruction on LDS does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Load(Item),
    Store(Item),
    /// Two places; the number of bytes between neighbours.
    LoadTwo(Item, u32),
    StoreTwo(Item, u32),
    Atomic(Atomic, u32),
    /// Compare-and-swap whose first data is the value to compare with.
    CompareFirst(u32),
    BackwardPermute,
    Permute,
    Swizzle,
    GridBarrier,
    Nothing,
}

/// An instruction on LDS, ready to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LdsAccess {
    kind: Kind,
    address: usize,
    data: [usize; 2],
    dst: Option<usize>,
    offset: u32,
}

impl LdsAccess {
    /// Reads what the instruction does; `None` if it is not known.
    pub(crate) fn new(inst: &Inst, generation: Generation) -> Option<LdsAccess> {
        let name = inst.entry.base.strip_prefix("ds_")?;
        let kind = match kind(name)? {
            Kind::Load(item) => Kind::Load(item.on(generation)),
            kind => kind,
        };
        // What synchronises a grid is in memory that is shared by all blocks, and nothing else here is.
        let is_global = inst.flags & 1 != 0;
        if is_global != name.starts_with("gws_") {
            return None;
        }
        let offset = inst.imm.cast_unsigned() & 0xffff;
        // A pattern beside permutations of four lanes and of bits: rotation, or the order of a Fourier transform.
        if kind == Kind::Swizzle && offset & 0x8000 != 0 && offset & 0x7f00 != 0 {
            return None;
        }
        let row = |operand: crate::isa::Operand| operand.row().map_or(0, usize::from);
        let returns = name.contains("rtn") || !matches!(kind, Kind::Atomic(..) | Kind::CompareFirst(_));
        Some(LdsAccess {
            kind,
            address: row(inst.src[0]),
            data: [row(inst.src[1]), row(inst.src[2])],
            dst: returns.then(|| row(inst.dst)),
            offset,
        })
    }
}

fn kind(name: &str) -> Option<Kind> {
    let word = |bytes| Item { bytes, signed: false, half: None, clears: false };
    let strip = |names: [&str; 2]| names.into_iter().find_map(|prefix| name.strip_prefix(prefix));
    Some(match name {
        "bpermute_b32" => Kind::BackwardPermute,
        "permute_b32" => Kind::Permute,
        "swizzle_b32" => Kind::Swizzle,
        "gws_barrier" => Kind::GridBarrier,
        "gws_init" | "nop" => Kind::Nothing,
        "read2_b32" | "load_2addr_b32" => Kind::LoadTwo(word(4), 4),
        "read2_b64" | "load_2addr_b64" => Kind::LoadTwo(word(8), 8),
        "read2st64_b32" | "load_2addr_stride64_b32" => Kind::LoadTwo(word(4), 256),
        "read2st64_b64" | "load_2addr_stride64_b64" => Kind::LoadTwo(word(8), 512),
        "write2_b32" | "store_2addr_b32" => Kind::StoreTwo(word(4), 4),
        "write2_b64" | "store_2addr_b64" => Kind::StoreTwo(word(8), 8),
        "write2st64_b32" | "store_2addr_stride64_b32" => Kind::StoreTwo(word(4), 256),
        "write2st64_b64" | "store_2addr_stride64_b64" => Kind::StoreTwo(word(8), 512),
        "cmpst_b32" | "cmpst_rtn_b32" => Kind::CompareFirst(4),
        "cmpst_b64" | "cmpst_rtn_b64" => Kind::CompareFirst(8),
        "cmpstore_b32" | "cmpstore_rtn_b32" => Kind::Atomic(Atomic::CompareSwap, 4),
        "cmpstore_b64" | "cmpstore_rtn_b64" => Kind::Atomic(Atomic::CompareSwap, 8),
        "wrxchg_rtn_b32" | "storexchg_rtn_b32" => Kind::Atomic(Atomic::Swap, 4),
        "wrxchg_rtn_b64" | "storexchg_rtn_b64" => Kind::Atomic(Atomic::Swap, 8),
        "rsub_u32" | "rsub_rtn_u32" => Kind::Atomic(Atomic::ReverseSub, 4),
        "rsub_u64" | "rsub_rtn_u64" => Kind::Atomic(Atomic::ReverseSub, 8),
        _ => {
            if let Some(rest) = strip(["read_", "load_"]) {
                return item(rest).map(Kind::Load);
            }
            if let Some(rest) = strip(["write_", "store_"]) {
                return item(rest).map(Kind::Store);
            }
            let (operation, bytes) = atomic_named(&name.replace("_rtn", ""))?;
            return (operation != Atomic::CompareSwap).then_some(Kind::Atomic(operation, bytes));
        }
    })
}

/// Runs one instruction.
pub(crate) fn run(wave: &mut Wave, op: &LdsAccess, context: &mut Context) -> Result<(), Failure> {
    let lanes = wave.scalars.exec();
    barrier_checks::back(wave, context);
    let dst = op.dst.unwrap_or(0);
    match op.kind {
        Kind::Nothing => {}
        Kind::GridBarrier => {
            if lanes != 0 {
                wave.state = State::AtGrid(context.arrive_at_grid());
            }
        }
        Kind::BackwardPermute => backward_permute(wave, op, lanes, context),
        Kind::Permute => permute(wave, op, lanes),
        Kind::Swizzle => swizzle(wave, op, lanes),
        Kind::Load(item) if item.bytes >= 4 && is_clearing(wave, op.address, lanes) => {
            let rows = dst..dst + item.registers() as usize;
            rows.for_each(|row| each(lanes).for_each(|lane| wave.rows.set_lane(row, lane, 0)));
        }
        Kind::Load(item) => load(wave, op, item, &[(op.offset, dst)], context)?,
        Kind::Store(item) => {
            store(wave, op, item, (op.offset, op.data[0]), context)?;
        }
        Kind::LoadTwo(item, stride) => {
            let [first, second] = [op.offset & 255, op.offset >> 8].map(|offset| offset * stride);
            let next = dst + item.registers() as usize;
            load(wave, op, item, &[(first, dst), (second, next)], context)?;
        }
        Kind::StoreTwo(item, stride) => {
            let [first, second] = [op.offset & 255, op.offset >> 8].map(|offset| offset * stride);
            for (index, offset) in [first, second].into_iter().enumerate() {
                store(wave, op, item, (offset, op.data[index]), context)?;
            }
        }
        Kind::Atomic(operation, bytes) => update(wave, op, lanes, operation, bytes, op.data, context)?,
        Kind::CompareFirst(bytes) => {
            let data = [op.data[1], op.data[0]];
            update(wave, op, lanes, Atomic::CompareSwap, bytes, data, context)?;
        }
    }
    Ok(())
}

/// The address at which AMD's generated kernels for products of matrices read zeros to clear registers: no group has so much
/// LDS, and reads out of range give zero, as the ISA documents say. Any other address outside is an error of the program.
const CLEARING: u32 = 0x00f0_0000;

/// Whether all lanes read at [`CLEARING`].
fn is_clearing(wave: &Wave, address: usize, lanes: u64) -> bool {
    let row = wave.rows.row(address).as_flattened();
    lanes != 0 && row[lanes.trailing_zeros() as usize] == CLEARING && each(lanes).all(|lane| row[lane] == CLEARING)
}

/// Loads from one or two places: offsets, and where registers of what is there begin.
fn load(
    wave: &mut Wave,
    op: &LdsAccess,
    item: Item,
    targets: &[(u32, usize)],
    context: &mut Context,
) -> Result<(), Failure> {
    if load_again(wave, op, item, targets, context) {
        return Ok(());
    }
    let lanes = wave.scalars.exec();
    let mut found = [(Reach::new(), 0); 2];
    // All addresses before any register changes: one of these may hold them.
    for ((reach, outside), (offset, _)) in found.iter_mut().zip(targets) {
        *outside = places(wave, op, (*offset, item.bytes, false), context, reach)?;
        let lanes = lanes & !*outside;
        lds_checks::read(wave, context, Touched { places: &reach.places, lanes, bytes: item.bytes });
    }
    for ((reach, outside), (_, dst)) in found.iter().zip(targets) {
        load_lanes(wave, *dst, lanes & !outside, item, (reach, context.lds), context.arch);
        for lane in each(*outside) {
            let place = u64::from(reach.places[lane]);
            load_item(wave, *dst, lane, item, |at, bytes| context.lds.load_granted(place + u64::from(at), bytes));
        }
    }
    Ok(())
}

/// Stores registers from `data` on at an offset.
fn store(
    wave: &Wave,
    op: &LdsAccess,
    item: Item,
    (offset, data): (u32, usize),
    context: &mut Context,
) -> Result<(), Failure> {
    let mut reach = Reach::new();
    let outside = places(wave, op, (offset, item.bytes, true), context, &mut reach)?;
    let lanes = wave.scalars.exec() & !outside;
    check_store(wave, data, item, Touched { places: &reach.places, lanes, bytes: item.bytes }, context);
    store_lanes(wave, data, lanes, item, (&reach, context.lds));
    for lane in each(outside) {
        let place = u64::from(reach.places[lane]);
        let mut put = |at: u32, bytes, value| context.lds.store_granted(place + u64::from(at), bytes, value);
        store_item(wave, data, lane, item, &mut put);
    }
    Ok(())
}

/// Loads whole words by addresses that the wave has used before; false if it has not, or if that takes a closer look.
fn load_again(wave: &mut Wave, op: &LdsAccess, item: Item, targets: &[(u32, usize)], context: &mut Context) -> bool {
    if item.bytes < 4 {
        return false;
    }
    let mut patterns = std::mem::take(&mut wave.patterns);
    let found = patterns.find(context.arch, op.address, wave.rows.row(op.address), wave.scalars.exec());
    let is_plain = found.is_some_and(|pattern| {
        targets.iter().all(|(offset, _)| {
            pattern.fits(*offset, item.bytes, context.lds.bytes())
                && lds_checks::read_words(wave, context, || pattern.words(*offset, item.bytes), item.bytes)
        })
    });
    if let Some(pattern) = found.filter(|_| is_plain) {
        for (offset, dst) in targets {
            let target = (&mut wave.rows, *dst, item.registers());
            pattern.load(context.arch, context.lds.words(), *offset, target);
        }
    }
    wave.patterns = patterns;
    is_plain
}

/// Brings values of lanes into registers, register by register where values fill those.
#[expect(clippy::too_many_arguments, reason = "what the instruction says, and what it meets")]
fn load_lanes(wave: &mut Wave, dst: usize, lanes: u64, item: Item, (reach, lds): (&Reach, &Lds), arch: Arch) {
    if item.bytes < 4 {
        for lane in each(lanes) {
            load_item(wave, dst, lane, item, |at, bytes| lds.load(reach.places[lane] + at, bytes));
        }
        return;
    }
    for register in 0..item.registers() {
        let row = wave.rows.row_mut(dst + register as usize);
        if reach.any % 4 == 0 {
            spread::load_words(arch, lds.words(), (&reach.places, register), row, lanes);
            continue;
        }
        for lane in each(lanes) {
            row.as_flattened_mut()[lane] = lds.load(reach.places[lane] + 4 * register, 4);
        }
    }
}

/// Brings values of lanes into memory, lane by lane.
fn store_lanes(wave: &Wave, data: usize, lanes: u64, item: Item, (reach, lds): (&Reach, &mut Lds)) {
    if item.bytes == 4 && reach.any % 4 == 0 {
        let row = wave.rows.row(data).as_flattened();
        each(lanes).for_each(|lane| lds.words_mut()[(reach.places[lane] / 4) as usize % WORDS] = row[lane]);
        return;
    }
    for lane in each(lanes) {
        store_item(wave, data, lane, item, |at, bytes, value| lds.store(reach.places[lane] + at, bytes, value));
    }
}

/// Addresses of the active lanes, which wrap at 32 bits. Gives the lanes whose addresses lie outside, where the kernel goes on;
/// else these are an error. What happens outside of what the block has is what AMD's ISA documents say, those of RDNA 4 as others tell
/// them: words read as zero, bytes are not written. Atomic operations do nothing there and find zero.
#[inline]
fn places(
    wave: &Wave,
    op: &LdsAccess,
    (offset, bytes, write): (u32, u32, bool),
    context: &Context,
    reach: &mut Reach,
) -> Result<u64, Failure> {
    let lanes = wave.scalars.exec();
    spread::reach(context.arch, wave.rows.row(op.address), offset, lanes, reach);
    if u64::from(reach.most) + u64::from(bytes) <= context.lds.bytes() as u64 || lanes == 0 {
        return Ok(0);
    }
    outside(wave, &reach.places, (bytes, write), context)
}

#[cold]
fn outside(wave: &Wave, places: &[u32; LANES], (bytes, write): (u32, bool), context: &Context) -> Result<u64, Failure> {
    let mut wrong = 0_u64;
    let size = context.lds.bytes() as u64;
    for lane in each(wave.scalars.exec()) {
        wrong |= u64::from(u64::from(places[lane]) + u64::from(bytes) > size) << lane;
    }
    let address = u64::from(places[wrong.trailing_zeros() as usize]);
    let place = format!("of {size} bytes there are");
    let kind = FaultKind::OutOfBounds { space: Space::Lds, address, bytes, write, place };
    if context.shared.options.bounds == Bounds::Exact {
        return Err(Failure::of_lanes(kind, wrong));
    }
    context.report(wave, kind, wrong);
    Ok(wrong)
}

#[expect(clippy::too_many_arguments, reason = "what the instruction says, and what it meets")]
/// An atomic operation, lane by lane. The data are the operand and the value to compare with.
fn update(
    wave: &mut Wave,
    op: &LdsAccess,
    lanes: u64,
    operation: Atomic,
    bytes: u32,
    data: [usize; 2],
    context: &mut Context,
) -> Result<(), Failure> {
    let mut reach = Reach::new();
    let outside = places(wave, op, (op.offset, bytes, true), context, &mut reach)?;
    let inside = Touched { places: &reach.places, lanes: lanes & !outside, bytes };
    lds_checks::update(wave, context, inside, op.dst.is_some());
    for lane in each(lanes) {
        let at = reach.places[lane];
        if outside >> lane & 1 != 0 && !context.lds.grants(at, bytes) {
            for row in op.dst.into_iter().flat_map(|dst| dst..dst + (bytes / 4) as usize) {
                wave.rows.set_lane(row, lane, 0);
            }
            continue;
        }
        let low = context.lds.load(at, 4);
        if bytes == 4 {
            let [operand, compare] = data.map(|row| wave.rows.lane(row, lane));
            context.lds.store(at, 4, atomic::new_u32(operation, low, operand, compare));
        } else {
            let old = u64::from(low) | u64::from(context.lds.load(at + 4, 4)) << 32;
            let [operand, compare] = data.map(|row| wave.rows.lane64(row, lane));
            let new = atomic::new_u64(operation, old, operand, compare);
            context.lds.store(at, 4, new as u32);
            context.lds.store(at + 4, 4, (new >> 32) as u32);
            if let Some(dst) = op.dst {
                wave.rows.set_lane(dst + 1, lane, (old >> 32) as u32);
            }
        }
        if let Some(dst) = op.dst {
            wave.rows.set_lane(dst, lane, low);
        }
    }
    Ok(())
}

/// Each lane reads the data of the lane that its address names; lanes that are off give zero.
fn backward_permute(wave: &mut Wave, op: &LdsAccess, lanes: u64, context: &Context) {
    if context.shared.options.checks.are_all() {
        let from = |lane| (wave.rows.lane(op.address, lane).wrapping_add(op.offset) / 4) as usize % wave.lanes;
        lane_checks::read(wave, context, from);
    }
    let data = *wave.rows.row(op.data[0]);
    let bits = wave.lanes as u32 - 1;
    let mut reach = Reach::new();
    spread::reach(context.arch, wave.rows.row(op.address), op.offset, lanes, &mut reach);
    let from = reach.places.map(|at| at / 4 & bits);
    spread::exchange(context.arch, &data, &from, wave.rows.row_mut(op.dst.unwrap_or(0)), lanes);
}

/// Each lane sends its data to the lane that its address names; the highest sender wins.
fn permute(wave: &mut Wave, op: &LdsAccess, lanes: u64) {
    let mut sent = [0; 64];
    for lane in each(lanes) {
        let to = (wave.rows.lane(op.address, lane).wrapping_add(op.offset) / 4) as usize % wave.lanes;
        sent[to] = wave.rows.lane(op.data[0], lane);
    }
    for lane in each(lanes) {
        wave.rows.set_lane(op.dst.unwrap_or(0), lane, sent[lane]);
    }
}

/// Lanes read within groups of four or 32 by a pattern; lanes that are off give zero.
fn swizzle(wave: &mut Wave, op: &LdsAccess, lanes: u64) {
    let data = *wave.rows.row(op.address);
    for lane in each(lanes) {
        let from = if op.offset & 0x8000 != 0 {
            lane & !3 | (op.offset >> (2 * (lane & 3)) & 3) as usize
        } else {
            let [and, or, xor] = [op.offset, op.offset >> 5, op.offset >> 10].map(|mask| (mask & 31) as usize);
            lane & !31 | (((lane & 31) & and) | or) ^ xor
        };
        let value = if lanes >> from & 1 != 0 { data.as_flattened()[from] } else { 0 };
        wave.rows.set_lane(op.dst.unwrap_or(0), lane, value);
    }
}
