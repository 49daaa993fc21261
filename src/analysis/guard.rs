//! Include guards.

use crate::syntax::{Directive, DirectiveKind, Document};

/// The `#ifndef` and `#define` of an include guard that opens the file.
pub fn include_guard(document: &Document) -> Option<(&Directive, &Directive)> {
    let [test, define, ..] = document.directives() else { return None };
    let opens_file =
        test.tokens.start == 0 && test.kind == DirectiveKind::Ifndef && define.kind == DirectiveKind::Define;
    let macro_of = |directive: &Directive| document.token_text(directive.tokens.start + 2);
    let same = macro_of(test) == macro_of(define) && define.tokens.len() == 3;
    (opens_file && same && define.tokens.start == test.tokens.end).then_some((test, define))
}
