//! Vector instructions: operands are made ready, the loop over lanes runs, the result is put in place.

use std::sync::Arc;

use pulp::Arch;

use super::dpp;
use super::lane::{MaskSource, Places, Run, UNCHANGED, Valu};
use super::ops;
use super::result::{self, Placement};
use super::source::{self, Place, Source};
use crate::exec::number::directed::{self, Effect, Rounded};
use crate::exec::number::element::{Flip, Kind};
use crate::exec::number::float_mode;
use crate::exec::state::mask;
use crate::exec::state::registers::SCRATCH;
use crate::exec::state::wave::Wave;
use crate::isa::{Encoding, Entry, Field, Form, Inst, Operand};
use crate::target::Generation;

/// First rows of results that are changed before they are written.
const RESULT: usize = SCRATCH + 16;

/// A vector instruction, ready to run.
pub(crate) struct Vector {
    /// The loop over lanes.
    run: Run,
    valu: Arc<Valu>,
    sources: [Source; 3],
    /// Destination row.
    dst: usize,
    placement: Placement,
    /// Where bits for lanes come from.
    mask_in: Option<Operand>,
    /// Where bits for lanes go.
    mask_out: Option<Operand>,
    /// The bits also become the active lanes (gfx9), or only they (gfx11).
    writes_exec: bool,
    /// The result goes to a scalar register, whatever lanes are active.
    scalar_dst: Option<Operand>,
    form: Form,
    effect: Effect,
    /// Where loops find everything, if nothing has to be prepared.
    plain: Option<Plain>,
}

/// Operands of an instruction that need no preparation but values of scalar registers.
struct Plain {
    /// The changes are signs of rows, and constants.
    places: Places,
    /// Sources that are read from scalar registers: a bit for each.
    scalars: u8,
}

/// Changes that make all lanes the same.
#[inline(always)]
fn all_lanes(bits: u64) -> [Flip; 2] {
    [Flip::to(bits as u32), Flip::to((bits >> 32) as u32)]
}

impl Plain {
    fn new(sources: &[Source; 3], dst: usize) -> Option<Plain> {
        let mut plain = Plain { places: Places { dst, src: [0; 3], changes: UNCHANGED }, scalars: 0 };
        for (at, source) in sources.iter().enumerate() {
            if let Place::Row(row, changes) = source.place()? {
                (plain.places.src[at], plain.places.changes[at]) = (row, changes);
                continue;
            }
            let constant = source.constant();
            plain.places.changes[at] = all_lanes(constant.unwrap_or(0));
            plain.scalars |= u8::from(constant.is_none()) << at;
        }
        Some(plain)
    }
}

impl Vector {
    /// Looks the operation up; `None` if there is none.
    pub(crate) fn new(inst: &Inst, generation: Generation) -> Option<Vector> {
        Vector::with(inst, inst.entry, inst.dst, sources(inst), generation)
    }

    /// The two operations of a dual instruction.
    pub(crate) fn pair(inst: &Inst, generation: Generation) -> Option<[Vector; 2]> {
        let (entry, dst, [a, b]) = inst.dual?;
        let first = in_order(inst.entry, [inst.src[0], inst.src[1], Operand::NULL]);
        let second = in_order(entry, [a, b, Operand::NULL]);
        let mut second = Vector::with(inst, entry, dst, second, generation)?;
        // Constants of the two must not meet in the same rows.
        for source in &mut second.sources {
            source.shift_scratch();
        }
        Some([Vector::with(inst, inst.entry, inst.dst, first, generation)?, second])
    }

    fn with(
        inst: &Inst,
        entry: &'static Entry,
        dst: Operand,
        sources: [Operand; 3],
        generation: Generation,
    ) -> Option<Vector> {
        let base = match entry.base {
            "v_dual_mov_b32" => "v_mov_b32",
            "v_dual_cndmask_b32" => "v_cndmask_b32",
            "v_dual_add_nc_u32" => "v_add_nc_u32",
            "v_dual_lshlrev_b32" => "v_lshlrev_b32",
            "v_dual_and_b32" => "v_and_b32",
            "v_dual_fmaak_f32" | "v_dual_fmamk_f32" => "v_fma_f32",
            base => base,
        };
        let valu = if let Some(valu) = by_modifiers(inst, base, generation) {
            Arc::new(valu)
        } else {
            let plain = ops::find(base, false)?;
            let clamps_integers = inst.modifiers.clamp && !plain.dst.is_float() && !plain.gives_mask_only();
            if clamps_integers { ops::find(base, true)? } else { plain }
        };
        let is_scalar = entry.slot(Field::ScalarDst).is_some() && !valu.gives_mask;
        let (mut sources, mut inst) = (sources, *inst);
        if valu.accumulates {
            sources[2] = dst;
            // The half that is written is the one that is added to.
            inst.modifiers.op_sel |= inst.modifiers.op_sel >> 1 & 4;
        }
        let inst = &inst;
        let made = std::array::from_fn(|index| Source::new(inst, entry, index, sources[index], valu.src[index]));
        let (mask_in, mask_out, writes_exec) = masks(inst, entry, &valu, generation);
        let row = usize::from(dst.row().unwrap_or(SCRATCH as u16 + 24));
        let placement = Placement::new(inst, entry, &valu, generation);
        let needs_nothing = inst.form == Form::Plain && placement.is_direct() && !is_scalar;
        let works_on_floats = valu.dst.is_float() || valu.src.into_iter().any(Kind::is_float);
        let effect = if works_on_floats { Effect::of(entry.base) } else { Effect::None };
        Some(Vector {
            run: (valu.loops)(Arch::new()),
            dst: row,
            placement,
            plain: if needs_nothing { Plain::new(&made, row) } else { None },
            valu,
            sources: made,
            mask_in,
            mask_out,
            writes_exec,
            scalar_dst: is_scalar.then_some(dst),
            form: inst.form,
            effect,
        })
    }

