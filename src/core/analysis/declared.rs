//! Names that the file declares itself, so that a project's own name is never renamed.
//!
//! Functions with a body and macros are all known; variables, types and prototypes only where
//! their names are spelt like CUDA's.

use rustc_hash::{FxHashMap, FxHashSet};

use super::functions::Functions;
use super::names::looks_like_cuda;
use super::roles::{Role, role};
use crate::source::TextRange;
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, split_arguments, words};

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

/// A declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Own {
    /// The name in it.
    pub token: TokenIdx,
    /// What it declares the name as.
    pub kind: Declaration,
}

/// The names declared in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    names: FxHashMap<String, Vec<Own>>,
}

impl Declared {
    pub(super) fn of(document: &Document, functions: &Functions) -> Declared {
        let mut declared = Declared::default();
        for name in functions.iter().filter_map(|function| function.name) {
            declared.add(document, name, Declaration::Definition);
        }
        for directive in document.directives().iter().filter(|d| d.kind == DirectiveKind::Define) {
            declared.add(document, directive.tokens.start + 2, Declaration::Macro);
        }
        declared.add_enumerators(document);
        declared.add_aliases(document);
        let mut open: Vec<u8> = Vec::new();
        for (idx, token) in document.tokens().iter().enumerate() {
            match token.kind {
                TokenKind::Punct(bracket @ (b'(' | b'[' | b'{')) => open.push(bracket),
                TokenKind::Punct(b')' | b']' | b'}') => {
                    open.pop();
                }
                _ => {}
            }
            let starts_like_cuda =
                matches!(document.text().as_bytes()[token.start as usize], b'c' | b'C' | b'n' | b'N');
            if token.kind != TokenKind::Ident || !starts_like_cuda {
                continue;
            }
            let name = document.name(idx);
            if !looks_like_cuda(&name) && !name.starts_with("curand_") && name != "curand" {
                continue;
            }
            if let Some(declaration) = declaration_at(document, functions, idx, open.last().copied()) {
                declared.add(document, idx, declaration);
            }
        }
        declared.keep_first_of_each_token();
        declared
    }

    /// How the file declares `name`: by its first declaration that is no prototype, if there is one.
    pub fn get(&self, name: &str) -> Option<Declaration> {
        let all = self.all(name);
        let telling = all.iter().find(|own| own.kind != Declaration::Prototype);
        telling.or(all.first()).map(|own| own.kind)
    }

    /// All declarations of `name`: functions first, then macros, then others, each in the order of the text.
    pub fn all(&self, name: &str) -> &[Own] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// All declared names.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    fn add_enumerators(&mut self, document: &Document) {
        let tokens = document.tokens().iter().enumerate();
        for (keyword, _) in tokens.filter(|(_, token)| token.kind == TokenKind::Ident && token.end - token.start == 4) {
            if document.token_text(keyword) != "enum" {
                continue;
            }
            // `enum class Name : type {`
            let Some(open) = (keyword + 1..keyword + 8).find(|&idx| document.is(idx, b'{')) else { continue };
            let Some(close) = document.partner(open).filter(|&close| close > open) else { continue };
            for enumerator in split_arguments(document, open + 1..close) {
                let name = document.name(enumerator.start);
                if looks_like_cuda(&name) {
                    self.add(document, enumerator.start, Declaration::Variable);
                }
            }
        }
    }

    /// Other names of types, whatever their spelling: `using x = y;`, `typedef y x;`, `using y::x;`
    fn add_aliases(&mut self, document: &Document) {
        for keyword in words(document, "using") {
            let end = (keyword + 1..document.tokens().len())
                .find(|&idx| matches!(document.token_text(idx), "=" | ";" | "namespace"));
            let Some(end) = end.filter(|&end| document.token_text(end) != "namespace") else { continue };
            let kind = if document.is(end, b'=') { Declaration::Alias } else { Declaration::Using };
            let is_path = (keyword + 1..end).any(|idx| document.kind(idx) == Some(TokenKind::PathSep));
            if document.kind(end - 1) == Some(TokenKind::Ident) && is_path == (kind == Declaration::Using) {
                self.add(document, end - 1, kind);
            }
        }
        for keyword in words(document, "typedef") {
            let end =
                (keyword + 1..document.tokens().len()).find(|&idx| matches!(document.token_text(idx), ";" | "(" | "{"));
            if let Some(end) =
                end.filter(|&end| document.is(end, b';') && document.kind(end - 1) == Some(TokenKind::Ident))
            {
                self.add(document, end - 1, Declaration::Alias);
            }
        }
    }

    fn add(&mut self, document: &Document, token: TokenIdx, kind: Declaration) {
        self.names.entry(document.name(token).into_owned()).or_default().push(Own { token, kind });
    }

    /// What defines a function or type declares it as well.
    fn keep_first_of_each_token(&mut self) {
        for all in self.names.values_mut().filter(|all| all.len() > 1) {
            let mut seen = FxHashSet::default();
            all.retain(|own| seen.insert(own.token));
        }
    }
}

