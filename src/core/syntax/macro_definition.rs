//! The parts of a `#define`.

use std::ops::Range;

use super::directive::{Directive, DirectiveKind};
use super::document::Document;
use super::token::{TokenIdx, TokenKind};

/// A macro that a file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroDefinition {
    /// Its name.
    pub name: TokenIdx,
    /// From the `(` of its parameters to the `)`; empty if it takes none.
    pub parameters: Range<TokenIdx>,
    /// What it stands for.
    pub body: Range<TokenIdx>,
}

impl MacroDefinition {
    /// The parts of a directive that defines a macro.
    pub fn of(document: &Document, define: &Directive) -> Option<MacroDefinition> {
        let name = define.tokens.start + 2;
        if define.kind != DirectiveKind::Define || document.kind(name) != Some(TokenKind::Ident) {
            return None;
        }
        let (open, end) = (name + 1, define.tokens.end);
        let touches = document.token(name).map(|name| name.end) == document.token(open).map(|open| open.start);
        let close = document.partner(open).filter(|&close| touches && document.is(open, b'(') && close < end);
        let after = close.map_or(open, |close| close + 1);
        Some(MacroDefinition { name, parameters: open..after, body: after.min(end)..end })
    }

    /// All macros of a file.
    pub fn all(document: &Document) -> impl Iterator<Item = MacroDefinition> {
        document.directives().iter().filter_map(|directive| MacroDefinition::of(document, directive))
    }

    /// The number of the parameter called `word`.
    pub fn parameter(&self, document: &Document, word: &str) -> Option<usize> {
        let names = self.parameters.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
        names.map(|idx| document.token_text(idx)).position(|name| name == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check(text: &str, body: &str, parameters: &[&str]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let found = MacroDefinition::all(&document).next().unwrap();
        let numbers: Vec<_> = parameters.iter().map(|name| found.parameter(&document, name)).collect();
        assert_eq!(numbers, (0..parameters.len()).map(Some).collect::<Vec<_>>(), "{text}");
        assert_eq!(document.slice(document.range_of(found.body)), body, "{text}");
    }

    #[test]
    fn a_definition_has_a_name_parameters_and_a_body() {
        check("#define A", "", &[]);
        check("#define A b c", "b c", &[]);
        check("#define A (b)", "(b)", &[]);
        check("#define A() b", "b", &[]);
        check("#define A(b, ...) b##c", "b##c", &["b"]);
        check("#define A(b, \\\n c) b + \\\n c", "b + \\\n c", &["b", "c"]);
        check("#define A(b", "(b", &[]);
    }
}
