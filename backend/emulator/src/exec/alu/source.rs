//! Sources of vector instructions: a row of the register file as it is, or a row made from something else.

use crate::exec::number::element::{Flip, Kind};
use crate::exec::number::half::F16;
use crate::exec::state::registers::SCRATCH;
use crate::exec::state::wave::{Wave, constant};
use crate::isa::{Encoding, Entry, Form, Inst, Operand, Select};

/// What has to be done with a source before lanes are computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    operand: Operand,
    literal: u32,
    kind: Kind,
    /// Rows for a source that is made.
    scratch: usize,
    change: Change,
}

/// Where loops find a source.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// In a row, and how its two rows are changed on the way.
    Row(usize, [Flip; 2]),
    /// It is the same for all lanes.
    Same,
}

/// Changes of the bits of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    /// Part, sign extension, magnitude, negation.
    Single {
        part: Select,
        sext: bool,
        abs: bool,
        neg: bool,
    },
    /// Halves for the low and the high result, negations.
    Packed {
        low: bool,
        high: bool,
        neg_low: bool,
        neg_high: bool,
    },
    /// A half (which one) or a whole register as a single float.
    Mix {
        half: Option<bool>,
        abs: bool,
        neg: bool,
    },
}

impl Source {
    pub(super) fn new(inst: &Inst, entry: &Entry, index: usize, operand: Operand, kind: Kind) -> Source {
        let change = if entry.encoding == Encoding::Vop3p {
            packed(inst, entry, index, kind)
        } else {
            single(inst, index, kind)
        };
        Source { operand, literal: inst.literal, kind, scratch: SCRATCH + 4 * index, change }
    }

    /// Takes other rows for a source that is made.
    pub(super) fn shift_scratch(&mut self) {
        self.scratch += 32;
    }

