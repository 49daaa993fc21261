//! Names that the file declares itself, so that a project's own name is never renamed.
//!
//! Functions with a body and macros are all known; variables, types and prototypes only where
//! their names are spelt like CUDA's.

use rustc_hash::FxHashMap;

use super::functions::Functions;
use super::names::{Role, looks_like_cuda, role};
use crate::source::TextRange;
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, split_arguments};

/// How a name is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declaration {
    /// `#define`
    Macro,
    /// A function with a body, or a type with one.
    Definition,
    /// A variable, parameter, member, enumerator or alias.
    Variable,
    /// A declaration without body, which may as well repeat one of CUDA's.
    Prototype,
}

/// The names declared in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declared {
    names: FxHashMap<String, Declaration>,
}

impl Declared {
    pub(super) fn of(document: &Document, functions: &Functions) -> Declared {
        let mut declared = Declared::default();
        for name in functions.iter().filter_map(|function| function.name) {
            declared.add(document.name(name).into_owned(), Declaration::Definition);
        }
        for directive in document.directives().iter().filter(|d| d.kind == DirectiveKind::Define) {
            declared.add(document.name(directive.tokens.start + 2).into_owned(), Declaration::Macro);
        }
        declared.add_enumerators(document);
        for (idx, token) in document.tokens().iter().enumerate() {
            let starts_like_cuda =
                matches!(document.text().as_bytes()[token.start as usize], b'c' | b'C' | b'n' | b'N');
            if token.kind != TokenKind::Ident || !starts_like_cuda {
                continue;
            }
            let name = document.name(idx);
            if !looks_like_cuda(&name) {
                continue;
            }
            if let Some(declaration) = declaration_at(document, functions, idx) {
                declared.add(name.into_owned(), declaration);
            }
        }
        declared
    }

    /// How the file declares `name`.
    pub fn get(&self, name: &str) -> Option<Declaration> {
        self.names.get(name).copied()
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
                    self.add(name.into_owned(), Declaration::Variable);
                }
            }
        }
    }

    fn add(&mut self, name: String, declaration: Declaration) {
        let known = self.names.entry(name).or_insert(declaration);
        if *known == Declaration::Prototype {
            *known = declaration;
        }
    }
}

fn declaration_at(document: &Document, functions: &Functions, idx: TokenIdx) -> Option<Declaration> {
    match role(document, idx) {
        Role::Free => {}
        _ => return None,
    }
    let before = document.before(idx)?;
    if let "struct" | "class" | "enum" | "union" | "using" | "namespace" = document.token_text(before) {
        return type_declaration(document, before, idx);
    }
    if !may_end_type(document, before) {
        return None;
    }
    match document.token(idx + 1)?.kind {
        TokenKind::Punct(b'(') => function_declaration(document, functions, idx),
        TokenKind::Punct(b';' | b'=' | b',' | b')' | b'[' | b'{' | b':') => {
            declarator(document, document.token(idx)?.range())
        }
        _ => None,
    }
}

fn type_declaration(document: &Document, keyword: TokenIdx, idx: TokenIdx) -> Option<Declaration> {
    let follows = document.token(idx + 1)?.kind;
    match (document.token_text(keyword), follows) {
        ("using", TokenKind::Punct(b'=')) => Some(Declaration::Variable),
        ("using", _) => None,
        (_, TokenKind::Punct(b'{' | b':')) => Some(Declaration::Definition),
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
    // Within a function body `n * cudaX(…)` is an expression.
    let in_body = functions.around(name).is_some();
    let close = document.partner(name + 1)?;
    if in_body || !document.is(close + 1, b';') {
        return None;
    }
    // A member function is the class's own, whatever it is called.
    let is_member = declaring_kind(document, document.token(name)?.range()) == Some("field_declaration");
    Some(if is_member { Declaration::Variable } else { Declaration::Prototype })
}

/// Asks the tree whether the identifier at `range` is being declared.
fn declarator(document: &Document, range: TextRange) -> Option<Declaration> {
    match declaring_kind(document, range)? {
        "type_definition"
        | "declaration"
        | "field_declaration"
        | "parameter_declaration"
        | "optional_parameter_declaration" => Some(Declaration::Variable),
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
    if ["type", "value", "size", "default_value"].into_iter().any(is_field) {
        return None;
    }
    while matches!(
        parent.kind(),
        "init_declarator" | "pointer_declarator" | "reference_declarator" | "array_declarator" | "function_declarator"
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
        let like_cuda = |(name, _): &(&String, &Declaration)| looks_like_cuda(name);
        let mut seen: Vec<_> =
            declared.names.iter().filter(like_cuda).map(|(name, how)| (name.as_str(), *how)).collect();
        seen.sort_unstable_by_key(|(name, _)| *name);
        assert_eq!(seen, expected, "{text}");
    }

    #[test]
    fn declarations_are_told_from_uses() {
        use Declaration::{Definition, Macro, Prototype, Variable};
        check_declared("#define CUDA_CHECK(x) x", &[("CUDA_CHECK", Macro)]);
        check_declared("void cudaGaugeField() { }", &[("cudaGaugeField", Definition)]);
        check_declared("class cudaGaugeField { int x; };", &[("cudaGaugeField", Definition)]);
        check_declared("typedef struct CUstream_st* cudaStream_t;", &[("cudaStream_t", Variable)]);
        check_declared("using cudaX_t = int;", &[("cudaX_t", Variable)]);
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
