//! The fixes of a conversion as plain replacements in the bytes of a file, for other programs.

use rustc_hash::FxHashMap;

use crate::diagnostic::Diagnostic;
use crate::engine::Outcome;
use crate::source::{Edit, Encoding, FlatEdit, SourceText, TextSize};

/// Findings whose fixes share replacements, so that only all or none of these can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixGroup {
    /// The findings in the order of the file, each with the byte of the file that it starts at.
    pub findings: Vec<(Diagnostic, usize)>,
    /// What is replaced, in the order of the file.
    pub replacements: Vec<ByteReplacement>,
}

/// Bytes of a file and what stands there afterwards. Replacements of a file neither overlap nor touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteReplacement {
    /// The first byte, counted from 0 in the file as it is on disk.
    pub offset: usize,
    /// How many bytes are replaced; none for an insertion.
    pub length: usize,
    /// The new text.
    pub text: String,
}

/// A fix that moves bytes which are no UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a fix on line {line} moves bytes that are no UTF-8, which YAML cannot hold; convert the file to UTF-8 first")]
pub struct NotUtf8 {
    /// The line, from 1.
    pub line: u32,
}

/// The fixes that `outcome` applies.
pub fn fix_groups(source: &SourceText, outcome: &Outcome) -> Result<Vec<FixGroup>, NotUtf8> {
    let flat = outcome.patch.flattened(source.text());
    let findings: Vec<Diagnostic> = outcome.applied.iter().collect();
    let encoding = source.file().encoding;
    if let Some(edit) = flat.iter().find(|edit| encoding == Encoding::Latin1 && !edit.text.is_ascii()) {
        return Err(NotUtf8 { line: source.position(edit.range.start()).line });
    }
    let offset = byte_offsets(source);
    let replacement = |number: &usize| {
        let edit = &flat[*number];
        let (start, end) = (offset(edit.range.start()), offset(edit.range.end()));
        ByteReplacement { offset: start, length: end - start, text: edit.text.clone() }
    };
    let finding = |number: &usize| {
        let finding = &findings[*number];
        (finding.clone(), offset(finding.range.start()))
    };
    let group = |(findings, replacements): &Group| FixGroup {
        findings: findings.iter().map(finding).collect(),
        replacements: replacements.iter().map(replacement).collect(),
    };
    Ok(join(&flat, &findings).iter().map(group).collect())
}

/// Takes an offset of the text to the byte of the file.
fn byte_offsets(source: &SourceText) -> impl Fn(TextSize) -> usize {
    let chars = source.text().char_indices();
    let doubled: Vec<usize> = match source.file().encoding {
        Encoding::Utf8 => Vec::new(),
        // One byte of the file, two of the text, but for a byte order mark.
        Encoding::Latin1 => chars.filter(|(_, c)| !c.is_ascii() && *c <= 'ÿ').map(|(at, _)| at).collect(),
    };
    move |offset| usize::from(offset) - doubled.partition_point(|at| *at < usize::from(offset))
}

/// The numbers of findings and replacements that belong together.
type Group = (Vec<usize>, Vec<usize>);

/// Findings and replacements in groups that have neither in common, in the order of their replacements.
fn join(flat: &[FlatEdit], findings: &[Diagnostic]) -> Vec<Group> {
    let mut places: FxHashMap<&Edit, Vec<usize>> = FxHashMap::default();
    for (number, replacement) in flat.iter().enumerate() {
        for edit in &replacement.edits {
            places.entry(edit).or_default().push(number);
        }
    }
    let touched = |finding: &Diagnostic| -> Vec<usize> {
        let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
        edits.filter_map(|edit| places.get(edit)).flatten().copied().collect()
    };
    let touched: Vec<Vec<usize>> = findings.iter().map(touched).collect();
    let mut sets = Sets::new(flat.len());
    for numbers in &touched {
        numbers.windows(2).for_each(|pair| sets.join(pair[0], pair[1]));
    }
    let mut groups: Vec<Group> = vec![Group::default(); flat.len()];
    for number in 0..flat.len() {
        groups[sets.find(number)].1.push(number);
    }
    for (finding, numbers) in touched.iter().enumerate() {
        if let Some(&number) = numbers.first() {
            groups[sets.find(number)].0.push(finding);
        }
    }
    groups.retain(|(_, replacements)| !replacements.is_empty());
    groups
}

/// Disjoint sets of numbers; the least number of a set stands for it.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Sets {
        Sets((0..count).collect())
    }

    fn find(&mut self, number: usize) -> usize {
        let mut at = number;
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}
