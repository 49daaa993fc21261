//! Checks of accesses to LDS: each is compared with the shadow of what was done before.

use super::guessing::is_guessed;
use super::polling::polls;
use crate::exec::launch::context::Context;
use crate::exec::race::shadow::{Access, Earlier};
use crate::exec::state::lanes::each;
use crate::exec::state::spread;
use crate::exec::state::wave::Wave;
use crate::fault::FaultKind;

/// An access of one instruction by some lanes.
#[derive(Clone, Copy)]
pub(crate) struct Touched<'l> {
    /// Places of all lanes.
    pub(crate) places: &'l [u32; 64],
    pub(crate) lanes: u64,
    pub(crate) bytes: u32,
}

impl Touched<'_> {
    fn access(&self, wave: &Wave, lane: usize) -> Access {
        let step = wave.pc.saturating_sub(1) as u32;
        Access { wave: wave.number, step, at: self.places[lane], bytes: self.bytes }
    }
}

/// Notes a read of words: the first byte, and a bit for each word from there on. False if it takes a closer look.
#[inline]
pub(crate) fn read_words(
    wave: &Wave,
    context: &mut Context,
    words: impl FnOnce() -> Option<(u32, u128)>,
    bytes: u32,
) -> bool {
    let Some(shadow) = context.lds.shadow() else { return true };
    let step = wave.pc.saturating_sub(1) as u32;
    words().is_some_and(|(at, words)| shadow.read_words(Access { wave: wave.number, step, at, bytes }, words))
}

/// Checks a read.
pub(crate) fn read(wave: &Wave, context: &mut Context, what: Touched) {
    let Some(mut shadow) = context.lds.take_shadow() else { return };
    if let Some((at, words)) = spread::distinct(context.arch, what.places, what.lanes, what.bytes)
        && shadow.read_words(Access { at, ..what.access(wave, 0) }, words)
    {
        context.lds.give_shadow(shadow);
        return;
    }
    let (mut bare, mut racing, mut race) = (0_u64, 0_u64, None);
    let mut before = None;
    for lane in each(what.lanes) {
        // Neighbours often read the same place.
        if before == Some(what.places[lane]) {
            continue;
        }
        before = Some(what.places[lane]);
        let access = what.access(wave, lane);
        let (found, is_bare) = shadow.read(access);
        bare |= u64::from(is_bare) << lane;
        if found.is_some() && polls(context, access.step as usize) {
            shadow.acquire(access);
            continue;
        }
        let found = found.filter(|_| !is_guessed(context, access.step as usize));
        racing |= u64::from(found.is_some()) << lane;
        race = race.or(found.map(|found| (lane, found)));
    }
    context.lds.give_shadow(shadow);
    tell(wave, context, what, (race, racing), (bare, false));
}

/// Checks a write. `keeps` tells of a lane whether it writes what is there already: that is no race, whoever comes first.
pub(crate) fn write(wave: &Wave, context: &mut Context, what: Touched, keeps: impl Fn(&Context, usize) -> bool) {
    let Some(mut shadow) = context.lds.take_shadow() else { return };
    if let Some((at, words)) = spread::distinct(context.arch, what.places, what.lanes, what.bytes)
        && shadow.write_words(Access { at, ..what.access(wave, 0) }, words)
    {
        context.lds.give_shadow(shadow);
        return;
    }
    let (mut racing, mut race) = (0_u64, None);
    for lane in each(what.lanes) {
        let Some(found) = shadow.write(what.access(wave, lane)) else { continue };
        if !keeps(context, lane) && !is_awaited(context, found) {
            racing |= 1 << lane;
            race = race.or(Some((lane, found)));
        }
    }
    context.lds.give_shadow(shadow);
    tell(wave, context, what, (race, racing), (0, true));
}

/// Checks an atomic operation, which also orders waves. `returns` if its wave learns what it found.
pub(crate) fn update(wave: &Wave, context: &mut Context, what: Touched, returns: bool) {
    let Some(mut shadow) = context.lds.take_shadow() else { return };
    shadow.synchronise(wave.number, each(what.lanes).map(|lane| what.places[lane]), returns);
    let (mut bare, mut racing, mut race) = (0_u64, 0_u64, None);
    for lane in each(what.lanes) {
        let (found, is_bare) = shadow.update(what.access(wave, lane));
        let found = found.filter(|found| !is_awaited(context, *found));
        bare |= u64::from(is_bare) << lane;
        racing |= u64::from(found.is_some()) << lane;
        race = race.or(found.map(|found| (lane, found)));
    }
    context.lds.give_shadow(shadow);
    tell(wave, context, what, (race, racing), (bare, true));
}

/// Whether an earlier access only waits for what is written now, or compares what it has read before it writes.
fn is_awaited(context: &Context, earlier: Earlier) -> bool {
    let step = earlier.step as usize;
    !earlier.write && (polls(context, step) || is_guessed(context, step))
}

/// Reports what was found. The lane of a race is the first.
fn tell(
    wave: &Wave,
    context: &Context,
    what: Touched,
    (race, racing): (Option<(usize, Earlier)>, u64),
    (bare, write): (u64, bool),
) {
    let bytes = what.bytes;
    if let Some((lane, earlier)) = race {
        let other = context.earlier(earlier);
        context.report(wave, FaultKind::Race { offset: what.places[lane], bytes, write, other }, racing);
    }
    if bare != 0 && context.shared.options.checks.are_all() {
        let offset = what.places[bare.trailing_zeros() as usize];
        context.report(wave, FaultKind::Uninitialised { offset, bytes }, bare);
    }
}
