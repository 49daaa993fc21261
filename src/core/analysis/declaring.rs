//! Whether a name is declared where it stands, and as what.

use std::ops::Range;

use super::functions::Functions;
use super::roles::{Role, is_shouted, role};
use crate::source::TextRange;
use crate::syntax::{Document, MacroDefinition, TokenIdx, TokenKind, is_keyword, is_specifier, statement_start};

/// How a name is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declaration {
    /// `#define`
    Macro,
    /// A function with a body, or a type with one.
    Definition,
    /// A variable, parameter, member or enumerator.
    Variable,
    /// `typedef`, `using x =`, which may as well repeat one of CUDA's.
    Alias,
    /// `using scope::x;`
    Using,
    /// A declaration without body, which may as well repeat one of CUDA's.
    Prototype,
}

/// What the name at `idx` is declared as there; `bracket` is the innermost one that is open.
pub(super) fn declaration_at(
    document: &Document,
    functions: &Functions,
    idx: TokenIdx,
    bracket: Option<TokenIdx>,
) -> Option<Declaration> {
    if role(document, idx) != Role::Free {
        return None;
    }
    let before = before_ellipsis(document, document.before(idx)?)?;
    let define = document.directive_of(idx).and_then(|directive| MacroDefinition::of(document, directive));
    if define.as_ref().is_some_and(|define| define.parameters.contains(&idx)) {
        return Some(Declaration::Variable);
    }
    if let "struct" | "class" | "enum" | "union" | "using" | "namespace" | "typename" = document.token_text(before) {
        return type_declaration(document, before, idx);
    }
    if let Some(define) = define {
        return declares_in_macro(document, &define.body, idx).then_some(Declaration::Variable);
    }
    if follows_type_of(document, before) {
        let ends = matches!(document.token_text(idx + 1), ";" | "=" | "," | ")" | "[" | "{");
        return ends.then_some(Declaration::Variable);
    }
    if !follows_declarator(document, before, bracket) && !may_end_type(document, before) {
        return None;
    }
    match document.token(idx + 1)?.kind {
        TokenKind::Punct(b'(') => function_declaration(document, functions, idx),
        // No tree has to say so, in which a place is found from its root.
        kind if ends_declarator(kind) && is_built_in_type(document.token_text(before)) && !is_alias(document, idx) => {
            Some(Declaration::Variable)
        }
        TokenKind::Punct(b'=') if document.token_text(before).ends_with("_t") => Some(Declaration::Variable),
        _ if document.is(before, b'>') && !may_close_list(document, before) => None,
        kind if ends_declarator(kind) => declarator(document, document.token(idx)?.range()),
        _ => None,
    }
}

/// Whether only a tree could tell that the name at `idx`, which nothing else declares, is declared there, and its item has none.
pub(super) fn is_unread(document: &Document, idx: TokenIdx, bracket: Option<TokenIdx>) -> bool {
    let may_declare = |before| follows_declarator(document, before, bracket) || may_end_type(document, before);
    let ends = |kind| kind == TokenKind::Punct(b'(') || ends_declarator(kind);
    role(document, idx) == Role::Free
        && document.directive_of(idx).is_none()
        && document.kind(idx + 1).is_some_and(ends)
        && document.before(idx).is_some_and(may_declare)
        && document
            .token(idx)
            .and_then(|token| document.item_at(token.range().start()))
            .is_some_and(|item| item.tree(document).is_none())
}

/// Whether a name may be declared that stands before such a token, and is no function.
fn ends_declarator(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Punct(b';' | b'=' | b',' | b')' | b'[' | b'{' | b':' | b']' | b'>'))
}

/// The token before the `...` of a pack of parameters, or `before` itself.
fn before_ellipsis(document: &Document, before: TokenIdx) -> Option<TokenIdx> {
    let is_ellipsis = document.is(before, b'.') && before >= 2 && document.is(before - 1, b'.');
    if is_ellipsis { document.before(before - 2) } else { Some(before) }
}

