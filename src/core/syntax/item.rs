//! Top-level items of a file, and their trees.

use std::cell::RefCell;
use std::sync::OnceLock;

use super::document::Document;
use super::mask::mask;
use super::parts::Item;
use super::token::{TokenIdx, TokenKind};
use crate::source::{TextRange, TextSize, range};

/// A part of an item that the grammar could not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseGap {
    /// The bytes under the error node.
    pub range: TextRange,
}

thread_local! {
    static PARSER: RefCell<Option<tree_sitter::Parser>> = RefCell::new(new_parser());
}

fn new_parser() -> Option<tree_sitter::Parser> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_cpp::LANGUAGE.into()).ok()?;
    Some(parser)
}

fn parse(text: &str) -> Option<tree_sitter::Tree> {
    PARSER.with_borrow_mut(|parser| parser.as_mut()?.parse(text, None))
}

impl Document {
    /// Top-level items: functions, declarations, classes. Namespaces are looked into.
    pub fn items(&self) -> &[Item] {
        self.items.get_or_init(|| split(self))
    }

    /// The item that `offset` lies in.
    pub fn item_at(&self, offset: TextSize) -> Option<&Item> {
        let after = self.items().partition_point(|item| item.range.start() <= offset);
        let item = self.items().get(after.checked_sub(1)?)?;
        item.range.contains_inclusive(offset).then_some(item)
    }
}

impl Item {
    fn new(range: TextRange) -> Item {
        Item { range, tree: OnceLock::new() }
    }

    /// The tree of this item's masked text, parsed on first use. Its offsets start at the item.
    ///
    /// There is none for an item with a statement in which more than 24 signs `<` are open.
    pub fn tree(&self, document: &Document) -> Option<&tree_sitter::Tree> {
        let read = || parse(&Some(mask(document, self.range)).filter(|text| open_angles(text) <= MOST_OPEN)?);
        self.tree.get_or_init(read).as_ref()
    }

    /// What the grammar could not read in this item, outermost errors only.
    pub fn gaps(&self, document: &Document) -> Vec<ParseGap> {
        let Some(tree) = self.tree(document) else { return Vec::new() };
        let mut gaps = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let is_gap = node.is_error() || node.is_missing();
            if is_gap {
                let base = usize::from(self.range.start());
                gaps.push(ParseGap { range: range(base + node.start_byte(), base + node.end_byte()) });
            }
            let descend = !is_gap && node.has_error() && cursor.goto_first_child();
            if descend {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return gaps;
                }
            }
        }
    }
}

/// A `<` that is not closed may compare or begin arguments of a template, and the parser follows both ways: each takes some
/// kilobytes of memory, and time that grows with those before it. Code that people write has a few open at a time.
const MOST_OPEN: usize = 24;

/// How many single `<` are open at most in one statement of a text.
fn open_angles(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_single = |at: usize| {
        let beside = [at.checked_sub(1), Some(at + 1)].map(|at| at.and_then(|at| bytes.get(at)));
        !beside.iter().any(|byte| matches!(byte, Some(b'<' | b'=')))
    };
    let (mut open, mut most) = (0_usize, 0);
    for at in memchr::memchr3_iter(b'<', b'>', b';', bytes) {
        match bytes[at] {
            b'<' if is_single(at) => open += 1,
            b'<' => {}
            b'>' if at.checked_sub(1).is_some_and(|before| bytes[before] == b'-') => {}
            b'>' => open = open.saturating_sub(1),
            _ => open = 0,
        }
        most = most.max(open);
    }
    most
}

/// Splits a document into items. Namespaces and `extern "C"` blocks are looked into.
fn split(document: &Document) -> Vec<Item> {
    let mut items = Vec::new();
    let mut start = None;
    let mut idx = 0;
    while let Some(token) = document.token(idx) {
        match token.kind {
            TokenKind::Hash => {
                idx = document.directive_of(idx).map_or(idx + 1, |directive| directive.tokens.end);
                continue;
            }
            TokenKind::Punct(b'{') => match close_of_item(document, start.unwrap_or(idx), idx) {
                Some(close) => {
                    idx = close;
                    let goes_on = document.token(idx + 1).is_some_and(|next| {
                        matches!(next.kind, TokenKind::Punct(b';' | b',' | b'=' | b'*' | b'{'))
                            || names_declarator(document, idx + 1)
                    });
                    if !goes_on {
                        push(document, &mut items, start.take().unwrap_or(idx)..idx + 1);
                    }
                }
                None => start = None,
            },
            TokenKind::Punct(b';') => {
                push(document, &mut items, start.take().unwrap_or(idx)..idx + 1);
            }
            TokenKind::Punct(b'}') => start = None,
            _ => {
                start.get_or_insert(idx);
                idx = match token.kind {
                    TokenKind::Punct(b'(' | b'[') => document.partner(idx).filter(|&close| close > idx).unwrap_or(idx),
                    _ => idx,
                };
            }
        }
        idx += 1;
    }
    if let Some(start) = start {
        push(document, &mut items, start..document.tokens().len());
    }
    items
}

/// `struct S { … } name;`: the item goes on after the brace when its head declares a type.
fn names_declarator(document: &Document, idx: TokenIdx) -> bool {
    document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident) && document.is(idx + 1, b';')
}

/// The brace that ends the body of an item, or `None` if the brace opens a namespace.
fn close_of_item(document: &Document, start: TokenIdx, open: TokenIdx) -> Option<TokenIdx> {
    let head = start..open;
    let opens_scope = head.clone().any(|idx| document.token_text(idx) == "namespace")
        || (document.token_text(start) == "extern" && head.len() == 2);
    if opens_scope {
        return None;
    }
    Some(document.partner(open).filter(|&close| close > open).unwrap_or(document.tokens().len() - 1))
}

fn push(document: &Document, items: &mut Vec<Item>, tokens: std::ops::Range<TokenIdx>) {
    let range = document.range_of(tokens);
    if !range.is_empty() {
        items.push(Item::new(range));
    }
}
