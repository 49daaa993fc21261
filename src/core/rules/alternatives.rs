//! Declarations of CUDA's names that stand for CUDA's own: shims, which give HIP's function or type that name, and stubs,
//! which stand in for CUDA's headers in the other branch of an `#if`.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::conditional::{is_for_hip, is_left_to_headers};
use super::context::Context;
use super::stubs::{Stub, Stubs};
use crate::analysis::{Declaration, Own};
use crate::mapping::{Kind, Resolution, Support};
use crate::source::Spans;
use crate::syntax::{
    Call, DirectiveKind, Document, MacroDefinition, TokenIdx, TokenKind, split_arguments, statement_start,
};

/// Whether a declaration gives HIP's counterpart the name `text` of CUDA's: `#define cudaFree hipFree`,
/// `typedef hipError_t cudaError_t;`, `using cudaEvent_t = hipEvent_t;`, a function that only passes its arguments on.
pub(super) fn is_shim(own: &Own, text: &str, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let is_hip = |idx: TokenIdx| {
        let word = document.token_text(idx);
        cx.table.get(text).iter().any(|entry| entry.kind != Kind::Header && entry.hip != text && entry.hip == word)
    };
    // What becomes HIP's name is that already, so that a second run finds nothing new.
    let becomes_hip = |idx: TokenIdx| {
        let others = || cx.table.get(document.token_text(idx)).iter();
        let is_same = |hip: &str| !hip.is_empty() && hip != text && others().any(|other| other.hip == hip);
        is_hip(idx) || cx.table.get(text).iter().any(|entry| entry.kind != Kind::Header && is_same(entry.hip))
    };
    if own.kind != Declaration::Macro && !cx.facts.scopes(document).place_of(document, own.token).is_global() {
        return false;
    }
    match own.kind {
        Declaration::Macro => {
            let define = document.directive_of(own.token).and_then(|found| MacroDefinition::of(document, found));
            define.is_some_and(|define| stands_for_hip(&define, &becomes_hip, document))
        }
        Declaration::Alias if document.is(own.token + 1, b'=') => {
            let path = usize::from(document.kind(own.token + 2) == Some(TokenKind::PathSep));
            is_hip(own.token + 2 + path) && document.is(own.token + 3 + path, b';')
        }
        Declaration::Alias => {
            let start = statement_start(document, own.token);
            let is_word = |idx: TokenIdx| matches!(document.token_text(idx), "typedef" | "struct" | "enum" | "::");
            own.token > start
                && document.is(own.token + 1, b';')
                && is_hip(own.token - 1)
                && (start..own.token - 1).all(is_word)
        }
        Declaration::Definition => passes_to_hip(own.token, &is_hip, cx),
        Declaration::Variable | Declaration::Using | Declaration::Prototype => false,
    }
}

/// Whether a macro is HIP's name, or a call of it with the macro's parameters.
fn stands_for_hip(define: &MacroDefinition, is_hip: &impl Fn(TokenIdx) -> bool, document: &Document) -> bool {
    let body = &define.body;
    if body.is_empty() || !is_hip(body.start) {
        return false;
    }
    let same = |open: TokenIdx| {
        let texts = |from: TokenIdx| (from..from + define.parameters.len()).map(|idx| document.token_text(idx));
        texts(define.parameters.start).zip(texts(open)).all(|(a, b)| a == b || a == "." && b == "__VA_ARGS__")
    };
    body.len() == 1 || body.len() == 1 + define.parameters.len() && same(body.start + 1)
}

/// Whether a function does nothing but call HIP's with its own parameters.
fn passes_to_hip(name: TokenIdx, is_hip: &impl Fn(TokenIdx) -> bool, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let function = cx.facts.functions.holding(name).filter(|function| function.name == Some(name));
    let Some((function, head)) = function.zip(Call::at(document, name)) else { return false };
    let mut at = function.body.start + 1;
    at += usize::from(document.token_text(at) == "return");
    at += usize::from(document.kind(at) == Some(TokenKind::PathSep));
    let Some(call) = Call::at(document, at).filter(|_| is_hip(at)) else { return false };
    let is_alone = document.is(call.close + 1, b';') && call.close + 3 == function.body.end;
    is_alone && passes_parameters(document, &head, &call)
}

