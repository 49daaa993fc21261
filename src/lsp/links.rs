//! Links from rules that suppressions name to their pages.

use lsp_types::DocumentLink;

use super::documents::Buffer;
use super::positions::Encoding;
use super::uris::rule_uri;
use crate::diagnostic::suppressions;
use crate::rules::find;
use crate::syntax::lex;

/// The links of a document.
pub(super) fn links(buffer: &Buffer, encoding: Encoding) -> Vec<DocumentLink> {
    let text = buffer.text.text();
    let named = suppressions(text, &lex(text).comments).suppressions.into_iter().map(|suppression| suppression.named);
    let link = |named| {
        let rule = find(&text[named])?.info;
        let target = rule_uri(rule.code);
        let tooltip = Some(format!("{} {}: {}", rule.code, rule.name, rule.summary()));
        Some(DocumentLink { range: buffer.text.range(named, encoding), target, tooltip, data: None })
    };
    named.filter_map(link).collect()
}