    /// Whether a row is part of the source.
    pub(super) fn covers(&self, row: usize) -> bool {
        let rows = self.kind.rows();
        self.operand.row().is_some_and(|first| (usize::from(first)..usize::from(first) + rows).contains(&row))
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Where loops find the source without any preparation; nothing if it has to be made.
    pub(super) fn place(&self) -> Option<Place> {
        let Some(row) = self.operand.row().filter(|_| self.kind != Kind::None) else { return Some(Place::Same) };
        let changes = match self.change {
            Change::None => [Flip::NONE; 2],
            Change::Single { part: Select::Dword, sext: false, abs, neg } if !self.kind.is_short() => {
                let mut changes = [Flip::NONE; 2];
                changes[self.kind.rows() - 1] = signs(abs, neg);
                changes
            }
            _ => return None,
        };
        Some(Place::Row(usize::from(row), changes))
    }

    /// The bits that are the same for all lanes at all times.
    pub(super) fn constant(&self) -> Option<u64> {
        if self.kind == Kind::None {
            return Some(0);
        }
        constant(self.operand, self.literal, self.scalar_kind()).map(|bits| changed(self, bits))
    }

    /// The bits that are the same for all lanes now.
    #[inline]
    pub(super) fn bits(&self, wave: &Wave) -> u64 {
        if self.operand.0 < 128 && self.operand != Operand::NULL && self.change == Change::None {
            // What needs one register only does not look at the second.
            return wave.scalars.get64(self.operand);
        }
        self.rare_bits(wave)
    }

    #[inline(never)]
    fn rare_bits(&self, wave: &Wave) -> u64 {
        let bits = wave.scalar_source(self.operand, self.literal, self.scalar_kind());
        if self.change == Change::None { bits } else { changed(self, bits) }
    }

    fn scalar_kind(&self) -> Kind {
        if matches!(self.change, Change::Mix { half: Some(_), .. }) { Kind::Float(16) } else { self.kind }
    }

    pub(super) fn scratch(&self) -> usize {
        self.scratch
    }
}

fn single(inst: &Inst, index: usize, kind: Kind) -> Change {
    let bit = |bits: u8| bits >> index & 1 != 0;
    let (mut part, mut sext) = (Select::Dword, false);
    match inst.form {
        Form::Sdwa(sdwa) if index < 2 => (part, sext) = (sdwa.src[index], sdwa.sext[index]),
        _ if kind.is_short() && bit(inst.modifiers.op_sel) => part = Select::Word(1),
        _ => {}
    }
    let (abs, neg) = (bit(inst.modifiers.abs), bit(inst.modifiers.neg));
    let is_changed = part != Select::Dword || sext || abs || neg;
    if is_changed && kind != Kind::None { Change::Single { part, sext, abs, neg } } else { Change::None }
}

fn packed(inst: &Inst, entry: &Entry, index: usize, kind: Kind) -> Change {
    let modifiers = inst.modifiers;
    let bit = |bits: u8| bits >> index & 1 != 0;
    if entry.base.starts_with("v_fma_mix") {
        let half = bit(modifiers.op_sel_hi).then(|| bit(modifiers.op_sel));
        let (abs, neg) = (bit(modifiers.abs), bit(modifiers.neg));
        let is_changed = half.is_some() || abs || neg;
        return if is_changed { Change::Mix { half, abs, neg } } else { Change::None };
    }
    let sums_halves = entry.base.starts_with("v_dot2_f32_");
    if sums_halves && index == 2 {
        // The compiler sets both bits to negate it.
        let neg = bit(modifiers.neg);
        return if neg { Change::Single { part: Select::Dword, sext: false, abs: false, neg } } else { Change::None };
    }
    if !kind.is_packed() && !sums_halves {
        return Change::None;
    }
    let (mut high, low) = (bit(modifiers.op_sel_hi), bit(modifiers.op_sel));
    if entry.base == "v_pk_mov_b32" {
        high = low;
    }
    let takes_signs = kind != Kind::PackedInt && entry.base != "v_pk_mov_b32";
    let (neg_low, neg_high) = (takes_signs && bit(modifiers.neg), takes_signs && bit(modifiers.abs));
    let is_plain = (low, high, neg_low, neg_high) == (false, true, false, false);
    if is_plain { Change::None } else { Change::Packed { low, high, neg_low, neg_high } }
}

/// The row of a source; makes one if the register file has none like it.
#[inline]
pub(super) fn ready(wave: &mut Wave, source: &Source) -> usize {
    if let (Some(row), Change::None) = (source.operand.row(), source.change) {
        return wave.indexed_src(usize::from(row), source.scratch);
    }
    if source.kind == Kind::None {
        return 0;
    }
    make(wave, source)
}

fn make(wave: &mut Wave, source: &Source) -> usize {
    let scratch = source.scratch;
    let Some(row) = source.operand.row() else {
        let bits = source.bits(wave);
        wave.rows.fill(scratch, bits as u32);
        if source.kind.rows() == 2 {
            wave.rows.fill(scratch + 1, (bits >> 32) as u32);
        }
        return scratch;
    };
    let row = wave.indexed_src(usize::from(row), scratch);
    change_rows(wave, source, row);
    scratch
}

/// Copies rows to those of the source, changed.
pub(super) fn change_rows(wave: &mut Wave, source: &Source, row: usize) {
    match source.change {
        Change::Single { part: Select::Dword, sext: false, abs, neg } if !source.kind.is_short() => {
            change_signs(wave, source, row, abs, neg);
        }
        Change::Packed { low, high, neg_low, neg_high } if source.kind == Kind::PackedSingle => {
            copy_row(wave, row + usize::from(low), source.scratch, signs(false, neg_low));
            copy_row(wave, row + usize::from(high), source.scratch + 1, signs(false, neg_high));
        }
        _ => change_lanes(wave, source, row),
    }
}

/// Copies rows; the highest bit of the last is the sign.
fn change_signs(wave: &mut Wave, source: &Source, row: usize, abs: bool, neg: bool) {
    let last = source.kind.rows() - 1;
    if last == 1 {
        copy_row(wave, row, source.scratch, Flip::NONE);
    }
    copy_row(wave, row + last, source.scratch + last, signs(abs, neg));
}

/// What magnitude and negation do to the highest bit.
fn signs(abs: bool, neg: bool) -> Flip {
    Flip { kept: if abs { 0x7fff_ffff } else { u32::MAX }, flipped: if neg { 1 << 31 } else { 0 } }
}

/// Copies a row, changed.
fn copy_row(wave: &mut Wave, from: usize, to: usize, change: Flip) {
    let mut row = *wave.rows.row(from);
    row.as_flattened_mut().iter_mut().for_each(|bits| *bits = change.apply(*bits));
    *wave.rows.row_mut(to) = row;
}

fn change_lanes(wave: &mut Wave, source: &Source, row: usize) {
    for lane in 0..wave.lanes {
        let bits = changed(source, wave.rows.lane_of(source.kind, row, lane));
        wave.rows.set_lane_of(source.kind, source.scratch, lane, bits);
    }
}

fn changed(source: &Source, bits: u64) -> u64 {
    match source.change {
        Change::None => bits,
        Change::Single { part, sext, abs, neg } => {
            let bits = if part == Select::Dword { bits } else { u64::from(extract(bits as u32, part, sext)) };
            let sign = match source.kind {
                Kind::Float(16) | Kind::Int(16) => 1 << 15,
                Kind::Float(64) | Kind::Int(64) => 1 << 63,
                _ => 1 << 31,
            };
            let bits = if abs { bits & !sign } else { bits };
            if neg { bits ^ sign } else { bits }
        }
        Change::Packed { low, high, neg_low, neg_high } => {
            let (width, sign) = if source.kind == Kind::PackedSingle { (32, 1 << 31) } else { (16, 1 << 15) };
            let part = |is_high: bool| bits >> if is_high { width } else { 0 } & ((1 << width) - 1);
            let flip = |bits: u64, flips: bool| if flips { bits ^ sign } else { bits };
            flip(part(low), neg_low) | flip(part(high), neg_high) << width
        }
        Change::Mix { half, abs, neg } => {
            let value = match half {
                Some(high) => F16((bits >> if high { 16 } else { 0 }) as u16).single(),
                None => f32::from_bits(bits as u32),
            };
            let value = if abs { value.abs() } else { value };
            u64::from((if neg { -value } else { value }).to_bits())
        }
    }
}

/// A part of a register as a number.
fn extract(bits: u32, part: Select, sext: bool) -> u32 {
    let (shift, width) = match part {
        Select::Byte(byte) => (8 * u32::from(byte), 8),
        Select::Word(word) => (16 * u32::from(word), 16),
        Select::Dword => return bits,
    };
    let unused = 32 - width;
    let value = bits >> shift << unused;
    if sext { (value.cast_signed() >> unused).cast_unsigned() } else { value >> unused }
}

/// The row of a source before any change; constants get one.
pub(super) fn ready_row(wave: &mut Wave, source: &Source) -> usize {
    match source.operand.row() {
        Some(row) => wave.indexed_src(usize::from(row), source.scratch),
        None => make(wave, source),
    }
}