    /// Whether it is not known how the result is rounded in the wave's mode.
    pub(crate) fn is_refused(&self, wave: &Wave) -> bool {
        self.effect == Effect::Unknown && !wave.mode().is_to_nearest()
    }

    /// What is rounded in another direction than to the nearest.
    fn rounds(&self, wave: &Wave) -> Option<Rounded> {
        let Effect::Rounds(operation) = self.effect else { return None };
        (!wave.mode().is_nearest(operation.is_single(self.valu.dst))).then_some(operation)
    }

    /// Whether a row is read.
    fn reads(&self, row: usize) -> bool {
        self.sources.iter().any(|source| source.covers(row))
    }
}

/// Runs one instruction.
#[inline]
pub(crate) fn run(wave: &mut Wave, vector: &Vector) {
    match &vector.plain {
        Some(plain) if wave.is_plain() => run_plain(wave, vector, plain),
        _ => {
            let prepared = prepare(wave, vector);
            finish(wave, vector, prepared, vector.dst);
        }
    }
}

#[inline]
fn run_plain(wave: &mut Wave, vector: &Vector, plain: &Plain) {
    let mask = vector.mask_in.map_or(0, |operand| mask::read(wave, operand));
    let lanes = wave.scalars.exec();
    let out = if plain.scalars == 0 {
        (vector.run)(&mut wave.rows, &plain.places, lanes, mask)
    } else {
        let mut places = plain.places;
        for (at, change) in places.changes.iter_mut().enumerate() {
            if plain.scalars >> at & 1 != 0 {
                *change = all_lanes(vector.sources[at].bits(wave));
            }
        }
        (vector.run)(&mut wave.rows, &places, lanes, mask)
    };
    write_masks(wave, vector, out);
}

/// Puts the bits of lanes where the instruction wants them.
#[inline]
fn write_masks(wave: &mut Wave, vector: &Vector, out: u64) {
    if let Some(operand) = vector.mask_out {
        mask::write(wave, operand, out);
    }
    if vector.writes_exec {
        mask::write(wave, Operand::EXEC, out);
    }
}

/// What a preparation gives: rows of the sources, bits for lanes, lanes that take part.
#[derive(Clone, Copy)]
struct Prepared {
    src: [usize; 3],
    mask: u64,
    lanes: u64,
}

/// Runs both operations of a dual instruction; both read before either writes.
pub(crate) fn run_pair(wave: &mut Wave, [first, second]: &[Vector; 2]) {
    if !second.reads(first.dst) {
        run(wave, first);
        run(wave, second);
        return;
    }
    let prepared = [prepare(wave, first), prepare(wave, second)];
    let parked = SCRATCH + 28;
    finish(wave, first, prepared[0], parked);
    finish(wave, second, prepared[1], second.dst);
    wave.rows.copy(parked, first.dst, prepared[0].lanes);
}

#[inline]
fn prepare(wave: &mut Wave, vector: &Vector) -> Prepared {
    let mut lanes = if vector.scalar_dst.is_some() { 1 } else { wave.scalars.exec() };
    let mut src = [0; 3];
    match vector.form {
        Form::Plain | Form::Sdwa(_) => {
            for (row, source) in src.iter_mut().zip(&vector.sources) {
                *row = source::ready(wave, source);
            }
        }
        Form::Dpp(_) | Form::Dpp8(..) => {
            let (row, allowed) = dpp::gather(wave, vector.form, &vector.sources[0]);
            lanes &= allowed;
            src[0] = row;
            for (row, source) in src.iter_mut().zip(&vector.sources).skip(1) {
                *row = source::ready(wave, source);
            }
        }
    }
    if vector.effect != Effect::None && !wave.mode().is_usual() {
        flush_sources(wave, vector, &mut src);
    }
    let mask = vector.mask_in.map_or(0, |operand| mask::read(wave, operand));
    Prepared { src, mask, lanes }
}

