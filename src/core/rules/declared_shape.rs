//! What the tokens around a declaration or a use say of it.

use crate::analysis::{Declaration, Own};
use crate::syntax::{Call, Document, TokenIdx, TokenKind, statement_start};

/// Whether a use names a type that a variable or function of the same name hides nowhere: `struct cudaArray *cudaArray;`, and the
/// type of the variable itself, as in `cudaMemcpyKind cudaMemcpyKind;`.
pub(super) fn names_type_beside(own: &Own, idx: TokenIdx, document: &Document) -> bool {
    if !matches!(own.kind, Declaration::Variable | Declaration::Definition | Declaration::Prototype) {
        return false;
    }
    let is_elaborated = || {
        let before = document.before(idx).map_or("", |before| document.token_text(before));
        matches!(before, "struct" | "enum" | "union") && own.token != idx
    };
    let is_joint = |at: TokenIdx| document.is(at, b'*') || document.is(at, b'&') || document.token_text(at) == "const";
    let is_its_type = || own.token > idx && own.token - idx < 8 && (idx + 1..own.token).all(is_joint);
    // `decltype(&f) f;`
    let open =
        own.token.checked_sub(1).filter(|&close| document.is(close, b')')).and_then(|close| document.partner(close));
    let is_in_its_type = open.is_some_and(|open| (open..own.token).contains(&idx));
    is_in_its_type || is_its_type() || is_elaborated()
}

/// `int S::f() { … }`: what declares the name stands in the class or namespace.
pub(super) fn is_member_defined_outside(document: &Document, own: &Own) -> bool {
    let before = document.before(own.token);
    own.kind != Declaration::Using && before.is_some_and(|before| document.kind(before) == Some(TokenKind::PathSep))
}

/// The arguments of the call at `idx`, or the parameters of the declaration there.
pub(super) fn argument_count(document: &Document, idx: TokenIdx) -> Option<usize> {
    let call = Call::at(document, idx)?;
    let is_void = call.arguments.len() == 1 && document.slice(call.arguments[0]) == "void";
    Some(if is_void { 0 } else { call.arguments.len() })
}

pub(super) fn is_template(document: &Document, name: TokenIdx) -> bool {
    document.token_text(statement_start(document, name)) == "template"
}
