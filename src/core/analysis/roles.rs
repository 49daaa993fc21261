//! What an identifier stands for, judged by the tokens beside it.

use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, is_keyword, is_specifier, less_of};

/// What an identifier token stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A name that look-up finds in the global scope, a local scope, or a macro.
    Free,
    /// A name after `outer::`; the token of `outer`.
    Qualified(TokenIdx),
    /// A member after `.` or `->`.
    Member,
    /// A label, or a name after `goto`.
    Label,
    /// The name that a `#define` defines.
    Defined,
    /// A name in `#undef`, `#ifdef`, `#if` or `#elif`.
    Tested,
    /// An operand of `##`, so only a part of a name.
    Pasted,
}

/// The role of the identifier at `idx`.
pub fn role(document: &Document, idx: TokenIdx) -> Role {
    if let Some(role) = role_in_directive(document, idx) {
        return role;
    }
    let Some(mut before) = document.before(idx) else { return Role::Free };
    // `p->template f<int>()`
    if document.token_text(before) == "template" {
        before = document.before(before).unwrap_or(before);
    }
    match document.kind(before) {
        Some(TokenKind::Arrow) if starts_result(document, before) => Role::Free,
        Some(TokenKind::Arrow | TokenKind::Punct(b'.')) if !is_ellipsis(document, before) => Role::Member,
        Some(TokenKind::PathSep) => qualifier(document, before).map_or(Role::Free, Role::Qualified),
        _ if is_label(document, idx, before) => Role::Label,
        _ => Role::Free,
    }
}

/// Whether the name at `idx` is a label: `x: return;`, `goto x;`
fn is_label(document: &Document, idx: TokenIdx, before: TokenIdx) -> bool {
    match document.kind(before) {
        // `{ type : 3; }` is a field without a name.
        Some(TokenKind::Punct(b';' | b'{' | b'}')) => {
            document.is(idx + 1, b':') && document.kind(idx + 2) != Some(TokenKind::Number)
        }
        // `default: x:`
        Some(TokenKind::Punct(b':')) => {
            document.is(idx + 1, b':')
                && document.before(before).is_some_and(|word| document.token_text(word) == "default")
        }
        Some(TokenKind::Ident) => document.token_text(before) == "goto",
        _ => false,
    }
}

fn role_in_directive(document: &Document, idx: TokenIdx) -> Option<Role> {
    let directive = document.directive_of(idx)?;
    let first_operand = directive.tokens.start + 2;
    match directive.kind {
        DirectiveKind::Define if idx == first_operand => Some(Role::Defined),
        DirectiveKind::Define if is_pasted(document, idx) => Some(Role::Pasted),
        DirectiveKind::Undef => Some(Role::Tested),
        kind if kind.has_condition() => Some(Role::Tested),
        _ => None,
    }
}

/// Whether `##` stands at `at`.
pub(super) fn is_pasting(document: &Document, at: TokenIdx) -> bool {
    document.is(at, b'#') && document.is(at + 1, b'#')
}

pub(super) fn is_pasted(document: &Document, idx: TokenIdx) -> bool {
    is_pasting(document, idx + 1) || (idx >= 2 && is_pasting(document, idx - 2))
}

/// The last `.` of `...` is no member access.
fn is_ellipsis(document: &Document, dot: TokenIdx) -> bool {
    document.is(dot, b'.') && dot >= 1 && document.is(dot - 1, b'.')
}

/// The token before the `::` at `separator`, if it qualifies what follows: `a::f`, `a<b>::f`, but not in `return ::f()`,
/// `extern ::T x`, `template <class T> ::T f()` or `n > ::N`.
fn qualifier(document: &Document, separator: TokenIdx) -> Option<TokenIdx> {
    let outer = document.before(separator)?;
    let qualifies = match document.kind(outer)? {
        TokenKind::Ident => {
            let word = document.token_text(outer);
            !(is_keyword(word) || is_specifier(word) || is_shouted(word) && stands_apart(document, separator))
        }
        TokenKind::Punct(b'>') => less_of(document, outer).is_some_and(|less| {
            let head = less.checked_sub(1).map_or("", |idx| document.token_text(idx));
            !is_keyword(head)
        }),
        // `decltype(x)::type`
        TokenKind::Punct(b')') => {
            let open = document.partner(outer).filter(|&open| open < outer && open > 0);
            open.is_some_and(|open| document.token_text(open - 1) == "decltype")
        }
        _ => false,
    };
    qualifies.then_some(outer)
}

