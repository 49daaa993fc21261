//! Names that the file declares itself, so that a project's own name is never renamed.
//!
//! Functions with a body and macros are all known; variables, types and prototypes only where
//! their names are spelt like CUDA's.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::declaring::{Declaration, declaration_at, is_unread};
use super::functions::Functions;
use super::names::{WAVE_SIZE, looks_like_cuda};
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, split_arguments, words, words_that};

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
    /// The declaration that each declared token makes.
    by_token: FxHashMap<TokenIdx, Own>,
    /// Names that may be declared in statements that have no tree.
    unread: FxHashSet<String>,
}

impl Declared {
    pub(super) fn of(document: &Document, functions: &Functions) -> Declared {
        let mut declared = Declared::default();
        let own = functions.iter().filter(|function| !function.is_written_overload(document));
        for name in own.filter_map(|function| function.name) {
            declared.add(document, name, Declaration::Definition);
        }
        for directive in document.directives().iter().filter(|d| d.kind == DirectiveKind::Define) {
            declared.add(document, directive.tokens.start + 2, Declaration::Macro);
        }
        declared.add_enumerators(document);
        declared.add_aliases(document);
        for (idx, bracket) in in_brackets(document, cudas_names(document)) {
            if let Some(declaration) = declaration_at(document, functions, idx, bracket) {
                declared.add(document, idx, declaration);
            } else if is_unread(document, idx, bracket) {
                declared.unread.insert(document.name(idx).into_owned());
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

    /// The declaration whose name is the token.
    pub fn at(&self, token: TokenIdx) -> Option<Own> {
        self.by_token.get(&token).copied()
    }

    /// Whether `name` may be declared in a statement that is too deep to be read.
    pub fn is_unread(&self, name: &str) -> bool {
        self.unread.contains(name)
    }

    /// All declared names.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    fn add_enumerators(&mut self, document: &Document) {
        for keyword in words(document, "enum") {
            let Some(open) = enumerators(document, keyword) else { continue };
            let Some(close) = document.partner(open).filter(|&close| close > open) else { continue };
            for enumerator in split_arguments(document, open + 1..close) {
                // Each branch of a condition may begin one.
                let is_code = |idx: TokenIdx| document.directive_of(idx).is_none();
                let begins = |idx: &TokenIdx| is_code(*idx) && (*idx == enumerator.start || !is_code(*idx - 1));
                for token in enumerator.clone().filter(begins) {
                    if is_cudas(&document.name(token)) {
                        self.add(document, token, Declaration::Variable);
                    }
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
            if document.token_text(keyword + 1) == "enum" {
                continue;
            }
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
        for all in self.names.values_mut() {
            all.retain(|&own| match self.by_token.entry(own.token) {
                Entry::Vacant(place) => {
                    place.insert(own);
                    true
                }
                Entry::Occupied(_) => false,
            });
        }
    }
}

/// The brace behind `enum class Name : type`, and not behind `enum Name f();`, `enum Name f(int) {` or `enum Name x{`.
fn enumerators(document: &Document, keyword: TokenIdx) -> Option<TokenIdx> {
    let ends = |idx: TokenIdx| matches!(document.token_text(idx), ";" | "=" | "{" | "(" | ")");
    let open = (keyword + 1..keyword + 8).find(|&idx| ends(idx)).filter(|&idx| document.is(idx, b'{'))?;
    let mut words = (keyword + 1..open).take_while(|&idx| !document.is(idx, b':')).filter(|&idx| {
        let is_path = document.kind(idx + 1) == Some(TokenKind::PathSep);
        document.kind(idx) == Some(TokenKind::Ident)
            && !is_path
            && !matches!(document.token_text(idx), "class" | "struct")
    });
    (words.next().is_none() || words.next().is_none()).then_some(open)
}

/// The identifiers that are spelt like CUDA's, in the order of the text.
fn cudas_names(document: &Document) -> Vec<TokenIdx> {
    words_that(document, |name| is_cudas(name) || name.starts_with("curand_") || name == "curand")
}

/// Each of `wanted` with the innermost bracket that is open there.
fn in_brackets(document: &Document, wanted: Vec<TokenIdx>) -> impl Iterator<Item = (TokenIdx, Option<TokenIdx>)> {
    let mut kinds = (0..).zip(document.tokens().kinds());
    let mut open: Vec<TokenIdx> = Vec::new();
    wanted.into_iter().map(move |idx| {
        for (at, kind) in kinds.by_ref().take_while(|(at, _)| *at < idx) {
            match kind {
                TokenKind::Punct(b'(' | b'[' | b'{') => open.push(at),
                TokenKind::Punct(b')' | b']' | b'}') => _ = open.pop(),
                _ => {}
            }
        }
        (idx, open.last().copied())
    })
}

/// Whether a name is one of CUDA's by its spelling, or the variable that is not spelt so.
fn is_cudas(name: &str) -> bool {
    looks_like_cuda(name) || name == WAVE_SIZE
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
        for text in
            ["enum cudaE f(); struct { cudaF e; } x;", "enum cudaE x{cudaF};", "enum cudaE f(int x) { cudaF(0); }"]
        {
            check_declared(text, &[]);
        }
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
