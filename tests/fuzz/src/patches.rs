//! Edits and merges: what a patch makes of a text is the same by each way, and a merge with one side only takes it.

use hipshift::source::{Edit, MergeLabels, Patch, merge, range};

/// Three texts with zeros between; the last is also what edits are made of.
pub fn run(bytes: &[u8]) {
    let mut parts = bytes.splitn(3, |byte| *byte == 0);
    let [base, ours, theirs] = [(); 3].map(|()| parts.next().unwrap_or_default());
    merges(base, ours, theirs);
    if let Ok(text) = std::str::from_utf8(base) {
        edits(text, theirs);
    }
}

fn merges(base: &[u8], ours: &[u8], theirs: &[u8]) {
    let labels = MergeLabels { ours: "ours", base: "base", theirs: "theirs" };
    assert_eq!(merge(base, base, theirs, labels).bytes, theirs, "one side only");
    assert_eq!(merge(base, ours, base, labels).bytes, ours, "the other side only");
    assert_eq!(merge(base, ours, ours, labels).bytes, ours, "both alike");
    let merged = merge(base, ours, theirs, labels);
    let lines = merged.bytes.split(|byte| *byte == b'\n').count();
    assert!(merged.conflicts.iter().all(|line| *line >= 1 && *line <= lines));
}

fn edits(text: &str, orders: &[u8]) {
    let mut patch = Patch::default();
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    for order in orders.chunks_exact(3) {
        let [from, length, kind] = [order[0], order[1], order[2]].map(usize::from);
        let from = from % places.len();
        let to = (from + length % 8).min(places.len() - 1);
        let place = range(places[from], places[to]);
        let new = ["", "x", "\n", "a longer text"][kind % 4];
        let _ = patch.try_add(&[Edit::replace(place, new)]);
    }
    let applied = patch.apply(text);
    assert_eq!(patch.render(text).text, applied, "rendering says something else");
    let mut flat = String::new();
    let mut at = 0;
    for (place, new) in patch.replacements(text) {
        let (start, end) = (usize::from(place.start()), usize::from(place.end()));
        assert!(start >= at, "replacements overlap");
        flat.push_str(&text[at..start]);
        flat.push_str(&new);
        at = end;
    }
    flat.push_str(&text[at..]);
    assert_eq!(flat, applied, "replacements say something else");
}
