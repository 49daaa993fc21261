//! The keyword `register`.

use crate::diagnostic::{Fix, RuleInfo};
use crate::rules::context::Context;
use crate::rules::query::{Files, WholeFile};
use crate::rules::rule::{Rule, declare_rule};
use crate::source::{Edit, range};
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, words};

declare_rule! {
    /// ## What it does
    /// Finds the keyword `register`.
    ///
    /// ## Why is this bad?
    /// nvcc ignores it. HIP compilers read C++17, which has no such keyword, and refuse it.
    ///
    /// ## Example
    /// ```cuda
    /// __device__ int f(register int x) { return x; }
    /// ```
    /// Use instead:
    /// ```hip
    /// __device__ int f(int x) { return x; }
    /// ```
    ///
    /// ## Fix safety
    /// Safe: the keyword has no meaning. Variables that `asm` binds to a register are left alone.
    RegisterKeyword { code: "C004", name: "register-keyword", severity: Hint, fix: Always, since: "0.1.0" }
}

impl Rule for RegisterKeyword {
    const INFO: RuleInfo = Self::RULE_INFO;
    type Query = Files;

    fn check(_: WholeFile, cx: &mut Context<'_>) {
        let document = cx.document;
        for idx in words(document, "register").filter(|&idx| is_keyword(document, idx)) {
            let (Some(keyword), Some(next)) = (document.token(idx), document.token(idx + 1)) else { continue };
            // Up to the next token, unless a comment or a line end stands between.
            let between = document.text().get(keyword.end as usize..next.start as usize).unwrap_or_default();
            let blanks = between.len() - between.trim_start_matches([' ', '\t']).len();
            let doomed = range(keyword.start as usize, keyword.end as usize + blanks);
            let fix = Fix::safe("remove the keyword", vec![Edit::delete(doomed)]);
            cx.report(keyword.range(), "C++17 has no `register`").fix(fix);
        }
    }
}

fn is_keyword(document: &Document, idx: TokenIdx) -> bool {
    let in_code = document
        .directive_of(idx)
        .is_none_or(|directive| directive.kind == DirectiveKind::Define && idx > directive.tokens.start + 2);
    let declares = document.token(idx + 1).is_some_and(|next| next.kind == TokenKind::Ident);
    in_code && declares && !is_bound(document, idx)
}

/// `register int x asm("r0")`
fn is_bound(document: &Document, keyword: TokenIdx) -> bool {
    let end = document.directive_of(keyword).map_or(document.tokens().len(), |directive| directive.tokens.end);
    let mut words = (keyword + 1..end).map(|idx| document.token_text(idx));
    let end = words.find(|word| matches!(*word, ";" | "=" | "," | ")" | "{" | "asm" | "__asm__" | "__asm"));
    end.is_some_and(|word| word.contains("asm"))
}
