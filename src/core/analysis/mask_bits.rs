//! What expressions take out of a lane mask.

use crate::syntax::{Arithmetic, Document, Operand, OperandKind, OperatorKind};

/// `(mask >> shift) & 0xffffffff`: the 32 lanes of a wave that start at one of them.
pub(super) fn cuts_32_lanes(document: &Document, left: &Operand, right: &Operand) -> bool {
    is_full_number(document, right)
        && matches!(&left.kind, OperandKind::Binary(operator, _)
            if operator.kind == OperatorKind::Arithmetic(Arithmetic::ShiftRight))
}

/// `(mask >> lane) & 1`: whether one lane is in it, which is no mask any more.
pub(super) fn tests_bit(document: &Document, right: &Operand) -> bool {
    let OperandKind::Number(token) = right.kind else { return false };
    matches!(document.token_text(token).to_ascii_lowercase().trim_end_matches(['u', 'l']), "1" | "0x1")
}

pub(super) fn is_full_number(document: &Document, operand: &Operand) -> bool {
    let OperandKind::Number(token) = operand.kind else { return false };
    document.token_text(token).to_ascii_lowercase().trim_end_matches(['u', 'l']) == "0xffffffff"
}
