//! Macros with names that HIP's runtime header uses, where it is not read yet.

use super::place::line_start;
use crate::analysis::{include_guard, regions};
use crate::mapping::is_word_of_runtime_header;
use crate::source::TextSize;
use crate::syntax::{Document, MacroDefinition, TokenIdx, TokenKind, is_keyword};

/// A macro that HIP's runtime header must not see.
pub(super) struct EarlyMacro {
    pub(super) name: TokenIdx,
    /// The start of the line in front of it, and of the conditions around it.
    pub(super) place: TextSize,
}

/// The first macro in front of the token `end` that changes what HIP's runtime header says.
pub(super) fn early_macro(document: &Document, end: TokenIdx) -> Option<EarlyMacro> {
    let guard = usize::from(include_guard(document).is_some());
    let mut outermost = None;
    for (directive, region) in document.directives().iter().zip(regions(document)) {
        if directive.tokens.start >= end {
            return None;
        }
        if region.depth <= guard {
            outermost = Some(directive.range.start());
        }
        let found = MacroDefinition::of(document, directive).filter(|found| is_harmful(document, found));
        if let Some((found, place)) = found.zip(outermost) {
            return Some(EarlyMacro { name: found.name, place: line_start(document, place) });
        }
    }
    None
}

/// Whether a macro replaces a name of the header by something that is no other name: `#define n count` gives it another one throughout.
fn is_harmful(document: &Document, found: &MacroDefinition) -> bool {
    let is_other_name = || {
        let first = found.body.start;
        let is_name = document.kind(first) == Some(TokenKind::Ident) && !is_keyword(document.token_text(first));
        found.body.len() == 1 && is_name && found.parameters.is_empty()
    };
    is_word_of_runtime_header(document.token_text(found.name)) && !is_other_name()
}
