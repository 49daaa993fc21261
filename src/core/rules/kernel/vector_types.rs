//! Which types of a file are CUDA's vectors, such as `float4`, by whatever name.

use rustc_hash::FxHashMap;

use crate::analysis::is_number_type;
use crate::mapping::{vector_of, vector_size};
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, words};

/// Other names of types in a file: `typedef float2 Complex;`, `using Complex = float2;`, `#define Complex float2`.
pub(super) struct VectorTypes<'d> {
    /// A name that is declared in several branches has several.
    aliases: FxHashMap<&'d str, Vec<&'d str>>,
}

/// Names that stand for each other are followed no further than this; code that people write has three at most.
const DEEPEST: u32 = 16;

impl<'d> VectorTypes<'d> {
    pub(super) fn of(document: &'d Document) -> VectorTypes<'d> {
        let mut types = VectorTypes { aliases: FxHashMap::default() };
        for keyword in words(document, "typedef") {
            let end = (keyword + 1..document.tokens().len()).find(|&idx| !is_word(document, idx));
            if let Some(end) = end.filter(|&end| document.is(end, b';') && end > keyword + 2) {
                types.add(document, end - 1, keyword + 1..end - 1);
            }
        }
        for keyword in words(document, "using").filter(|&keyword| document.is(keyword + 2, b'=')) {
            let end = (keyword + 3..document.tokens().len()).find(|&idx| !is_word(document, idx));
            if let Some(end) = end.filter(|&end| document.is(end, b';')) {
                types.add(document, keyword + 1, keyword + 3..end);
            }
        }
        for directive in document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define) {
            // `#`, `define`, the name, and one word.
            let name = directive.tokens.start + 2;
            if directive.tokens.end == name + 2 {
                types.add(document, name, name + 1..name + 2);
            }
        }
        types
    }

    fn add(&mut self, document: &'d Document, name: TokenIdx, of: std::ops::Range<TokenIdx>) {
        let mut words = of.map(|idx| document.token_text(idx)).filter(|word| !matches!(*word, "const" | "struct"));
        if let (Some(word), None) = (words.next(), words.next()) {
            self.aliases.entry(document.token_text(name)).or_default().push(word);
        }
    }

    /// The vector that a type is, at least in one branch of the file: `float2` for `Complex`.
    pub(super) fn vector<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        self.find(name, &|name| vector_of(name).or_else(|| vector_size(name).map(|_| name)), DEEPEST)
    }

    /// Whether a type is a number: `float`, or another name of it.
    pub(super) fn is_number(&self, name: &str) -> bool {
        self.find(name, &|name| is_number_type(name).then_some(name), DEEPEST).is_some()
    }

    fn find<'n>(&'n self, name: &'n str, wanted: &impl Fn(&'n str) -> Option<&'n str>, depth: u32) -> Option<&'n str> {
        let depth = depth.checked_sub(1)?;
        wanted(name).or_else(|| self.aliases.get(name)?.iter().find_map(|of| self.find(of, wanted, depth)))
    }
}

fn is_word(document: &Document, idx: TokenIdx) -> bool {
    document.kind(idx) == Some(TokenKind::Ident)
}
