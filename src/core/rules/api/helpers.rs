//! What the rules about names share.

use crate::mapping::{CallRule, Entry, Part, Starting, Typed};
use crate::rules::NameList;
use crate::rules::context::Context;
use crate::rules::meaning::{Meaning, is_host_function};
use crate::rules::query::Name;
use crate::settings::WaveWidth;
use crate::source::TextRange;
use crate::syntax::{Call, Document, TokenIdx, TokenKind, path_start, words};

/// A call whose arguments change, and the rule that says how.
pub(in crate::rules) struct ChangedArguments<'d> {
    pub(in crate::rules) call: Call,
    pub(in crate::rules) rule: &'d CallRule,
}

/// The call rule for the call at `name`, if it is a call and one of the rules fits it.
pub(in crate::rules) fn changed_arguments<'d>(name: &Name<'_>, cx: &Context<'d>) -> Option<ChangedArguments<'d>> {
    // Most files do not even name the types that some rules are about.
    if cx.table.calls_of(&name.text).iter().all(|rule| rule.typed.as_ref().is_some_and(|typed| !is_named(typed, cx))) {
        return None;
    }
    let call = visible_call(cx.document, name.token).filter(|call| !is_declaration(call, cx))?;
    // Where the table has the counterpart in other releases only, a rule must know its own.
    let knows_release = |rule: &&CallRule| match name.meaning {
        Meaning::OtherRelease(entry) => {
            rule.range.since.is_some()
                || rule.range.until.zip(entry.range.since).is_some_and(|(end, start)| end < start)
        }
        _ => true,
    };
    // On the host, what CUDA's headers overload is a function of the C library but for the types that a rule names.
    let overloads = cx.table.calls_of(&name.text).iter().any(|rule| rule.host);
    let is_of_c = overloads && is_host_function(name.token, &name.text, cx);
    let rules = rules_for(&name.text, cx).filter(knows_release).filter(|rule| rule.host || !is_of_c);
    let rule = rules.into_iter().find(|rule| fits(&call, rule, cx))?;
    Some(ChangedArguments { call, rule })
}

/// Whether the name is none of CUDA's functions, for all that is known.
pub(super) fn is_not_of_cuda(name: &Name<'_>) -> bool {
    matches!(
        name.meaning,
        Meaning::Own(_) | Meaning::Tested | Meaning::Pasted | Meaning::Unknown | Meaning::Undecided(_)
    )
}

/// Whether a name is an argument that its call loses; `names` are those of the file.
pub(super) fn is_dropped(name: &Name<'_>, names: &NameList<'_>, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(callee) = name.token.checked_sub(1).and_then(|before| callee_of_argument(document, before)) else {
        return false;
    };
    let Some(function) = names.within(callee..callee + 1).next() else { return false };
    let Some(ChangedArguments { call, rule }) = changed_arguments(&function, cx) else { return false };
    let number = call.arguments.iter().position(|argument| argument.contains_range(name.range));
    let keeps = |number: usize| {
        rule.template.iter().any(|part| match part {
            Part::Argument(kept) => *kept == number,
            Part::Rest(first) => *first <= number,
            _ => false,
        })
    };
    !rule.template.is_empty() && number.is_some_and(|number| !keeps(number))
}

/// The name of the call that has the token at `last` in its argument list, outside of further brackets.
fn callee_of_argument(document: &Document, last: TokenIdx) -> Option<TokenIdx> {
    let mut idx = last;
    loop {
        match document.token(idx)?.kind {
            TokenKind::Punct(b'(') => return idx.checked_sub(1),
            TokenKind::Punct(b')') => idx = document.partner(idx).filter(|&open| open < idx)?,
            TokenKind::Punct(b';' | b'{' | b'}') => return None,
            _ => {}
        }
        idx = idx.checked_sub(1)?;
    }
}

/// The call rules of a function for the release and libraries of the settings. A name that a user gives has none: what
/// these write is a call of HIP's.
pub(super) fn rules_for<'d>(name: &str, cx: &Context<'d>) -> impl Iterator<Item = &'d CallRule> {
    let release = cx.settings.rocm;
    let entries = cx.table.get(name);
    let is_own = entries.iter().find(|entry| entry.range.contains(release)).is_some_and(Entry::is_of_user);
    let flavor = cx.settings.libraries.flavor(entries.first().map_or("", |entry| entry.library));
    let rules = if is_own { &[] } else { cx.table.calls_of(name) };
    let applies =
        move |rule: &&CallRule| rule.flavor.is_none_or(|wanted| wanted == flavor) && rule.range.contains(release);
    rules.iter().filter(applies)
}

/// Whether renaming the function alone would be wrong: its call cannot be seen, and HIP takes the
/// arguments in another order or number.
pub(in crate::rules) fn needs_its_call(name: &Name<'_>, cx: &Context<'_>) -> bool {
    // An address may be taken all the same: a wrong type does not compile.
    let is_called = cx.document.is(name.token + 1, b'(');
    is_called
        && visible_call(cx.document, name.token).is_none()
        && rules_for(&name.text, cx).filter(|rule| rule.is_for_any_call()).any(|rule| !rule.keeps_arguments())
}

/// The call at `name`, if all its arguments stand there.
pub(in crate::rules) fn visible_call(document: &Document, name: TokenIdx) -> Option<Call> {
    let call = Call::at(document, name)?;
    let stands_for_many = |argument: &TextRange| matches!(document.slice(*argument), text if text == "__VA_ARGS__" || text.ends_with("..."));
    (!call.arguments.iter().any(stands_for_many)).then_some(call)
}

