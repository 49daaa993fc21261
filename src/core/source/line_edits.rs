//! Which lines of a text another one replaces, placed as git places them.
//!
//! Where lines repeat, there is more than one way to say what was inserted or removed: of `{ } { }`, either
//! pair may be the new one. Two texts that are merged must say it in the same way.

use std::ops::Range;

use similar::algorithms::{Capture, diff};
use similar::{Algorithm, DiffOp};

/// Lines of the old text, and the lines of the new text that stand in their place. One of the two may
/// be empty. Between two edits there is at least one line that stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineEdit {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The edits from `old` to `new`, in the order of the text.
pub(super) fn line_edits(old: &[&[u8]], new: &[&[u8]]) -> Vec<LineEdit> {
    let (mut removed, mut inserted) = gaps(old, new);
    settle(old, &mut removed, &inserted);
    settle(new, &mut inserted, &removed);
    let pairs = removed.into_iter().zip(inserted);
    let edits = pairs.filter(|(old, new)| !old.is_empty() || !new.is_empty());
    edits.map(|(old, new)| LineEdit { old, new }).collect()
}

/// What stands before, between and after the lines that stay, in each of the texts.
fn gaps(old: &[&[u8]], new: &[&[u8]]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (mut removed, mut inserted) = (Vec::new(), Vec::new());
    let (mut old_at, mut new_at) = (0, 0);
    // Not `capture_diff`, which moves and joins changes already.
    let mut captured = Capture::new();
    let Ok(()) = diff(Algorithm::Myers, &mut captured, old, 0..old.len(), new, 0..new.len());
    for op in captured.into_ops() {
        let DiffOp::Equal { old_index, new_index, len } = op else { continue };
        for line in 0..len {
            removed.push(old_at..old_index + line);
            inserted.push(new_at..new_index + line);
            (old_at, new_at) = (old_index + line + 1, new_index + line + 1);
        }
    }
    removed.push(old_at..old.len());
    inserted.push(new_at..new.len());
    (removed, inserted)
}

/// Moves the changed lines of one text to where git has them: opposite to changed lines of the other
/// text if there is such a place, else as far down as they can go.
fn settle(lines: &[&[u8]], gaps: &mut [Range<usize>], others: &[Range<usize>]) {
    let mut at = 0;
    while at < gaps.len() {
        if !gaps[at].is_empty() {
            at = settle_one(lines, gaps, others, at);
        }
        at += 1;
    }
}

/// The same for the lines in one gap. Returns the gap where they are then.
fn settle_one(lines: &[&[u8]], gaps: &mut [Range<usize>], others: &[Range<usize>], mut at: usize) -> usize {
    let mut opposite;
    loop {
        let len = gaps[at].len();
        while move_up(lines, gaps, at) {
            at -= 1;
        }
        opposite = (!others[at].is_empty()).then_some(at);
        while move_down(lines, gaps, at) {
            at += 1;
            if !others[at].is_empty() {
                opposite = Some(at);
            }
        }
        // Lines that met others on their way move together with them.
        if gaps[at].len() == len {
            break;
        }
    }
    while opposite.is_some_and(|opposite| opposite < at) && move_up(lines, gaps, at) {
        at -= 1;
    }
    at
}

/// Moves the lines of a gap over the line above, if that makes no difference to the text.
fn move_up(lines: &[&[u8]], gaps: &mut [Range<usize>], at: usize) -> bool {
    let Range { start, end } = gaps[at];
    if at == 0 || start == end || lines[start - 1] != lines[end - 1] {
        return false;
    }
    gaps[at] = end..end;
    gaps[at - 1].end = end - 1;
    true
}

/// Moves the lines of a gap over the line below, if that makes no difference to the text.
fn move_down(lines: &[&[u8]], gaps: &mut [Range<usize>], at: usize) -> bool {
    let Range { start, end } = gaps[at];
    if at + 1 == gaps.len() || start == end || lines[start] != lines[end] {
        return false;
    }
    gaps[at] = start..start;
    gaps[at + 1].start = start + 1;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[(Range<usize>, Range<usize>)]) {
        let lines = |text: &'static str| -> Vec<&'static [u8]> { text.split(' ').map(str::as_bytes).collect() };
        let (old, new) = (lines(old.to_owned().leak()), lines(new.to_owned().leak()));
        let found: Vec<_> = line_edits(&old, &new).into_iter().map(|edit| (edit.old, edit.new)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn repeated_lines_come_and_go_at_the_end_of_their_kind() {
        check("a } } b", "a } } } b", &[(3..3, 3..4)]);
        check("a } } } b", "a } } b", &[(3..4, 3..3)]);
        check("{ } x", "{ } { } x", &[(2..2, 2..4)]);
    }

    #[test]
    fn lines_that_are_replaced_stay_together() {
        check("a } } b", "a x } b", &[(1..2, 1..2)]);
        check("a b c", "a x c", &[(1..2, 1..2)]);
        check("a b", "a b", &[]);
        check("a", "b", &[(0..1, 0..1)]);
    }
}
