//! Macros of a file that open namespaces, close them or make a class: `#define BEGIN namespace n {`, `#define CLASS(n) struct n`.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::syntax::{Document, MacroDefinition, TokenIdx, TokenKind};

/// A namespace that a macro opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Opened {
    /// Its name in the definition of the macro.
    Named(Range<TokenIdx>),
    /// The macro's argument of that number names it.
    Argument(usize),
    /// It has no name, or is inline.
    Unnamed,
}

/// Where the name of a class stands that a macro begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClassName {
    /// Behind the macro.
    Follows,
    /// It is the macro's argument of that number.
    Argument(usize),
}

/// The macros of a file, by their names.
#[derive(Debug, Default)]
pub(super) struct ScopeMacros {
    opened: FxHashMap<String, Vec<Opened>>,
    closed: FxHashMap<String, usize>,
    classes: FxHashMap<String, ClassName>,
}

impl ScopeMacros {
    pub(super) fn of(document: &Document) -> ScopeMacros {
        let mut macros = ScopeMacros::default();
        for defined in MacroDefinition::all(document) {
            match document.token_text(defined.body.start) {
                _ if defined.body.is_empty() => {}
                "namespace" | "inline" => macros.add_opened(document, &defined),
                "}" => macros.add_closed(document, &defined),
                "class" | "struct" | "union" => macros.add_class(document, &defined),
                _ => {}
            }
        }
        macros
    }

    /// The namespaces that a macro opens, outermost first.
    pub(super) fn opened(&self, name: &str) -> &[Opened] {
        self.opened.get(name).map_or(&[], Vec::as_slice)
    }

    /// How many braces a macro closes.
    pub(super) fn closed(&self, name: &str) -> usize {
        self.closed.get(name).copied().unwrap_or(0)
    }

    /// Of a macro that stands for the start of a class: where the name of that is.
    pub(super) fn name_of_class(&self, name: &str) -> Option<ClassName> {
        self.classes.get(name).copied()
    }

    fn add_opened(&mut self, document: &Document, defined: &MacroDefinition) {
        let mut opened = Vec::new();
        let mut start = defined.body.start;
        while start < defined.body.end {
            let is_inline = document.token_text(start) == "inline";
            let keyword = if is_inline { start + 1 } else { start };
            let brace = (keyword..defined.body.end).find(|&idx| document.is(idx, b'{'));
            let Some(brace) = brace.filter(|_| document.token_text(keyword) == "namespace") else { return };
            let name = keyword + 1..brace;
            let argument = defined.parameter(document, document.token_text(name.start));
            opened.push(match argument {
                _ if is_inline || name.is_empty() => Opened::Unnamed,
                Some(number) => Opened::Argument(number),
                None => Opened::Named(name),
            });
            start = brace + 1;
        }
        self.opened.insert(document.name(defined.name).into_owned(), opened);
    }

    fn add_closed(&mut self, document: &Document, defined: &MacroDefinition) {
        let mut body = defined.body.clone();
        if body.all(|idx| document.is(idx, b'}') || document.is(idx, b';')) {
            let count = defined.body.clone().filter(|&idx| document.is(idx, b'}')).count();
            self.closed.insert(document.name(defined.name).into_owned(), count);
        }
    }

    fn add_class(&mut self, document: &Document, defined: &MacroDefinition) {
        // `#define NEXT struct s *next;` is no start of a class.
        let is_head = |idx| !matches!(document.kind(idx), Some(TokenKind::Punct(b'*' | b'&' | b';' | b'{' | b'=')));
        if !defined.body.clone().all(is_head) {
            return;
        }
        let name = defined.body.clone().find_map(|idx| defined.parameter(document, document.token_text(idx)));
        let name = name.map_or(ClassName::Follows, ClassName::Argument);
        self.classes.insert(document.name(defined.name).into_owned(), name);
    }
}
