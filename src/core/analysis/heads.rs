//! Where the declaration or statement begins that braces belong to, with directives within it.

use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind};

/// The head of the declaration that is read.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Its first token.
    pub(super) start: TokenIdx,
    /// Where the head of another branch begins, if what follows on the last branch belongs to all of them:
    /// `#if A`, `int f(int a)`, `#else`, `int f()`, `#endif`, `{`.
    other_branch: Option<TokenIdx>,
}

impl Head {
    /// What begins at `start` is no part of what stands before.
    pub(super) fn start_at(&mut self, start: TokenIdx) {
        *self = Head { start, other_branch: None };
    }

    /// Passes the directive at `hash` and says which token is next. The head goes on behind it where it is not whole, within
    /// parentheses as well, or where the next token can only be the rest of one.
    pub(super) fn pass_directive(&mut self, document: &Document, hash: TokenIdx, is_in_parentheses: bool) -> TokenIdx {
        let Some(directive) = document.directive_of(hash) else { return hash + 1 };
        let next = directive.tokens.end;
        if self.start == hash {
            self.start = next;
        } else if !is_in_parentheses && !self.is_of_template(document) && !is_rest_of_head(document, next) {
            let is_branch = matches!(directive.kind, DirectiveKind::Else | DirectiveKind::Elif);
            self.other_branch = self.other_branch.or(is_branch.then_some(self.start));
            self.start = next;
        }
        if document.is(next, b'{') {
            self.start = self.other_branch.take().unwrap_or(self.start);
        }
        next
    }

    fn is_of_template(&self, document: &Document) -> bool {
        document.token_text(self.start) == "template" && document.is(self.start + 1, b'<')
    }

    /// Whether the token at `idx` stands between the `<` and `>` of a template.
    pub(super) fn is_in_template(&self, document: &Document, idx: TokenIdx) -> bool {
        self.is_of_template(document) && template_head_end(document, self.start + 1, idx) == self.start + 1
    }
}

/// Whether a token behind a directive goes on with a head that stands before: no declaration and no statement begins so.
fn is_rest_of_head(document: &Document, idx: TokenIdx) -> bool {
    match document.kind(idx) {
        Some(TokenKind::Punct(b'{' | b':' | b',' | b')' | b'=' | b'>') | TokenKind::Arrow) => true,
        Some(TokenKind::Ident) => match document.token_text(idx) {
            "noexcept" | "override" | "final" | "requires" | "try" | "throw" => true,
            // A declaration may begin so.
            "const" | "volatile" => {
                document.kind(idx + 1) == Some(TokenKind::Hash) || is_rest_of_head(document, idx + 1)
            }
            _ => false,
        },
        _ => false,
    }
}

/// The token behind the directive that begins at `idx`, if one does.
pub(super) fn behind_directive(document: &Document, idx: TokenIdx) -> Option<TokenIdx> {
    let is_hash = document.kind(idx) == Some(TokenKind::Hash);
    document.directive_of(idx).filter(|_| is_hash).map(|directive| directive.tokens.end)
}

/// The `>` that ends the parameters of a template, whose defaults may hold `=` and brackets.
pub fn template_head_end(document: &Document, less: TokenIdx, open: TokenIdx) -> TokenIdx {
    let mut depth = 0;
    let mut idx = less;
    while idx < open {
        match document.token(idx).map(|token| token.kind) {
            Some(TokenKind::Punct(b'<')) => depth += 1,
            Some(TokenKind::Punct(b'>')) => depth -= 1,
            Some(TokenKind::Punct(b'(' | b'[')) => {
                idx = document.partner(idx).filter(|&close| close > idx).unwrap_or(idx);
            }
            _ => {}
        }
        if depth == 0 {
            return idx;
        }
        idx += 1;
    }
    less
}

/// Where the branch of the preprocessor ends that holds a brace without a partner: the other branches open one, too, and the
/// brace behind them closes the last of these.
pub(super) fn end_of_branch(document: &Document, idx: TokenIdx) -> TokenIdx {
    let mut depth = 0;
    let directives = document.directives();
    let after = directives.partition_point(|directive| directive.tokens.start < idx);
    for directive in &directives[after..] {
        match directive.kind {
            DirectiveKind::Else | DirectiveKind::Elif | DirectiveKind::Endif if depth == 0 => {
                return directive.tokens.start;
            }
            DirectiveKind::Endif => depth -= 1,
            kind if kind.opens_condition() => depth += 1,
            _ => {}
        }
    }
    document.tokens().len()
}
