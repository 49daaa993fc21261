//! Memory by address: global, private, and flat, which is either of them or LDS.

use super::address::{Addressing, Global};
use super::atomic;
use super::bounds::goes_on;
use super::buffer::Place as BufferPlace;
use super::item::{load_item, store_item};
use super::sequence;
use super::shape::{Access, Atomic, Item};
use super::store_check::check_store;
use crate::bounds::Bounds;
use crate::exec::checks::barrier_checks;
use crate::exec::checks::guessing::is_guessed;
use crate::exec::checks::lds_checks::{self, Touched};
use crate::exec::checks::written_checks;
use crate::exec::launch::context::Context;
use crate::exec::launch::failure::Failure;
use crate::exec::state::lanes::each;
use crate::exec::state::lds::Lds;
use crate::exec::state::wave::{LDS_APERTURE, PRIVATE_APERTURE, Private, Wave};
use crate::fault::{FaultKind, Space};
use crate::isa::Operand;
use crate::memory::{Kind, Memory, access as guest};

/// Where one lane's value lies.
enum Place<'p> {
    Global(u64),
    Lds(&'p mut Lds, u32),
    Private(&'p mut Private, usize, u32),
}

impl Place<'_> {
    /// Whether so many bytes are there: of LDS a block may have a part only, and all others have been checked.
    fn is_whole(&self, bytes: u32) -> bool {
        match self {
            Place::Lds(lds, offset) => lds.grants(*offset, bytes),
            Place::Global(_) | Place::Private(..) => true,
        }
    }

    fn load(&mut self, at: u32, bytes: u32) -> u32 {
        match self {
            Place::Global(address) => load_global(*address + u64::from(at), bytes),
            Place::Lds(lds, offset) => lds.load_granted(u64::from(*offset) + u64::from(at), bytes),
            Place::Private(private, lane, offset) => private.load(*lane, *offset + at, bytes),
        }
    }

    fn store(&mut self, at: u32, bytes: u32, value: u32) {
        match self {
            Place::Global(address) => store_global(*address + u64::from(at), bytes, value),
            Place::Lds(lds, offset) => lds.store_granted(u64::from(*offset) + u64::from(at), bytes, value),
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
pub(crate) fn run(wave: &mut Wave, op: &Global, context: &mut Context) -> Result<(), Failure> {
    let lanes = wave.scalars.exec();
    if lanes == 0 {
        return Ok(());
    }
    barrier_checks::back_unless(wave, context, |wave| op.is_private(wave));
    if !is_watched(context) && sequence::run(wave, op, lanes, context).is_some() {
        return Ok(());
    }
    if let Some(places) = op.places(wave, context.shared.generation) {
        return run_buffer(wave, op, lanes, &places, context);
    }
    let addresses = op.addresses(wave);
    run_lanes(wave, op, lanes, &addresses, context)
}

/// Whether there is more to see than the access: changes of memory, odd addresses.
#[inline]
fn is_watched(context: &Context) -> bool {
    context.changed.is_some() || context.shared.options.checks.are_all()
}

fn run_lanes(
    wave: &mut Wave,
    op: &Global,
    lanes: u64,
    addresses: &[u64; 64],
    context: &mut Context,
) -> Result<(), Failure> {
    if is_watched(context) {
        run_watched(wave, op, lanes, addresses, context)
    } else {
        run_at(wave, op, lanes, addresses, context)
    }
}

/// Runs an access by descriptor: what is out of range is read as zero, and not written.
fn run_buffer(
    wave: &mut Wave,
    op: &Global,
    lanes: u64,
    places: &[BufferPlace; 64],
    context: &mut Context,
) -> Result<(), Failure> {
    let words = match op.access {
        Access::Atomic(..) => 1,
        Access::Load(item) | Access::Store(item) => item.registers(),
    };
    let all = u8::MAX >> (8 - op.bytes().div_ceil(4));
    let whole = each(lanes).filter(|lane| places[*lane].inside == all).fold(0_u64, |set, lane| set | 1 << lane);
    let addresses = places.map(|place| place.address);
    // Loads may overwrite the registers of the address, which nothing reads any more.
    if whole != 0 {
        run_lanes(wave, op, whole, &addresses, context)?;
    }
    for lane in each(lanes & !whole) {
        match op.access {
            Access::Atomic(_, bytes) => give(wave, op, lane, 0, bytes),
            Access::Load(item) if item.bytes < 4 => load_item(wave, op.dst.unwrap_or(0), lane, item, |_, _| 0),
            Access::Store(item) if item.bytes < 4 => {}
            _ => (0..words).try_for_each(|word| run_word(wave, op, (lane, word), &places[lane], context))?,
        }
    }
    Ok(())
}

/// One word of one lane of an access that is out of range in part.
fn run_word(
    wave: &mut Wave,
    op: &Global,
    (lane, word): (usize, u32),
    place: &BufferPlace,
    context: &mut Context,
) -> Result<(), Failure> {
    let item = Item { bytes: 4, signed: false, half: None, clears: false };
    let access = if matches!(op.access, Access::Load(_)) { Access::Load(item) } else { Access::Store(item) };
    let dst = op.dst.map(|dst| dst + word as usize);
    let one = Global { access, data: op.data + word as usize, dst, ..*op };
    if place.inside >> word & 1 != 0 {
        let addresses = [place.address.wrapping_add(u64::from(4 * word)); 64];
        return run_lanes(wave, &one, 1 << lane, &addresses, context);
    }
    if let (Access::Load(_), Some(dst)) = (access, dst) {
        wave.rows.set_lane(dst, lane, 0);
    }
    Ok(())
}

/// Runs one instruction, and looks at what else there is to see: odd addresses, changes of memory.
#[cold]
fn run_watched(
    wave: &mut Wave,
    op: &Global,
    lanes: u64,
    addresses: &[u64; 64],
    context: &mut Context,
) -> Result<(), Failure> {
    if context.shared.options.checks.are_all() {
        check_alignment(wave, op, lanes, addresses, context);
        if !matches!(op.access, Access::Store(_)) {
            let is_load = matches!(op.access, Access::Load(_));
            let register = op.dst.filter(|_| is_load).map(|row| Operand(Operand::V0.0 + row as u16));
            written_checks::read(wave, context, lanes, addresses, (op.bytes(), register));
        }
    }
    if context.changed.is_none() {
        run_at(wave, op, lanes, addresses, context)?;
        note_written(op, lanes, addresses, context);
        return Ok(());
    }
    let before = content(wave, op, lanes, addresses, context);
    run_at(wave, op, lanes, addresses, context)?;
    let changes = before != content(wave, op, lanes, addresses, context);
    context.note_change(changes);
    note_written(op, lanes, addresses, context);
    Ok(())
}

/// Remembers what an instruction has written.
fn note_written(op: &Global, lanes: u64, addresses: &[u64; 64], context: &Context) {
    if !matches!(op.access, Access::Load(_)) {
        each(lanes).for_each(|lane| context.memory().note_written(addresses[lane], op.bytes().into()));
    }
}

/// Reports addresses that are no multiple of the access's size, or of a word where it is longer.
fn check_alignment(wave: &Wave, op: &Global, lanes: u64, addresses: &[u64; 64], context: &Context) {
    let align = u64::from(op.bytes().next_power_of_two().min(4)) - 1;
    // Constants lie as the compiler wants them, and its own functions read them in pieces of any size.
    let is_constant = |address| context.memory().find(address).is_some_and(|found| found.kind == Kind::Module);
    let is_odd = |address: u64| address & align != 0 && !is_constant(address);
    let odd = each(lanes).filter(|lane| is_odd(addresses[*lane]));
    let odd = odd.fold(0_u64, |odd, lane| odd | 1 << lane);
    if odd != 0 {
        let address = addresses[odd.trailing_zeros() as usize];
        context.report(wave, FaultKind::Misaligned { address, bytes: op.bytes() }, odd);
    }
}

/// What lies in global memory where an instruction is about to write.
fn content(wave: &mut Wave, op: &Global, lanes: u64, addresses: &[u64; 64], context: &Context) -> Vec<u8> {
    let bytes = u64::from(op.bytes());
    let mut found = Vec::new();
    if matches!(op.access, Access::Load(_)) {
        return found;
    }
    for address in each(lanes).map(|lane| addresses[lane]) {
        if wave.cache.allows(context.memory(), address, bytes) || goes_on(context, address, op.bytes()) {
            found.extend((address..address + bytes).map(guest::load_u8));
        }
    }
    found
}

fn run_at(
    wave: &mut Wave,
    op: &Global,
    lanes: u64,
    addresses: &[u64; 64],
    context: &mut Context,
) -> Result<(), Failure> {
    if !is_all_global(wave, op, lanes, addresses, context.memory()) {
        return run_checked(wave, op, lanes, addresses, context);
    }
    match op.access {
        Access::Load(Item { bytes: 4, half: None, .. }) => {
            let row = wave.rows.row_mut(op.dst.unwrap_or(0)).as_flattened_mut();
            if lanes == u64::MAX {
                row.iter_mut().zip(addresses).for_each(|(value, address)| *value = guest::load_u32(*address));
            } else {
                each(lanes).for_each(|lane| row[lane] = guest::load_u32(addresses[lane]));
            }
        }
        Access::Store(Item { bytes: 4, half: None, .. }) => {
            let row = wave.rows.row(op.data).as_flattened();
            if lanes == u64::MAX {
                row.iter().zip(addresses).for_each(|(value, address)| guest::store_u32(*address, *value));
            } else {
                each(lanes).for_each(|lane| guest::store_u32(addresses[lane], row[lane]));
            }
        }
        Access::Load(_) | Access::Store(_) => each(lanes).for_each(|lane| transfer(wave, op, lane, addresses[lane])),
        Access::Atomic(..) => {
            for lane in each(lanes) {
                one_global(wave, op, lane, addresses[lane])?;
            }
        }
    }
    Ok(())
}

/// Brings several words of one lane from global memory into registers.
#[inline]
fn load_wide(wave: &mut Wave, op: &Global, lane: usize, address: u64) {
    let count = op.bytes() / 4;
    let words = guest::load_words(address, count);
    for (row, word) in (op.dst.unwrap_or(0)..).zip(words).take(count as usize) {
        wave.rows.set_lane(row, lane, word);
    }
}

/// Brings several words of one lane from registers into global memory.
#[inline]
fn store_wide(wave: &Wave, op: &Global, lane: usize, address: u64) {
    let words = std::array::from_fn(|register| wave.rows.lane(op.data + register, lane));
    guest::store_words(address, words, op.bytes() / 4);
}

/// Whether all lanes access one allocation of global memory, the most common case.
fn is_all_global(wave: &mut Wave, op: &Global, lanes: u64, addresses: &[u64; 64], memory: &Memory) -> bool {
    if op.addressing == Addressing::Private {
        return false;
    }
    let (mut least, mut most) = (u64::MAX, 0);
    if lanes == u64::MAX {
        (least, most) = addresses.iter().fold((least, most), |(least, most), at| (least.min(*at), most.max(*at)));
    } else {
        for lane in each(lanes) {
            least = least.min(addresses[lane]);
            most = most.max(addresses[lane]);
        }
    }
    let Some(bytes) = (most - least).checked_add(u64::from(op.bytes())) else { return false };
    wave.cache.allows(memory, least, bytes)
}

/// Every lane is looked at: they access several allocations or spaces, or something wrong.
fn run_checked(
    wave: &mut Wave,
    op: &Global,
    lanes: u64,
    addresses: &[u64; 64],
    context: &mut Context,
) -> Result<(), Failure> {
    let wrong = each(lanes).filter(|lane| !is_allowed(wave, op, addresses[*lane], context));
    let wrong = wrong.fold(0_u64, |wrong, lane| wrong | 1 << lane);
    let wrong = if wrong == 0 { 0 } else { wrong & !of_last_words(wave, op, wrong, addresses, context) };
    if wrong != 0 {
        past_ends(wave, op, wrong, addresses, context)?;
    }
    check_lds(wave, op, lanes & !wrong, addresses, context);
    for lane in each(lanes) {
        let address = addresses[lane];
        match (address >> 32) as u32 {
            LDS_APERTURE => one(wave, op, lane, |()| Place::Lds(context.lds, address as u32)),
            PRIVATE_APERTURE => {
                let mut private = std::mem::take(&mut wave.private);
                one(wave, op, lane, |()| Place::Private(&mut private, lane, address as u32));
                wave.private = private;
            }
            _ => one_global(wave, op, lane, address)?,
        }
    }
    Ok(())
}

/// The lanes of `wrong` that swap the last word of an allocation, or load it to compare it: no processor swaps less than a word, so
/// that an operation on the last 8 or 16 bits takes those behind them along. It changes none of these.
#[cold]
fn of_last_words(wave: &Wave, op: &Global, wrong: u64, addresses: &[u64; 64], context: &Context) -> u64 {
    let is_guess = || is_guessed(context, wave.pc.saturating_sub(1));
    let passes = |lane: &usize| {
        let Some(bytes) = context.memory().bytes_of_word(addresses[*lane]) else { return false };
        match op.access {
            Access::Load(Item { bytes: 4, .. }) => is_guess(),
            Access::Atomic(Atomic::CompareSwap, 4) => {
                let changed = wave.rows.lane(op.data, *lane) ^ wave.rows.lane(op.data + 1, *lane);
                u64::from(changed) >> (8 * bytes) == 0
            }
            _ => false,
        }
    };
    each(wrong).filter(passes).fold(0, |found, lane| found | 1 << lane)
}

/// What becomes of lanes that are out of bounds: an error, or a finding if hardware lets all of them pass.
#[cold]
fn past_ends(wave: &Wave, op: &Global, wrong: u64, addresses: &[u64; 64], context: &Context) -> Result<(), Failure> {
    let passes = |address: u64| match (address >> 32) as u32 {
        LDS_APERTURE => context.shared.options.bounds == Bounds::Granule,
        PRIVATE_APERTURE => false,
        _ => goes_on(context, address, op.bytes()),
    };
    let stopped = each(wrong).filter(|lane| !passes(addresses[*lane])).fold(0_u64, |found, lane| found | 1 << lane);
    let told = if stopped == 0 { wrong } else { stopped };
    let kind = out_of_bounds(wave, op, addresses[told.trailing_zeros() as usize], context);
    if stopped != 0 {
        return Err(Failure::of_lanes(kind, stopped));
    }
    context.report(wave, kind, wrong);
    Ok(())
}

/// Checks the lanes of a flat access that mean LDS.
fn check_lds(wave: &Wave, op: &Global, lanes: u64, addresses: &[u64; 64], context: &mut Context) {
    let is_lds = |lane: &usize| (addresses[*lane] >> 32) as u32 == LDS_APERTURE;
    let lanes = each(lanes).filter(is_lds).fold(0_u64, |found, lane| found | 1 << lane);
    if lanes == 0 {
        return;
    }
    let places = addresses.map(|address| address as u32);
    let what = Touched { places: &places, lanes, bytes: op.bytes() };
    match op.access {
        Access::Load(_) => lds_checks::read(wave, context, what),
        Access::Store(item) => check_store(wave, op.data, item, what, context),
        Access::Atomic(..) => lds_checks::update(wave, context, what, op.dst.is_some()),
    }
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
        place: match space {
            Space::Global => context.memory().describe(address, op.bytes().into()),
            Space::Private if context.shared.kernel.uses_dynamic_stack => {
                format!("stack overflow: a lane has {size} bytes for calls and arrays")
            }
            _ => format!("of {size} bytes there are"),
        },
    }
}

/// One lane of an access to global memory; atomics are atomic for all threads.
fn one_global(wave: &mut Wave, op: &Global, lane: usize, address: u64) -> Result<(), Failure> {
    let (operation, bytes) = match op.access {
        Access::Atomic(operation, bytes) => (operation, bytes),
        Access::Load(_) | Access::Store(_) => {
            transfer(wave, op, lane, address);
            return Ok(());
        }
    };
    if !address.is_multiple_of(u64::from(bytes)) {
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

/// One lane of a load or store.
fn transfer(wave: &mut Wave, op: &Global, lane: usize, address: u64) {
    match op.access {
        Access::Load(item) if item.bytes > 4 => load_wide(wave, op, lane, address),
        Access::Store(item) if item.bytes > 4 => store_wide(wave, op, lane, address),
        _ => one(wave, op, lane, |()| Place::Global(address)),
    }
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
        // Half of an atomic operation is none: as those of `ds_`, it does nothing where the block has not all of its bytes.
        Access::Atomic(_, bytes) if !place.is_whole(bytes) => give(wave, op, lane, 0, bytes),
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

#[expect(clippy::too_many_arguments, reason = "one atomic operation has so many sides")]
fn combined(wave: &Wave, op: &Global, lane: usize, operation: Atomic, old: u64, bytes: u32) -> u64 {
    if bytes == 8 {
        let (data, compare) = (wave.rows.lane64(op.data, lane), wave.rows.lane64(op.data + 2, lane));
        return atomic::new_u64(operation, old, data, compare);
    }
    let (data, compare) = (wave.rows.lane(op.data, lane), wave.rows.lane(op.data + 1, lane));
    u64::from(atomic::new_u32(operation, old as u32, data, compare))
}
