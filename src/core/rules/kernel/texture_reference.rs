//! Texture and surface references, the predecessors of texture and surface objects.

use crate::analysis::{Role, is_source, role};
use crate::diagnostic::{Fix, RuleInfo, Severity};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, range};
use crate::syntax::{Document, TokenIdx, TokenKind, statement_start, words_among};

declare_rule! {
    /// ## What it does
    /// Finds texture references `texture<float, 2> image;` and surface references
    /// `surface<void, 2> image;`.
    ///
    /// ## Why is this bad?
    /// CUDA 12 has removed them. HIP's headers still declare texture references, as deprecated;
    /// surface references do not exist in HIP. A texture reference that is `static` or in a namespace without a name has no symbol in the
    /// code object (clang 22): binding it fails with `hipErrorInvalidSymbol`, and what reads it is compiled to nothing.
    ///
    /// ## Example
    /// ```cuda
    /// texture<float, 2, cudaReadModeElementType> image;
    /// ```
    ///
    /// ## What to do
    /// Create a texture object with `hipCreateTextureObject` and pass it to the kernel.
    ///
    /// ## Fix safety
    /// Safe: `static` goes in sources, where nothing else of the program has the name in most cases; the linker would say so.
    TextureReference { code: "K009", name: "texture-reference", severity: Warning, fix: Sometimes, since: "0.1.0" }
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
            let own_linkage = own_linkage(cx, idx);
            let start = document.range_of(idx..idx + 1).start();
            let finding = cx.report(document.range_of(idx..idx + 1), format!("this is a {kind} reference"));
            if kind == "surface" {
                finding.severity(Severity::Error);
                finding.note("HIP has surface objects only; create one and pass it to the kernel");
                continue;
            }
            finding.note("HIP deprecates texture references; create a texture object and pass it to the kernel");
            match own_linkage {
                Some(Linkage::Static(keyword)) if is_source(&document.file().path) => {
                    let keyword = document.range_of(keyword..keyword + 1);
                    let blanks = &document.text()[usize::from(keyword.end())..usize::from(start)];
                    let length = blanks.len() - blanks.trim_start_matches(' ').len();
                    let removed = range(keyword.start().into(), usize::from(keyword.end()) + length);
                    finding.fix(Fix::safe("give it a symbol in the code object", vec![Edit::delete(removed)]));
                }
                Some(_) => {
                    finding.severity(Severity::Error);
                    finding.note("the code object has no symbol for it here, so that it cannot be bound: give it external linkage");
                }
                None => {}
            }
        }
    }
}

/// What keeps a variable to its file.
enum Linkage {
    /// The keyword.
    Static(TokenIdx),
    Namespace,
}

/// What keeps the variable to its file whose type starts at a token, if anything does.
fn own_linkage(cx: &Context<'_>, idx: TokenIdx) -> Option<Linkage> {
    let document = cx.document;
    if cx.facts.blocks(document).is_in_class(idx) {
        return None;
    }
    let keyword = (statement_start(document, idx)..idx).find(|&word| document.token_text(word) == "static");
    let is_unnamed = |&open: &TokenIdx| open > 0 && document.token_text(open - 1) == "namespace";
    let blocks = cx.facts.blocks(document);
    let opens = std::iter::successors(blocks.around(idx), |&open| blocks.around(open));
    let is_unnamed = opens.into_iter().any(|open| is_unnamed(&open));
    if is_unnamed { Some(Linkage::Namespace) } else { keyword.map(Linkage::Static) }
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
