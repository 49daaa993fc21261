//! Reads an `asm` statement: template text, operands, clobbers.

use std::ops::Range;

use super::literal;
use crate::rules::asm::{Asm, AsmKeyword};
use crate::source::TextRange;
use crate::syntax::{Document, TokenIdx, TokenKind, split_arguments};

/// Stands in the template where something other than a string literal supplies text.
pub(super) const HOLE: char = '\u{fffd}';

/// An `asm` statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// From the keyword to the closing parenthesis.
    pub(super) range: TextRange,
    /// The keyword.
    pub(super) keyword: TokenIdx,
    /// What the keyword is.
    pub(super) keyword_is: AsmKeyword,
    /// The instructions as one text, escapes decoded; [`HOLE`] where a macro supplies some.
    pub(super) template: String,
    /// Outputs, then inputs; `None` if a macro supplies some.
    pub(super) operands: Option<Vec<Operand>>,
    /// What the instructions change beyond their outputs.
    pub(super) clobbers: Vec<String>,
    /// No `:` follows the template.
    pub(super) is_basic: bool,
    /// A directive stands within the parentheses.
    pub(super) holds_directive: bool,
}

/// An operand `[name] "constraint" (expression)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operand {
    /// For `%[name]`.
    pub(super) name: Option<String>,
    /// Such as `=r`.
    pub(super) constraint: String,
    /// The tokens of the expression.
    pub(super) tokens: Range<TokenIdx>,
}

impl Operand {
    /// Whether it is written.
    pub(super) fn is_output(&self) -> bool {
        self.constraint.starts_with(['=', '+'])
    }

    /// Whether it is written and read.
    pub(super) fn is_in_and_out(&self) -> bool {
        self.constraint.starts_with('+')
    }

    /// The constraint without direction and modifiers.
    pub(super) fn class(&self) -> &str {
        self.constraint.trim_start_matches(['=', '+', '&', '%'])
    }
}

impl Statement {
    /// Reads the statement that the engine found.
    pub(super) fn read(document: &Document, asm: Asm) -> Statement {
        let sections = sections(document, asm.open + 1..asm.close);
        let mut sections_after = sections.iter().skip(1).cloned();
        let mut operands = Some(Vec::new());
        for _ in 0..2 {
            let section = sections_after.next().unwrap_or(asm.close..asm.close);
            operands = operands.zip(read_operands(document, section)).map(|(mut all, more): (Vec<_>, _)| {
                all.extend(more);
                all
            });
        }
        let clobbers = sections_after.next().unwrap_or(asm.close..asm.close);
        let own_directive = document.directive_of(asm.keyword).map(|directive| directive.range);
        Statement {
            range: document.range_of(asm.keyword..asm.close + 1),
            keyword: asm.keyword,
            keyword_is: asm.keyword_is,
            template: template(document, sections.first().cloned().unwrap_or(asm.close..asm.close)),
            operands,
            clobbers: strings(document, clobbers),
            is_basic: sections.len() < 2,
            holds_directive: (asm.open..asm.close).any(|idx| {
                document.token(idx).is_some_and(|token| token.kind == TokenKind::Hash)
                    && document.directive_of(idx).map(|directive| directive.range) != own_directive
            }),
        }
    }

    /// Whether memory may change behind the compiler's back.
    pub(super) fn clobbers_memory(&self) -> bool {
        self.clobbers.iter().any(|clobber| clobber == "memory")
    }
}

/// Splits at the colons of the top level; `::` is two of them.
fn sections(document: &Document, tokens: Range<TokenIdx>) -> Vec<Range<TokenIdx>> {
    let mut sections = Vec::new();
    let mut start = tokens.start;
    let mut idx = tokens.start;
    while idx < tokens.end {
        let Some(token) = document.token(idx) else { break };
        match token.kind {
            TokenKind::Punct(b':') => {
                sections.push(start..idx);
                start = idx + 1;
            }
            TokenKind::PathSep => {
                sections.extend([start..idx, idx..idx]);
                start = idx + 1;
            }
            TokenKind::Punct(b'(' | b'[' | b'{') => {
                idx = document.partner(idx).filter(|&close| close > idx && close < tokens.end).unwrap_or(idx);
            }
            _ => {}
        }
        idx += 1;
    }
    sections.push(start..tokens.end);
    sections
}

fn template(document: &Document, tokens: Range<TokenIdx>) -> String {
    let mut text = String::new();
    for idx in tokens {
        match literal::decode(document, idx) {
            Some(piece) => text.push_str(&piece),
            None => text.push(HOLE),
        }
    }
    text
}

fn strings(document: &Document, tokens: Range<TokenIdx>) -> Vec<String> {
    tokens.filter_map(|idx| literal::decode(document, idx)).collect()
}

fn read_operands(document: &Document, tokens: Range<TokenIdx>) -> Option<Vec<Operand>> {
    split_arguments(document, tokens).into_iter().map(|tokens| read_operand(document, tokens)).collect()
}

fn read_operand(document: &Document, tokens: Range<TokenIdx>) -> Option<Operand> {
    let mut idx = tokens.start;
    let mut name = None;
    if document.is(idx, b'[') {
        name = Some(document.name(idx + 1).into_owned());
        idx = document.partner(idx)? + 1;
    }
    let mut constraint = String::new();
    while let Some(piece) = literal::decode(document, idx) {
        constraint.push_str(piece.trim());
        idx += 1;
    }
    let close = document.partner(idx).filter(|_| document.is(idx, b'('))?;
    let is_whole = close + 1 == tokens.end && !constraint.is_empty() && close > idx + 1;
    is_whole.then_some(Operand { name, constraint, tokens: idx + 1..close })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    fn document(text: &str) -> Document {
        Document::new(SourceFile::from_text("a.cu", text))
    }

    fn read(document: &Document) -> Statement {
        let open = (0..document.tokens().len()).find(|&idx| document.is(idx, b'(')).unwrap();
        let close = document.partner(open).unwrap();
        Statement::read(document, Asm { keyword: 0, open, close, keyword_is: AsmKeyword::Asm })
    }

    #[test]
    fn sections_and_operands_are_split() {
        let document = document(r#"asm("add %0" ".u32\t" : [o] "=r" (a[f(1, 2)]) , "+r"(b) : "l"(x::y) : "memory");"#);
        let statement = read(&document);
        assert_eq!(statement.template, "add %0.u32\t");
        let operands: Vec<_> = statement.operands.as_ref().unwrap().iter().collect();
        let texts: Vec<_> = operands.iter().map(|o| document.slice(document.range_of(o.tokens.clone()))).collect();
        assert_eq!(texts, ["a[f(1, 2)]", "b", "x::y"]);
        assert_eq!(operands[0].name.as_deref(), Some("o"));
        assert!(statement.clobbers_memory() && operands[1].is_in_and_out() && !statement.is_basic);
    }

    #[test]
    fn a_double_colon_is_two() {
        let document = document(r#"asm volatile("st" :: "r"(a), "n"(4));"#);
        let statement = read(&document);
        assert_eq!(statement.operands.as_ref().map(Vec::len), Some(2));
        assert!(statement.operands.unwrap().iter().all(|operand| !operand.is_output()));
    }

    #[test]
    fn what_macros_supply_leaves_a_hole() {
        let document = document(r#"asm("ld." TYPE " %0" : OUTPUTS : "l"(p));"#);
        let statement = read(&document);
        assert_eq!(statement.template, format!("ld.{HOLE} %0"));
        assert_eq!(statement.operands, None);
    }
}
