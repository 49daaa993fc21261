//! Branches that AMD GPUs leave out while what is compiled in their place serves.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::features::is_feature;
use super::helpers::walk_joined;
use super::judgement::names;
use super::left_out::{is_asm, is_return, is_within_false_at};
use crate::analysis::{Branch, Chain, Expression, Node};
use crate::rules::context::Context;
use crate::rules::meaning::Meaning;
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind};

/// Why a branch may be left out although no other is compiled, if that can be seen.
pub(super) fn why_without_other(own: &Branch, cx: &Context<'_>) -> Option<&'static str> {
    if includes_missing_header(own, cx) {
        return Some("that is right: HIP lacks what it includes");
    }
    if !holds_directives_only(own, cx.document) {
        let why = "that is right: only hints to the cache are left out";
        return is_chain_of_hints(own, cx.document).then_some(why);
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
    if lacks_names(own, cx) && !lacks_names(other, cx) && serves(other, cx.document) {
        return Some("that is right: it uses what HIP lacks, and the other branch serves");
    }
    let is_same = is_same_without_hints(own, other, cx.document) || is_same_ptx_without_hints(own, other, cx.document);
    if is_same {
        return Some("that is right: the other branch does the same");
    }
    let only_hints = defines_hint(own, cx.document).zip(defines_hint(other, cx.document));
    let is_one = only_hints.is_some_and(|(own, other)| cx.document.name(own) == cx.document.name(other));
    is_one.then_some("that is right: the macro only advises the compiler")
}

/// Whether a branch does something: it assigns, returns a value or calls a function. Macros in
/// capitals and functions that end a program or say that something is unused do nothing.
pub(super) fn serves(branch: &Branch, document: &Document) -> bool {
    const IDLE: &[&str] = &["assert", "static_assert", "printf", "abort", "exit", "__trap", "defined", "sizeof"];
    branch.body.clone().any(|idx| {
        let is_alone = |sign| document.is(idx, sign) && !document.is(idx + 1, b'=') && !document.is(idx - 1, b'=');
        let word = document.token_text(idx);
        let is_call =
            document.token(idx).is_some_and(|token| token.kind == TokenKind::Ident) && document.is(idx + 1, b'(');
        let is_function = is_call && word.contains(|c: char| c.is_ascii_lowercase()) && !IDLE.contains(&word);
        (idx > 0 && is_alone(b'=')) || is_return(document, idx) || (is_function && document.directive_of(idx).is_none())
    })
}

/// Whether a branch uses names that have no counterpart in HIP.
fn lacks_names(branch: &Branch, cx: &Context<'_>) -> bool {
    cx.names.within(branch.body.clone()).any(|name| matches!(name.meaning, Meaning::Missing(_)))
}

/// Whether two branches have the same words but for `__ldg`, which is a plain load on AMD GPUs.
fn is_same_without_hints(own: &Branch, other: &Branch, document: &Document) -> bool {
    let words = |branch: &Branch| {
        let is_word = |idx: &TokenIdx| {
            let kind = document.token(*idx).map(|token| token.kind);
            matches!(kind, Some(TokenKind::Ident | TokenKind::Number)) && document.token_text(*idx) != "__ldg"
        };
        branch.body.clone().filter(is_word).map(|idx| document.token_text(idx)).collect::<Vec<_>>()
    };
    let loads = own.body.clone().any(|idx| document.token_text(idx) == "__ldg");
    loads && words(own) == words(other)
}

/// Whether two branches hold the same PTX but for hints to the cache: `.L2::128B`.
fn is_same_ptx_without_hints(own: &Branch, other: &Branch, document: &Document) -> bool {
    let bodies = |branch: &Branch| -> BTreeSet<String> {
        let is_text = |idx: &TokenIdx| document.token(*idx).is_some_and(|token| token.kind == TokenKind::Str);
        branch.body.clone().filter(is_text).map(|idx| without_hints(document.token_text(idx))).collect()
    };
    let hints = own.body.clone().any(|idx| document.token_text(idx).contains(CACHE_HINT));
    hints && bodies(own) == bodies(other)
}

/// `if (a) { asm(…hint…); } else`, which goes on after the branch with the same PTX without hints.
fn is_chain_of_hints(own: &Branch, document: &Document) -> bool {
    let ends_open = own.body.clone().last().is_some_and(|last| document.token_text(last) == "else");
    let mut texts = own.body.clone().filter(|&idx| is_asm(document.token_text(idx))).filter_map(|keyword| {
        let string = |idx: &TokenIdx| document.token(*idx).is_some_and(|token| token.kind == TokenKind::Str);
        (keyword..own.body.end).find(string).map(|idx| document.token_text(idx))
    });
    ends_open && holds_asm(own, document) && texts.all(|text| text.contains(CACHE_HINT))
}

const CACHE_HINT: &str = ".L2::";

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

fn holds_directives_only(branch: &Branch, document: &Document) -> bool {
    !branch.body.is_empty() && branch.body.clone().all(|idx| document.directive_of(idx).is_some())
}

fn includes_only(branch: &Branch, document: &Document) -> bool {
    let mut inside = document.directives().iter().filter(|found| branch.body.contains(&found.tokens.start));
    inside.all(|found| found.kind == DirectiveKind::Include)
}

fn includes_missing_header(branch: &Branch, cx: &Context<'_>) -> bool {
    let mut inside = cx
        .document
        .includes()
        .filter(|include| branch.body.contains(&cx.document.token_at(include.directive.range.start())));
    inside.any(|include| matches!(cx.resolve_header(include.path), Some(crate::mapping::Resolution::Missing(_))))
}

/// Whether a branch does nothing but define macros, and each branch that asks for one of them is
/// inline assembly which the code does without.
fn switches_assembly(own: &Branch, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let inside = document.directives().iter().filter(|found| own.body.contains(&found.tokens.start));
    let mut defined = Vec::new();
    for directive in inside {
        match directive.kind {
            DirectiveKind::Define if directive.tokens.len() == 3 => defined.push(directive.tokens.start + 2),
            kind if kind.opens_condition() || kind == DirectiveKind::Endif => {}
            _ => return false,
        }
    }
    let is_idle = |name: &TokenIdx| {
        let name = document.name(*name);
        let mut uses = branches_asking_for(&name, cx).peekable();
        let is_used = uses.peek().is_some();
        is_used
            && uses.all(|(chain, number)| {
                holds_asm(&chain.branches[number], document) && does_without(chain, number, document)
            })
    };
    !defined.is_empty() && defined.iter().all(is_idle)
}

fn holds_asm(branch: &Branch, document: &Document) -> bool {
    branch.body.clone().any(|idx| is_asm(document.token_text(idx)))
}

/// Whether nothing stands in place of a branch, or branches that serve.
fn does_without(chain: &Chain, number: usize, document: &Document) -> bool {
    chain.branches[number + 1..].iter().all(|other| serves(other, document))
}

/// The branches that are compiled only where a macro is defined.
fn branches_asking_for<'d>(name: &'d str, cx: &'d Context<'_>) -> impl Iterator<Item = (&'d Chain, usize)> {
    cx.facts.conditions.chains().iter().flat_map(move |chain| {
        let numbered = chain.branches.iter().enumerate();
        numbered.filter(move |(_, branch)| asks_for(branch, name, cx)).map(move |(number, _)| (chain, number))
    })
}

/// `#ifdef NAME`, `#if defined(NAME) && …`
fn asks_for(branch: &Branch, name: &str, cx: &Context<'_>) -> bool {
    let opener = cx.document.directive_of(branch.opened_by).map(|found| found.kind);
    let Some(condition) = branch.condition.as_ref().filter(|_| opener != Some(DirectiveKind::Ifndef)) else {
        return false;
    };
    let mut asks = false;
    walk_joined(condition, &mut |part: &Expression| {
        asks |= matches!(part.node, Node::Defined(asked) if cx.document.name(asked) == name);
    });
    asks
}

/// Whether a branch asks for a macro that no build for AMD GPUs defines, and the code does without the branch: all
/// definitions of the macro in this file stand under conditions that are false there.
pub(super) fn undefined_switch(chain: &Chain, number: usize, cx: &Context<'_>) -> bool {
    does_without(chain, number, cx.document)
        && asked_for(&chain.branches[number], cx).any(|name| is_left_undefined(&name, cx))
}

/// Whether a branch asks for a macro of another file that names a feature of NVIDIA's GPUs, and there is
/// an `#else` that serves in its place.
pub(super) fn missing_feature(chain: &Chain, number: usize, cx: &Context<'_>) -> bool {
    let branch = &chain.branches[number];
    let is_missing = |name: Cow<'_, str>| is_feature(&name) && cx.facts.declared.get(&name).is_none();
    chain.branches.len() > number + 1
        && asked_for(branch, cx).any(is_missing)
        // What the matrix instructions of AMD GPUs could do is worth a look, whatever stands beside it.
        && !branch.body.clone().any(|idx| cx.document.token_text(idx).contains("mma."))
        && does_without(chain, number, cx.document)
}

/// The macros that have to be defined for a branch to be compiled.
fn asked_for<'d>(branch: &'d Branch, cx: &'d Context<'_>) -> impl Iterator<Item = Cow<'d, str>> {
    let names = branch.condition.iter().flat_map(|condition| names(cx.document, condition));
    names.map(|name| cx.document.name(name)).filter(|name| asks_for(branch, name, cx))
}

fn is_left_undefined(name: &str, cx: &Context<'_>) -> bool {
    let defines = cx.document.directives().iter().filter(|found| found.kind == DirectiveKind::Define);
    let mut own =
        defines.map(|found| found.tokens.start + 2).filter(|&defined| cx.document.name(defined) == name).peekable();
    own.peek().is_some() && own.all(|defined| is_within_false_at(defined, cx))
}
