//! Hints between the characters: the HIP name behind a CUDA name, and waves per execution unit behind a bound.

use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip, Range};

use super::checks::Analysis;
use super::positions::Encoding;
use crate::analysis::{Bounds, Constants, LAUNCH_BOUNDS};
use crate::diagnostic::Diagnostic;
use crate::rules::waves_per_eu;
use crate::source::{Edit, Piece, TextRange, TextSize};

/// Rules whose fix puts one name in place of another.
const RENAMES: &[&str] = &["renamed-name", "lossy-name"];

/// The hints within a range.
pub(super) fn hints(analysis: &Analysis, range: Range, encoding: Encoding) -> Vec<InlayHint> {
    let text = &analysis.buffer.text;
    let part = text.text_range(range, encoding);
    let numbers = analysis.all.count_before(part.start())..analysis.all.count_before(part.end());
    let names = numbers.filter_map(|number| {
        let head = analysis.all.head_at(number)?;
        RENAMES.contains(&head.rule.name).then(|| analysis.all.get(number))?
    });
    let names = names.filter_map(|finding| Some((finding.range.end(), new_name(&finding)?, None)));
    let all = names.chain(bounds(analysis, part));
    let hint = |(at, label, tooltip): (TextSize, String, Option<String>)| InlayHint {
        position: text.position(usize::from(at), encoding),
        label: InlayHintLabel::String(label),
        kind: Some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: tooltip.map(InlayHintTooltip::String),
        padding_left: Some(true),
        padding_right: Some(false),
        data: None,
    };
    all.map(hint).collect()
}

/// The name that a fix writes in place of the finding's.
fn new_name(finding: &Diagnostic) -> Option<String> {
    let [Edit { range, pieces }] = finding.fix.as_ref()?.edits.as_slice() else { return None };
    let [Piece::Text(new)] = pieces.as_slice() else { return None };
    (*range == finding.range).then(|| new.clone())
}

/// The waves per execution unit that the bounds of kernels ask for.
fn bounds(analysis: &Analysis, part: TextRange) -> Vec<(TextSize, String, Option<String>)> {
    let document = &analysis.document;
    let tokens = document.tokens_in(part);
    let names: Vec<_> = tokens.filter(|&idx| document.token_text(idx) == LAUNCH_BOUNDS).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let constants = Constants::of(document);
    let of = |name| {
        let bounds = Bounds::at(document, name);
        let waves = waves_per_eu(&bounds, &constants, (document, &analysis.project.settings))?;
        let label = waves.iter().map(|(targets, waves)| format!("{targets}: {waves}")).collect::<Vec<_>>().join("; ");
        Some((bounds.range.end(), label, Some("waves per execution unit that this bound asks for".to_owned())))
    };
    names.into_iter().filter_map(of).collect()
}