/// Whether a call in a macro may have more arguments than stand there: `last, ##__VA_ARGS__`, `last, ##rest` and
/// `last __VA_OPT__(,) __VA_ARGS__`.
pub(in crate::rules) fn may_have_more(document: &Document, call: &Call) -> bool {
    call.arguments.iter().any(|argument| {
        let tokens = document.tokens_in(*argument);
        let (mut at, end) = (tokens.start, tokens.end);
        while at < end {
            if matches!(document.token_text(at), "__VA_ARGS__" | "__VA_OPT__") {
                return true;
            }
            at = document.after_brackets(at);
        }
        document.slice(*argument).starts_with("##")
    })
}

fn fits(call: &Call, rule: &CallRule, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let is_null = |number: usize| {
        call.arguments.get(number).is_some_and(|&range| matches!(document.slice(range), "nullptr" | "NULL" | "0"))
    };
    let starts_so = |wanted: &Starting| {
        call.arguments.get(wanted.argument).map(|&range| starts_with_name(document.slice(range), &wanted.starts))
    };
    rule.arguments.is_none_or(|count| count == call.arguments.len())
        && rule.null.is_none_or(is_null)
        && rule.only.as_ref().is_none_or(|only| starts_so(only) == Some(true))
        && rule.unless.as_ref().is_none_or(|unless| starts_so(unless) == Some(false))
        && (!rule.template_arguments || call.open > call.name + 1)
        && rule.typed.as_ref().is_none_or(|typed| is_named(typed, cx) && is_typed(call, typed, cx))
        && (!rule.keeps_32_lanes
            || cx.wave_width_at(document.range_of(call.name..call.name + 1).start()) == WaveWidth::Logical32)
        && (!rule.per_thread_streams || has_per_thread_streams(cx))
        && (!rule.alone || is_alone(call, document))
        && rule.managed.is_none_or(|number| is_managed(call, number, cx))
}

/// Whether a call is a statement by itself: nobody takes its value.
fn is_alone(call: &Call, document: &Document) -> bool {
    let Some(before) = path_start(document, call.name).checked_sub(1) else { return false };
    let begins = match document.token_text(before) {
        ";" | "{" | "}" | "else" | "do" => true,
        ")" => {
            let open = document.partner(before).filter(|&open| open >= 1);
            open.is_some_and(|open| matches!(document.token_text(open - 1), "if" | "for" | "while" | "switch"))
        }
        _ => false,
    };
    // The last statement of `({ … })` is a value.
    let is_value = document.is(call.close + 2, b'}') && document.is(call.close + 3, b')');
    begins && document.is(call.close + 1, b';') && !is_value
}

/// Whether an argument is a managed variable.
fn is_managed(call: &Call, number: usize, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(&argument) = call.arguments.get(number) else { return false };
    let is_part = |idx: TokenIdx| matches!(document.kind(idx), Some(TokenKind::Ident | TokenKind::PathSep));
    let last = document.tokens_in(argument).last().filter(|_| document.tokens_in(argument).all(is_part));
    last.is_some_and(|last| cx.is_managed_variable(document.token_text(last)))
}

/// Whether an argument starts with a name of CUDA's, or with that name as HIP has it.
fn starts_with_name(argument: &str, name: &str) -> bool {
    let argument = argument.strip_prefix("::").unwrap_or(argument);
    let of_hip = argument.strip_prefix("hip").zip(name.strip_prefix("cuda"));
    argument.starts_with(name) || of_hip.is_some_and(|(argument, name)| argument.starts_with(name))
}

/// Whether the build or the file asks for a default stream of each thread. The functions for symbols lose their forms for
/// references then (ROCm/hip, issue 3265).
fn has_per_thread_streams(cx: &Context<'_>) -> bool {
    const ASKING: &[&str] = &["CUDA_API_PER_THREAD_DEFAULT_STREAM", "HIP_API_PER_THREAD_DEFAULT_STREAM"];
    cx.project.builds.per_thread_streams || ASKING.iter().any(|word| cx.has_word(word))
}

/// Whether the file names one of the types.
fn is_named(typed: &Typed, cx: &Context<'_>) -> bool {
    typed.types.iter().any(|of| of.split([' ', '*']).next().is_some_and(|word| cx.has_word(word)))
}

/// Whether an argument has one of the types, as far as the function that it stands in or a variable of the file tells.
fn is_typed(call: &Call, typed: &Typed, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(&range) = call.arguments.get(typed.argument) else { return false };
    let function = cx.facts.functions.around(call.name);
    let tokens = document.tokens_in(range);
    match function.and_then(|function| cx.variable_types().of_argument(function, tokens.clone())) {
        Some(found) => typed.types.iter().any(|of| **of == *found),
        None if tokens.len() == 1 => {
            let name = document.token_text(tokens.start);
            let declares =
                |at: TokenIdx| document.kind(at + 1) == Some(TokenKind::Ident) && document.token_text(at + 1) == name;
            typed.types.iter().any(|of| cx.has_word(of) && words(document, of).any(declares))
        }
        None => false,
    }
}

/// `cudaError_t cudaMalloc(void**, size_t);` and `int __vadd4(int a, int b) { … }` call nothing.
pub(in crate::rules) fn is_declaration(call: &Call, cx: &Context<'_>) -> bool {
    let document = cx.document;
    let Some(before) = call.name.checked_sub(1) else { return false };
    let follows_type = match document.token(before).map(|token| token.kind) {
        Some(TokenKind::Ident) => !matches!(document.token_text(before), "return" | "else" | "do" | "case" | "throw"),
        Some(TokenKind::Punct(b'*' | b'&' | b'>')) => true,
        _ => false,
    };
    let ends_declaration = document.is(call.close + 1, b';') || document.is(call.close + 1, b'{');
    let in_directive = document.directive_of(call.name).is_some();
    follows_type && ends_declaration && !in_directive && cx.facts.functions.around(call.name).is_none()
}
