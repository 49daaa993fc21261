//! Edits that fit together, and what they make of a text.
//!
//! A patch is a tree: an edit that lies inside a kept part of another is its child. So an edit
//! that moves arguments and edits within those arguments never conflict.

use std::convert::Infallible;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::edit::{ends_line, keeps};
use super::{Edit, Piece, TextRange, TextSize};

/// Edits that fit together.
///
/// Invariant: at each level of the tree the edits are sorted and disjoint, and every child lies
/// in a kept part of its parent.
#[derive(Debug, Clone, Default)]
pub struct Patch {
    pub(super) nodes: Vec<Node>,
    /// The new texts, each once: a large file has millions of edits, most alike.
    texts: FxHashSet<Arc<str>>,
}

impl PartialEq for Patch {
    fn eq(&self, other: &Patch) -> bool {
        self.nodes == other.nodes
    }
}

impl Eq for Patch {}

/// An edit in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) range: TextRange,
    content: Content,
}

/// What stands in place of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Nothing,
    Text(Arc<str>),
    Pieces(Box<Pieces>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pieces {
    pieces: Vec<Piece>,
    children: Vec<Node>,
}

/// An edit that cannot stand beside those already in the patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("another fix changes the same text")]
pub struct Conflict {
    /// Where the edit that was there first lies.
    pub with: TextRange,
}

impl Patch {
    /// Whether the patch changes nothing.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds all of `edits`, or none.
    pub fn try_add(&mut self, edits: &[Edit]) -> Result<(), Conflict> {
        if let [only] = edits {
            return add(&mut self.nodes, only, &mut self.texts);
        }
        // Fitting is a matter of pairs: edits that fit each other and fit the tree fit together.
        let mut own = Vec::new();
        for edit in edits {
            check(&self.nodes, edit)?;
            add(&mut own, edit, &mut self.texts)?;
        }
        edits.iter().try_for_each(|edit| add(&mut self.nodes, edit, &mut self.texts))
    }

    /// The ranges that the edits of the top level replace, in the order of the text.
    pub fn ranges(&self) -> impl Iterator<Item = TextRange> {
        self.nodes.iter().map(|node| node.range)
    }

    /// The patch with those edits only that `wanted` wants. What is left stands as it stood, also where edits
    /// of one range nest in the order in which they were added.
    #[must_use]
    pub fn filtered(&self, wanted: &dyn Fn(&Edit) -> bool) -> Patch {
        Patch { nodes: filter(&self.nodes, wanted), texts: self.texts.clone() }
    }

    /// What stands in place of which range after all edits, in the order of the text.
    pub fn replacements(&self, text: &str) -> Vec<(TextRange, String)> {
        let of = |node: &Node| (node.range, collect(|out| write_node(node, out), text));
        self.nodes.iter().map(of).collect()
    }

    /// The text after all edits.
    pub fn apply(&self, text: &str) -> String {
        let mut patched = String::with_capacity(text.len() + text.len() / 8);
        let Ok(()) = self.apply_to(text, &mut |part| {
            patched.push_str(part);
            Ok::<_, Infallible>(())
        });
        patched
    }

    /// Hands the text after all edits to `out`, part by part.
    pub fn apply_to<E>(&self, text: &str, out: &mut dyn FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        write(whole(text), &self.nodes, &mut |part| out(part.text(text)))
    }

    /// What becomes of a part of the text. Each edit lies within the part or outside of it; an insertion
    /// at the end of the part lies outside, unless the text ends there.
    pub fn apply_within(&self, text: &str, part: TextRange) -> String {
        let first = self.nodes.partition_point(|node| node.range.start() < part.start());
        let is_last = part.end() == TextSize::of(text);
        let inside = self.nodes[first..].iter().take_while(|node| is_last || node.range.start() < part.end()).count();
        collect(|out| write(part, &self.nodes[first..first + inside], out), text)
    }

    /// The text after all edits, with the map between the two texts.
    pub fn render(&self, text: &str) -> Rendered {
        let mut rendered = Rendered { text: String::with_capacity(text.len() + text.len() / 8), runs: Vec::new() };
        let Ok(()) = write(whole(text), &self.nodes, &mut |part| {
            if let Part::Kept(range) = part {
                rendered.runs.push((TextSize::of(rendered.text.as_str()), range));
            }
            rendered.text.push_str(part.text(text));
            Ok::<_, Infallible>(())
        });
        rendered
    }
}

/// A patched text and where its parts came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text after all edits.
    pub text: String,
    /// Unchanged runs: where each starts in the output, and its original range. Sorted by output.
    runs: Vec<(TextSize, TextRange)>,
}