/// Whether `before` ends the type in `decltype(f) name`.
fn follows_type_of(document: &Document, before: TokenIdx) -> bool {
    let open = document.partner(before).filter(|&open| document.is(before, b')') && open < before);
    let keyword = open.and_then(|open| open.checked_sub(1)).map_or("", |at| document.token_text(at));
    matches!(keyword, "decltype" | "typeof" | "__typeof__" | "__typeof")
}

/// Whether another declarator may stand before the comma or bracket at `before`: `int a, b;`, `for (int a = 1, b = 2; …)`,
/// `auto [a, b] = …`, `[a = 1] { … }`.
fn follows_declarator(document: &Document, before: TokenIdx, bracket: Option<TokenIdx>) -> bool {
    match bracket.and_then(|bracket| document.kind(bracket)) {
        Some(TokenKind::Punct(b'[')) => true,
        Some(TokenKind::Punct(b'(')) => {
            let keyword = bracket.and_then(|bracket| bracket.checked_sub(1));
            document.is(before, b',') && keyword.is_some_and(|keyword| document.token_text(keyword) == "for")
        }
        _ => document.is(before, b','),
    }
}

/// Whether the name at `idx` in the body of a macro is declared there: `#define LOCAL int x = 3`. No tree reads macros, so that
/// a type stands before the name has to be seen from its words.
fn declares_in_macro(document: &Document, body: &Range<TokenIdx>, idx: TokenIdx) -> bool {
    let follows = document.kind(idx + 1).filter(|_| idx + 1 < body.end);
    let ends = matches!(follows, None | Some(TokenKind::Punct(b'=' | b';' | b',' | b')' | b'[' | b'{' | b'(' | b':')));
    let is_declarator = |at: &TokenIdx| matches!(document.token_text(*at), "*" | "&" | "const");
    let Some(before) = (body.start..idx).rev().find(|at| !is_declarator(at)) else { return false };
    let word = document.token_text(before);
    let is_own_type = || {
        let is_name = document.kind(before) == Some(TokenKind::Ident);
        is_name && before + 1 == idx && !is_keyword(word) && !is_specifier(word) && !is_shouted(word)
    };
    let initialises = matches!(follows, Some(TokenKind::Punct(b'=' | b'{' | b'[')));
    ends && (is_built_in_type(word) || initialises && is_own_type())
}

fn is_built_in_type(word: &str) -> bool {
    matches!(
        word,
        "auto" | "bool" | "char" | "double" | "float" | "int" | "long" | "short" | "signed" | "unsigned" | "void"
    )
}

fn type_declaration(document: &Document, keyword: TokenIdx, idx: TokenIdx) -> Option<Declaration> {
    let follows = document.token(idx + 1)?.kind;
    match (document.token_text(keyword), follows) {
        ("using", TokenKind::Punct(b'=')) => Some(Declaration::Alias),
        ("using", _) => None,
        // `using enum x;`
        ("enum", _) if document.before(keyword).is_some_and(|before| document.token_text(before) == "using") => None,
        (_, TokenKind::Punct(b'{' | b':')) => Some(Declaration::Definition),
        // A parameter of a template.
        ("class" | "typename", TokenKind::Punct(b'>' | b',' | b'=')) => Some(Declaration::Variable),
        (_, TokenKind::Punct(b';')) => Some(Declaration::Prototype),
        _ => None,
    }
}

/// Tokens within which the `<` of a list of template arguments is looked for.
const LONGEST_LIST: usize = 64;

/// Whether the `>` at `idx` may close a list of template arguments: a `<` stands in front of it.
fn may_close_list(document: &Document, idx: TokenIdx) -> bool {
    let first = idx.saturating_sub(LONGEST_LIST);
    let mut at = idx;
    while at > first {
        at -= 1;
        match document.kind(at) {
            Some(TokenKind::Punct(b'<')) => return true,
            Some(TokenKind::Punct(b'(' | b'[' | b'{' | b';')) => return false,
            Some(TokenKind::Punct(b')' | b']' | b'}')) => match document.partner(at).filter(|&open| open < at) {
                Some(open) => at = open,
                None => return true,
            },
            _ => {}
        }
    }
    first > 0
}

