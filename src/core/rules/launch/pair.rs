//! The two arguments of `__launch_bounds__`, what they are worth, and what the second one becomes.

use std::ops::Range;

use super::waves::{Bound, Formula, WAVES_MACRO};
use crate::analysis::{Bounds, Constants};
use crate::source::{Edit, Piece, TextRange};
use crate::syntax::{Document, TokenIdx, TokenKind};

/// How the comment ends that keeps CUDA's number.
const CUDA_MARK: &str = " in CUDA */";

/// A longer argument is called by what it means when a finding shows arithmetic.
const LONGEST_SHOWN: usize = 40;

/// The two arguments of one `__launch_bounds__`.
pub(super) struct Pair {
    pub(super) threads: Argument,
    pub(super) blocks: Argument,
}

/// One argument.
pub(super) struct Argument {
    tokens: Range<TokenIdx>,
    pub(super) range: TextRange,
    /// Its value, if it is known.
    pub(super) value: Option<i64>,
    /// Whether it is written without any name, and known.
    is_number: bool,
}

/// What the second argument becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waves {
    /// A literal 1 stays: a block of any size needs as many waves.
    One,
    /// All targets agree on a number.
    Number(i64),
    /// A call of the macro.
    Macro,
}

impl Pair {
    /// The arguments of `bounds`, if there are two.
    pub(super) fn of(bounds: &Bounds, constants: &Constants, document: &Document) -> Option<Pair> {
        let [threads, blocks, ..] = bounds.arguments.as_deref()? else { return None };
        let mut pair = Pair {
            threads: Argument::of(threads, constants, document),
            blocks: Argument::of(blocks, constants, document),
        };
        let is_size = pair.threads.value.is_some_and(|threads| threads > 0);
        pair.threads.value = pair.threads.value.filter(|_| is_size);
        pair.threads.is_number &= is_size;
        Some(pair)
    }

    /// Both values, if they are known.
    pub(super) fn values(&self) -> Option<(i64, i64)> {
        self.threads.value.zip(self.blocks.value)
    }

    /// Whether the second argument is what [`Pair::edit`] gives: a call of the macro, or a number
    /// with a comment behind it.
    pub(super) fn is_converted(&self, bounds: &Bounds, document: &Document) -> bool {
        let (start, end) = (self.blocks.range.end(), bounds.range.end());
        let mut comments = document.comments().iter().filter(|c| c.start() >= start && c.end() <= end);
        document.token_text(self.blocks.tokens.start) == WAVES_MACRO
            || comments.any(|comment| document.slice(*comment).ends_with(CUDA_MARK))
    }

    /// What the second argument becomes.
    pub(super) fn waves(&self, formula: Formula<'_>) -> Waves {
        if formula.is_per_eu() && self.blocks.is_number && self.blocks.value == Some(1) {
            return Waves::One;
        }
        let is_number = self.threads.is_number && self.blocks.is_number;
        let Some((threads, blocks)) = self.values().filter(|_| is_number) else { return Waves::Macro };
        formula.common_waves(threads, blocks).map_or(Waves::Macro, Waves::Number)
    }

    /// The edit that makes of the second argument what it becomes, if it changes.
    pub(super) fn edit(&self, waves: Waves) -> Option<Edit> {
        let (threads, blocks) = (self.threads.range, self.blocks.range);
        let text = |text: &str| Piece::Text(text.to_owned());
        match waves {
            Waves::One => None,
            Waves::Number(number) => {
                let old = self.blocks.value.filter(|old| *old != number)?;
                Some(Edit::replace(blocks, format!("{number} /* {old}{CUDA_MARK}")))
            }
            Waves::Macro => Some(Edit {
                range: threads.cover(blocks),
                pieces: vec![
                    Piece::Keep(threads),
                    Piece::Keep(TextRange::new(threads.end(), blocks.start())),
                    text(WAVES_MACRO),
                    text("("),
                    Piece::Keep(threads),
                    text(", "),
                    Piece::Keep(blocks),
                    text(")"),
                ],
            }),
        }
    }

    /// The arithmetic of a formula with the numbers of this bound.
    pub(super) fn arithmetic(&self, formula: Formula<'_>, document: &Document) -> String {
        let (threads, blocks) = (self.threads.shown(document, "threads"), self.blocks.shown(document, "blocks"));
        let bound = |argument: &Argument, text| Bound { text, value: argument.value };
        formula.arithmetic(&bound(&self.threads, &threads), &bound(&self.blocks, &blocks))
    }
}

impl Argument {
    fn of(tokens: &Range<TokenIdx>, constants: &Constants, document: &Document) -> Argument {
        let value = constants.value(document, tokens.clone());
        let is_name = |idx: TokenIdx| document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident);
        Argument {
            tokens: tokens.clone(),
            range: document.range_of(tokens.clone()),
            value,
            is_number: value.is_some() && !tokens.clone().any(is_name),
        }
    }

    /// How the argument is shown in arithmetic; `meaning` stands for what cannot be shown.
    fn shown(&self, document: &Document, meaning: &str) -> String {
        let text = document.slice(self.range);
        let is_short = text.len() <= LONGEST_SHOWN && !text.contains('\n');
        match self.value {
            Some(value) => value.to_string(),
            None if !is_short => meaning.to_owned(),
            None if self.tokens.len() == 1 => text.to_owned(),
            None => format!("({text})"),
        }
    }
}
