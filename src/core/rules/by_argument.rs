//! Functions of a project that a call finds by the types of its arguments: `cudaFree(b)` for a `b` of a namespace with a function of
//! that name.

use std::ops::Range;
use std::rc::Rc;

use super::conditional::is_for_hip;
use super::context::Context;
use crate::analysis::{Declaration, Own, OwnName, Parameters, Place, Site, is_global};
use crate::mapping::{Kind, vector_of, vector_size};
use crate::syntax::{Call, TokenIdx, TokenKind, is_keyword, is_specifier, split_arguments, statement_start};

/// Whether the call at `idx` may find a function of a namespace that it does not name.
pub(super) fn may_be_found(idx: TokenIdx, text: &str, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let (declared, others) = (cx.facts.declared.all(text), cx.project.own_names.get(text));
    if declared.is_empty() && others.is_none() || is_global(document, idx) {
        return false;
    }
    let is_qualified = document.before(idx).is_some_and(|before| document.kind(before) == Some(TokenKind::PathSep));
    let Some(call) = Call::at(document, idx).filter(|_| !is_qualified) else { return false };
    let takes = |parameters: Option<Parameters>| parameters.is_some_and(|takes| takes.take(call.arguments.len()));
    let is_elsewhere = |own: &OwnName| {
        own.takes_own
            && own.site == Site::Header
            && own.file != document.file().path
            && own.is_seen_by(&document.file().path) != Some(false)
            && takes(own.parameters)
    };
    let is_declared = cx.facts.declared.at(idx).is_some();
    let is_here = || taking_own(text, cx).iter().any(|parameters| takes(Some(*parameters)));
    let exists = is_here() || others.is_some_and(|names| names.iter().any(is_elsewhere));
    exists && !is_declared && has_open_argument(&call, idx, cx)
}

/// The parameters of the functions of a name in this file that [`takes_own`] holds for, each once, read on the first call.
fn taking_own(text: &str, cx: &Context<'_>) -> Rc<[Parameters]> {
    if let Some(known) = cx.taking_own.borrow().get(text) {
        return Rc::clone(known);
    }
    let mut found: Vec<Parameters> = Vec::new();
    for own in cx.facts.declared.all(text).iter().filter(|own| takes_own(own, cx)) {
        let parameters = Parameters::of(cx.document, own.token);
        found.extend(parameters.filter(|parameters| !found.contains(parameters)));
    }
    let found: Rc<[Parameters]> = found.into();
    cx.taking_own.borrow_mut().insert(text.to_owned(), Rc::clone(&found));
    found
}

/// Whether a function of a namespace, or a friend in a class, takes something of a type that is neither CUDA's nor C++'s.
pub(super) fn takes_own(own: &Own, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let is_function = matches!(own.kind, Declaration::Definition | Declaration::Prototype);
    let Some(head) = Call::at(document, own.token).filter(|_| is_function && !is_for_hip(own.token, cx)) else {
        return false;
    };
    let start = statement_start(document, own.token);
    let is_friend = || (start..own.token).any(|idx| document.token_text(idx) == "friend");
    let scopes = cx.facts.scopes(document);
    let is_named = || matches!(scopes.place_of(document, own.token), Place::Named(path) if !path.is_empty());
    let mut parameters = split_arguments(document, head.open + 1..head.close).into_iter();
    document.token_text(start) != "template"
        && parameters.any(|parameter| names_own_type(parameter, cx))
        && is_named()
        && (!scopes.is_in_class(own.token) || is_friend())
}

/// Whether a parameter is of a type that the project has to declare.
fn names_own_type(parameter: Range<TokenIdx>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let end = parameter.clone().find(|&idx| document.is(idx, b'=')).unwrap_or(parameter.end);
    let is_word = |idx: &TokenIdx| document.kind(*idx) == Some(TokenKind::Ident);
    let is_fundamental = |text: &str| is_keyword(text) || is_specifier(text) || is_known_type(text);
    let words: Vec<TokenIdx> = (parameter.start..end).filter(is_word).collect();
    let mut types = words.iter().filter(|&&idx| !is_fundamental(document.token_text(idx)));
    let Some(&first) = types.next() else { return false };
    // The name of the parameter stands behind its type.
    let is_name = first + 1 >= end && first > parameter.start;
    !is_name && document.token_text(first) != "std" && cx.table.get(document.token_text(first)).is_empty()
}

/// Whether a word names a type of C++ or C; names with `_t` are those of libraries.
fn is_known_type(text: &str) -> bool {
    let is_plain =
        matches!(text, "unsigned" | "signed" | "long" | "short" | "int" | "char" | "bool" | "float" | "double");
    is_plain || matches!(text, "void" | "auto" | "FILE" | "struct" | "enum" | "class" | "const") || text.ends_with("_t")
}

/// Whether the type of an argument may be one of the project's.
fn has_open_argument(call: &Call, idx: TokenIdx, cx: &Context<'_>) -> bool {
    let mut arguments = split_arguments(cx.document, call.open + 1..call.close).into_iter();
    arguments.any(|tokens| is_open(tokens, idx, cx))
}