/// Whether a token can be the end of the type in a declaration.
fn may_end_type(document: &Document, idx: TokenIdx) -> bool {
    match document.token(idx).map(|token| token.kind) {
        Some(TokenKind::Ident) => !matches!(
            document.token_text(idx),
            "return"
                | "else"
                | "case"
                | "throw"
                | "new"
                | "delete"
                | "sizeof"
                | "goto"
                | "do"
                | "and"
                | "or"
                | "not"
                | "typename"
                | "co_return"
                | "co_yield"
                | "co_await"
                | "operator"
                | "in"
                | "define"
                | "template"
                | "public"
                | "private"
        ),
        Some(TokenKind::Punct(b'*' | b'&' | b'>')) => true,
        _ => false,
    }
}

fn function_declaration(document: &Document, functions: &Functions, name: TokenIdx) -> Option<Declaration> {
    if functions.iter().any(|function| function.name == Some(name)) {
        return Some(Declaration::Definition);
    }
    let close = document.partner(name + 1)?;
    let ends_head = matches!(
        document.token_text(close + 1),
        ";" | "{" | "const" | "noexcept" | "override" | "final" | "=" | "->" | "__attribute__"
    );
    if !ends_head {
        return None;
    }
    let kind = declaring_kind(document, document.token(name)?.range());
    // `S() : a(1), b(2) {}`
    if kind == Some("field_initializer") {
        return None;
    }
    if functions.around(name).is_some() {
        return local_declaration(document, name, kind);
    }
    // A member function is the class's own, whatever it is called.
    Some(if kind == Some("field_declaration") { Declaration::Variable } else { Declaration::Prototype })
}

/// What a name before parentheses within the body of a function is declared as: a member of a local class, an object or a
/// function. `n * cudaX(…)` is an expression.
fn local_declaration(document: &Document, name: TokenIdx, kind: Option<&str>) -> Option<Declaration> {
    let before = document.before(name)?;
    let follows_type = match document.kind(before)? {
        // A macro may as well stand before a call.
        TokenKind::Ident => !is_shouted(document.token_text(before)),
        kind => kind == TokenKind::Punct(b'>'),
    };
    match kind? {
        "field_declaration" | "function_definition" => Some(Declaration::Variable),
        "declaration" if follows_type => Some(Declaration::Prototype),
        _ => None,
    }
}

/// Whether the name at `idx` is another one for a type.
fn is_alias(document: &Document, idx: TokenIdx) -> bool {
    document.token_text(statement_start(document, idx)) == "typedef"
}

/// Asks the tree whether the identifier at `range` is being declared.
fn declarator(document: &Document, range: TextRange) -> Option<Declaration> {
    match declaring_kind(document, range)? {
        "type_definition" => Some(Declaration::Alias),
        "declaration"
        | "field_declaration"
        | "parameter_declaration"
        | "optional_parameter_declaration"
        | "variadic_parameter_declaration"
        | "for_range_loop"
        | "structured_binding_declarator"
        | "lambda_capture_initializer" => Some(Declaration::Variable),
        _ => None,
    }
}

/// The kind of the node that declares the identifier at `range`, declarators passed over.
fn declaring_kind(document: &Document, range: TextRange) -> Option<&str> {
    let item = document.item_at(range.start())?;
    let tree = item.tree(document)?;
    let base = usize::from(item.range.start());
    let (start, end) = (usize::from(range.start()) - base, usize::from(range.end()) - base);
    let node = tree.root_node().descendant_for_byte_range(start, end)?;
    let mut parent = node.parent()?;
    let is_field = |field: &str| parent.child_by_field_name(field).is_some_and(|found| found.id() == node.id());
    if ["type", "value", "size", "default_value", "right"].into_iter().any(is_field) {
        return None;
    }
    while matches!(
        parent.kind(),
        "init_declarator"
            | "pointer_declarator"
            | "reference_declarator"
            | "array_declarator"
            | "function_declarator"
            | "parenthesized_declarator"
            | "variadic_declarator"
    ) {
        parent = parent.parent()?;
    }
    Some(parent.kind())
}
