//! Along which dimensions of a block a value tells its threads apart.

use super::functions::Function;
use super::thread_limits::{MOST_LANES, is_wave_size};
use super::thread_numbers::{ThreadNumber, ThreadNumbers};
use crate::syntax::{Arithmetic, Document, Operand, OperandKind, OperatorKind, TokenIdx, is_type_word, words_in};

/// What a value is for the threads of a block. Sets of dimensions have a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The same for all.
    Same,
    /// The place of each along these dimensions.
    Thread {
        axes: u8,
        /// Whether one of them is multiplied, so that no sum comes up twice.
        is_scaled: bool,
    },
    /// Its lane among 32 that are counted along these.
    Lane(u8),
    /// Its warp of 32.
    Warp(u8),
}

const X: u8 = 0b001;
const ALL: u8 = 0b111;

/// Finds out what values are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places<'a, 'd> {
    pub document: &'d Document,
    pub numbers: &'a ThreadNumbers<'d>,
    /// Whether waves of the machine count as warps.
    pub is_hip: bool,
}

/// Values that name each other more often than this are not followed.
const DEEPEST: u32 = 8;

impl Places<'_, '_> {
    /// What an expression is in a function; nothing if it may be any number.
    pub(super) fn of(&self, operand: &Operand, function: &Function) -> Option<Place> {
        self.find(operand, function, 0)
    }

