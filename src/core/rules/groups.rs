//! Objects of cooperative groups, by what a function declares them as.

use std::ops::Range;

use crate::rules::context::Context;
use crate::syntax::{Document, TokenIdx, TokenKind, start_of_postfix, words, words_in};

/// Parts of words in the declaration of a group: of its type, of what makes it, of a template's parameter for it.
const GROUPS: &[&str] = &["coalesced", "group", "partition", "tile"];

/// What a group holds, as far as its members differ for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupKind {
    /// All threads of a launch.
    Grid,
    /// The threads of a block.
    Block,
    /// A group of any kind, by its base class.
    Any,
    /// The threads of a warp that run together.
    Coalesced,
    /// The threads of a group that share a predicate or label.
    Part,
    /// A tile of a block, or a group of which nothing more is known.
    Other,
}

/// The types of groups, and what makes them.
const KINDS: &[(&str, GroupKind)] = &[
    ("grid_group", GroupKind::Grid),
    ("this_grid", GroupKind::Grid),
    ("thread_block", GroupKind::Block),
    ("this_thread_block", GroupKind::Block),
    ("thread_block_tile", GroupKind::Other),
    ("thread_group", GroupKind::Any),
    ("coalesced_group", GroupKind::Coalesced),
    ("multi_grid_group", GroupKind::Other),
    ("tiled_partition", GroupKind::Other),
    ("coalesced_threads", GroupKind::Coalesced),
    ("this_multi_grid", GroupKind::Other),
    ("binary_partition", GroupKind::Part),
    ("labeled_partition", GroupKind::Part),
];

/// Whether the file includes the header of cooperative groups.
pub(super) fn has_groups(cx: &Context<'_>) -> bool {
    let mut includes = cx.document.includes();
    includes.any(|include| include.path.contains("cooperative_groups"))
}

/// The group that an expression from the token `first` to `last` is: a call that makes one, or a variable, parameter or member that
/// is declared as one. `None` where the text does not say.
fn kind_of(first: TokenIdx, last: TokenIdx, cx: &Context<'_>) -> Option<GroupKind> {
    let document: &Document = cx.document;
    if document.is(last, b')') {
        return made_by(first..last, document);
    }
    let name = document.token_text(last);
    if first == last
        && let Some(declaration) = declaration(document, last, last, cx)
    {
        return made_by(declaration, document);
    }
    // A member, or a variable of the file: all that is declared by the name is of one kind.
    let mut kinds =
        words(document, name).filter(|&idx| is_declared(idx, document)).map(|idx| kind_before(idx, document));
    let first = kinds.next()??;
    kinds.all(|kind| kind == Some(first)).then_some(first)
}

/// The group that a value is.
pub(super) fn group_of_value(value: Range<TokenIdx>, cx: &Context<'_>) -> Option<GroupKind> {
    kind_of(value.start, value.end.checked_sub(1)?, cx)
}

/// The group whose member a token names, with the token that its expression starts with.
pub(super) fn group_of_member(member: TokenIdx, cx: &Context<'_>) -> Option<(TokenIdx, GroupKind)> {
    let last = member.checked_sub(2)?;
    let first = start_of_receiver(cx.document, last)?;
    Some((first, kind_of(first, last, cx)?))
}

/// Whether a name stands behind a type: a word, or a sign behind a group. What `auto` declares is of the function.
fn is_declared(idx: TokenIdx, document: &Document) -> bool {
    let Some(before) = idx.checked_sub(1) else { return false };
    match document.token_text(before) {
        "auto" | "return" | "else" | "case" | "goto" => false,
        // An operator, where it stands behind no type.
        "*" | "&" | ">" => kind_before(idx, document).is_some(),
        _ => document.kind(before) == Some(TokenKind::Ident),
    }
}

/// The group that the statement or parameter names in front of a token.
fn kind_before(idx: TokenIdx, document: &Document) -> Option<GroupKind> {
    made_by(start_of_type(document, idx.checked_sub(1)?)..idx, document)
}

/// What the first word says that names a group, and what makes a part of one.
fn made_by(tokens: Range<TokenIdx>, document: &Document) -> Option<GroupKind> {
    let named = |idx: TokenIdx| KINDS.iter().find(|(word, _)| *word == document.token_text(idx)).map(|(_, kind)| *kind);
    let mut kinds = tokens.into_iter().filter_map(named);
    let first = kinds.next()?;
    // `coalesced_group part = binary_partition(…)`
    let is_part = matches!(first, GroupKind::Coalesced | GroupKind::Other) && kinds.any(|kind| kind == GroupKind::Part);
    Some(if is_part { GroupKind::Part } else { first })
}

/// The first token of the statement or parameter that `idx` is in.
fn start_of_type(document: &Document, idx: TokenIdx) -> TokenIdx {
    let ends = |at: &TokenIdx| matches!(document.token_text(*at), ";" | "{" | "}" | "(" | ")" | ":");
    (0..idx).rev().find(ends).map_or(0, |at| at + 1)
}

/// Where the expression starts that ends with the token `last`, if a name starts it.
pub(super) fn start_of_receiver(document: &Document, last: TokenIdx) -> Option<TokenIdx> {
    start_of_postfix(document, last).filter(|&first| document.kind(first) == Some(TokenKind::Ident))
}

/// Whether the statement or parameter where the function names `group` first is the declaration of a group.
pub(super) fn is_group(document: &Document, group: TokenIdx, before: TokenIdx, cx: &Context<'_>) -> bool {
    declaration(document, group, before, cx).is_some_and(|mut tokens| {
        tokens.any(|at| {
            let word = document.token_text(at).to_ascii_lowercase();
            GROUPS.iter().any(|part| word.contains(part))
        })
    })
}

/// The statement or parameter where the function names `group` first, up to the token `before`.
fn declaration(document: &Document, group: TokenIdx, before: TokenIdx, cx: &Context<'_>) -> Option<Range<TokenIdx>> {
    let function = cx.facts.functions.around(before)?;
    let name = document.token_text(group);
    let first = words_in(document, name, function.head.start..before).next()?;
    let ends = |at: TokenIdx, stops: &[&str]| stops.contains(&document.token_text(at));
    let start = (function.head.start..first).rev().find(|&at| ends(at, &[";", "{", "}", "(", ","])).unwrap_or(first);
    let end = (first..before).find(|&at| ends(at, &[";", ",", "{"])).unwrap_or(before);
    Some(start..end)
}
