//! Between which lines of a file a directive may stand, and which lines its conditions hold together.

use std::ops::Range;

use crate::analysis::Conditions;
use crate::build::{Block, Command, Token as BuildToken};
use crate::source::{TextRange, TextSize};
use crate::syntax::{Document, Token, TokenIdx, TokenKind};

/// The lines of a document, counted from 0.
pub(super) struct Lines {
    /// Where each line starts, and the end of the text.
    starts: Vec<usize>,
    /// Whether a directive may stand in front of each line, and at the end.
    free: Vec<bool>,
    /// The lines of each conditional region, from `#if` to `#endif`.
    chains: Vec<Range<usize>>,
    /// The lines of directives with the numbers of their regions, sorted.
    directives: Vec<(usize, usize)>,
}

impl Lines {
    pub(super) fn of(document: &Document) -> Lines {
        let mut lines = Lines::unbound(document.text());
        lines.hold_together(document);
        lines.end_statements(document);
        lines.find_chains(document);
        lines
    }

    /// The lines of a file of CMake, in which blocks hold together what conditions hold together in sources.
    pub(super) fn of_cmake(text: &str, tokens: &[BuildToken], (commands, blocks): (&[Command], &[Block])) -> Lines {
        let mut lines = Lines::unbound(text);
        let commands_at = commands.iter().map(|command| command.range);
        for range in tokens.iter().map(|token| token.range).chain(commands_at) {
            lines.join(range);
        }
        for block in blocks {
            let at = block.commands.iter().filter_map(|number| commands.get(*number));
            let directives: Vec<usize> = at.map(|command| lines.line_of(command.range.start())).collect();
            let last = block.commands.last().and_then(|number| commands.get(*number));
            let end = last.map_or(lines.starts.len() - 1, |last| lines.line_of(last.range.end()) + 1);
            lines.add_chain(&directives, end);
        }
        lines.directives.sort_unstable();
        lines
    }

    /// Lines between which a directive may stand everywhere.
    fn unbound(text: &str) -> Lines {
        let after_line_ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(after_line_ends).collect();
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        let count = starts.len() - 1;
        Lines { starts, free: vec![true; count + 1], chains: Vec::new(), directives: Vec::new() }
    }

    /// Notes a region that goes up to a line.
    fn add_chain(&mut self, directives: &[usize], end: usize) {
        let Some(&first) = directives.first() else { return };
        let number = self.chains.len();
        self.chains.push(first..end);
        self.directives.extend(directives.iter().map(|line| (*line, number)));
    }

    /// Whether a directive may stand in front of a line.
    pub(super) fn is_free(&self, line: usize) -> bool {
        self.free.get(line).copied().unwrap_or(true)
    }

    /// The line on which a byte stands.
    pub(super) fn line_of(&self, at: TextSize) -> usize {
        self.starts.partition_point(|start| *start <= usize::from(at)).saturating_sub(1)
    }

    /// No directive can stand in a token, a comment or a directive; one in brackets would stand in the
    /// arguments of a macro, if the name before them is one, and that is undefined.
    fn hold_together(&mut self, document: &Document) {
        let tokens = document.tokens().iter().map(Token::range);
        let directives = document.directives().iter().map(|directive| directive.range);
        let comments = document.comments().iter().copied();
        let brackets = (0..document.tokens().len()).filter_map(|idx| bracketed(document, idx));
        let ranges: Vec<TextRange> = tokens.chain(directives).chain(comments).chain(brackets).collect();
        for range in ranges {
            self.join(range);
        }
        for (line, pair) in self.starts.windows(2).enumerate() {
            let is_continued = document.text()[pair[0]..pair[1]].trim_end_matches(['\r', '\n']).ends_with('\\');
            if let Some(next) = self.free.get_mut(line + 1).filter(|_| is_continued) {
                *next = false;
            }
        }
    }

    fn join(&mut self, range: TextRange) {
        let (first, last) = (self.line_of(range.start()), self.line_of(range.end()));
        // What ends with its line end does not reach into the next line.
        let last = if self.starts[last] == usize::from(range.end()) && last > first { last - 1 } else { last };
        for line in first + 1..=last {
            self.free[line] = false;
        }
    }

    /// Directives stand between statements and declarations, not within.
    fn end_statements(&mut self, document: &Document) {
        for (idx, token) in document.tokens().iter().enumerate() {
            let ends = matches!(token.kind, TokenKind::Punct(b';' | b'{' | b'}' | b':'));
            if ends || document.directive_of(idx).is_some() {
                continue;
            }
            let next = document.token(idx + 1).map_or(document.text().len(), |next| next.start as usize);
            let (from, to) = (self.line_of(token.range().end()), self.starts.partition_point(|start| *start <= next));
            // At the end of the text there is nothing left to wait for.
            let to = if document.token(idx + 1).is_none() { from + 1 } else { to };
            for line in from + 1..to.min(self.free.len()) {
                self.free[line] = false;
            }
        }
    }

    fn find_chains(&mut self, document: &Document) {
        for chain in Conditions::of(document).chains() {
            let opened = chain.branches.iter().map(|branch| branch.opened_by);
            let closed = chain.branches.last().map(|branch| branch.body.end);
            let line = |token: TokenIdx| document.token(token).map(|token| self.line_of(token.range().start()));
            let directives: Vec<usize> = opened.chain(closed).filter_map(line).collect();
            let Some(&last) = directives.last() else { continue };
            let is_closed = closed.is_some_and(|token| token < document.tokens().len());
            let end = if is_closed { last + 1 } else { self.starts.len() - 1 };
            self.add_chain(&directives, end);
        }
        self.directives.sort_unstable();
    }

    /// Widens `lines` until a region of which one directive is among them is there as a whole.
    pub(super) fn cover_chains(&self, lines: &mut Range<usize>) {
        let first_from = |line: usize| self.directives.partition_point(|(at, _)| *at < line);
        let start = first_from(lines.start);
        let mut seen = start..start;
        loop {
            let wanted = first_from(lines.start)..first_from(lines.end);
            if wanted.start >= seen.start && wanted.end <= seen.end {
                return;
            }
            let new = (wanted.start..seen.start).chain(seen.end..wanted.end);
            for (_, number) in new.filter_map(|at| self.directives.get(at)) {
                let whole = &self.chains[*number];
                *lines = lines.start.min(whole.start)..lines.end.max(whole.end);
            }
            seen = wanted;
        }
    }
}

/// From the bracket that the one at `idx` closes to itself, braces apart.
fn bracketed(document: &Document, idx: TokenIdx) -> Option<TextRange> {
    let is_closer = document.is(idx, b')') || document.is(idx, b']');
    let open = document.partner(idx).filter(|&open| is_closer && open < idx)?;
    Some(document.token(open)?.range().cover(document.token(idx)?.range()))
}