/// What the name at `idx` is declared as there; `bracket` is the innermost one that is open.
fn declaration_at(
    document: &Document,
    functions: &Functions,
    idx: TokenIdx,
    bracket: Option<u8>,
) -> Option<Declaration> {
    match role(document, idx) {
        Role::Free => {}
        _ => return None,
    }
    let before = document.before(idx)?;
    if is_macro_parameter(document, idx) {
        return Some(Declaration::Variable);
    }
    if let "struct" | "class" | "enum" | "union" | "using" | "namespace" | "typename" = document.token_text(before) {
        return type_declaration(document, before, idx);
    }
    // `int a, b;`, `auto [a, b] = …`, `[a = 1] { … }`
    let follows_declarator = bracket != Some(b'(') && document.is(before, b',') || bracket == Some(b'[');
    if !follows_declarator && !may_end_type(document, before) {
        return None;
    }
    match document.token(idx + 1)?.kind {
        TokenKind::Punct(b'(') => function_declaration(document, functions, idx),
        TokenKind::Punct(b';' | b'=' | b',' | b')' | b'[' | b'{' | b':' | b']' | b'>') => {
            declarator(document, document.token(idx)?.range())
        }
        _ => None,
    }
}

fn type_declaration(document: &Document, keyword: TokenIdx, idx: TokenIdx) -> Option<Declaration> {
    let follows = document.token(idx + 1)?.kind;
    match (document.token_text(keyword), follows) {
        ("using", TokenKind::Punct(b'=')) => Some(Declaration::Alias),
        ("using", _) => None,
        (_, TokenKind::Punct(b'{' | b':')) => Some(Declaration::Definition),
        // A parameter of a template.
        ("class" | "typename", TokenKind::Punct(b'>' | b',' | b'=')) => Some(Declaration::Variable),
        (_, TokenKind::Punct(b';')) => Some(Declaration::Prototype),
        _ => None,
    }
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
    // Within a function body `n * cudaX(…)` is an expression, but a local class has members.
    let kind = declaring_kind(document, document.token(name)?.range());
    if functions.around(name).is_some() {
        return matches!(kind, Some("field_declaration" | "function_definition")).then_some(Declaration::Variable);
    }
    // A member function is the class's own, whatever it is called.
    Some(if kind == Some("field_declaration") { Declaration::Variable } else { Declaration::Prototype })
}

/// Whether the name at `idx` is a parameter of the macro that a `#define` defines.
fn is_macro_parameter(document: &Document, idx: TokenIdx) -> bool {
    let Some(directive) = document.directive_of(idx).filter(|directive| directive.kind == DirectiveKind::Define) else {
        return false;
    };
    let open = directive.tokens.start + 3;
    let touches = document.token(open - 1).map(|name| name.end) == document.token(open).map(|open| open.start);
    touches && document.is(open, b'(') && document.partner(open).is_some_and(|close| (open..close).contains(&idx))
}

/// Asks the tree whether the identifier at `range` is being declared.
fn declarator(document: &Document, range: TextRange) -> Option<Declaration> {
    match declaring_kind(document, range)? {
        "type_definition" => Some(Declaration::Alias),
        "declaration"
        | "field_declaration"
        | "parameter_declaration"
        | "optional_parameter_declaration"
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
    ) {
        parent = parent.parent()?;
    }
    Some(parent.kind())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check_declared(text: &str, expected: &[(&str, Declaration)]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let declared = Declared::of(&document, &Functions::of(&document));
        let names = declared.iter().filter(|name| looks_like_cuda(name));
        let mut seen: Vec<_> = names.map(|name| (name, declared.get(name).unwrap())).collect();
        seen.sort_unstable_by_key(|(name, _)| *name);
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn declarations_are_told_from_uses() {
        use Declaration::{Alias, Definition, Macro, Prototype, Using, Variable};
        check_declared("#define CUDA_CHECK(x) x", &[("CUDA_CHECK", Macro)]);
        check_declared("void cudaGaugeField() { }", &[("cudaGaugeField", Definition)]);
        check_declared("class cudaGaugeField { int x; };", &[("cudaGaugeField", Definition)]);
        check_declared("typedef struct CUstream_st* cudaStream_t;", &[("cudaStream_t", Alias)]);
        check_declared("using cudaX_t = int;", &[("cudaX_t", Alias)]);
        check_declared("using ::a::b::cudaFree; using a::cudaMemset;", &[("cudaFree", Using), ("cudaMemset", Using)]);
        check_declared("enum class E : int { cudaA = 1, cudaB };", &[("cudaA", Variable), ("cudaB", Variable)]);
        check_declared("struct CUstream_st;", &[("CUstream_st", Prototype)]);
        check_declared(
            "void f(cudaStream_t cuStream, int cudaDev = 0);",
            &[("cuStream", Variable), ("cudaDev", Variable)],
        );
        check_declared("struct S { int cudaMemcpy; };", &[("cudaMemcpy", Variable)]);
        check_declared("int f() { return n * cudaMemcpyDefault; }", &[]);
        check_declared("void f() { cudaMalloc(&p, n); else cudaFree(p); x = cudaSuccess; g(a * cudaFoo); }", &[]);
        check_declared("class C { void cudaMallocHost(int); };", &[("cudaMallocHost", Variable)]);
        check_declared("cudaError_t cudaMalloc(void**, size_t);", &[("cudaMalloc", Prototype)]);
    }
}
