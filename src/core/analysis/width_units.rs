//! The parts of a file that have one width of a warp each: functions, macros, and what is declared around them.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::{FxHashSet, FxHasher};

use super::functions::{Function, Functions, ends_access_specifier};
use super::warp_words::is_warp_function;
use crate::syntax::{Directive, DirectiveKind, Document, TokenIdx, TokenKind};

/// A name, as a number that is the same in all files.
pub(super) type NameHash = u64;

/// The hash of a name.
fn hash(name: &str) -> NameHash {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    hasher.finish()
}

/// Where the code of a unit runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitSide {
    /// A kernel: the host only starts it.
    Kernel,
    /// Device code only.
    Device,
    /// Host code only.
    Host,
    /// Both, or it is a macro, a type, a constant.
    Any,
}

/// A function, a macro or another declaration: all of it counts on one width of a warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WidthUnit {
    /// Its tokens.
    pub tokens: Range<TokenIdx>,
    /// The name of a function.
    pub function: Option<TokenIdx>,
    /// The names that it declares for others; several variables in one statement, none for an assertion.
    pub names: FxHashSet<NameHash>,
    /// The names that stand in it, those among them.
    pub mentions: FxHashSet<NameHash>,
    /// Where it runs.
    pub side: UnitSide,
    /// Whether it calls functions about the lanes of a warp.
    pub uses_lanes: bool,
}

/// The units of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WidthUnits {
    /// Functions and other declarations in the order of the text; none lies within another.
    units: Vec<WidthUnit>,
    /// Macros in the order of the text, wherever they stand.
    macros: Vec<WidthUnit>,
}

impl WidthUnits {
    /// The units of a file.
    pub fn of(document: &Document, functions: &Functions) -> WidthUnits {
        let defines = document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define);
        WidthUnits {
            units: Outline { document, functions, units: Vec::new(), start: 0 }.read(),
            macros: defines.map(|directive| macro_unit(document, directive)).collect(),
        }
    }

    /// All units; the number of each is its place here.
    pub fn iter(&self) -> impl Iterator<Item = &WidthUnit> {
        self.units.iter().chain(&self.macros)
    }

    /// The number of the unit that a token belongs to.
    pub fn number_at(&self, idx: TokenIdx) -> Option<usize> {
        let holding = |units: &[WidthUnit]| {
            let after = units.partition_point(|unit| unit.tokens.start <= idx);
            after.checked_sub(1).filter(|&at| units[at].tokens.contains(&idx))
        };
        holding(&self.macros).map(|at| self.units.len() + at).or_else(|| holding(&self.units))
    }
}

/// Reads what stands outside of functions, statement by statement.
struct Outline<'d> {
    document: &'d Document,
    functions: &'d Functions,
    units: Vec<WidthUnit>,
    /// Where the statement at hand starts.
    start: TokenIdx,
}

