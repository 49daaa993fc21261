//! Which threads of a block a condition lets through.

use super::functions::Function;
use super::thread_limits::is_wave_size;
use super::thread_numbers::{ThreadNumber, ThreadNumbers};
use super::thread_places::{Place, Places};
use super::warp_words::is_shuffle;
use crate::syntax::{Document, Operand, OperandKind, OperatorKind, TokenIdx};

/// What is known of the threads that come to a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Picked {
    /// The dimensions of the block along which all have one place, a bit for each.
    axes: u8,
    /// Those along which they are counted, if all are the same lane of their warps.
    lane: Option<u8>,
    /// Those along which they are counted, if all are of one warp.
    warp: Option<u8>,
    /// Whether some warps or lanes were kept away.
    pub splits_warps: bool,
    /// Whether one block was asked for, by its number.
    pub picks_block: bool,
}

impl Picked {
    /// What two conditions say together that both hold.
    #[must_use]
    pub fn and(self, other: Picked) -> Picked {
        Picked {
            axes: self.axes | other.axes,
            lane: self.lane.or(other.lane),
            warp: self.warp.or(other.warp),
            splits_warps: self.splits_warps || other.splits_warps,
            picks_block: self.picks_block || other.picks_block,
        }
    }

    /// Whether it is one thread, where the first dimensions of a block tell threads apart.
    pub fn is_one(self, dimensions: u8) -> bool {
        let of_warp = if self.lane == self.warp { self.lane.unwrap_or(0) } else { 0 };
        let needed = [0b001, 0b011, 0b111][usize::from(dimensions.clamp(1, 3)) - 1];
        (self.axes | of_warp) & needed == needed
    }

    /// Whether it is one lane of each 32.
    pub fn is_one_lane(self) -> bool {
        self.lane.is_some()
    }

    fn add(&mut self, place: Place, is_zero: bool) {
        match place {
            Place::Thread { axes, is_scaled } if is_scaled || is_zero || axes.is_power_of_two() => self.axes |= axes,
            Place::Lane(axes) => self.lane = Some(axes),
            Place::Warp(axes) => self.warp = Some(axes),
            Place::Thread { .. } | Place::Same => {}
        }
    }
}

/// Reads the conditions of a file.
#[derive(Debug, Clone, Copy)]
pub struct Condition<'a, 'd> {
    document: &'d Document,
    numbers: &'a ThreadNumbers<'d>,
    places: Places<'a, 'd>,
}

/// Conditions that name each other more often than this are not followed.
const DEEPEST: u32 = 8;

impl<'a, 'd> Condition<'a, 'd> {
    /// Prepares to read; waves of the machine count as warps in HIP code.
    pub fn of(document: &'d Document, numbers: &'a ThreadNumbers<'d>, is_hip: bool) -> Condition<'a, 'd> {
        Condition { document, numbers, places: Places { document, numbers, is_hip } }
    }

    /// What is known of the threads for which a condition holds, or does not.
    pub fn picks(&self, condition: &Operand, holds: bool, function: &Function) -> Picked {
        let splits_warps = self.splits_warps(condition, function, 0);
        let mut picked =
            Picked { splits_warps, picks_block: self.picks_block(condition, function), ..Picked::default() };
        self.read(condition, holds, function, (&mut picked, 0));
        picked
    }

    fn read(&self, condition: &Operand, holds: bool, function: &Function, (picked, depth): (&mut Picked, u32)) {
        if depth > DEEPEST {
            return;
        }
        let zero = |operand: &Operand| self.places.of(operand, function).filter(|_| !holds);
        match &condition.kind {
            OperandKind::Unary(sign, inner) if self.document.is(*sign, b'!') => {
                self.read(inner, !holds, function, (picked, depth));
            }
            OperandKind::Cast(inner) => self.read(inner, holds, function, (picked, depth)),
            OperandKind::Binary(operator, sides) if operator.kind == OperatorKind::Logic => {
                let [left, right] = &**sides;
                match (operator.text(self.document), holds) {
                    ("&&", true) | ("||", false) => {
                        self.read(left, holds, function, (picked, depth));
                        self.read(right, holds, function, (picked, depth));
                    }
                    ("==", true) | ("!=", false) => self.equal(left, right, function, picked),
                    (sign, _) => self.compare((sign, holds), [left, right], function, picked),
                }
            }
            OperandKind::Name(name) => match self.value(*name, function) {
                Some(value) if is_truth(self.document, &value) => {
                    self.read(&value, holds, function, (picked, depth + 1));
                }
                _ => zero(condition).into_iter().for_each(|place| picked.add(place, true)),
            },
            OperandKind::Call(name, _) => match self.numbers.only_return(self.document.token_text(*name)) {
                Some((value, callee)) if is_truth(self.document, &value) => {
                    self.read(&value, holds, callee, (picked, depth + 1));
                }
                _ => zero(condition).into_iter().for_each(|place| picked.add(place, true)),
            },
            _ => zero(condition).into_iter().for_each(|place| picked.add(place, true)),
        }
    }

    /// What a variable is throughout, or what a macro stands for.
    fn value(&self, name: TokenIdx, function: &Function) -> Option<Operand> {
        let text = self.document.token_text(name);
        self.numbers.only_value(text, function).or_else(|| self.numbers.meaning(text))
    }