impl Rendered {
    /// The parts that stayed, in the order of the output: where each was, and where it is.
    pub fn kept(&self) -> impl Iterator<Item = (TextRange, TextRange)> {
        self.runs.iter().map(|(start, original)| (*original, TextRange::at(*start, original.len())))
    }

    /// The original offset that `offset` of the output came from; for new text, where the
    /// nearest unchanged text before it ended.
    pub fn to_original(&self, offset: TextSize) -> TextSize {
        let after = self.runs.partition_point(|(start, _)| *start <= offset);
        let Some((start, original)) = after.checked_sub(1).and_then(|i| self.runs.get(i)) else {
            return TextSize::new(0);
        };
        original.start() + (offset - *start).min(original.len())
    }

    /// The output offset of an original offset, if that text was kept.
    pub fn to_output(&self, offset: TextSize) -> Option<TextSize> {
        let run = self.runs.iter().find(|(_, original)| original.contains(offset))?;
        Some(run.0 + (offset - run.1.start()))
    }

    /// The output offset of an original offset; for text that was replaced, where the nearest
    /// unchanged text before it ends.
    pub fn to_output_nearest(&self, offset: TextSize) -> TextSize {
        let before = self.runs.iter().filter(|(_, original)| original.start() <= offset);
        let ends = before.map(|(start, original)| *start + (offset.min(original.end()) - original.start()));
        ends.max().unwrap_or_default()
    }
}

fn whole(text: &str) -> TextRange {
    TextRange::up_to(TextSize::of(text))
}

/// A part of a patched text.
#[derive(Clone, Copy)]
enum Part<'p> {
    New(&'p str),
    Kept(TextRange),
}

impl<'p> Part<'p> {
    fn text(self, text: &'p str) -> &'p str {
        match self {
            Part::New(new) => new,
            Part::Kept(range) => &text[range],
        }
    }
}

/// Takes the parts of a patched text in their order.
type Out<'o, E> = dyn FnMut(Part<'_>) -> Result<(), E> + 'o;

fn collect(write: impl FnOnce(&mut Out<'_, Infallible>) -> Result<(), Infallible>, text: &str) -> String {
    let mut collected = String::new();
    let Ok(()) = write(&mut |part| {
        collected.push_str(part.text(text));
        Ok(())
    });
    collected
}

fn write<E>(range: TextRange, nodes: &[Node], out: &mut Out<'_, E>) -> Result<(), E> {
    let mut at = range.start();
    for node in nodes {
        keep(TextRange::new(at, node.range.start()), out)?;
        write_node(node, out)?;
        at = node.range.end();
    }
    keep(TextRange::new(at, range.end()), out)
}

fn write_node<E>(node: &Node, out: &mut Out<'_, E>) -> Result<(), E> {
    let pieces = match &node.content {
        Content::Nothing => return Ok(()),
        Content::Text(new) => return out(Part::New(new)),
        Content::Pieces(pieces) => &pieces.pieces,
    };
    pieces.iter().try_for_each(|piece| match piece {
        Piece::Text(new) => out(Part::New(new)),
        Piece::Keep(kept) => write(*kept, node.children_within(*kept), out),
    })
}

fn keep<E>(range: TextRange, out: &mut Out<'_, E>) -> Result<(), E> {
    if range.is_empty() { Ok(()) } else { out(Part::Kept(range)) }
}

impl Node {
    fn new(edit: &Edit, texts: &mut FxHashSet<Arc<str>>) -> Node {
        let content = match edit.pieces.as_slice() {
            [] => Content::Nothing,
            [Piece::Text(text)] => Content::Text(shared(text, texts)),
            pieces => Content::Pieces(Box::new(Pieces { pieces: pieces.to_vec(), children: Vec::new() })),
        };
        Node { range: edit.range, content }
    }

    /// The children that lie in a kept part.
    pub(super) fn children_within(&self, kept: TextRange) -> &[Node] {
        let Content::Pieces(pieces) = &self.content else { return &[] };
        let first = pieces.children.partition_point(|child| child.range.start() < kept.start());
        let inside = pieces.children[first..].iter().take_while(|child| kept.contains_range(child.range)).count();
        &pieces.children[first..first + inside]
    }

    pub(super) fn edit(&self) -> Edit {
        let pieces = match &self.content {
            Content::Nothing => Vec::new(),
            Content::Text(text) => vec![Piece::Text(text.to_string())],
            Content::Pieces(pieces) => pieces.pieces.clone(),
        };
        Edit { range: self.range, pieces }
    }

    fn is(&self, edit: &Edit) -> bool {
        let is_same = match (&self.content, edit.pieces.as_slice()) {
            (Content::Nothing, pieces) => pieces.is_empty(),
            (Content::Text(text), [Piece::Text(other)]) => **text == **other,
            (Content::Text(_), _) => false,
            (Content::Pieces(own), pieces) => own.pieces == pieces,
        };
        self.range == edit.range && is_same
    }

    fn inserts_lines(&self) -> bool {
        self.range.is_empty()
            && match &self.content {
                Content::Nothing => false,
                Content::Text(text) => text.ends_with('\n'),
                Content::Pieces(pieces) => ends_line(&pieces.pieces),
            }
    }

    /// The edits within, if `inner` lies wholly in one kept part.
    fn children_around(&self, inner: TextRange) -> Option<&Vec<Node>> {
        match &self.content {
            Content::Pieces(pieces) if keeps(&pieces.pieces, inner) => Some(&pieces.children),
            _ => None,
        }
    }
}

fn shared(text: &str, texts: &mut FxHashSet<Arc<str>>) -> Arc<str> {
    if let Some(known) = texts.get(text) {
        return Arc::clone(known);
    }
    let new: Arc<str> = text.into();
    texts.insert(Arc::clone(&new));
    new
}

/// The children of an edit that goes take its place.
fn filter(nodes: &[Node], wanted: &dyn Fn(&Edit) -> bool) -> Vec<Node> {
    let mut left = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut node = node.clone();
        let is_wanted = wanted(&node.edit());
        match &mut node.content {
            Content::Pieces(pieces) if is_wanted => pieces.children = filter(&pieces.children, wanted),
            Content::Pieces(pieces) => left.extend(filter(&pieces.children, wanted)),
            Content::Nothing | Content::Text(_) => {}
        }
        left.extend(is_wanted.then_some(node));
    }
    left
}

