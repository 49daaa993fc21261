//! Branches that AMD GPUs leave out while what is compiled in their place serves.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::false_branches::is_within_false_at;
use super::features::is_feature;
use super::parts::{asked_in, asking, branch_of, definitions, is_return};
use crate::analysis::{Branch, Chain};
use crate::rules::context::Context;
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, is_asm};

/// Why a branch may be left out although no other is compiled, if that can be seen.
pub(super) fn why_without_other(own: &Branch, cx: &Context<'_>) -> Option<&'static str> {
    if includes_missing_header(own, cx) {
        return Some("that is right: HIP lacks what it includes");
    }
    if !cx.branches.holds_directives_only(own, cx.document) {
        let why = "that is right: only hints to the cache are left out";
        return is_chain_of_hints(own, cx).then_some(why);
    }
    if includes_only(own, cx.document) {
        return Some("code that needs these headers does not compile without them");
    }
    switches_assembly(own, cx).then_some("that is right: it switches inline PTX on, and the code does without")
}

/// Why the branch after it serves in place of one that is left out, if that can be seen.
pub(super) fn why_with_other(own: &Branch, other: &Branch, cx: &Context<'_>) -> Option<&'static str> {
    if other.condition.is_some() {
        return None;
    }
    let lacks_names = |branch| cx.branches.lacks_names(branch, cx);
    if lacks_names(own) && !lacks_names(other) && cx.branches.serves(other, cx.document) {
        return Some("that is right: it uses what HIP lacks, and the other branch serves");
    }
    let is_same = is_same_without_hints(own, other, cx) || is_same_ptx_without_hints(own, other, cx);
    if is_same {
        return Some("that is right: the other branch does the same");
    }
    let only_hints = defines_hint(own, cx.document).zip(defines_hint(other, cx.document));
    let is_one = only_hints.is_some_and(|(own, other)| cx.document.name(own) == cx.document.name(other));
    is_one.then_some("that is right: the macro only advises the compiler")
}

/// The tokens that show that code does something: it assigns, returns a value or calls a function. Macros in
/// capitals and functions that end a program or say that something is unused do nothing.
pub(super) fn serving_tokens(document: &Document) -> impl Iterator<Item = TokenIdx> {
    const IDLE: &[&str] = &["assert", "static_assert", "printf", "abort", "exit", "__trap", "defined", "sizeof"];
    (0..document.tokens().len()).filter(|&idx| {
        let is_alone = |sign| document.is(idx, sign) && !document.is(idx + 1, b'=') && !document.is(idx - 1, b'=');
        let is_call = document.kind(idx) == Some(TokenKind::Ident) && document.is(idx + 1, b'(');
        let is_function = || {
            let word = document.token_text(idx);
            word.contains(|c: char| c.is_ascii_lowercase()) && !IDLE.contains(&word)
        };
        (idx > 0 && is_alone(b'='))
            || is_return(document, idx)
            || (is_call && is_function() && document.directive_of(idx).is_none())
    })
}

/// Whether two branches have the same words but for `__ldg`, which is a plain load on AMD GPUs.
fn is_same_without_hints(own: &Branch, other: &Branch, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let words = |branch: &Branch| {
        let is_word = |idx: &TokenIdx| {
            let kind = document.token(*idx).map(|token| token.kind);
            matches!(kind, Some(TokenKind::Ident | TokenKind::Number)) && document.token_text(*idx) != "__ldg"
        };
        branch.body.clone().filter(is_word).map(|idx| document.token_text(idx)).collect::<Vec<_>>()
    };
    cx.branches.holds(LOAD, own, document) && words(own) == words(other)
}

/// Whether two branches hold the same PTX but for hints to the cache: `.L2::128B`.
fn is_same_ptx_without_hints(own: &Branch, other: &Branch, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let bodies = |branch: &Branch| -> BTreeSet<String> {
        let is_text = |idx: &TokenIdx| document.token(*idx).is_some_and(|token| token.kind == TokenKind::Str);
        branch.body.clone().filter(is_text).map(|idx| without_hints(document.token_text(idx))).collect()
    };
    cx.branches.holds(CACHE_HINT, own, document) && bodies(own) == bodies(other)
}

/// `if (a) { asm(…hint…); } else`, which goes on after the branch with the same PTX without hints.
fn is_chain_of_hints(own: &Branch, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let ends_open = own.body.clone().last().is_some_and(|last| document.token_text(last) == "else");
    let mut texts = own.body.clone().filter(|&idx| is_asm(document.token_text(idx))).filter_map(|keyword| {
        let string = |idx: &TokenIdx| document.token(*idx).is_some_and(|token| token.kind == TokenKind::Str);
        (keyword..own.body.end).find(string).map(|idx| document.token_text(idx))
    });
    ends_open && cx.branches.holds_assembly(own, document) && texts.all(|text| text.contains(CACHE_HINT))
}

/// Of a load that asks the cache for more: `.L2::128B`.
const CACHE_HINT: &str = ".L2::";

/// A load through the cache for constants.
const LOAD: &str = "__ldg";

/// Of the instructions of matrices.
const MATRIX: &str = "mma.";

fn without_hints(ptx: &str) -> String {
    let mut parts = ptx.split(CACHE_HINT);
    let mut text = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| text.push_str(part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_')));
    text
}

/// The macro that a branch defines as a hint to the compiler or as nothing, if it does no more.
fn defines_hint(branch: &Branch, document: &Document) -> Option<TokenIdx> {
    let directive = document.directive_of(branch.body.start)?;
    let name = directive.tokens.start + 2;
    let value = name + 1..directive.tokens.end;
    let is_hint = value.is_empty()
        || (value.len() == 1 && matches!(document.token_text(value.start), "__restrict__" | "__restrict"));
    let is_alone = directive.kind == DirectiveKind::Define && directive.tokens.end >= branch.body.end;
    (is_alone && is_hint).then_some(name)
}

fn includes_only(branch: &Branch, document: &Document) -> bool {
    document.directives_in(branch.body.clone()).iter().all(|found| found.kind == DirectiveKind::Include)
}

fn includes_missing_header(branch: &Branch, cx: &Context<'_>) -> bool {
    let mut inside =
        cx.document.directives_in(branch.body.clone()).iter().filter_map(|found| cx.document.include(found));
    inside.any(|include| matches!(cx.resolve_header(include.path), Some(crate::mapping::Resolution::Missing(_))))
}

/// Whether a branch does nothing but define macros, and each branch that asks for one of them is
/// inline assembly which the code does without.
fn switches_assembly(own: &Branch, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let is_idle = |name: &TokenIdx| {
        let uses = asking(cx).get(&*document.name(*name)).map_or(&[][..], Vec::as_slice);
        let is_assembly = |found: &(usize, usize)| {
            branch_of(*found, cx).is_some_and(|branch| cx.branches.holds_assembly(branch, document))
        };
        !uses.is_empty() && uses.iter().all(|found| is_assembly(found) && does_without(*found, cx))
    };
    cx.branches.defines_only(own, document).is_some_and(|defined| !defined.is_empty() && defined.iter().all(is_idle))
}

/// Whether nothing stands in place of a branch, or branches that serve.
fn does_without((chain, number): (usize, usize), cx: &Context<'_>) -> bool {
    let after = cx.facts.conditions.chains().get(chain).and_then(|chain| chain.branches.get(number + 1..));
    after.is_none_or(|after| after.iter().all(|other| cx.branches.serves(other, cx.document)))
}

/// Whether a branch that the code does without asks for a macro that no build for AMD GPUs defines: all
/// definitions of the macro in this file stand under conditions that are false there.
pub(super) fn undefined_switch(branch: &Branch, cx: &Context<'_>) -> bool {
    asked_for(branch, cx).any(|name| is_left_undefined(&name, cx))
}

/// Whether a branch asks for a macro of another file that names a feature of NVIDIA's GPUs, and there is
/// an `#else` in its place.
pub(super) fn missing_feature(chain: &Chain, number: usize, cx: &Context<'_>) -> bool {
    let branch = &chain.branches[number];
    let is_missing = |name: Cow<'_, str>| is_feature(&name) && cx.facts.declared.get(&name).is_none();
    chain.branches.len() > number + 1
        && asked_for(branch, cx).any(is_missing)
        // What the matrix instructions of AMD GPUs could do is worth a look, whatever stands beside it.
        && !cx.branches.holds(MATRIX, branch, cx.document)
}

/// The macros that have to be defined for a branch to be compiled.
fn asked_for<'d>(branch: &Branch, cx: &Context<'d>) -> impl Iterator<Item = Cow<'d, str>> {
    branch.condition.iter().flat_map(|condition| asked_in(condition, cx)).collect::<Vec<_>>().into_iter()
}

fn is_left_undefined(name: &str, cx: &Context<'_>) -> bool {
    let own = cx.branches.defined.get_or_init(|| definitions(cx.document)).get(name).map_or(&[][..], Vec::as_slice);
    !own.is_empty() && own.iter().all(|&defined| is_within_false_at(defined, cx))
}