    /// `left == right`
    fn equal(&self, left: &Operand, right: &Operand, function: &Function, picked: &mut Picked) {
        let place = |side: &Operand| self.places.of(side, function);
        let is_zero = |side: &Operand| self.numbers.constant(side.tokens.clone()) == Some(0);
        match (place(left), place(right)) {
            (Some(place), Some(Place::Same)) => picked.add(place, is_zero(right)),
            (Some(Place::Same), Some(place)) => picked.add(place, is_zero(left)),
            (Some(lane @ Place::Lane(_)), None) if self.is_elected(right, function) => picked.add(lane, false),
            (None, Some(lane @ Place::Lane(_))) if self.is_elected(left, function) => picked.add(lane, false),
            _ => {}
        }
    }

    /// `left < 1` and the like, which only 0 is.
    fn compare(&self, (sign, holds): (&str, bool), sides: [&Operand; 2], function: &Function, picked: &mut Picked) {
        let [left, right] = sides.map(|side| self.numbers.constant(side.tokens.clone()));
        let of = match (sign, holds, left, right) {
            ("<", true, _, Some(1))
            | ("<=", true, _, Some(0))
            | (">", false, _, Some(0))
            | (">=", false, _, Some(1)) => sides[0],
            (">", true, Some(1), _)
            | (">=", true, Some(0), _)
            | ("<", false, Some(0), _)
            | ("<=", false, Some(1), _) => sides[1],
            _ => return,
        };
        self.places.of(of, function).into_iter().for_each(|place| picked.add(place, true));
    }

    /// Whether a value is the same for all lanes of a warp, as it comes from a shuffle or a mask.
    fn is_elected(&self, operand: &Operand, function: &Function) -> bool {
        let document = self.document;
        let value = match operand.kind {
            OperandKind::Name(name) => self.numbers.only_value(document.token_text(name), function),
            _ => None,
        };
        let elects =
            |word: &str| is_shuffle(word) || matches!(word, "__ffs" | "__ffsll" | "__clz" | "__clzll" | "__fns");
        value.as_ref().unwrap_or(operand).tokens.clone().any(|idx| elects(document.token_text(idx)))
    }

    /// Whether a condition asks for the lane or warp of a thread.
    fn splits_warps(&self, condition: &Operand, function: &Function, depth: u32) -> bool {
        let mut splits = false;
        condition.walk(&mut |part| {
            let kind = || self.numbers.number(part.tokens.clone(), function);
            splits |= match self.places.of(part, function) {
                Some(Place::Lane(_) | Place::Warp(_)) => true,
                Some(_) => self.is_bound_of_warps(part, function),
                None => {
                    matches!(kind(), Some(ThreadNumber::Lane | ThreadNumber::Warp))
                        || self.is_bound_of_warps(part, function)
                        || self.stands_for_split(part, function, depth)
                }
            };
        });
        splits
    }

    /// Whether a variable or function is a condition that asks for it.
    fn stands_for_split(&self, part: &Operand, function: &Function, depth: u32) -> bool {
        if depth > DEEPEST {
            return false;
        }
        match part.kind {
            OperandKind::Name(name) => {
                self.value(name, function).is_some_and(|value| self.splits_warps(&value, function, depth + 1))
            }
            OperandKind::Call(name, _) => {
                let value = self.numbers.only_return(self.document.token_text(name));
                value.is_some_and(|(value, callee)| self.splits_warps(&value, callee, depth + 1))
            }
            _ => false,
        }
    }

    /// `blockIdx.x == 0`, or the contrary
    fn picks_block(&self, condition: &Operand, function: &Function) -> bool {
        let document = self.document;
        let is_built_in =
            |side: &Operand| document.token_text(side.tokens.start) == "blockIdx" && side.tokens.len() == 3;
        let is_block = |side: &Operand| match side.kind {
            OperandKind::Name(name) => {
                self.numbers.only_value(document.token_text(name), function).is_some_and(|value| is_built_in(&value))
            }
            _ => is_built_in(side),
        };
        let mut picks = false;
        condition.walk(&mut |part| {
            picks |= match &part.kind {
                OperandKind::Binary(operator, sides) => {
                    matches!(operator.text(document), "==" | "!=") && sides.iter().any(is_block)
                }
                OperandKind::Unary(sign, inner) => document.is(*sign, b'!') && is_block(inner),
                _ => false,
            };
        });
        picks
    }

    /// `threadIdx.x < 32`
    fn is_bound_of_warps(&self, part: &Operand, function: &Function) -> bool {
        let OperandKind::Binary(operator, sides) = &part.kind else { return false };
        let is_thread = |side: &Operand| matches!(self.places.of(side, function), Some(Place::Thread { .. }));
        let bounds = |side: &Operand| {
            let number = self.numbers.constant(side.tokens.clone());
            let text = self.document.slice(self.document.range_of(side.tokens.clone()));
            number.is_some_and(|number| number > 0 && number % 32 == 0) || is_wave_size(text)
        };
        let [left, right] = &**sides;
        operator.kind == OperatorKind::Logic && (is_thread(left) && bounds(right) || is_thread(right) && bounds(left))
    }
}

/// Whether an expression is a comparison or the like.
fn is_truth(document: &Document, operand: &Operand) -> bool {
    match &operand.kind {
        OperandKind::Binary(operator, _) => operator.kind == OperatorKind::Logic,
        OperandKind::Unary(sign, _) => document.is(*sign, b'!'),
        OperandKind::Cast(inner) => is_truth(document, inner),
        _ => false,
    }
}
