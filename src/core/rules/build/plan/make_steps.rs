//! The commands of makefiles and scripts, with what their rules say.

use super::planner::Plan;
use crate::build::{LineKind, Word, words};
use crate::source::{TextRange, TextSize, range};

/// A command with what a rule says about it.
pub(super) struct Step<'p> {
    pub(super) start: TextSize,
    pub(super) found: Vec<Word>,
    pub(super) texts: Vec<&'p str>,
    pub(super) target: &'p str,
    pub(super) prerequisites: &'p str,
}

/// The commands of a file in their order.
pub(super) fn steps<'p>(plan: &Plan<'p>) -> Vec<Step<'p>> {
    let (mut target, mut prerequisites) = ("", "");
    let mut steps = Vec::new();
    for line in &plan.build.lines {
        match line.kind {
            LineKind::Rule { colon } => {
                target = plan.slice(range(line.code.start().into(), colon.start().into())).trim();
                prerequisites = plan.slice(range(colon.end().into(), line.code.end().into()));
            }
            LineKind::Recipe => {
                let found = words(plan.text, line.code);
                let texts = found.iter().map(|word| plan.slice(word.range)).collect();
                steps.push(Step { start: line.code.start(), found, texts, target, prerequisites });
            }
            _ => {}
        }
    }
    steps
}

impl Step<'_> {
    /// The argument that a word is part of: with quotes around it, what these hold beside it, and the rest of a path.
    pub(super) fn argument(&self, plan: &Plan<'_>, word: Word) -> TextRange {
        let (mut start, mut quote) = (usize::from(self.start), None);
        for (at, c) in plan.text[start..].char_indices().map(|(at, c)| (usize::from(self.start) + at, c)) {
            match c {
                '"' | '\'' if quote == Some(c) => quote = None,
                '"' | '\'' if quote.is_none() => quote = Some(c),
                _ if quote.is_some() || !(c.is_whitespace() || matches!(c, ';' | '|' | '&' | '`')) => {}
                _ if at >= usize::from(word.range.end()) => return range(start, at),
                _ if at < usize::from(word.range.start()) => start = at + 1,
                _ => {}
            }
        }
        range(start, plan.text.len())
    }
}
