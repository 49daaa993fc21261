//! Words of C++ and CUDA that are no names, and the brackets of templates.

use super::document::Document;
use super::mask::SPECIFIERS;
use super::token::{TokenIdx, TokenKind};

/// Keywords of C++20 and alternative spellings of operators (ISO C++20, [lex.key] and [lex.digraph]), sorted.
const KEYWORDS: &[&str] = &[
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// Whether a word is a keyword of C++.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

/// Whether a word begins inline assembly.
pub fn is_asm(word: &str) -> bool {
    matches!(word, "asm" | "__asm__" | "__asm")
}

/// Whether a word is one of CUDA's specifiers without arguments, such as `__device__`, or a compiler's like it.
pub fn is_specifier(word: &str) -> bool {
    word.starts_with("__")
        && (SPECIFIERS.contains(&word) || matches!(word, "__extension__" | "__inline" | "__volatile__"))
}

/// The first token of the path that ends in the name at `name`: `::` or `a` of `::a::name` and `a::name`. No template arguments.
pub fn path_start(document: &Document, name: TokenIdx) -> TokenIdx {
    let is_outer =
        |idx: TokenIdx| document.kind(idx) == Some(TokenKind::Ident) && !is_keyword(document.token_text(idx));
    let mut first = name;
    while let Some(separator) = first.checked_sub(1).filter(|&at| document.kind(at) == Some(TokenKind::PathSep)) {
        match separator.checked_sub(1).filter(|&outer| is_outer(outer)) {
            Some(outer) => first = outer,
            None => return separator,
        }
    }
    first
}

/// The `<` that the `>` at `greater` closes; none in `a > b`. Looks back to the start of the statement at most.
pub fn less_of(document: &Document, greater: TokenIdx) -> Option<TokenIdx> {
    let mut depth = 0;
    let mut idx = greater;
    loop {
        match document.kind(idx)? {
            TokenKind::Punct(b'>') => depth += 1,
            TokenKind::Punct(b'<') => depth -= 1,
            TokenKind::Punct(b')' | b']') => idx = document.partner(idx).filter(|&open| open < idx)?,
            TokenKind::Punct(b';' | b'{' | b'}' | b'(' | b'[') => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(idx);
        }
        idx = document.before(idx)?;
    }
}

/// The first token of the declaration or statement that `idx` stands in.
pub fn statement_start(document: &Document, idx: TokenIdx) -> TokenIdx {
    let mut start = idx;
    while let Some(before) = document.before(start) {
        if matches!(document.kind(before), Some(TokenKind::Punct(b';' | b'{' | b'}'))) {
            break;
        }
        start = before;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[test]
    fn keywords_are_sorted_for_the_search() {
        assert!(KEYWORDS.is_sorted());
        assert!(is_keyword("typename") && !is_keyword("cudaMalloc"));
    }

    #[track_caller]
    fn check_less(text: &str, expected: Option<TokenIdx>) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let greater = (0..document.tokens().len()).rev().find(|&idx| document.is(idx, b'>')).unwrap();
        assert_eq!(less_of(&document, greater), expected, "{text}");
    }

    #[test]
    fn brackets_of_templates_are_told_from_comparisons() {
        check_less("a<b<c>>", Some(1));
        check_less("template <class T, int N = (1 > 0)>", Some(1));
        check_less("f(a) > b", None);
        check_less("x = 1; a > b", None);
    }
}
