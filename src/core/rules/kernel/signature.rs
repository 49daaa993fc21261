//! The parameters of a function with a body, as far as their types are spelt out.

use std::ops::Range;

use crate::analysis::Function;
use crate::syntax::{Document, TokenIdx, TokenKind, split_arguments};

/// Name and parameters of a function.
pub(super) struct Signature<'d> {
    /// Its name, or what follows `operator`.
    pub(super) name: TokenIdx,
    /// The operator that it defines.
    pub(super) operator: Option<&'d str>,
    /// Its parameters.
    pub(super) parameters: Vec<Parameter<'d>>,
    /// `template <…>` stands before it.
    pub(super) is_template: bool,
}

/// A parameter.
pub(super) struct Parameter<'d> {
    /// The type without `const`, `*` and `&`, words joined by blanks.
    pub(super) base: String,
    pub(super) is_pointer: bool,
    pub(super) is_reference: bool,
    /// Its name.
    pub(super) name: Option<&'d str>,
}

impl<'d> Signature<'d> {
    /// The signature of a function; `None` if it cannot be read.
    pub(super) fn of(document: &'d Document, function: &Function) -> Option<Signature<'d>> {
        let head = function.head.clone();
        let keyword = head.clone().find(|&idx| document.token_text(idx) == "operator");
        let from = keyword.or(function.name)? + 1;
        let open = (from..head.end).find(|&idx| document.is(idx, b'('))?;
        let close = document.partner(open).filter(|&close| close > open)?;
        let operator = keyword.map(|_| document.slice(document.range_of(from..open)));
        let parameters = split_arguments(document, open + 1..close);
        Some(Signature {
            name: keyword.map_or(open - 1, |keyword| keyword + 1),
            operator,
            parameters: parameters.into_iter().map(|tokens| Parameter::of(document, tokens)).collect::<Option<_>>()?,
            is_template: document.token_text(head.start) == "template",
        })
    }
}

impl<'d> Parameter<'d> {
    fn of(document: &'d Document, tokens: Range<TokenIdx>) -> Option<Parameter<'d>> {
        let mut words = Vec::new();
        let (mut is_pointer, mut is_reference) = (false, false);
        for idx in tokens {
            match document.kind(idx)? {
                TokenKind::Ident => words.push(document.token_text(idx)),
                TokenKind::Punct(b'*') if !is_pointer => is_pointer = true,
                TokenKind::Punct(b'&') if !is_reference => is_reference = true,
                _ => return None,
            }
        }
        words.retain(|word| !matches!(*word, "const" | "__restrict__" | "struct"));
        let name = if words.len() > 1 { words.pop() } else { None };
        (!words.is_empty()).then(|| Parameter { base: words.join(" "), is_pointer, is_reference, name })
    }
}
