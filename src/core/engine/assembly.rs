//! Finds the `asm` statements of a file, also those that macros spell.

use rustc_hash::FxHashSet;

use crate::rules::{Asm, AsmKeyword};
use crate::syntax::{Document, MacroDefinition, TokenIdx, TokenKind, is_asm};

/// The statements, in the order of the text.
pub(super) fn asms(document: &Document) -> Vec<Asm> {
    let macros = macros_for_asm(document);
    let mut asms = Vec::new();
    for keyword in 0..document.tokens().len() {
        if document.kind(keyword) != Some(TokenKind::Ident) {
            continue;
        }
        let word = document.token_text(keyword);
        let is_known = is_asm(word) || macros.contains(word);
        let open = if is_known { after_qualifiers(document, keyword + 1) } else { keyword + 1 };
        let may_be_macro = || !is_qualifier(word) && starts_with_text(document, open);
        if !document.is(open, b'(') || !is_known && !may_be_macro() {
            continue;
        }
        if let Some(close) = document.partner(open).filter(|&close| close > open) {
            let keyword_is = if is_known { AsmKeyword::Asm } else { AsmKeyword::OtherName };
            asms.push(Asm { keyword, open, close, keyword_is });
        }
    }
    asms
}

/// The first token that is none of the words that may follow on the keyword.
fn after_qualifiers(document: &Document, mut idx: TokenIdx) -> TokenIdx {
    while is_qualifier(document.token_text(idx)) {
        idx += 1;
    }
    idx
}

fn is_qualifier(word: &str) -> bool {
    matches!(word, "volatile" | "__volatile__" | "__volatile" | "goto" | "inline")
}

fn starts_with_text(document: &Document, open: TokenIdx) -> bool {
    matches!(document.kind(open + 1), Some(TokenKind::Str | TokenKind::RawStr))
}

/// The macros of a file that stand for the keyword and its qualifiers: `#define ASM asm volatile`.
fn macros_for_asm(document: &Document) -> FxHashSet<&str> {
    let stands_for_asm = |defined: &MacroDefinition| {
        let body = defined.body.clone();
        defined.parameters.is_empty()
            && is_asm(document.token_text(body.start))
            && after_qualifiers(document, body.start + 1) == body.end
    };
    let defined = MacroDefinition::all(document).filter(stands_for_asm);
    defined.map(|defined| document.token_text(defined.name)).collect()
}
