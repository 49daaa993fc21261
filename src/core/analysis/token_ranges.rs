//! Ranges of tokens, thousands of which a file may have, to be found by a token in them.

use std::ops::Range;

use crate::syntax::TokenIdx;

/// Ranges that were numbered in some order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenRanges {
    /// Sorted by their starts.
    ranges: Vec<Numbered>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Numbered {
    tokens: Range<TokenIdx>,
    number: usize,
    /// Where in the list the last one before it is that ends behind its start.
    around: Option<usize>,
}

impl TokenRanges {
    /// Of some ranges, numbered from 0 on.
    pub fn of(ranges: impl Iterator<Item = Range<TokenIdx>>) -> TokenRanges {
        let all = ranges.enumerate().filter(|(_, tokens)| !tokens.is_empty());
        let mut ranges: Vec<Numbered> = all.map(|(number, tokens)| Numbered { tokens, number, around: None }).collect();
        ranges.sort_by_key(|range| (range.tokens.start, std::cmp::Reverse(range.tokens.end)));
        let mut open: Vec<usize> = Vec::new();
        for at in 0..ranges.len() {
            while open.last().is_some_and(|&last| ranges[last].tokens.end <= ranges[at].tokens.start) {
                open.pop();
            }
            ranges[at].around = open.last().copied();
            open.push(at);
        }
        TokenRanges { ranges }
    }

    /// The numbers of those that hold a token, the last one first.
    pub fn holding(&self, idx: TokenIdx) -> Vec<usize> {
        let mut next = self.ranges.partition_point(|range| range.tokens.start <= idx).checked_sub(1);
        let mut found = Vec::new();
        while let Some(range) = next.map(|at| &self.ranges[at]) {
            found.extend(range.tokens.contains(&idx).then_some(range.number));
            next = range.around;
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_by_their_tokens() {
        let all = [0..4, 2..9, 3..5, 12..12, 10..20, 11..13];
        let ranges = TokenRanges::of(all.clone().into_iter());
        for idx in 0..22 {
            let slow: Vec<usize> = (0..all.len()).rev().filter(|&number| all[number].contains(&idx)).collect();
            assert_eq!(ranges.holding(idx), slow, "{idx}");
        }
    }
}