/// The nodes that overlap `edit`, as an index range. Touching is not overlapping, but an
/// insertion at the place of another insertion is, unless one of the two inserts whole lines.
fn overlapping(nodes: &[Node], edit: &Edit) -> std::ops::Range<usize> {
    let range = edit.range;
    let start = nodes.partition_point(|node| comes_before(node, edit));
    let count = nodes[start..].iter().take_while(|node| {
        let same_place = range.is_empty() && node.range == range && node.inserts_lines() == edit.inserts_lines();
        node.range.start() < range.end() || same_place
    });
    start..start + count.count()
}

/// Whether `other` ends before `edit` starts.
fn comes_before(other: &Node, edit: &Edit) -> bool {
    if other.range.end() != edit.range.start() {
        return other.range.end() < edit.range.start();
    }
    match (other.range.is_empty(), edit.range.is_empty()) {
        (true, true) => other.inserts_lines() && !edit.inserts_lines(),
        // What ends where lines are inserted stands before them.
        _ => true,
    }
}

fn check(nodes: &[Node], edit: &Edit) -> Result<(), Conflict> {
    let hits = &nodes[overlapping(nodes, edit)];
    match hits {
        [] => return Ok(()),
        [only] if only.is(edit) => return Ok(()),
        [only] => {
            if let Some(children) = only.children_around(edit.range) {
                return check(children, edit);
            }
        }
        _ => {}
    }
    match hits.iter().find(|node| !edit.keeps(node.range)) {
        Some(node) => Err(Conflict { with: node.range }),
        None => Ok(()),
    }
}