impl Outline<'_> {
    fn read(mut self) -> Vec<WidthUnit> {
        let mut idx = 0;
        while let Some(token) = self.document.token(idx) {
            if let Some(function) = self.functions.starting_at(idx) {
                self.end(idx);
                self.units.push(function_unit(self.document, function));
                idx = self.begin(function.body.end);
                continue;
            }
            idx = match token.kind {
                TokenKind::Hash => {
                    let end = self.document.directive_of(idx).map_or(idx + 1, |directive| directive.tokens.end);
                    if idx == self.start { self.begin(end) } else { end }
                }
                TokenKind::Punct(b';') => self.end(idx + 1),
                TokenKind::Punct(b'}') => self.begin(idx + 1),
                TokenKind::Punct(b'{') => self.brace(idx),
                TokenKind::Punct(b':') if ends_access_specifier(self.document, idx) => self.begin(idx + 1),
                _ => idx + 1,
            };
        }
        self.units
    }

    /// Begins a statement, whose first token is given back.
    fn begin(&mut self, at: TokenIdx) -> TokenIdx {
        self.start = at;
        at
    }

    /// Ends a statement in front of a token, which is given back.
    fn end(&mut self, end: TokenIdx) -> TokenIdx {
        let tokens = self.start..end;
        if tokens.clone().any(|idx| self.document.kind(idx) == Some(TokenKind::Ident)) {
            self.units.push(declaration_unit(self.document, tokens));
        }
        self.begin(end)
    }

    /// Goes into namespaces and classes, and past initialisers and enumerators.
    fn brace(&mut self, open: TokenIdx) -> TokenIdx {
        if self.opens_scope(open) {
            self.end(open);
            return self.begin(open + 1);
        }
        self.document.partner(open).filter(|&close| close > open).map_or(open + 1, |close| close + 1)
    }

    fn opens_scope(&self, open: TokenIdx) -> bool {
        let is_extern = open > self.start && self.document.kind(open - 1) == Some(TokenKind::Str);
        let mut head = (self.start..open).map(|idx| self.document.token_text(idx));
        let is_list = head.clone().any(|word| matches!(word, "enum" | "="));
        is_extern || (!is_list && head.any(|word| matches!(word, "namespace" | "class" | "struct" | "union")))
    }
}

fn function_unit(document: &Document, function: &Function) -> WidthUnit {
    let side = match function {
        Function { is_kernel: true, .. } => UnitSide::Kernel,
        Function { is_device: true, is_host: true, .. } => UnitSide::Any,
        Function { is_device: true, .. } => UnitSide::Device,
        _ => UnitSide::Host,
    };
    let tokens = function.head.start..function.body.end;
    let names = function.name.map(|name| hash(document.token_text(name))).into_iter().collect();
    WidthUnit { function: function.name, names, side, ..unit(document, tokens) }
}

fn macro_unit(document: &Document, directive: &Directive) -> WidthUnit {
    let name = directive.tokens.start + 2;
    let names = std::iter::once(hash(document.token_text(name))).collect();
    WidthUnit { names, ..unit(document, directive.tokens.clone()) }
}

fn declaration_unit(document: &Document, tokens: Range<TokenIdx>) -> WidthUnit {
    // A prototype has the side of its function.
    let has = |word: &str| tokens.clone().any(|idx| document.token_text(idx) == word);
    let side = if has("__global__") {
        UnitSide::Kernel
    } else if has("__device__") && !has("__host__") {
        UnitSide::Device
    } else {
        UnitSide::Any
    };
    WidthUnit { names: declared(document, tokens.clone()), side, ..unit(document, tokens) }
}

fn unit(document: &Document, tokens: Range<TokenIdx>) -> WidthUnit {
    let idents = || tokens.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
    let uses_lanes = idents().any(|idx| is_warp_function(document.token_text(idx)));
    let mentions = idents().map(|idx| hash(document.token_text(idx))).collect();
    WidthUnit { function: None, names: FxHashSet::default(), mentions, side: UnitSide::Any, uses_lanes, tokens }
}

/// The names of a statement that stand where a declarator ends, or where the members of a class begin.
fn declared(document: &Document, tokens: Range<TokenIdx>) -> FxHashSet<NameHash> {
    let mut names = FxHashSet::default();
    let mut idx = tokens.start;
    while idx < tokens.end {
        let text = document.token_text(idx);
        let is_name = document.kind(idx) == Some(TokenKind::Ident) && !text.starts_with("__") && !is_operator(text);
        let ends = idx + 1 == tokens.end || b"(;=,[{}:".iter().any(|&sign| document.is(idx + 1, sign));
        if is_name && ends {
            names.insert(hash(text));
        }
        let close = document.partner(idx).filter(|&close| close > idx && document.is(idx, b'('));
        idx = close.unwrap_or(idx) + 1;
    }
    names
}

/// Words that stand in front of a parenthesis and declare nothing.
fn is_operator(word: &str) -> bool {
    matches!(word, "static_assert" | "_Static_assert" | "sizeof" | "alignas" | "alignof" | "decltype" | "noexcept")
}
