//! Macros with names that HIP's runtime header uses, where it is not read yet.

use super::place::{ends_declaration, line_start};
use crate::analysis::{include_guard, regions};
use crate::mapping::is_word_of_runtime_header;
use crate::source::{TextRange, TextSize};
use crate::syntax::{DirectiveKind, Document, MacroDefinition, TokenIdx, TokenKind, is_keyword};

/// A macro that HIP's runtime header must not see.
pub(super) struct EarlyMacro {
    pub(super) name: TokenIdx,
    /// The start of the line in front of it, and of the conditions around it.
    pub(super) place: TextSize,
}

/// The first macro in front of the token `end` that changes what HIP's runtime header says there. Nothing where the include could not
/// stand in front of it: within brackets, in the middle of a statement, or behind something on its line.
pub(super) fn early_macro(document: &Document, end: TokenIdx) -> Option<EarlyMacro> {
    let guard = usize::from(include_guard(document).is_some());
    let (mut at, mut brackets_end, mut last_code, mut outermost) = (0, 0, None, None);
    let mut found: Vec<EarlyMacro> = Vec::new();
    let directives = document.directives().iter().zip(regions(document));
    for (directive, region) in directives.take_while(|(directive, _)| directive.tokens.start < end) {
        let code = at..directive.tokens.start;
        at = directive.tokens.end;
        last_code = code.clone().last().or(last_code);
        brackets_end =
            code.filter_map(|token| document.partner(token)).fold(brackets_end, |end, closer| end.max(closer + 1));
        let goes_on = matches!(directive.kind, DirectiveKind::Elif | DirectiveKind::Else | DirectiveKind::Endif);
        if region.depth <= guard && !goes_on {
            let stands_free = directive.tokens.start >= brackets_end && ends_declaration(document, last_code);
            let start = line_start(document, directive.range.start());
            let is_alone = document.slice(TextRange::new(start, directive.range.start())).trim().is_empty();
            outermost = (stands_free && is_alone).then_some(start);
        }
        let name = directive.tokens.start + 2;
        if directive.kind == DirectiveKind::Undef {
            found.retain(|early| document.token_text(early.name) != document.token_text(name));
        } else if let Some(place) = outermost
            && MacroDefinition::of(document, directive).is_some_and(|macros| is_harmful(document, &macros))
            && !found.iter().any(|early| document.token_text(early.name) == document.token_text(name))
        {
            found.push(EarlyMacro { name, place });
        }
    }
    found.into_iter().next()
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