fn add(nodes: &mut Vec<Node>, edit: &Edit, texts: &mut FxHashSet<Arc<str>>) -> Result<(), Conflict> {
    check(nodes, edit)?;
    let hits = overlapping(nodes, edit);
    if let [only] = &mut nodes[hits.clone()] {
        if only.is(edit) {
            return Ok(());
        }
        if let Content::Pieces(pieces) = &mut only.content
            && keeps(&pieces.pieces, edit.range)
        {
            return add(&mut pieces.children, edit, texts);
        }
    }
    let mut node = Node::new(edit, texts);
    let at = hits.start;
    let inner = nodes.drain(hits);
    if let Content::Pieces(pieces) = &mut node.content {
        pieces.children.extend(inner);
    } else {
        drop(inner);
    }
    nodes.insert(at, node);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::range;

    fn find(text: &str, part: &str) -> TextRange {
        let at = text.find(part).unwrap();
        range(at, at + part.len())
    }

    #[track_caller]
    fn check_patch(before: &str, fixes: &[Vec<Edit>], after: &str) {
        let mut forwards = Patch::default();
        let mut backwards = Patch::default();
        for fix in fixes {
            forwards.try_add(fix).unwrap();
        }
        for fix in fixes.iter().rev() {
            backwards.try_add(fix).unwrap();
        }
        assert_eq!(forwards.apply(before), after);
        assert_eq!(backwards.apply(before), after, "the order of fixes must not matter");
    }

    const CALL: &str = "cudaFoo(cudaA, b)";

    fn swap_arguments() -> Vec<Edit> {
        let (first, second) = (find(CALL, "cudaA"), find(CALL, "b"));
        let comma = Piece::Text(", ".to_owned());
        let pieces = vec![Piece::Keep(second), comma, Piece::Keep(first)];
        vec![Edit { range: first.cover(second), pieces }]
    }

    #[test]
    fn reordering_keeps_inner_renames() {
        let name = vec![Edit::replace(find(CALL, "cudaFoo"), "hipFoo")];
        let argument = vec![Edit::replace(find(CALL, "cudaA"), "hipA")];
        check_patch(CALL, &[swap_arguments(), name, argument], "hipFoo(b, hipA)");
    }

    #[test]
    fn what_is_filtered_out_leaves_its_children() {
        let mut patch = Patch::default();
        patch.try_add(&swap_arguments()).unwrap();
        let rename = Edit::replace(find(CALL, "cudaA"), "hipA");
        patch.try_add(std::slice::from_ref(&rename)).unwrap();
        assert_eq!(patch.filtered(&|edit| *edit == rename).apply(CALL), "cudaFoo(hipA, b)");
        assert_eq!(patch.filtered(&|edit| *edit != rename).apply(CALL), "cudaFoo(b, cudaA)");
        assert_eq!(patch.filtered(&|_| true), patch);
        assert!(patch.filtered(&|_| false).is_empty());
    }

    #[test]
    fn identical_edits_are_merged() {
        let fix = vec![Edit::replace(find(CALL, "cudaA"), "hipA")];
        check_patch(CALL, &[fix.clone(), fix], "cudaFoo(hipA, b)");
    }

    #[test]
    fn touching_edits_fit() {
        let at = find(CALL, "cudaA");
        let wrap = vec![Edit::insert(at.start(), "HIP_SYMBOL("), Edit::insert(at.end(), ")")];
        let rename = vec![Edit::replace(at, "hipA")];
        check_patch(CALL, &[wrap, rename], "cudaFoo(HIP_SYMBOL(hipA), b)");
    }

    #[test]
    fn a_fix_that_does_not_fit_leaves_no_trace() {
        let mut patch = Patch::default();
        patch.try_add(&[Edit::replace(find(CALL, "cudaA"), "hipA")]).unwrap();
        let before = patch.clone();
        let clash = [Edit::replace(find(CALL, "cudaFoo"), "x"), Edit::replace(find(CALL, "(cudaA"), "y")];
        assert_eq!(patch.try_add(&clash), Err(Conflict { with: find(CALL, "cudaA") }));
        assert_eq!(patch, before);
    }

    #[test]
    fn two_insertions_at_one_place_conflict() {
        let mut patch = Patch::default();
        patch.try_add(&[Edit::insert(TextSize::new(3), "a")]).unwrap();
        assert!(patch.try_add(&[Edit::insert(TextSize::new(3), "b")]).is_err());
    }

    #[test]
    fn an_inserted_line_comes_before_an_inserted_word() {
        let at = find(CALL, "cudaA").start();
        let (line, word) = (vec![Edit::insert(at, "line\n")], vec![Edit::insert(at, "word ")]);
        check_patch(CALL, &[line, word, vec![Edit::replace(find(CALL, "cudaA"), "x")]], "cudaFoo(line\nword x, b)");
    }

    #[test]
    fn positions_map_both_ways() {
        let mut patch = Patch::default();
        patch.try_add(&[Edit::replace(find(CALL, "cudaFoo"), "hipFoo")]).unwrap();
        patch.try_add(&swap_arguments()).unwrap();
        let rendered = patch.render(CALL);
        assert_eq!(rendered.text, "hipFoo(b, cudaA)");
        for kept in ["(", "cudaA", "b", ")"] {
            let (from, to) = (find(CALL, kept), find(&rendered.text, kept));
            assert_eq!(rendered.to_output(from.start()), Some(to.start()), "{kept}");
            assert_eq!(rendered.to_original(to.start()), from.start(), "{kept}");
        }
        assert_eq!(rendered.to_output(TextSize::new(0)), None);
        assert_eq!(rendered.to_output_nearest(find(CALL, "cudaFoo").start()), TextSize::new(0));
        assert_eq!(rendered.to_output_nearest(find(CALL, ")").start()), TextSize::of("hipFoo(b, cudaA"));
    }

    #[test]
    fn replacements_hold_what_lies_within_them() {
        let mut patch = Patch::default();
        patch.try_add(&swap_arguments()).unwrap();
        patch.try_add(&[Edit::replace(find(CALL, "cudaA"), "hipA")]).unwrap();
        assert_eq!(patch.replacements(CALL), [(find(CALL, "cudaA, b"), "b, hipA".to_owned())]);
    }
}