    fn find(&self, operand: &Operand, function: &Function, depth: u32) -> Option<Place> {
        if depth > DEEPEST {
            return None;
        }
        if self.numbers.constant(operand.tokens.clone()).is_some() {
            return Some(Place::Same);
        }
        match &operand.kind {
            OperandKind::Number(_) => Some(Place::Same),
            OperandKind::Cast(inner) => self.find(inner, function, depth),
            OperandKind::Unary(sign, inner) => {
                let keeps = matches!(self.document.token_text(*sign), "-" | "~" | "*");
                self.find(inner, function, depth).filter(|&place| keeps && place == Place::Same)
            }
            OperandKind::Member(object, member) => self.member(object, *member, function, depth),
            OperandKind::Index(sides) => {
                let is_same = |side: &Operand| self.find(side, function, depth) == Some(Place::Same);
                sides.iter().all(is_same).then_some(Place::Same)
            }
            OperandKind::Name(name) => self.name(*name, function, depth),
            OperandKind::Call(name, arguments) => self.call(*name, arguments, function, depth),
            OperandKind::Binary(operator, sides) => match operator.kind {
                OperatorKind::Arithmetic(arithmetic) => {
                    self.computed(arithmetic, [&sides[0], &sides[1]], function, depth)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn member(&self, object: &Operand, member: TokenIdx, function: &Function, depth: u32) -> Option<Place> {
        let document = self.document;
        let built_in = match object.kind {
            OperandKind::Name(name) => document.token_text(name),
            _ => "",
        };
        match (built_in, document.token_text(member)) {
            ("threadIdx", axis) => Some(Place::Thread { axes: axis_of(axis)?, is_scaled: false }),
            ("blockIdx" | "blockDim" | "gridDim", _) => Some(Place::Same),
            _ => self.find(object, function, depth).filter(|&place| place == Place::Same),
        }
    }

    fn name(&self, name: TokenIdx, function: &Function, depth: u32) -> Option<Place> {
        let text = self.document.token_text(name);
        if text == "warpSize" {
            return Some(Place::Same);
        }
        if let Some(value) = self.numbers.only_value(text, function) {
            return self.find(&value, function, depth + 1);
        }
        if self.numbers.is_declared(text, function) {
            return self.is_counter(name, function).then_some(Place::Same);
        }
        if let Some(value) = self.numbers.meaning(text) {
            return self.find(&value, function, depth + 1);
        }
        if !is_parameter(self.document, text, function) {
            return Some(Place::Same);
        }
        let keeps = self.numbers.changes_of(text, function).is_empty();
        match self.numbers.number(name..name + 1, function) {
            Some(ThreadNumber::Lane) => Some(Place::Lane(X)),
            Some(ThreadNumber::Warp) => Some(Place::Warp(X)),
            Some(ThreadNumber::Thread) => Some(Place::Thread { axes: X, is_scaled: false }),
            _ => (function.is_kernel && keeps).then_some(Place::Same),
        }
    }

    /// Whether a variable starts with the same value for all threads and is changed by the heads of `for` only.
    fn is_counter(&self, name: TokenIdx, function: &Function) -> bool {
        let document = self.document;
        let first = self.numbers.first_value(name, function);
        if first.is_none_or(|value| self.numbers.constant(value.tokens).is_none()) {
            return false;
        }
        let words = words_in(document, "for", function.body.clone());
        let heads: Vec<_> = words.filter_map(|word| Some(word + 1..document.partner(word + 1)?)).collect();
        let changes = self.numbers.changes_of(document.token_text(name), function);
        // Heads do not overlap, and stand in the order of the text.
        let is_in_head = |idx: &TokenIdx| {
            let after = heads.partition_point(|head| head.start <= *idx);
            after.checked_sub(1).is_some_and(|last| heads[last].contains(idx))
        };
        changes.iter().all(is_in_head)
    }

    fn call(&self, name: TokenIdx, arguments: &[Operand], function: &Function, depth: u32) -> Option<Place> {
        let text = self.document.token_text(name);
        match (text, arguments) {
            (_, [one]) if is_type_word(text) => self.find(one, function, depth),
            ("__lane_id", []) if self.is_hip => Some(Place::Thread { axes: ALL, is_scaled: true }),
            ("__lane_id", []) => Some(Place::Lane(X)),
            ("thread_rank" | "meta_group_rank", []) => self.rank(name, function),
            _ => {
                let (value, callee) = self.numbers.only_return(text)?;
                self.find(&value, callee, depth + 1).filter(|&place| place != Place::Same || arguments.is_empty())
            }
        }
    }

    /// The rank of a thread or tile in its group, whose name or call stands before the token `name`.
    fn rank(&self, name: TokenIdx, function: &Function) -> Option<Place> {
        let document = self.document;
        let last = name.checked_sub(2)?;
        let group = match self.numbers.first_value(last, function) {
            Some(group) => group.tokens,
            None if document.is(last, b')') => document.partner(last)?.checked_sub(1)?..last,
            None if document.token_text(last) == "thread_block" => last..last + 1,
            None => return self.rank_of_type(last, function),
        };
        let has = |word: &str| group.clone().find(|&idx| document.token_text(idx) == word);
        if let Some(tiles) = has("tiled_partition") {
            let lanes = self.numbers.constant(tiles + 2..tiles + 3);
            return match (document.token_text(name), lanes) {
                ("thread_rank", Some(32)) => Some(Place::Lane(X)),
                ("meta_group_rank", Some(32)) => Some(Place::Warp(X)),
                ("thread_rank", Some(lanes)) if lanes > 0 && lanes % MOST_LANES == 0 => Some(EACH),
                _ => None,
            };
        }
        if has("coalesced_threads").is_some() {
            return Some(Place::Lane(X));
        }
        let is_whole = ["this_thread_block", "this_grid", "this_cluster"].into_iter().any(|word| has(word).is_some());
        is_whole.then_some(EACH)
    }

    /// The rank in a group that is a parameter, or declared by its type alone: `cg::thread_block block`.
    fn rank_of_type(&self, group: TokenIdx, function: &Function) -> Option<Place> {
        let document = self.document;
        let text = document.token_text(group);
        let tokens = function.head.start..function.body.end;
        let kinds = self.numbers.uses(text, tokens).filter_map(|idx| {
            let before = document.before(idx)?;
            let kind = if document.is(before, b'&') { document.before(before)? } else { before };
            matches!(document.token_text(kind), "thread_block" | "grid_group").then_some(EACH)
        });
        kinds.into_iter().next()
    }

    fn computed(
        &self,
        arithmetic: Arithmetic,
        [left, right]: [&Operand; 2],
        function: &Function,
        depth: u32,
    ) -> Option<Place> {
        use Place::{Same, Thread};
        let first = self.find(left, function, depth)?;
        let cuts = matches!(
            arithmetic,
            Arithmetic::BitAnd | Arithmetic::Remainder | Arithmetic::Divide | Arithmetic::ShiftRight
        );
        if let (Thread { axes, .. }, true) = (first, cuts) {
            return self.part(arithmetic, axes, right);
        }
        let second = self.find(right, function, depth)?;
        match (arithmetic, first, second) {
            (_, Same, Same) => Some(Same),
            (Arithmetic::Add | Arithmetic::BitOr, Thread { .. }, Thread { .. }) => Some(sum(first, second)),
            (Arithmetic::Add | Arithmetic::Subtract | Arithmetic::BitXor, place, Same)
            | (Arithmetic::Add | Arithmetic::Subtract | Arithmetic::BitXor, Same, place) => Some(place),
            (Arithmetic::Multiply | Arithmetic::ShiftLeft, Thread { axes, .. }, Same)
            | (Arithmetic::Multiply, Same, Thread { axes, .. }) => Some(Thread { axes, is_scaled: true }),
            _ => None,
        }
    }

    /// What the part of the place of a thread is that a number cuts off: `threadIdx.x % 32`
    fn part(&self, arithmetic: Arithmetic, axes: u8, cut: &Operand) -> Option<Place> {
        let document = self.document;
        let text = document.slice(document.range_of(cut.tokens.clone()));
        // One of each so many lanes is one of a wave.
        let whole = |axes| Place::Thread { axes, is_scaled: true };
        let fills_waves = |lanes: Option<i64>| lanes.is_some_and(|lanes| lanes % MOST_LANES == 0);
        match (arithmetic, self.numbers.constant(cut.tokens.clone())) {
            (Arithmetic::BitAnd, Some(31)) | (Arithmetic::Remainder, Some(32)) => Some(Place::Lane(axes)),
            (Arithmetic::Divide, Some(32)) | (Arithmetic::ShiftRight, Some(5)) => Some(Place::Warp(axes)),
            (Arithmetic::BitAnd, Some(mask)) => fills_waves(mask.checked_add(1)).then(|| whole(axes)),
            (Arithmetic::Remainder, Some(lanes)) => fills_waves(Some(lanes)).then(|| whole(axes)),
            (Arithmetic::Remainder, None) if text == "blockDim.x" => Some(whole(axes & X)),
            (Arithmetic::BitAnd | Arithmetic::Remainder, None) if is_wave_size(text) => {
                Some(if self.is_hip { whole(axes) } else { Place::Lane(axes) })
            }
            (Arithmetic::Divide, None) if is_wave_size(text) && !self.is_hip => Some(Place::Warp(axes)),
            _ => None,
        }
    }
}

/// The place of each thread in the whole block.
const EACH: Place = Place::Thread { axes: ALL, is_scaled: true };

/// Two places added up.
fn sum(first: Place, second: Place) -> Place {
    match (first, second) {
        (Place::Thread { axes, is_scaled }, Place::Thread { axes: more, is_scaled: scales }) => {
            Place::Thread { axes: axes | more, is_scaled: is_scaled || scales }
        }
        (place, _) => place,
    }
}

fn axis_of(member: &str) -> Option<u8> {
    match member {
        "x" => Some(X),
        "y" => Some(0b010),
        "z" => Some(0b100),
        _ => None,
    }
}

/// Whether a name stands among the parameters of a function.
fn is_parameter(document: &Document, name: &str, function: &Function) -> bool {
    let open = function.name.map(|name| name + 1);
    let parameters = open.and_then(|open| Some(open..document.partner(open)?));
    parameters.is_none_or(|mut parameters| parameters.any(|idx| document.token_text(idx) == name))
}
