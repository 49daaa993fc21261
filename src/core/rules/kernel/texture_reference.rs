//! Texture and surface references, the predecessors of texture and surface objects.

use crate::analysis::{Role, role};
use crate::diagnostic::{RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::syntax::{Document, TokenIdx, TokenKind, words_among};

declare_rule! {
    /// ## What it does
    /// Finds texture references `texture<float, 2> image;` and surface references
    /// `surface<void, 2> image;`.
    ///
    /// ## Why is this bad?
    /// CUDA 12 has removed them. HIP's headers still declare texture references, as deprecated;
    /// surface references do not exist in HIP.
    ///
    /// ## Example
    /// ```cuda
    /// texture<float, 2, cudaReadModeElementType> image;
    /// ```
    ///
    /// ## What to do
    /// Create a texture object with `hipCreateTextureObject` and pass it to the kernel.
    TextureReference { code: "K009", name: "texture-reference", severity: Warning, fix: None, since: "0.1.0" }
}

impl Rule for TextureReference {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check<'d>(_: WholeFile, cx: &mut Context<'d>) {
        let document: &'d Document = cx.document;
        for idx in words_among(document, &["texture", "surface"]) {
            let kind = document.token_text(idx);
            if !declares_reference(document, idx) {
                continue;
            }
            if cx.facts.functions.around(idx).is_some() {
                continue;
            }
            let finding = cx.report(document.range_of(idx..idx + 1), format!("this is a {kind} reference"));
            if kind == "surface" {
                finding.severity(Severity::Error);
                finding.note("HIP has surface objects only; create one and pass it to the kernel");
            } else {
                finding.note("HIP deprecates texture references; create a texture object and pass it to the kernel");
            }
        }
    }
}

/// `texture<…> name;`, `static texture<…> name, other;`
fn declares_reference(document: &Document, idx: TokenIdx) -> bool {
    let after_class = idx.checked_sub(1).is_some_and(|at| matches!(document.token_text(at), "class" | "struct"));
    if after_class || role(document, idx) != Role::Free || !document.is(idx + 1, b'<') {
        return false;
    }
    let mut at = idx + 2;
    while let Some(token) = document.token(at) {
        match token.kind {
            TokenKind::Punct(b'>') => break,
            TokenKind::Ident | TokenKind::Number | TokenKind::PathSep | TokenKind::Punct(b',') => at += 1,
            _ => return false,
        }
    }
    let names = document.token(at + 1).is_some_and(|token| token.kind == TokenKind::Ident);
    names && matches!(document.token(at + 2).map(|token| token.kind), Some(TokenKind::Punct(b';' | b',')))
}
