//! Conditional regions: which branches of which `#if` a place lies in.

use crate::syntax::{DirectiveKind, Document, TokenIdx};

/// The branches around a place, outermost first; each is the token index of the `#` that opened it.
pub type Region = Vec<TokenIdx>;

/// The region of each directive, in their order. An `#if` itself lies outside of its region.
pub fn regions(document: &Document) -> Vec<Region> {
    let mut open: Region = Vec::new();
    let mut regions = Vec::with_capacity(document.directives().len());
    for directive in document.directives() {
        match directive.kind {
            DirectiveKind::Elif | DirectiveKind::Else => {
                open.pop();
                regions.push(open.clone());
                open.push(directive.tokens.start);
            }
            DirectiveKind::Endif => {
                open.pop();
                regions.push(open.clone());
            }
            kind => {
                regions.push(open.clone());
                if kind.opens_condition() {
                    open.push(directive.tokens.start);
                }
            }
        }
    }
    regions
}