/// Whether the arguments of a call are the parameters of the function declared by `head`, in their order.
pub(super) fn passes_parameters(document: &Document, head: &Call, call: &Call) -> bool {
    let parameters = split_arguments(document, head.open + 1..head.close);
    let arguments = split_arguments(document, call.open + 1..call.close);
    let is_same = |(parameter, argument): (&Range<TokenIdx>, &Range<TokenIdx>)| {
        // A default may stand behind the name.
        let end = parameter.clone().find(|&idx| document.is(idx, b'=')).unwrap_or(parameter.end);
        argument.len() == 1 && end > 0 && document.token_text(argument.start) == document.token_text(end - 1)
    };
    parameters.len() == arguments.len() && parameters.iter().zip(&arguments).all(is_same)
}

/// Whether a declaration stands in for CUDA's.
pub(super) fn is_stub(own: &Own, text: &str, cx: &Context<'_>) -> bool {
    stub(own, text, cx).is_some()
}

/// What becomes of a declaration of `text`, if it stands in for CUDA's where the headers of CUDA's are not included.
pub(super) fn stub(own: &Own, text: &str, cx: &Context<'_>) -> Option<Stub> {
    let stubs = cx.stubs.get_or_init(|| stubs(cx));
    let known = stubs.names.get(text).copied()?;
    is_in_place(own, &stubs.branches, cx).then_some(known)
}

fn stubs(cx: &Context<'_>) -> Stubs {
    let bodies = beside_cuda(cx);
    if bodies.is_empty() {
        return Stubs::default();
    }
    let branches: Spans<TokenIdx> = bodies.into_iter().collect();
    let (mut names, mut taken) = (FxHashMap::default(), FxHashMap::default());
    let tested = tested(cx);
    for text in cx.facts.declared.iter() {
        let Some(Resolution::Name(to, entry)) = cx.resolve(text).filter(|found| !is_called(found, text)) else {
            continue;
        };
        let own = cx.facts.declared.all(text);
        if !own.iter().any(|own| is_in_place(own, &branches, cx)) {
            continue;
        }
        let may_be = entry.support > Support::Partial && cx.table.calls_of(text).is_empty() && !tested.contains(text);
        names.insert(text.to_owned(), if may_be { Stub::Renamed } else { Stub::Kept });
        // Types of one name may be declared twice.
        if entry.kind != Kind::Type {
            let same: &mut Vec<&str> = taken.entry(to).or_default();
            same.push(text);
        }
    }
    for text in taken.values().filter(|same| same.len() > 1).flatten() {
        names.insert((*text).to_owned(), Stub::Kept);
    }
    Stubs { branches, names }
}

/// Whether HIP calls a name the same, so that nothing has to be done.
fn is_called(found: &Resolution<'_>, text: &str) -> bool {
    matches!(found, Resolution::Name(to, _) if *to == text)
}

fn is_in_place(own: &Own, branches: &Spans<TokenIdx>, cx: &Context<'_>) -> bool {
    if !branches.contains(own.token) || own.kind == Declaration::Using {
        return false;
    }
    let is_wide = || cx.facts.scopes(cx.document).place_of(cx.document, own.token).is_global();
    !is_for_hip(own.token, cx)
        && !is_left_to_headers(own.token, cx)
        && (own.kind == Declaration::Macro || cx.document.directive_of(own.token).is_none() && is_wide())
}

/// The branches of an `#if` that include no header of CUDA's, while another one does.
fn beside_cuda(cx: &Context<'_>) -> Vec<Range<TokenIdx>> {
    let document = cx.document;
    let is_own = |path: &str| cx.project.own_headers.iter().any(|own| own.ends_with(path));
    let is_header = |path: &str| cx.table.get(path).iter().any(|entry| entry.kind == Kind::Header);
    let includes = document.includes().filter(|include| is_header(include.path) && !is_own(include.path));
    let includes: Vec<TokenIdx> = includes.map(|include| include.directive.tokens.start).collect();
    let place = |token: TokenIdx| includes.partition_point(|include| *include < token);
    let has_some = |body: &Range<TokenIdx>| place(body.start) < place(body.end);
    let mut found = Vec::new();
    for chain in cx.facts.conditions.chains() {
        if chain.branches.iter().any(|branch| has_some(&branch.body)) {
            found.extend(chain.branches.iter().map(|branch| branch.body.clone()).filter(|body| !has_some(body)));
        }
    }
    found
}

/// The names that conditions ask for, and those that are undefined.
fn tested(cx: &Context<'_>) -> FxHashSet<String> {
    let document = cx.document;
    let asking = |kind: DirectiveKind| kind == DirectiveKind::Undef || kind.has_condition();
    let directives = document.directives().iter().filter(|directive| asking(directive.kind));
    let tokens = directives.flat_map(|directive| directive.tokens.clone());
    let names = tokens.filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
    names.map(|idx| document.name(idx).into_owned()).collect()
}