/// Runs the loop. `dst` is given because the halves of dual instructions may have to write elsewhere.
fn finish(wave: &mut Wave, vector: &Vector, prepared: Prepared, dst: usize) {
    let Prepared { src, mask, lanes } = prepared;
    let flushes = vector.effect != Effect::None && wave.mode().flushes_results(vector.valu.dst);
    let is_direct = vector.placement.is_direct() && !flushes;
    let target = if is_direct { wave.indexed_dst(dst) } else { RESULT };
    let places = Places { dst: target, src, changes: UNCHANGED };
    let out = match vector.rounds(wave) {
        Some(operation) => run_directed(wave, vector, operation, &places, prepared),
        None => (vector.run)(&mut wave.rows, &places, lanes, mask),
    };
    if flushes {
        flush(wave, vector.valu.dst, RESULT, RESULT);
    }
    if !is_direct {
        let dst = wave.indexed_dst(dst);
        result::place(wave, vector.placement, RESULT, dst, lanes);
    }
    if let Some(operand) = vector.scalar_dst {
        let value = wave.rows.lane(dst, 0);
        wave.scalars.set(operand, if vector.valu.dst.is_short() { value & 0xffff } else { value });
    }
    write_masks(wave, vector, out);
}

/// Takes sources without denormals for those that the mode wants without.
#[cold]
fn flush_sources(wave: &mut Wave, vector: &Vector, src: &mut [usize; 3]) {
    for (row, source) in src.iter_mut().zip(&vector.sources) {
        if wave.mode().flushes_sources(source.kind()) {
            flush(wave, source.kind(), *row, source.scratch());
            *row = source.scratch();
        }
    }
}

/// Copies rows of a kind, denormals as zeros.
#[cold]
fn flush(wave: &mut Wave, kind: Kind, from: usize, to: usize) {
    for lane in 0..wave.lanes {
        wave.rows.set_lane_of(kind, to, lane, float_mode::flushed(kind, wave.rows.lane_of(kind, from, lane)));
    }
}

/// Runs an instruction that rounds in another direction. None of them gives bits.
#[cold]
fn run_directed(wave: &mut Wave, vector: &Vector, operation: Rounded, places: &Places, prepared: Prepared) -> u64 {
    let kinds = vector.valu.src;
    for lane in 0..wave.lanes {
        let is_set = |bits: u64| bits >> lane & 1 != 0;
        if is_set(prepared.lanes) {
            let operands = [0, 1, 2].map(|at| wave.rows.lane_of(kinds[at], places.src[at], lane));
            let kind = vector.valu.dst;
            let result = directed::result(operation, kind, operands, is_set(prepared.mask), wave.mode());
            wave.rows.set_lane_of(kind, places.dst, lane, result);
        }
    }
    0
}

/// Sources in the order of the operation.
fn sources(inst: &Inst) -> [Operand; 3] {
    in_order(inst.entry, inst.src)
}

/// Operations that the instruction's modifiers choose.
fn by_modifiers(inst: &Inst, base: &str, generation: Generation) -> Option<Valu> {
    let is_signed = [inst.modifiers.neg & 1 != 0, inst.modifiers.neg & 2 != 0];
    Some(match base {
        "v_bitop3_b32" | "v_bitop3_b16" => ops::truth_table(inst.imm as u8, base.ends_with("b16")),
        "v_dot4_i32_iu8" => ops::mixed_dot(8, is_signed, inst.modifiers.clamp),
        "v_dot8_i32_iu4" => ops::mixed_dot(4, is_signed, inst.modifiers.clamp),
        _ if base.starts_with("v_dot4_f32_") => return ops::small_float_dot(inst, generation),
        _ => return ops::small_float(inst, generation),
    })
}

/// A literal of the opcode takes its place among the sources.
fn in_order(entry: &Entry, src: [Operand; 3]) -> [Operand; 3] {
    let place = entry.slots.iter().position(|slot| slot.field == Field::Literal);
    match place {
        Some(2) => [src[0], Operand::LITERAL, src[1]],
        Some(_) => [src[0], src[1], Operand::LITERAL],
        None => src,
    }
}

fn masks(inst: &Inst, entry: &Entry, valu: &Valu, generation: Generation) -> (Option<Operand>, Option<Operand>, bool) {
    let in_third = entry.encoding == Encoding::Vop3;
    let mask_in = match valu.mask {
        MaskSource::None => None,
        MaskSource::Third if in_third => Some(inst.src[2]),
        _ => Some(Operand::VCC),
    };
    let writes_exec = entry.base.starts_with("v_cmpx");
    if !valu.gives_mask || (writes_exec && !generation.is_gfx9()) {
        return (mask_in, None, writes_exec);
    }
    let is_compare = entry.base.starts_with("v_cmp");
    let mask_out = match (is_compare, entry.encoding) {
        (true, Encoding::Vop3) => inst.dst,
        (false, Encoding::Vop3) => inst.sdst,
        (true, _) if matches!(inst.form, Form::Sdwa(_)) => inst.sdst,
        _ => Operand::VCC,
    };
    (mask_in, Some(mask_out), writes_exec)
}
