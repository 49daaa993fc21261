//! The lines that findings are on, as reports show them: of a very long one the part around the finding only.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes of a line that is shown as a whole.
const LONG: usize = 2000;

/// Bytes shown on each side of a place in a longer line.
const AROUND: usize = 200;

/// Bytes of the place itself that are shown of a longer line.
const MARKED: usize = 400;

/// What stands for text that is not shown.
const LEFT_OUT: char = '…';

/// A line that findings are on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLine {
    text: String,
    /// How many characters start before each part of [`LONG`] bytes.
    characters: Vec<usize>,
}

/// A line, or what is shown of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt<'l> {
    /// The text.
    pub text: Cow<'l, str>,
    /// The bytes of the place in it that was asked for.
    pub part: Range<usize>,
    /// Whether the line goes on at one of its ends.
    pub is_cut: bool,
}

impl ShownLine {
    /// Keeps a line.
    pub fn new(text: &str) -> ShownLine {
        let starts = |part: &[u8]| part.iter().filter(|&&byte| !matches!(byte, 0x80..=0xbf)).count();
        let sum = |sum: &mut usize, part: &[u8]| Some(std::mem::replace(sum, *sum + starts(part)));
        let characters = text.as_bytes().chunks(LONG).scan(0, sum).collect();
        ShownLine { text: text.to_owned(), characters }
    }

    /// The line around a place between two columns, which count characters from 1; without a second one the place goes on to the
    /// end of the line.
    pub fn around(&self, first: u32, last: Option<u32>) -> Excerpt<'_> {
        let start = self.byte_at(first);
        let end = last.map_or(self.text.len(), |last| self.byte_at(last)).max(start);
        if self.text.len() <= LONG {
            return Excerpt { text: Cow::Borrowed(&self.text), part: start..end, is_cut: false };
        }
        let shown_end = boundary_before(&self.text, end.min(start + MARKED));
        let from = boundary_before(&self.text, start.saturating_sub(AROUND));
        let to = if shown_end < end { shown_end } else { boundary_after(&self.text, end.saturating_add(AROUND)) };
        let mut text = String::new();
        text.extend((from > 0).then_some(LEFT_OUT));
        let shift = text.len();
        text.push_str(&self.text[from..to]);
        text.extend((to < self.text.len()).then_some(LEFT_OUT));
        let part = start - from + shift..shown_end - from + shift;
        Excerpt { text: Cow::Owned(text), part, is_cut: true }
    }

    /// The byte at which the character of a column starts.
    fn byte_at(&self, column: u32) -> usize {
        let wanted = column.saturating_sub(1) as usize;
        let chunk = self.characters.partition_point(|&before| before <= wanted).saturating_sub(1);
        let start = boundary_after(&self.text, chunk * LONG);
        let before = self.characters.get(chunk).copied().unwrap_or_default();
        let mut following = self.text[start..].char_indices();
        following.nth(wanted - before).map_or(self.text.len(), |(at, _)| start + at)
    }
}

/// Where the character starts that a byte belongs to.
fn boundary_before(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Where the first character starts at or behind a byte.
fn boundary_after(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

/// The first bytes of a text, which end with an ellipsis if there are more than `most`.
pub(super) fn beginning(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut cut = text[..boundary_before(text, most)].to_owned();
    cut.push(LEFT_OUT);
    cut
}

/// How much of `text` is shown around a part of it whose whole lines are `lines`.
pub(super) fn shown_around(text: &str, part: Range<usize>, lines: Range<usize>) -> Range<usize> {
    let is_long = |bytes: &str| bytes.len() > LONG;
    let start =
        if is_long(&text[lines.start..part.start]) { boundary_before(text, part.start - AROUND) } else { lines.start };
    let end = if is_long(&text[part.end..lines.end]) { boundary_after(text, part.end + AROUND) } else { lines.end };
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_shown_as_it_is() {
        let line = ShownLine::new("aä€b");
        let excerpt = line.around(2, Some(4));
        assert_eq!((&*excerpt.text, excerpt.part, excerpt.is_cut), ("aä€b", 1..6, false));
        assert_eq!(line.around(2, None).part, 1..7);
        assert_eq!(line.around(9, Some(12)).part, 7..7);
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides_between_characters() {
        let unit = "äb€";
        let line = ShownLine::new(&unit.repeat(2 * LONG));
        let columns = u32::try_from(unit.chars().count() * 2 * LONG).unwrap();
        for column in [1, 2, 3, 700, 701, columns / 2, columns / 2 + 1, columns - 1, columns] {
            let excerpt = line.around(column, Some(column + 1));
            let wanted = unit.chars().nth((column as usize - 1) % 3).unwrap();
            assert_eq!(excerpt.text[excerpt.part.clone()].chars().collect::<Vec<_>>(), [wanted], "{column}");
            assert!(excerpt.text.len() <= 2 * AROUND + 20 && excerpt.is_cut, "{column}");
            assert_eq!(excerpt.text.starts_with(LEFT_OUT), column > 100, "{column}");
            assert_eq!(excerpt.text.ends_with(LEFT_OUT), column < columns - 100, "{column}");
        }
    }

    #[test]
    fn a_long_place_is_cut_at_its_end() {
        let line = ShownLine::new(&"a".repeat(2 * LONG));
        let excerpt = line.around(1, None);
        assert_eq!((excerpt.text.len(), excerpt.part), (MARKED + LEFT_OUT.len_utf8(), 0..MARKED));
    }

    #[test]
    fn the_beginning_of_a_text_ends_between_characters() {
        assert_eq!((&*beginning("äö", 4), &*beginning("äöü", 3)), ("äö", "ä…"));
    }
}
