//! The ways of `condition ? one : other`.

use std::ops::Range;

use super::lane_branches::{Parting, backward};
use crate::syntax::{Document, TokenIdx, TokenKind};

/// `a ? x : b ? y : z`, of which a part may be read.
struct Chain {
    /// The conditions, and where the ways begin that follow on them.
    conditions: Vec<(Range<TokenIdx>, TokenIdx)>,
    /// The ways that have ended.
    ways: Vec<Range<TokenIdx>>,
    /// The last colon, if it stands behind the last `?`.
    colon: Option<TokenIdx>,
}

impl Chain {
    /// Each way beside all behind it, where the last one ends at `end`.
    fn partings(self, end: TokenIdx) -> impl Iterator<Item = Parting> {
        let parting = move |((condition, _), way): ((Range<TokenIdx>, TokenIdx), Range<TokenIdx>)| {
            let behind = way.end + 1..end.max(way.end + 1);
            Parting::of(condition, way, behind)
        };
        self.conditions.into_iter().zip(self.ways).map(parting)
    }
}

/// The choices in a body.
pub(super) fn choices(document: &Document, body: &Range<TokenIdx>) -> Vec<Parting> {
    let mut reader = Reader { document, body: body.clone(), levels: vec![Vec::new()], found: Vec::new() };
    for idx in body.clone() {
        match document.kind(idx) {
            Some(TokenKind::Punct(b'(' | b'[' | b'{')) => reader.levels.push(Vec::new()),
            Some(TokenKind::Punct(b')' | b']' | b'}')) => reader.close(idx),
            Some(TokenKind::Punct(b';')) => reader.end(idx, |_| true),
            Some(TokenKind::Punct(b',')) => reader.end(idx, |chain| chain.colon.is_some()),
            Some(TokenKind::Punct(b'?')) => reader.ask(idx),
            Some(TokenKind::Punct(b':')) => reader.colon(idx),
            _ => {}
        }
    }
    reader.found
}

struct Reader<'d> {
    document: &'d Document,
    body: Range<TokenIdx>,
    /// The chains that are open, for each bracket that is.
    levels: Vec<Vec<Chain>>,
    found: Vec<Parting>,
}

impl Reader<'_> {
    fn ask(&mut self, sign: TokenIdx) {
        let Some(level) = self.levels.last_mut() else { return };
        if let Some(chain) = level.last_mut()
            && let Some(colon) = chain.colon.take()
        {
            chain.conditions.push((colon + 1..sign, sign + 1));
            return;
        }
        let start = backward(self.document, self.body.start..sign, &["=", ",", ";", "return", ":", "?"]);
        level.push(Chain { conditions: vec![(start..sign, sign + 1)], ways: Vec::new(), colon: None });
    }

    fn colon(&mut self, sign: TokenIdx) {
        self.end(sign, |chain| chain.colon.is_some());
        // Without a question it belongs to a label.
        if let Some(chain) = self.levels.last_mut().and_then(|level| level.last_mut())
            && let Some((_, start)) = chain.conditions.last()
        {
            chain.ways.push(*start..sign);
            chain.colon = Some(sign);
        }
    }

    /// Ends the innermost chains of which `ends` says so.
    fn end(&mut self, at: TokenIdx, ends: impl Fn(&Chain) -> bool) {
        let Some(level) = self.levels.last_mut() else { return };
        while let Some(chain) = level.pop_if(|chain| ends(chain)) {
            self.found.extend(chain.partings(at));
        }
    }

    fn close(&mut self, at: TokenIdx) {
        self.end(at, |_| true);
        if self.levels.len() > 1 {
            self.levels.pop();
        }
    }
}
