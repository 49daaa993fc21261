//! A patch as plain replacements that lie side by side, for tools that know no others.

use super::patch::Node;
use super::{Edit, Patch, Piece, TextRange};

/// A range and the text in its place. What edits keep where it is lies between two of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlatEdit {
    /// Bytes of the original text.
    pub range: TextRange,
    /// What stands there afterwards.
    pub text: String,
    /// The edits of the patch that made it; each is in every replacement that it has a part in.
    pub edits: Vec<Edit>,
}

impl Patch {
    /// The patch as replacements in the order of the text. They neither overlap nor touch each other, and
    /// together they make the same text as the patch.
    pub fn flattened(&self, text: &str) -> Vec<FlatEdit> {
        let mut flattening = Flattening { text, done: Vec::new() };
        flattening.add_all(&self.nodes);
        flattening.done
    }
}

struct Flattening<'t> {
    text: &'t str,
    done: Vec<FlatEdit>,
}

impl Flattening<'_> {
    fn add_all(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.add(node);
        }
    }

    /// A kept part that stands behind all before it stays where it is; others are written anew.
    fn add(&mut self, node: &Node) {
        let edit = node.edit();
        let mut open = FlatEdit::at(&edit, edit.range);
        for piece in &edit.pieces {
            match piece {
                Piece::Text(new) => open.text.push_str(new),
                Piece::Keep(kept) if kept.start() >= open.range.start() => {
                    let behind = TextRange::new(kept.end(), edit.range.end());
                    let before = std::mem::replace(&mut open, FlatEdit::at(&edit, behind));
                    self.push(before.up_to(*kept));
                    self.add_all(node.children_within(*kept));
                }
                Piece::Keep(kept) => open.write(self.text, *kept, node.children_within(*kept)),
            }
        }
        self.push(open);
    }

    fn push(&mut self, next: FlatEdit) {
        if self.text[next.range] == next.text {
            return;
        }
        match self.done.last_mut() {
            Some(last) if last.range.end() == next.range.start() => {
                last.range = last.range.cover(next.range);
                last.text.push_str(&next.text);
                last.edits.extend(next.edits);
            }
            _ => self.done.push(next),
        }
    }
}

impl FlatEdit {
    fn at(edit: &Edit, range: TextRange) -> FlatEdit {
        FlatEdit { range, text: String::new(), edits: vec![edit.clone()] }
    }

    fn up_to(self, kept: TextRange) -> FlatEdit {
        FlatEdit { range: TextRange::new(self.range.start(), kept.start()), ..self }
    }

    fn write(&mut self, text: &str, range: TextRange, nodes: &[Node]) {
        let mut at = range.start();
        for node in nodes {
            let edit = node.edit();
            self.text.push_str(&text[TextRange::new(at, edit.range.start())]);
            for piece in &edit.pieces {
                match piece {
                    Piece::Text(new) => self.text.push_str(new),
                    Piece::Keep(kept) => self.write(text, *kept, node.children_within(*kept)),
                }
            }
            at = edit.range.end();
            self.edits.push(edit);
        }
        self.text.push_str(&text[TextRange::new(at, range.end())]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{TextSize, range};

    const CALL: &str = "foo(aa, bb)";

    fn patch(edits: &[Edit]) -> Patch {
        let mut patch = Patch::default();
        for edit in edits {
            patch.try_add(std::slice::from_ref(edit)).unwrap();
        }
        patch
    }

    /// Shows each replacement as `old=new` with the number of edits behind it.
    #[track_caller]
    fn check(edits: &[Edit], expected: &[&str]) {
        let patch = patch(edits);
        let flat = patch.flattened(CALL);
        let shown: Vec<_> = flat.iter().map(|e| format!("{}={} {}", &CALL[e.range], e.text, e.edits.len())).collect();
        assert_eq!(shown, expected);
        let mut whole = CALL.to_owned();
        for edit in flat.iter().rev() {
            whole.replace_range(usize::from(edit.range.start())..usize::from(edit.range.end()), &edit.text);
        }
        assert_eq!(whole, patch.apply(CALL));
    }

    fn wrap(inner: TextRange) -> Edit {
        let text = |text: &str| Piece::Text(text.to_owned());
        Edit { range: inner, pieces: vec![text("W("), Piece::Keep(inner), text(")")] }
    }

    #[test]
    fn what_stays_where_it_is_is_left_out() {
        check(&[wrap(range(4, 10))], &["=W( 1", "=) 1"]);
        check(&[wrap(range(4, 10)), Edit::replace(range(8, 10), "c")], &["=W( 1", "bb=c) 2"]);
    }

    #[test]
    fn what_moves_is_written_anew_with_its_own_edits() {
        let (first, second) = (range(4, 6), range(8, 10));
        let pieces = vec![Piece::Keep(second), Piece::Text(", ".to_owned()), Piece::Keep(first)];
        let swap = Edit { range: range(4, 10), pieces };
        check(&[swap, Edit::replace(first, "x"), Edit::replace(second, "y")], &["aa, bb=y, x 4"]);
    }

    #[test]
    fn replacements_that_touch_are_joined() {
        let at = TextSize::new(4);
        check(&[Edit::insert(at, "line\n"), Edit::replace(range(4, 6), "x")], &["aa=line\nx 2"]);
        check(&[Edit::replace(range(0, 3), "f"), Edit::delete(range(3, 4))], &["foo(=f 2"]);
    }

    #[test]
    fn what_changes_nothing_is_left_out() {
        check(&[Edit::replace(range(0, 3), "foo")], &[]);
    }
}