fn is_open(tokens: Range<TokenIdx>, idx: TokenIdx, cx: &Context<'_>) -> bool {
    let document = cx.document;
    // What a pointer points to counts as the value does.
    let first = tokens.start + usize::from(document.is(tokens.start, b'&'));
    if document.is(first, b'(') || document.token_text(first).ends_with("_cast") {
        let close = (first..tokens.end).find(|&at| document.is(at, b')') || document.is(at, b'>'));
        return names_own(first..close.unwrap_or(tokens.end), cx) != Some(false);
    }
    let is_name = document.kind(first) == Some(TokenKind::Ident) && first + 1 == tokens.end;
    match document.token_text(first) {
        "nullptr" | "NULL" | "true" | "false" | "sizeof" => false,
        name if is_name => declared_as_own(name, idx, cx) != Some(false),
        _ => first + 1 < tokens.end,
    }
}

/// Whether the type of a variable of the function around `idx` is one of the project's; `None` if the text before its name says none.
fn declared_as_own(name: &str, idx: TokenIdx, cx: &Context<'_>) -> Option<bool> {
    names_own(type_before(name, idx, cx)?, cx)
}

/// The text before the name of a variable where the function around `idx` declares it.
fn type_before(name: &str, idx: TokenIdx, cx: &Context<'_>) -> Option<Range<TokenIdx>> {
    let document = cx.document;
    let function = cx.facts.functions.around(idx)?;
    let mut known = cx.first_words.borrow_mut();
    let words = known.entry(function.head.start).or_insert_with(|| {
        let all = (function.head.start..function.body.end).rev();
        let words = all.filter(|&at| document.kind(at) == Some(TokenKind::Ident));
        words.map(|at| (document.token_text(at), at)).collect()
    });
    let at = *words.get(name)?;
    let is_part = |at: &TokenIdx| match document.kind(*at) {
        Some(TokenKind::Ident | TokenKind::PathSep) => true,
        Some(TokenKind::Punct(sign)) => matches!(sign, b'*' | b'&'),
        _ => false,
    };
    let start = (function.head.start..at).rev().take_while(is_part).last()?;
    Some(start..at)
}

/// Whether a function of the project's takes a variable in the call at `idx` as the class that it is of, which no overload of CUDA's
/// for numbers takes: `float2 __shfl_xor_sync(unsigned, float2, int)` is one for a `float2 v`, not for `v.x`. `None` if the text does
/// not say of what type the argument is.
pub(super) fn takes_class(own: &Own, idx: TokenIdx, cx: &Context<'_>) -> Option<bool> {
    let document = cx.document;
    if document.token_text(statement_start(document, own.token)) == "template" {
        return None;
    }
    let (head, call) = (Call::at(document, own.token)?, Call::at(document, idx)?);
    let parameters = split_arguments(document, head.open + 1..head.close);
    let arguments = split_arguments(document, call.open + 1..call.close);
    parameters.into_iter().zip(arguments).find_map(|(parameter, argument)| {
        let class = class_of(parameter, cx)?;
        let declared = type_before(document.token_text(argument.start), idx, cx)?;
        let found = class_of(declared.start..declared.end + 1, cx);
        let is_of_class = found == Some(class);
        let is_member = || argument.len() == 3 && document.is(argument.start + 1, b'.');
        let is_number = || declared.clone().all(|idx| is_known_type(document.token_text(idx)));
        let is_vector = |found: &str| vector_of(found).is_some() || vector_size(found).is_some();
        let is_cudas =
            |found: &str| is_vector(found) || cx.table.get(found).iter().any(|entry| entry.kind == Kind::Type);
        match argument.len() {
            1 if is_of_class => Some(true),
            1 if is_number() || found.is_some_and(is_cudas) => Some(false),
            // The members of a vector are numbers.
            _ if is_member() && (is_of_class || found.is_some_and(is_vector)) => Some(false),
            _ => None,
        }
    })
}

/// The class that a parameter or variable is of, by value or reference; `None` for numbers and pointers. Its name stands last.
fn class_of<'d>(declared: Range<TokenIdx>, cx: &Context<'d>) -> Option<&'d str> {
    let document = cx.document;
    if declared.clone().any(|idx| document.is(idx, b'*')) {
        return None;
    }
    let is_word = |idx: &TokenIdx| document.kind(*idx) == Some(TokenKind::Ident);
    let words = declared.filter(is_word).map(|idx| document.token_text(idx));
    let words: Vec<&str> = words.filter(|word| !matches!(*word, "const" | "volatile" | "struct" | "class")).collect();
    let class = words.get(words.len().saturating_sub(2)).copied();
    class.filter(|word| !is_keyword(word) && !is_specifier(word) && !is_known_type(word))
}

/// Whether tokens name a type of the project's; `None` if they name none.
fn names_own(tokens: Range<TokenIdx>, cx: &Context<'_>) -> Option<bool> {
    let document = cx.document;
    let words = tokens.filter(|&at| document.kind(at) == Some(TokenKind::Ident));
    let mut words = words.map(|at| document.token_text(at)).filter(|word| !word.ends_with("_cast")).peekable();
    words.peek()?;
    Some(words.any(|word| is_own_type(word, cx)))
}

fn is_own_type(word: &str, cx: &Context<'_>) -> bool {
    !is_keyword(word) && !is_specifier(word) && !is_known_type(word) && cx.table.get(word).is_empty()
}
