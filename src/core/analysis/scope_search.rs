//! Where a name is looked for that stands without a qualifier. A file may bring thousands of namespaces into view and look for
//! thousands of names, so that each question takes no time for all of them.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::syntax::TokenIdx;

/// The namespaces and classes in which a name is looked for at a token.
#[derive(Debug)]
pub struct Searched<'s> {
    used: &'s UsedScopes,
    idx: TokenIdx,
    /// The numbers of the scopes that hold the token.
    holding: Vec<usize>,
    /// The paths of the scopes around, from the global one on.
    around: Vec<String>,
    /// Paths of classes, each of which may start at any of the scopes around.
    classes: Vec<String>,
}

impl<'s> Searched<'s> {
    /// At the token `idx`, which the scopes of the numbers `holding` hold.
    pub(super) fn new(
        used: &'s UsedScopes,
        (idx, holding): (TokenIdx, Vec<usize>),
        around: Vec<String>,
        classes: Vec<String>,
    ) -> Searched<'s> {
        Searched { used, idx, holding, around, classes }
    }

    /// Whether the scope with this path is among them.
    pub fn contains(&self, path: &str) -> bool {
        let is_behind = |outer: &String| within(outer, path).is_some_and(|inner| self.is_used(inner));
        self.around.iter().any(|outer| outer == path || is_behind(outer))
    }

    /// The paths of all of them; some may come twice.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        let used = self.used.paths().filter(|path| self.is_used(path));
        let inner: Vec<&str> = self.classes.iter().map(String::as_str).chain(used).collect();
        let behind = move |outer: &String| inner.iter().map(|path| joined(outer, path)).collect::<Vec<_>>();
        self.around.iter().cloned().chain(self.around.iter().flat_map(behind))
    }

    /// No more paths than this are among them.
    pub fn most(&self) -> usize {
        self.around.len() * (1 + self.classes.len() + self.used.by_path.len())
    }

    /// Whether a scope is brought into view by its path from one of those around.
    fn is_used(&self, path: &str) -> bool {
        self.classes.iter().any(|class| class == path)
            || self.used.is_seen(path, self.idx, self.holding.iter().copied())
    }
}

/// A path that goes on in another one.
pub fn joined(outer: &str, inner: &str) -> String {
    if outer.is_empty() { inner.to_owned() } else { format!("{outer}::{inner}") }
}

/// What follows in `path` on that of a scope around.
fn within<'p>(outer: &str, path: &'p str) -> Option<&'p str> {
    if outer.is_empty() { Some(path) } else { path.strip_prefix(outer)?.strip_prefix("::") }
}

/// The first `using namespace` or `using enum` of one path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct FirstUse {
    /// Of those that count for all of the file behind them.
    everywhere: Option<TokenIdx>,
    /// Of those within classes and blocks, by their numbers.
    within: FxHashMap<usize, TokenIdx>,
}

/// What a file brings into view by `using namespace` and `using enum`, by the paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UsedScopes {
    by_path: FxHashMap<String, FirstUse>,
}

impl UsedScopes {
    /// Adds one that stands at `using`, in the scope of the number `within` unless it counts everywhere. They come in the order of the
    /// text.
    pub(super) fn add(&mut self, path: String, using: TokenIdx, within: Option<usize>) {
        let first = self.by_path.entry(path).or_default();
        match within {
            Some(scope) => _ = first.within.entry(scope).or_insert(using),
            None => _ = first.everywhere.get_or_insert(using),
        }
    }

    /// The paths, in no order.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.by_path.keys().map(String::as_str)
    }

    /// Whether one of a path stands before `idx` where `around` are the numbers of the scopes that hold that.
    pub(super) fn is_seen(&self, path: &str, idx: TokenIdx, mut around: impl Iterator<Item = usize>) -> bool {
        let Some(first) = self.by_path.get(path) else { return false };
        let is_before = |using: &TokenIdx| *using < idx;
        first.everywhere.as_ref().is_some_and(is_before)
            || !first.within.is_empty() && around.any(|scope| first.within.get(&scope).is_some_and(is_before))
    }
}

/// The heads of the scopes of a file, to be found by the tokens in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Heads {
    /// Sorted by their starts.
    heads: Vec<Head>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Head {
    tokens: Range<TokenIdx>,
    /// The number of its scope.
    scope: usize,
    /// Where in the list the last head before it is that ends behind its start.
    around: Option<usize>,
}

impl Heads {
    /// Of all scopes, in their order.
    pub(super) fn of(heads: impl Iterator<Item = Range<TokenIdx>>) -> Heads {
        let all = heads.enumerate().filter(|(_, tokens)| !tokens.is_empty());
        let mut heads: Vec<Head> = all.map(|(scope, tokens)| Head { tokens, scope, around: None }).collect();
        heads.sort_by_key(|head| (head.tokens.start, std::cmp::Reverse(head.tokens.end)));
        let mut open: Vec<usize> = Vec::new();
        for at in 0..heads.len() {
            while open.last().is_some_and(|&last| heads[last].tokens.end <= heads[at].tokens.start) {
                open.pop();
            }
            heads[at].around = open.last().copied();
            open.push(at);
        }
        Heads { heads }
    }

    /// The numbers of the scopes whose heads hold a token, the last one first.
    pub(super) fn holding(&self, idx: TokenIdx) -> Vec<usize> {
        let mut next = self.heads.partition_point(|head| head.tokens.start <= idx).checked_sub(1);
        let mut found = Vec::new();
        while let Some(head) = next.map(|at| &self.heads[at]) {
            found.extend(head.tokens.contains(&idx).then_some(head.scope));
            next = head.around;
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_found_by_their_tokens() {
        let all = [0..4, 2..9, 3..5, 12..12, 10..20, 11..13];
        let heads = Heads::of(all.clone().into_iter());
        for idx in 0..22 {
            let slow: Vec<usize> = (0..all.len()).rev().filter(|&scope| all[scope].contains(&idx)).collect();
            assert_eq!(heads.holding(idx), slow, "{idx}");
        }
    }
}
