//! The loops and branches of a function: where their conditions and bodies are, as far as tokens tell.

use std::collections::BTreeMap;
use std::ops::Range;

use super::statement_ends::{StatementEnds, head};
use crate::syntax::{Document, TokenIdx};

/// A `while`, `do` or `for`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The word that starts it.
    pub keyword: TokenIdx,
    /// What is asked before or after each round; nothing for `for (;;)`.
    pub condition: Range<TokenIdx>,
    /// What a `for` does after each round.
    pub step: Range<TokenIdx>,
    /// The statement that is done again, with its braces.
    pub body: Range<TokenIdx>,
}

impl Loop {
    /// The token after it.
    pub fn end(&self) -> TokenIdx {
        // Behind the condition of a `do` come its parenthesis and a `;`.
        self.body.end.max(self.condition.end + if self.condition.start > self.body.start { 2 } else { 0 })
    }

    /// Whether a token is done in each round.
    pub fn repeats(&self, idx: TokenIdx) -> bool {
        self.condition.contains(&idx) || self.step.contains(&idx) || self.body.contains(&idx)
    }
}

/// An `if`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct If {
    /// The word that starts it.
    pub keyword: TokenIdx,
    /// What is asked.
    pub condition: Range<TokenIdx>,
    /// What is done if it holds.
    pub then: Range<TokenIdx>,
    /// What is done else; nothing without an `else`.
    pub other: Range<TokenIdx>,
}

/// The loops and branches among some tokens, in the order of their first words.
#[derive(Debug, Default)]
pub struct ControlFlow {
    /// The loops.
    pub loops: Vec<Loop>,
    /// The branches.
    pub ifs: Vec<If>,
}

impl ControlFlow {
    /// Reads them.
    pub fn of(document: &Document, tokens: Range<TokenIdx>) -> ControlFlow {
        let ends = StatementEnds::of(document, tokens.clone());
        let semicolons = tokens.clone().filter(|&idx| document.is(idx, b';')).collect();
        let reader = Reader { document, end: tokens.end, ends, semicolons };
        let mut loops: BTreeMap<TokenIdx, Loop> = BTreeMap::new();
        let mut ifs = Vec::new();
        for keyword in tokens.rev() {
            if let Some(found) = reader.if_at(keyword) {
                ifs.push(found);
            } else if let Some(looped) = reader.loop_at(keyword) {
                if document.token_text(keyword) == "do" {
                    // The `while` that ends it starts none.
                    loops.remove(&(looped.condition.start - 2));
                }
                loops.insert(keyword, looped);
            }
        }
        ifs.reverse();
        ControlFlow { loops: loops.into_values().collect(), ifs }
    }
}

struct Reader<'d> {
    document: &'d Document,
    end: TokenIdx,
    ends: StatementEnds<'d>,
    /// Those among the tokens.
    semicolons: Vec<TokenIdx>,
}

impl Reader<'_> {
    fn if_at(&self, keyword: TokenIdx) -> Option<If> {
        let document = self.document;
        if document.token_text(keyword) != "if" {
            return None;
        }
        let condition = head(document, keyword + usize::from(document.token_text(keyword + 1) == "constexpr"))?;
        let then = condition.end + 1..self.ends.of_statement(condition.end + 1);
        let has_other = then.end < self.end && document.token_text(then.end) == "else";
        let other = if has_other { then.end + 1..self.ends.of_statement(then.end + 1) } else { then.end..then.end };
        Some(If { keyword, condition, then, other })
    }

    fn loop_at(&self, keyword: TokenIdx) -> Option<Loop> {
        let document = self.document;
        let (condition, step, body) = match document.token_text(keyword) {
            "while" => head(document, keyword).map(|head| (head.clone(), head.end..head.end, head.end + 1))?,
            "for" => self.parts_of_for(head(document, keyword)?)?,
            "do" => {
                let body = keyword + 1..self.ends.of_statement(keyword + 1);
                let condition = head(document, body.end).filter(|_| document.token_text(body.end) == "while")?;
                return Some(Loop { keyword, step: condition.end..condition.end, condition, body });
            }
            _ => return None,
        };
        Some(Loop { keyword, condition, step, body: body..self.ends.of_statement(body) })
    }

    /// The condition and the step of a `for`, and where its body starts; one over a range has none.
    fn parts_of_for(&self, head: Range<TokenIdx>) -> Option<(Range<TokenIdx>, Range<TokenIdx>, TokenIdx)> {
        let after = self.semicolons.partition_point(|&idx| idx < head.start);
        let mut ends = self.semicolons[after..].iter().copied().take_while(|&idx| idx < head.end);
        let (first, second) = (ends.next()?, ends.next()?);
        Some((first + 1..second, second + 1..head.end, head.end + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let document = Document::new(SourceFile::from_text("a.cu", text));
        let slice = |tokens: &Range<TokenIdx>| {
            if tokens.is_empty() { "" } else { document.slice(document.range_of(tokens.clone())) }
        };
        let found = ControlFlow::of(&document, 0..document.tokens().len()).loops;
        let found = found.iter().map(|looped| [&looped.condition, &looped.step, &looped.body].map(slice).join(" | "));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn conditions_and_bodies_are_found() {
        check("while (a) ; b;", &["a |  | ;"]);
        check("while (a) { b; } c;", &["a |  | { b; }"]);
        check("for (int i = 0; i < 2; ++i) f(i);", &["i < 2 | ++i | f(i);"]);
        check("for (;;) if (a) { b; } else c; d;", &[" |  | if (a) { b; } else c;"]);
        check("for (int v : values) f(v);", &[]);
    }

    #[test]
    fn the_end_of_a_do_is_no_loop() {
        check("do a; while (b); while (c);", &["b |  | a;", "c |  | ;"]);
        check("do { do a; while (b); } while (c);", &["c |  | { do a; while (b); }", "b |  | a;"]);
        check("while (a) while (b) ;", &["a |  | while (b) ;", "b |  | ;"]);
        check("while (a) do b; while (c);", &["a |  | do b; while (c);", "c |  | b;"]);
    }

    #[test]
    fn branches_are_found() {
        let check = |text: &str, expected: &[&str]| {
            let document = Document::new(SourceFile::from_text("a.cu", text));
            let slice = |tokens: &Range<TokenIdx>| document.slice(document.range_of(tokens.clone())).to_owned();
            let ifs = ControlFlow::of(&document, 0..document.tokens().len()).ifs;
            let ifs = ifs.iter().map(|found| {
                let other = if found.other.is_empty() { String::new() } else { slice(&found.other) };
                format!("{} | {} | {other}", slice(&found.condition), slice(&found.then))
            });
            assert_eq!(ifs.collect::<Vec<_>>(), expected, "{text}");
        };
        check("if (a) b; c;", &["a | b; | "]);
        check("if constexpr (a) { b; } else c;", &["a | { b; } | c;"]);
        check("if (a) if (b) c; else d; e;", &["a | if (b) c; else d; | ", "b | c; | d;"]);
        check("if (a) b; else if (c) d; else e;", &["a | b; | if (c) d; else e;", "c | d; | e;"]);
        check("if (a) while (b) c; else d;", &["a | while (b) c; | d;"]);
    }
}
