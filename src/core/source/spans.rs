//! Parts of a text, by bytes or by tokens, that are asked for one place after the other.

use std::collections::BTreeSet;
use std::ops::Range;

/// Ranges that may overlap, kept so that a place is found in the time of a binary search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spans<T> {
    /// Sorted, and with something between each two.
    ranges: Vec<Range<T>>,
}

impl<T> Default for Spans<T> {
    fn default() -> Spans<T> {
        Spans { ranges: Vec::new() }
    }
}

impl<T: Ord + Copy> Spans<T> {
    /// Whether one of the ranges holds `place`.
    pub fn contains(&self, place: T) -> bool {
        let after = self.ranges.partition_point(|range| range.start <= place);
        after.checked_sub(1).and_then(|last| self.ranges.get(last)).is_some_and(|range| place < range.end)
    }

    /// Whether one of the ranges holds a place of `part`.
    pub fn meets(&self, part: &Range<T>) -> bool {
        let ahead = self.ranges.partition_point(|range| range.end <= part.start);
        part.start < part.end && self.ranges.get(ahead).is_some_and(|range| range.start < part.end)
    }

    /// Whether the ranges hold all places of `part`.
    pub fn cover(&self, part: &Range<T>) -> bool {
        let ahead = self.ranges.partition_point(|range| range.end <= part.start);
        let holds = |range: &Range<T>| range.start <= part.start && part.end <= range.end;
        part.start >= part.end || self.ranges.get(ahead).is_some_and(holds)
    }
}

impl<T: Ord + Copy> FromIterator<Range<T>> for Spans<T> {
    fn from_iter<I: IntoIterator<Item = Range<T>>>(ranges: I) -> Spans<T> {
        let mut all: Vec<Range<T>> = ranges.into_iter().filter(|range| range.start < range.end).collect();
        all.sort_unstable_by_key(|range| range.start);
        let mut ranges: Vec<Range<T>> = Vec::new();
        for range in all {
            match ranges.last_mut().filter(|last| range.start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => ranges.push(range),
            }
        }
        Spans { ranges }
    }
}

/// Which of several ranges that may overlap holds a place: the one with the lowest number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstSpans<T> {
    /// From which place on which range it is, sorted.
    changes: Vec<(T, Option<usize>)>,
}

impl<T: Ord + Copy> FirstSpans<T> {
    /// The number of the first range that holds `place`.
    pub fn at(&self, place: T) -> Option<usize> {
        let after = self.changes.partition_point(|(from, _)| *from <= place);
        self.changes.get(after.checked_sub(1)?)?.1
    }
}

impl<T: Ord + Copy> FromIterator<(usize, Range<T>)> for FirstSpans<T> {
    fn from_iter<I: IntoIterator<Item = (usize, Range<T>)>>(ranges: I) -> FirstSpans<T> {
        let ranges = ranges.into_iter().filter(|(_, range)| range.start < range.end);
        let mut ends: Vec<(T, bool, usize)> =
            ranges.flat_map(|(number, range)| [(range.start, true, number), (range.end, false, number)]).collect();
        ends.sort_unstable();
        let mut open = BTreeSet::new();
        let mut changes = Vec::new();
        for (place, starts, number) in ends {
            if starts {
                open.insert(number);
            } else {
                open.remove(&number);
            }
            changes.push((place, open.first().copied()));
        }
        FirstSpans { changes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_range_around_a_place_is_found() {
        let ranges = [8..9, 2..4, 3..3, 1..5, 20..30, 22..25, 19..23];
        let spans: FirstSpans<usize> = ranges.iter().cloned().enumerate().collect();
        for place in 0..32 {
            assert_eq!(spans.at(place), ranges.iter().position(|range| range.contains(&place)), "{place}");
        }
    }

    #[test]
    fn places_are_found_as_by_looking_at_all_ranges() {
        let ranges = [8..9, 2..4, 3..3, 4..5, 20..30, 22..25];
        let spans: Spans<usize> = ranges.iter().cloned().collect();
        let holds = |place: usize| ranges.iter().any(|range| range.contains(&place));
        for start in 0..32 {
            assert_eq!(spans.contains(start), holds(start), "{start}");
            for end in start..32 {
                assert_eq!(spans.meets(&(start..end)), (start..end).any(holds), "{start}..{end}");
                assert_eq!(spans.cover(&(start..end)), (start..end).all(holds), "{start}..{end}");
            }
        }
    }
}
