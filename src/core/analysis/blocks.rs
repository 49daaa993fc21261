//! Which braces lie around a place, and what stands in front of them.

use crate::syntax::{Document, TokenIdx, TokenKind};

/// The braces of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocks {
    /// From which token on which block is the innermost, in the order of the text.
    around: Vec<(TokenIdx, Option<usize>)>,
    blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    open: TokenIdx,
    is_class: bool,
    /// The innermost brace, itself or around it, with specifiers of its own.
    specified: Option<TokenIdx>,
}

/// What stands between a brace and the statement before it.
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    names_class: bool,
    holds_specifier: bool,
}

impl Blocks {
    pub(super) fn of(document: &Document) -> Blocks {
        let mut blocks = Blocks::default();
        let mut head = Head::default();
        for (idx, token) in document.tokens().iter().enumerate() {
            match token.kind {
                TokenKind::Punct(b'{') => blocks.open(idx, std::mem::take(&mut head)),
                TokenKind::Punct(sign @ (b'}' | b')' | b']')) => {
                    blocks.close(idx, document.partner(idx));
                    if sign == b'}' {
                        head = Head::default();
                    }
                }
                TokenKind::Punct(b';') => head = Head::default(),
                TokenKind::Ident if token.end - token.start > 2 => head.add(document.token_text(idx)),
                _ => {}
            }
        }
        blocks
    }

    fn open(&mut self, idx: TokenIdx, head: Head) {
        let outer = self.innermost(idx).and_then(|outer| outer.specified);
        let specified = if head.holds_specifier { Some(idx) } else { outer };
        self.around.push((idx + 1, Some(self.blocks.len())));
        self.blocks.push(Block { open: idx, is_class: head.names_class, specified });
    }

    /// Behind a bracket that closes, things are as they were in front of its partner.
    fn close(&mut self, idx: TokenIdx, partner: Option<TokenIdx>) {
        let Some(partner) = partner.filter(|&open| open < idx) else { return };
        let (before, now) = (self.number_at(partner), self.number_at(idx));
        if before != now {
            self.around.push((idx + 1, before));
        }
    }

    fn number_at(&self, idx: TokenIdx) -> Option<usize> {
        let after = self.around.partition_point(|(from, _)| *from <= idx);
        self.around.get(after.checked_sub(1)?)?.1
    }

    fn innermost(&self, idx: TokenIdx) -> Option<&Block> {
        self.blocks.get(self.number_at(idx)?)
    }

    /// The innermost brace around a token.
    pub fn around(&self, idx: TokenIdx) -> Option<TokenIdx> {
        self.innermost(idx).map(|block| block.open)
    }

    /// Whether the innermost braces around a token are those of a class.
    pub fn is_in_class(&self, idx: TokenIdx) -> bool {
        self.innermost(idx).is_some_and(|block| block.is_class)
    }

    /// Whether a namespace without a name holds a token: nobody outside of the file sees what is declared there.
    pub fn is_in_unnamed_namespace(&self, document: &Document, idx: TokenIdx) -> bool {
        std::iter::successors(self.around(idx), |open| self.around(*open))
            .any(|open| open > 0 && document.token_text(open - 1) == "namespace")
    }

    /// The innermost brace around a token that follows specifiers of an execution space, a macro that may hold some, or
    /// the name of a class.
    pub(super) fn specified_around(&self, idx: TokenIdx) -> Option<TokenIdx> {
        self.innermost(idx).and_then(|block| block.specified)
    }
}

impl Head {
    /// `word` is longer than two letters, as all that is looked for.
    fn add(&mut self, word: &str) {
        // Most words begin otherwise.
        if !word.starts_with(['c', 's', 'u', '_']) && !word.starts_with(|first: char| first.is_ascii_uppercase()) {
            return;
        }
        let is_macro = || word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        self.names_class |= matches!(word, "class" | "struct" | "union");
        self.holds_specifier |=
            matches!(word, "__device__" | "__host__" | "__global__" | "class" | "struct") || is_macro();
    }
}