/// A macro by its spelling: `DEVICE_INLINE`.
pub(super) fn is_shouted(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// `INLINE ::f`: a blank before the `::`, and none behind it.
fn stands_apart(document: &Document, separator: TokenIdx) -> bool {
    let end = |idx: TokenIdx| document.token(idx).map(|token| token.end);
    let start = |idx: TokenIdx| document.token(idx).map(|token| token.start);
    end(separator - 1) != start(separator) && end(separator) == start(separator + 1)
}

/// Whether the name at `idx` starts with `::`, so that only the global scope is searched.
pub fn is_global(document: &Document, idx: TokenIdx) -> bool {
    let before = document.before(idx).filter(|&before| document.kind(before) == Some(TokenKind::PathSep));
    before.is_some_and(|before| qualifier(document, before).is_none())
}

/// Whether the type of a result follows the `->` at `arrow`: `auto f() -> T`, `[](int i) mutable -> T`.
fn starts_result(document: &Document, arrow: TokenIdx) -> bool {
    let Some(last) = document.before(arrow) else { return false };
    match document.kind(last) {
        // None of these stands before the arrow of a member.
        Some(TokenKind::Ident) => {
            let word = document.token_text(last);
            is_specifier(word)
                || matches!(
                    word,
                    "const"
                        | "volatile"
                        | "noexcept"
                        | "mutable"
                        | "constexpr"
                        | "consteval"
                        | "override"
                        | "final"
                        | "static"
                )
        }
        Some(TokenKind::Punct(b'&')) => true,
        Some(TokenKind::Punct(b']')) => introduces_lambda(document, last),
        Some(TokenKind::Punct(b')')) => {
            document.partner(last).filter(|&open| open < last).is_some_and(|open| ends_parameters(document, open))
        }
        _ => false,
    }
}

/// Whether the `(` at `open` starts the parameters of a lambda, or of a function whose result is `auto`.
fn ends_parameters(document: &Document, open: TokenIdx) -> bool {
    let Some(mut last) = document.before(open) else { return false };
    if matches!(document.token_text(last), "noexcept" | "throw" | "__attribute__")
        || is_specifier(document.token_text(last))
    {
        return true;
    }
    // `[]<class T>(T x)`, `[] __device__ (int i)`
    while is_specifier(document.token_text(last)) {
        let Some(before) = document.before(last) else { return false };
        last = before;
    }
    if document.is(last, b'>')
        && let Some(less) = less_of(document, last)
        && less > 0
    {
        last = less - 1;
    }
    if document.is(last, b']') {
        return introduces_lambda(document, last);
    }
    declares_auto(document, last)
}

/// Whether the `]` at `close` ends what a lambda captures: nothing that could be indexed stands before it.
fn introduces_lambda(document: &Document, close: TokenIdx) -> bool {
    let Some(open) = document.partner(close).filter(|&open| open < close) else { return false };
    let Some(before) = document.before(open) else { return true };
    let starts_macro = document.directive_of(before).is_some_and(|directive| directive.tokens.start + 2 == before);
    if starts_macro {
        return true;
    }
    match document.kind(before) {
        Some(TokenKind::Ident) => is_keyword(document.token_text(before)),
        Some(TokenKind::Punct(b')' | b']' | b'}') | TokenKind::Str | TokenKind::RawStr) => false,
        _ => true,
    }
}

/// Whether the declaration whose name ends at `name` starts with `auto`.
fn declares_auto(document: &Document, name: TokenIdx) -> bool {
    let mut idx = name;
    loop {
        match document.kind(idx) {
            Some(TokenKind::Ident) => match document.token_text(idx) {
                "auto" => return idx != name,
                "return" | "case" | "throw" | "new" | "else" => return false,
                _ => {}
            },
            // `auto (*pointer)(int) -> T`
            Some(TokenKind::Punct(b')')) => {
                let Some(open) = document.partner(idx).filter(|&open| open < idx) else { return false };
                idx = open;
            }
            Some(TokenKind::PathSep | TokenKind::Punct(b'<' | b'>' | b'*' | b'&' | b'~' | b'+' | b'-' | b'!')) => {}
            _ => return false,
        }
        let Some(before) = document.before(idx) else { return false };
        idx = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check_role(text: &str, expected: Role) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let idx = (0..document.tokens().len()).find(|&idx| document.token_text(idx) == "X").unwrap();
        assert_eq!(role(&document, idx), expected, "{text}");
    }

    #[test]
    fn neighbours_tell_roles() {
        check_role("f(X);", Role::Free);
        check_role("return ::X();", Role::Free);
        check_role("a::X();", Role::Qualified(0));
        check_role("#endif\n::X();", Role::Free);
        check_role("#define A\nX();", Role::Free);
        check_role("a<b>::X();", Role::Qualified(3));
        check_role("p->X;", Role::Member);
        check_role("p.X;", Role::Member);
        check_role("f(T...X);", Role::Free);
        check_role("#define X 1", Role::Defined);
        check_role("#define Y X", Role::Free);
        check_role("#define Y(a) X##a", Role::Pasted);
        check_role("#if A && defined(X)\n#endif", Role::Tested);
        check_role("{ X: f(); }", Role::Label);
        check_role("goto X;", Role::Label);
        check_role("a ? (b) X : c;", Role::Free);
        check_role("case X: f();", Role::Free);
        check_role("default: X: f();", Role::Label);
    }

    #[test]
    fn words_before_a_scope_operator_qualify_nothing() {
        for before in
            ["public", "constexpr", "inline", "static", "mutable", "extern", "volatile", "sizeof", "and", "typedef"]
        {
            check_role(&format!("{before} ::X"), Role::Free);
        }
        check_role("__device__ ::X f();", Role::Free);
        check_role("template <class T> ::X f(T);", Role::Free);
        check_role("template <class T, int N = (1 > 0)> ::X f(T);", Role::Free);
        check_role("b = n > ::X;", Role::Free);
        check_role("INLINE ::X f();", Role::Free);
        check_role("NS::X f();", Role::Qualified(0));
        check_role("a <b> ::X f();", Role::Qualified(3));
    }

    #[test]
    fn the_type_of_a_result_is_no_member() {
        check_role("auto f() -> X;", Role::Free);
        check_role("auto S<T>::f(int) const -> X;", Role::Free);
        check_role("auto f() noexcept(true) -> X;", Role::Free);
        check_role("g([](int i) -> X { });", Role::Free);
        check_role("g([=] { }, [] -> X { });", Role::Free);
        check_role("g([&] __device__ (int i) mutable -> X { });", Role::Free);
        check_role("auto y = f()->X;", Role::Member);
        check_role("return f(a)->X;", Role::Member);
        check_role("a[i]->X;", Role::Member);
        check_role("f(x)[0]->X;", Role::Member);
        check_role("for (auto v : g()->X) {}", Role::Member);
    }
}
