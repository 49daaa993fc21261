//! Where a file calls something of its own by CUDA's name for the size of a warp.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::conditions::Conditions;
use super::declaring::declaration_at;
use super::expression::Expression;
use super::functions::Functions;
use super::scopes::{Place, Scopes};
use super::truth::{Definition, Value, evaluate};
use crate::source::Spans;
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, statement_start, words};

/// CUDA's name for the size of a warp in device code.
pub(super) const WAVE_SIZE: &str = "warpSize";

/// The tokens that name a `warpSize` of the file's own: those that declare one, and those that see such a declaration which
/// nvcc reads, too. A member of another object, behind a `.`, may be among them.
pub(super) fn own_wave_sizes(document: &Document, functions: &Functions) -> Spans<TokenIdx> {
    let declared = declarations(document, functions);
    if declared.is_empty() {
        return Spans::default();
    }
    let scopes = Scopes::of(document);
    let own = OwnSizes::of(document, &scopes, &declared);
    let uses = words(document, WAVE_SIZE).filter(|&idx| own.are_seen_at(document, &scopes, idx));
    uses.chain(declared.iter().copied()).map(|idx| idx..idx + 1).collect()
}

/// Where declarations are seen.
struct OwnSizes {
    /// In parts of the file.
    local: Spans<TokenIdx>,
    /// In namespaces and classes, by their paths, from a token on.
    named: FxHashMap<String, TokenIdx>,
}

impl OwnSizes {
    fn of(document: &Document, scopes: &Scopes, declared: &[TokenIdx]) -> OwnSizes {
        let skipped = skipped_by_nvcc(document);
        let (mut local, mut named) = (Vec::new(), FxHashMap::default());
        for &idx in declared.iter().filter(|&&idx| !skipped.contains(idx) && !repeats_cudas(document, idx)) {
            if let Some(macros) = range_of_macro(document, idx) {
                local.push(macros);
                continue;
            }
            // A member is seen in all of its class, any other name behind its declaration.
            let is_member = scopes.is_in_class(idx);
            match scopes.place_of(document, idx) {
                Place::Local(range) => local.push(if is_member { range } else { idx..range.end }),
                Place::Named(path) => {
                    let from = named.entry(path).or_insert(idx);
                    *from = if is_member { 0 } else { idx.min(*from) };
                }
            }
        }
        OwnSizes { local: local.into_iter().collect(), named }
    }

    fn are_seen_at(&self, document: &Document, scopes: &Scopes, idx: TokenIdx) -> bool {
        if self.local.contains(idx) {
            return true;
        }
        if self.named.is_empty() {
            return false;
        }
        let searched = scopes.searched_at(document, idx);
        // A file may have many of the one or of the other.
        if self.named.len() < searched.most() {
            self.named.iter().any(|(path, &from)| from <= idx && searched.contains(path))
        } else {
            searched.paths().any(|path| self.named.get(&path).is_some_and(|&from| from <= idx))
        }
    }
}

/// Where the file declares the name, as whatever: as a macro, an enumerator, a variable, a parameter, a member.
fn declarations(document: &Document, functions: &Functions) -> Vec<TokenIdx> {
    let mut found = Vec::new();
    if words(document, WAVE_SIZE).next().is_none() {
        return found;
    }
    let mut open: Vec<TokenIdx> = Vec::new();
    for (idx, token) in document.tokens().iter().enumerate() {
        match token.kind {
            TokenKind::Punct(b'(' | b'[' | b'{') => open.push(idx),
            TokenKind::Punct(b')' | b']' | b'}') => _ = open.pop(),
            TokenKind::Ident if document.token_text(idx) == WAVE_SIZE => {
                let is_declared = || declaration_at(document, functions, idx, open.last().copied()).is_some();
                let is_enumerator = || open.last().is_some_and(|&open| is_enumerator(document, open, idx));
                if macro_of(document, idx).is_some() || is_declared() || is_enumerator() {
                    found.push(idx);
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether the braces that open at `open` are those of an enumeration, and the name at `idx` one of its values.
fn is_enumerator(document: &Document, open: TokenIdx, idx: TokenIdx) -> bool {
    let starts = document.is(idx - 1, b'{') || document.is(idx - 1, b',');
    let head = (statement_start(document, open)..open).any(|at| document.token_text(at) == "enum");
    starts && document.is(open, b'{') && head
}

/// The number of the directive that defines the name at `idx` as a macro.
fn macro_of(document: &Document, idx: TokenIdx) -> Option<usize> {
    let number = document.directives().partition_point(|directive| directive.tokens.end <= idx);
    let directive = document.directives().get(number)?;
    (directive.kind == DirectiveKind::Define && directive.tokens.start + 2 == idx).then_some(number)
}

/// From the `#define` of the name at `idx` to its `#undef`, or to the end of the file.
fn range_of_macro(document: &Document, idx: TokenIdx) -> Option<Range<TokenIdx>> {
    let after = document.directives().get(macro_of(document, idx)? + 1..).unwrap_or_default();
    let is_end = |name: TokenIdx| document.token_text(name) == WAVE_SIZE;
    let undef = after.iter().find(|it| it.kind == DirectiveKind::Undef && is_end(it.tokens.start + 2));
    Some(idx..undef.map_or(document.tokens().len(), |directive| directive.tokens.start))
}

/// Whether a declaration is CUDA's own once more, for editors: `extern const int warpSize;`
fn repeats_cudas(document: &Document, idx: TokenIdx) -> bool {
    document.is(idx + 1, b';') && document.token_text(statement_start(document, idx)) == "extern"
}

/// The parts of the file that nvcc skips: what is for HIP, or for compilers that do not know CUDA.
fn skipped_by_nvcc(document: &Document) -> Spans<TokenIdx> {
    let macros = |name: TokenIdx| match document.token_text(name) {
        "__CUDACC__" | "__NVCC__" => Definition::Defined(Value::Unknown),
        "__HIP__" | "__HIPCC__" | "__HIP_PLATFORM_AMD__" | "__HIP_PLATFORM_HCC__" => Definition::Undefined,
        _ => Definition::Unknown,
    };
    let conditions = Conditions::of(document);
    let truth = |condition: &Expression| evaluate(condition, &macros).truth();
    conditions.chains().iter().flat_map(|chain| chain.skipped(truth)).collect()
}
