//! Which lanes the mask or group of a call names for each thread, beside those that a condition lets through.

use std::ops::Range;

use super::lane_function::{LaneFunction, takes_mask};
use super::own_meetings::{Lanes, MeetingCall};
use crate::analysis::{Function, ThreadValues, Values};
use crate::rules::context::Context;
use crate::syntax::{Operand, OperandKind, TokenIdx, TokenKind};

/// Whether the mask or group of a call names, for each lane, only such for which a condition decides as it does for that lane: those that go
/// the other way come together for themselves.
pub(super) fn keeps_to_its_way(
    cx: &Context<'_>,
    (function, lanes): (&Function, i64),
    call: &MeetingCall<'_>,
    condition: &Range<TokenIdx>,
) -> bool {
    // What is the same for all lanes names lanes of both ways.
    if call.mask.is_empty() || matches!(call.lanes, Lanes::Mask(_)) {
        return false;
    }
    let reader = Reader { cx, function, lanes, values: ThreadValues::of(cx.document, cx.thread_numbers(), lanes) };
    reader.keeps_apart(&Operand::read(cx.document, call.mask.clone()), condition).unwrap_or(false)
}

struct Reader<'r, 'd> {
    cx: &'r Context<'d>,
    function: &'r Function,
    lanes: i64,
    values: ThreadValues<'r, 'd>,
}

/// What makes a mask or group that is not the same for all lanes.
enum Partition {
    /// Those for which an expression has the same value.
    Equal(Operand),
    /// So many lanes in a row.
    Tiles(i64),
}

impl Reader<'_, '_> {
    fn keeps_apart(&self, mask: &Operand, condition: &Range<TokenIdx>) -> Option<bool> {
        let asked = Operand::read(self.cx.document, condition.clone());
        let partition = self.partition(mask);
        if let Some(Partition::Equal(key)) = &partition
            && self.depends_only_on(&asked, key)
        {
            return Some(true);
        }
        let truths: Vec<bool> =
            self.values.values(&asked, self.function)?.into_iter().map(|value| value != 0).collect();
        let groups = match partition {
            Some(Partition::Equal(key)) => self.values.values(&key, self.function)?,
            Some(Partition::Tiles(size)) => (0..).take(truths.len()).map(|thread: i64| thread / size).collect(),
            None => return Some(self.names_own_way(&self.values.values(mask, self.function)?, &truths)),
        };
        let wave = usize::try_from(self.lanes).ok()?;
        let mut waves = groups.chunks(wave).zip(truths.chunks(wave));
        Some(waves.all(|(groups, truths)| is_same_within(groups, truths)))
    }

    /// Whether the bits of masks stand for lanes only that go the same way.
    fn names_own_way(&self, masks: &Values, truths: &[bool]) -> bool {
        let Ok(wave) = usize::try_from(self.lanes) else { return false };
        let mut waves = masks.chunks(wave).zip(truths.chunks(wave));
        waves.all(|(masks, truths)| {
            let names = |mask: i64, lane: usize| mask >> lane & 1 != 0;
            let keeps = |(&mask, &own)| (0..truths.len()).all(|lane| !names(mask, lane) || truths[lane] == own);
            masks.iter().zip(truths).all(keeps)
        })
    }

    /// What makes a mask or group, if it is called, or a variable that keeps it.
    fn partition(&self, mask: &Operand) -> Option<Partition> {
        let document = self.cx.document;
        match &mask.kind {
            OperandKind::Name(name) => {
                let value = self.cx.thread_numbers().only_value(document.token_text(*name), self.function)?;
                if matches!(value.kind, OperandKind::Name(_)) { None } else { self.partition(&value) }
            }
            OperandKind::Call(name, arguments) => match document.token_text(*name) {
                "tiled_partition" if document.is(name + 1, b'<') => {
                    let size = self.cx.thread_numbers().constant(name + 2..name + 3)?;
                    (size > 0 && document.is(name + 3, b'>')).then_some(Partition::Tiles(size))
                }
                "labeled_partition" | "binary_partition" => Some(Partition::Equal(arguments.get(1)?.clone())),
                text if LaneFunction::named(text) == Some(LaneFunction::Match) && text.contains("any") => {
                    Some(Partition::Equal(arguments.get(usize::from(takes_mask(text)))?.clone()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a condition asks for a variable only that lanes of a group have the same value of, and that keeps it.
    fn depends_only_on(&self, condition: &Operand, key: &Operand) -> bool {
        let (document, numbers) = (self.cx.document, self.cx.thread_numbers());
        let OperandKind::Name(key) = key.kind else { return false };
        let key = document.token_text(key);
        let mut names = condition.tokens.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
        names.all(|idx| document.token_text(idx) == key || numbers.constant(idx..idx + 1).is_some())
            && numbers.only_value(key, self.function).is_some()
    }
}

/// Whether lanes of the same group go the same way.
fn is_same_within(groups: &[i64], truths: &[bool]) -> bool {
    let first = |group: i64| groups.iter().position(|&other| other == group).and_then(|at| truths.get(at));
    groups.iter().zip(truths).all(|(&group, own)| first(group) == Some(own))
}
