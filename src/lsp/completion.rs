//! Completion of HIP's names in HIP sources, also by the name that they have in CUDA.

use std::collections::BTreeMap;

use lsp_types::{CompletionItem, CompletionItemKind, CompletionList, CompletionTextEdit, Position, TextEdit};

use super::checks::Analysis;
use super::positions::Encoding;
use crate::engine::{Language, language};
use crate::mapping::{Entry, Kind, Support};
use crate::source::{TextRange, range};
use crate::syntax::{DirectiveKind, Document};

/// A longer list is cut off and asked for again when more is typed.
const MOST: usize = 200;

/// The names that may stand at a position.
pub(super) fn completion(analysis: &Analysis, position: Position, encoding: Encoding) -> CompletionList {
    let (text, document) = (&analysis.buffer.text, &analysis.document);
    let offset = text.offset(position, encoding);
    let is_hip =
        analysis.buffer.language.contains("hip") || language(document, &analysis.project.table) == Language::Hip;
    let Some((typed, is_header)) = typed_before(document, offset).filter(|_| is_hip) else {
        return CompletionList::default();
    };
    let prefix = &document.text()[typed];
    let mut found = names(analysis, prefix, is_header);
    let is_incomplete = found.len() > MOST;
    let range = text.range(typed, encoding);
    let items = std::mem::take(&mut found).into_iter().take(MOST);
    let items = items.map(|(hip, entry)| item(hip, entry, prefix, range)).collect();
    CompletionList { is_incomplete, items }
}

/// What was typed of a name before a place, and whether it is that of an included file. Nothing within comments and
/// literals, and where nothing was typed.
fn typed_before(document: &Document, offset: usize) -> Option<(TextRange, bool)> {
    let at = range(offset, offset).start();
    if document.comments().iter().any(|comment| comment.start() < at && at <= comment.end()) {
        return None;
    }
    let last = document.token_at(at).checked_sub(1);
    let include = last.and_then(|last| document.directive_of(last)).filter(|d| d.kind == DirectiveKind::Include);
    if let Some(include) = include.and_then(|directive| document.include(directive)) {
        let typed = TextRange::new(include.path_range.start(), at.max(include.path_range.start()));
        return include
            .path_range
            .contains_inclusive(at)
            .then_some((typed, true))
            .filter(|(typed, _)| !typed.is_empty());
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let token = document.token(last?)?;
    let before = &document.text()[..offset];
    let start = before.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
    let is_name = token.kind == crate::syntax::TokenKind::Ident && usize::from(token.range().start()) <= start;
    (is_name && start < offset).then(|| (range(start, offset), false))
}

/// HIP's names that start as typed, or whose name in CUDA does; each with the entry that says most for it.
fn names<'a>(analysis: &'a Analysis, prefix: &str, is_header: bool) -> BTreeMap<&'static str, &'a Entry> {
    let rocm = analysis.project.settings.rocm;
    let starts = |name: &str| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let entries = analysis.project.table.entries().iter().filter(|entry| {
        let fits = (entry.kind == Kind::Header) == is_header && !entry.hip.is_empty() && entry.range.contains(rocm);
        fits && (starts(entry.hip) || starts(entry.cuda))
    });
    let mut found: BTreeMap<&'static str, &Entry> = BTreeMap::new();
    for entry in entries {
        let known = found.entry(entry.hip).or_insert(entry);
        if rank(entry, &starts) > rank(known, &starts) {
            *known = entry;
        }
    }
    found
}

/// How much an entry says for its HIP name: the one that was typed, the better support, the runtime's own name.
fn rank(entry: &Entry, starts: &impl Fn(&str) -> bool) -> (bool, Support, bool) {
    let is_namesake = entry.hip.strip_prefix("hip").is_some_and(|rest| entry.cuda.strip_prefix("cuda") == Some(rest));
    (starts(entry.cuda), entry.support, is_namesake)
}

fn item(hip: &str, entry: &Entry, prefix: &str, range: lsp_types::Range) -> CompletionItem {
    let starts = hip.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let note =
        if entry.support == Support::Full { String::new() } else { format!(", support: {}", entry.support.as_str()) };
    CompletionItem {
        label: hip.to_owned(),
        kind: Some(kind(entry.kind)),
        detail: Some(format!("{} in CUDA, {}{note}", entry.cuda, entry.library)),
        documentation: (!entry.note.is_empty()).then(|| lsp_types::Documentation::String(entry.note.to_owned())),
        // Editors compare what was typed with this.
        filter_text: Some(if starts { hip } else { entry.cuda }.to_owned()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: hip.to_owned() })),
        ..CompletionItem::default()
    }
}

fn kind(kind: Kind) -> CompletionItemKind {
    match kind {
        Kind::Function | Kind::Builtin => CompletionItemKind::FUNCTION,
        Kind::Type => CompletionItemKind::CLASS,
        Kind::Constant | Kind::Macro => CompletionItemKind::CONSTANT,
        Kind::Header => CompletionItemKind::FILE,
        Kind::Namespace => CompletionItemKind::MODULE,
    }
}
