//! Pointers to number words that casts make of something else.

use std::ops::Range;

use crate::mapping::HELPER_PREFIX;
use crate::syntax::{Document, TokenIdx, TokenKind, is_type_word, opening};

/// `reinterpret_cast<int*>(&pair)`, `(int*)&pair`, or `(int*)array`
pub(super) struct Cast {
    pub(super) tokens: Range<TokenIdx>,
    /// The tokens of the type without `const` and `volatile`.
    pub(super) kind: Range<TokenIdx>,
    pub(super) variable: TokenIdx,
    /// Whether it is the address of a variable, not an array or a pointer.
    pub(super) is_address: bool,
}

impl Cast {
    pub(super) fn at(document: &Document, idx: TokenIdx) -> Option<Cast> {
        let is_named = document.token_text(idx) == "reinterpret_cast" && document.is(idx + 1, b'<');
        if !is_named && !document.is(idx, b'(') {
            return None;
        }
        let first = behind_qualifiers(document, idx + 1 + usize::from(is_named));
        let star = (first..first + LONGEST_TYPE).find(|&at| !is_number_word(document, at))?;
        let kind = first..star;
        let ends = document.is(star, b'*') && document.is(star + 1, if is_named { b'>' } else { b')' });
        if !ends || kind.is_empty() {
            return None;
        }
        let operand = star + 2;
        let is_wrapped = document.is(operand, b'(');
        let address = operand + usize::from(is_wrapped);
        let has_sign = document.is(address, b'&');
        let variable = address + usize::from(has_sign);
        // `&array[0]`
        let is_first = has_sign && document.is(variable + 1, b'[') && document.token_text(variable + 2) == "0";
        let end = variable + if is_first { 4 } else { 1 };
        let is_address = has_sign && !is_first;
        let closes = !is_wrapped || document.is(end, b')');
        let goes_on = [b'.', b'[', b'('].iter().any(|&sign| document.is(end, sign));
        let goes_on = goes_on || document.token_text(end) == "->" || document.token_text(end) == "::";
        // `(int*)array + 64` is another place of the array.
        let moves = !is_address && matches!(document.token_text(end + usize::from(is_wrapped)), "+" | "-");
        let tokens = idx..end + usize::from(is_wrapped);
        let is_variable = document.kind(variable) == Some(TokenKind::Ident);
        (is_variable && closes && !goes_on && !moves).then_some(Cast { tokens, kind, variable, is_address })
    }

    /// The pointer that becomes it.
    pub(super) fn pointer(&self, document: &Document) -> Option<TokenIdx> {
        let equals = self.tokens.start.checked_sub(1).filter(|&equals| document.is(equals, b'='))?;
        equals.checked_sub(1).filter(|&name| document.kind(name) == Some(TokenKind::Ident))
    }

    /// The function that gets it as an argument, and may write through it.
    pub(super) fn receiver(&self, document: &Document) -> Option<TokenIdx> {
        let is_const = (self.tokens.start..self.kind.start).any(|idx| document.token_text(idx) == "const");
        let before = self.tokens.start.checked_sub(1).filter(|_| !is_const)?;
        let is_argument = matches!(document.token_text(before), "(" | ",")
            && matches!(document.token_text(self.tokens.end), ")" | ",");
        let name = opening(document, self.tokens.start).filter(|_| is_argument)?.checked_sub(1)?;
        (document.kind(name) == Some(TokenKind::Ident)).then_some(name)
    }

    /// Where what it points to ends, if that is read or written at once: `((int*)array)[i]`, `*(int*)array`.
    pub(super) fn place(&self, document: &Document) -> Option<TokenIdx> {
        let (mut before, mut behind) = (self.tokens.start.checked_sub(1)?, self.tokens.end);
        if document.is(before, b'(') && document.is(behind, b')') {
            if document.is(behind + 1, b'[') {
                return document.partner(behind + 1);
            }
            (before, behind) = (before.checked_sub(1)?, behind + 1);
        }
        document.is(before, b'*').then_some(behind - 1)
    }

    /// The pointer whose declaration starts a statement and has this value.
    pub(super) fn declares(&self, document: &Document) -> Option<TokenIdx> {
        let name = self.pointer(document)?;
        let declares = document.token_text(name.checked_sub(1)?);
        (matches!(declares, "*" | "auto" | "__restrict__" | "const") && document.is(self.tokens.end, b';'))
            .then_some(name)
    }
}

/// `unsigned long long int`
const LONGEST_TYPE: usize = 6;

/// The token behind `const` and `volatile`.
pub(super) fn behind_qualifiers(document: &Document, start: TokenIdx) -> TokenIdx {
    let is_qualifier = |at: &TokenIdx| matches!(document.token_text(*at), "const" | "volatile");
    start + (start..start + 2).take_while(is_qualifier).count()
}

/// Whether a token is a word of the type of numbers; those of bytes may point to anything.
fn is_number_word(document: &Document, idx: TokenIdx) -> bool {
    let word = document.token_text(idx);
    is_type_word(word)
        && !word.starts_with(HELPER_PREFIX)
        && !matches!(word, "char" | "bool" | "int8_t" | "uint8_t" | "signed")
}
