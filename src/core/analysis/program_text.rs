//! Device programs in string literals, for compilation at run time.

use crate::syntax::{Document, Literals, TokenIdx, TokenKind, lex};

/// The device program that starts at the literal `first`, if one does.
pub fn program_text(document: &Document, first: TokenIdx) -> Option<Literals> {
    let in_include = document.directive_of(first).is_some_and(|directive| document.include(directive).is_some());
    let literals = Literals::starting_at(document, first).filter(|_| !in_include)?;
    // Most literals are short; the search costs less than reading tokens.
    let may_be = literals.text.contains("__global__") || literals.text.contains("__device__");
    (may_be && is_program(&literals.text)).then_some(literals)
}

/// How many tokens may stand between `__global__` and the name of the kernel.
const HEAD: usize = 16;

/// `__global__ … void`, or a device function with its body; not `"f must be __global__"`.
fn is_program(text: &str) -> bool {
    let tokens = lex(text).tokens;
    let word = |idx: usize| tokens.get(idx).map_or("", |token| &text[token.range()]);
    let has = |punct: u8| tokens.iter().any(|token| token.kind == TokenKind::Punct(punct));
    let has_body = has(b'{') && has(b'(');
    (0..tokens.len()).any(|idx| match word(idx) {
        "__global__" => (idx + 1..idx + HEAD).any(|next| word(next) == "void") || word(idx.wrapping_sub(1)) == "void",
        "__device__" => has_body,
        _ => false,
    })
}
