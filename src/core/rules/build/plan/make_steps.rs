//! The commands of makefiles and scripts, with what their rules say.

use std::collections::BTreeSet;

use super::planner::Plan;
use crate::build::{LineKind, Word, words};
use crate::source::{TextRange, TextSize, range};

/// A command with what a rule says about it.
#[derive(Clone)]
pub(super) struct Step<'p> {
    pub(super) start: TextSize,
    pub(super) end: TextSize,
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
                let rest = plan.slice(range(colon.end().into(), line.code.end().into()));
                // `$(OBJECTS): %.o: %.cpp`; what stands behind a bar is not among `$^`.
                let rest = rest.rsplit_once(':').map_or(rest, |(_, behind)| behind);
                prerequisites = rest.split('|').next().unwrap_or(rest);
            }
            LineKind::Recipe => {
                let found = words(plan.text, line.code);
                let texts = found.iter().map(|word| plan.slice(word.range)).collect();
                steps.push(Step {
                    start: line.code.start(),
                    end: line.code.end(),
                    found,
                    texts,
                    target,
                    prerequisites,
                });
            }
            _ => {}
        }
    }
    steps
}

impl<'p> Step<'p> {
    /// The commands of a line, `mkdir a && nvcc …`, each without what it is redirected to.
    pub(super) fn commands(&self, plan: &Plan<'p>) -> Vec<Step<'p>> {
        let signs = self.signs(plan).unwrap_or_default();
        let ends: BTreeSet<usize> =
            signs.iter().filter(|(_, sign)| *sign == Sign::Command).map(|(at, _)| *at).collect();
        let separates = |at: usize| {
            let (before, behind) = (self.found[at - 1].range.end(), self.found[at].range.start());
            ends.range(usize::from(before)..usize::from(behind)).next().is_some()
        };
        let starts: Vec<usize> = (0..self.found.len()).filter(|&at| at == 0 || separates(at)).collect();
        let ends = starts.iter().skip(1).copied().chain([self.found.len()]);
        let is_redirection = |text: &&str| text.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('>');
        let command = |(start, end): (&usize, usize)| {
            let all = &self.texts[*start..end];
            let texts = all[..all.iter().position(is_redirection).unwrap_or(all.len())].to_vec();
            Step { found: self.found[*start..*start + texts.len()].to_vec(), texts, ..*self }
        };
        starts.iter().zip(ends).map(command).collect()
    }

    /// The argument that a word is part of: with quotes around it, what these hold beside it, the rest of a path, and a
    /// reference or substitution as a whole. Nothing where the command itself stands in that, or a quote stays open.
    pub(super) fn argument(&self, plan: &Plan<'p>, word: Word) -> Option<TextRange> {
        let signs = self.signs(plan)?;
        let (first, last) = (usize::from(word.range.start()), usize::from(word.range.end()));
        let before = signs.iter().map(|(at, _)| *at).take_while(|at| *at < first).last();
        let behind = signs.iter().map(|(at, _)| *at).find(|at| *at >= last);
        let start = before.map_or(self.start.into(), |at| at + 1);
        let holds_command = self.found.first().is_none_or(|call| usize::from(call.range.start()) >= start);
        (!holds_command).then(|| range(start, behind.unwrap_or(self.end.into())))
    }

    /// What parts arguments and commands, outside of quotes, references and substitutions. All of it is one byte long.
    fn signs(&self, plan: &Plan<'p>) -> Option<Vec<(usize, Sign)>> {
        let start = usize::from(self.start);
        let text = &plan.text[start..usize::from(self.end)];
        let (mut found, mut quote, mut depth, mut before) = (Vec::new(), None, 0_usize, 0_u8);
        for (at, byte) in (start..).zip(text.bytes()) {
            match byte {
                b'"' | b'\'' | b'`' if quote == Some(byte) => quote = None,
                _ if quote.is_some() => {}
                b'"' | b'\'' | b'`' => quote = Some(byte),
                b'(' | b'{' if before == b'$' || depth > 0 => depth += 1,
                b')' | b'}' if depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                b'&' if before == b'>' => {}
                b';' | b'|' | b'&' | b'(' | b')' => found.push((at, Sign::Command)),
                _ if byte.is_ascii_whitespace() => found.push((at, Sign::Argument)),
                _ => {}
            }
            before = byte;
        }
        quote.is_none().then_some(found)
    }
}

/// What a sign parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Argument,
    Command,
}
