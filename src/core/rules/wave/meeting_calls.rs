//! Calls for which the lanes of a mask come together: of CUDA's functions, of members of groups, and of the functions, macros and
//! lambdas of the file that make such calls.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lane_branches::forward;
use super::lane_function::{LaneFunction, takes_mask};
use crate::analysis::{Function, declaration};
use crate::rules::api::visible_call;
use crate::rules::context::Context;
use crate::rules::groups::{has_groups, is_group, start_of_receiver};
use crate::syntax::{DirectiveKind, Document, TokenIdx, TokenKind, among, split_arguments, template_end, words};

/// Members of groups that all lanes of the group come to.
const OF_GROUPS: &[&str] =
    &["all", "any", "ballot", "match_all", "match_any", "shfl", "shfl_down", "shfl_up", "shfl_xor", "sync"];

/// Functions that all lanes of the group come to that is their first argument.
const OVER_GROUPS: &[&str] = &["reduce", "inclusive_scan", "exclusive_scan"];

/// The mask of all lanes, as which a barrier without a mask counts.
const ALL_LANES: u64 = u64::MAX;

const ALL_OF_32: i64 = 0xffff_ffff;

/// A call for which lanes come together.
#[derive(Debug, Clone)]
pub(super) struct MeetingCall<'d> {
    /// What is called.
    pub(super) name: TokenIdx,
    /// The function about lanes that is reached.
    pub(super) function: &'d str,
    /// Whose lanes.
    pub(super) lanes: Lanes<'d>,
    /// The tokens that say so; nothing where a function of the file does.
    pub(super) mask: Range<TokenIdx>,
}

/// Which lanes come together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Lanes<'d> {
    /// Those of a mask that is known.
    Mask(u64),
    /// Those of a mask or group that is written so.
    Named(&'d str),
}

/// What a function, macro or lambda of the file needs lanes for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Need<'d> {
    Lanes(&'d str, Lanes<'d>),
    /// Those of the argument with this number.
    Argument(&'d str, usize),
}

/// Something of the file that can be called.
struct Callable<'d> {
    name: &'d str,
    defined: TokenIdx,
    parameters: Vec<&'d str>,
    body: Range<TokenIdx>,
    /// Names that the body declares.
    declared: OnceCell<FxHashSet<&'d str>>,
}

type Needs<'d> = BTreeMap<&'d str, BTreeSet<Need<'d>>>;
type Uses<'d> = FxHashMap<&'d str, Vec<TokenIdx>>;

/// All such calls of a file, in the order of the text.
pub(super) fn meeting_calls<'d>(cx: &Context<'d>) -> Vec<MeetingCall<'d>> {
    let mut all = own_calls(cx);
    all.extend(calls_of_groups(cx));
    if all.is_empty() {
        return all;
    }
    all.sort_by_key(|call| call.name);
    let callables = callables(cx);
    let uses = uses(cx.document, &callables);
    let needs = needs(cx, (&callables, &uses), &all);
    let defined: FxHashSet<TokenIdx> = callables.iter().map(|callable| callable.defined).collect();
    let mut passed: Vec<MeetingCall<'_>> = Vec::new();
    for (name, wanted) in &needs {
        for &call in uses.get(name).into_iter().flatten().filter(|call| !defined.contains(call)) {
            passed.extend(wanted.iter().filter_map(|need| passed_on(cx, call, need)));
        }
    }
    all.extend(passed);
    all.sort_by_key(|call| call.name);
    all
}

/// Where the names of all that can be called stand, in the order of the text.
fn uses<'d>(document: &'d Document, callables: &[Callable<'d>]) -> Uses<'d> {
    let mut uses: Uses<'d> = callables.iter().map(|callable| (callable.name, Vec::new())).collect();
    for idx in (0..document.tokens().len()).filter(|&idx| document.kind(idx) == Some(TokenKind::Ident)) {
        if let Some(places) = uses.get_mut(document.token_text(idx)) {
            places.push(idx);
        }
    }
    uses
}

/// Calls of CUDA's functions with masks.
fn own_calls<'d>(cx: &Context<'d>) -> Vec<MeetingCall<'d>> {
    let document = cx.document;
    let names = Rc::clone(&cx.names);
    let calls = names.iter().filter(|name| takes_mask(&name.text)).filter_map(|name| {
        let function = LaneFunction::of(&name)?;
        let (token, text) = (name.token, document.token_text(name.token));
        let call = visible_call(document, token)?;
        let Some(&mask) = call.arguments.first() else {
            // A barrier without arguments is for all.
            let all = MeetingCall { name: token, function: text, lanes: Lanes::Mask(ALL_LANES), mask: token..token };
            return (function == LaneFunction::Barrier).then_some(all);
        };
        let mask = document.tokens_in(mask);
        Some(MeetingCall { name: token, function: text, lanes: lanes_of(cx, mask.clone()), mask })
    });
    calls.collect()
}

/// `tile.shfl(x, 0)`
fn calls_of_groups<'d>(cx: &Context<'d>) -> Vec<MeetingCall<'d>> {
    let document: &'d Document = cx.document;
    let members = if has_groups(cx) { OF_GROUPS } else { &[] };
    let calls = members.iter().flat_map(|member| words(document, member)).filter_map(|name| {
        let is_member = |before: TokenIdx| matches!(document.token_text(before), "." | "->");
        let is_call = document.is(name + 1, b'(') && name.checked_sub(1).is_some_and(is_member);
        let group = start_of_receiver(document, name.checked_sub(2)?).filter(|_| is_call)?;
        let mask = group..name - 1;
        is_group(document, group, name, cx).then(|| MeetingCall {
            name,
            function: document.token_text(name),
            lanes: Lanes::Named(document.slice(document.range_of(mask.clone()))),
            mask,
        })
    });
    let functions = if has_groups(cx) { OVER_GROUPS } else { &[] };
    let over = functions.iter().flat_map(|function| words(document, function)).filter_map(|name| {
        let &group = visible_call(document, name)?.arguments.first()?;
        let mask = document.tokens_in(group);
        let is_tile = mask.len() == 1 && is_group(document, mask.start, name, cx);
        is_tile.then(|| MeetingCall {
            name,
            function: document.token_text(name),
            lanes: Lanes::Named(document.slice(group)),
            mask,
        })
    });
    calls.chain(over).collect()
}

fn lanes_of<'d>(cx: &Context<'d>, mask: Range<TokenIdx>) -> Lanes<'d> {
    let document: &'d Document = cx.document;
    match cx.thread_numbers().constant(mask.clone()) {
        // One of CUDA's has 32 bits, however it is spelt: `-1`, `~0u`. Those of HIP that name 32 lanes of CUDA's whole warps name all.
        Some(value) if cx.facts.is_hip && value != ALL_OF_32 => Lanes::Mask(value.cast_unsigned()),
        Some(value) if value & ALL_OF_32 == ALL_OF_32 => Lanes::Mask(ALL_LANES),
        Some(value) => Lanes::Mask((value & ALL_OF_32).cast_unsigned()),
        None => Lanes::Named(document.slice(document.range_of(mask))),
    }
}

fn callables<'d>(cx: &Context<'d>) -> Vec<Callable<'d>> {
    let document: &'d Document = cx.document;
    let mut all = Vec::new();
    for function in cx.facts.functions.iter().filter(|function| function.runs_on_device()) {
        if let Some(name) = function.name {
            all.push(callable(document, name, name + 1, function.body.clone()));
            all.extend(objects(cx, function, name));
        }
        all.extend(lambdas(document, function));
    }
    for directive in document.directives().iter().filter(|directive| directive.kind == DirectiveKind::Define) {
        let name = directive.tokens.start + 2;
        let Some(close) = document.partner(name + 1).filter(|&close| document.is(name + 1, b'(') && close > name)
        else {
            continue;
        };
        all.push(callable(document, name, name + 1, close + 1..directive.tokens.end));
    }
    all
}

/// The variables of a class whose `operator()` the function is, each of which is called as that: `Sum sum; sum(x);`
fn objects<'d>(cx: &Context<'d>, function: &Function, name: TokenIdx) -> Vec<Callable<'d>> {
    let document: &'d Document = cx.document;
    let is_call_operator =
        document.token_text(name) == "operator" && document.is(name + 1, b'(') && document.is(name + 2, b')');
    let Some(class) = is_call_operator.then(|| class_around(cx, function)).flatten() else { return Vec::new() };
    let places = words(document, document.token_text(class)).filter(|&idx| idx != class);
    let variables = places.flat_map(|idx| declared_as(document, idx));
    let body = || function.body.clone();
    variables.map(|variable| Callable { defined: variable, ..callable(document, variable, name + 3, body()) }).collect()
}

/// The variables or the parameter of the type that a token ends or names: `Sum a(1), b;`, `Sum<int> &c`.
fn declared_as(document: &Document, kind: TokenIdx) -> Vec<TokenIdx> {
    let end = template_end(document, kind + 1, document.tokens().len()).filter(|_| document.is(kind + 1, b'<'));
    let mut first = end.unwrap_or(kind) + 1;
    first += usize::from(document.is(first, b'&'));
    if document.kind(first) != Some(TokenKind::Ident) {
        return Vec::new();
    }
    let ends = |&idx: &TokenIdx| document.is(idx, b';') || document.is(idx, b')') || document.is(idx, b'{');
    let mut variables = vec![first];
    let mut at = first;
    while let Some(next) = forward(document, at..document.tokens().len(), &[",", ";"]).filter(|next| !ends(next)) {
        // In a list of parameters a type follows.
        let is_name =
            document.kind(next + 1) == Some(TokenKind::Ident) && document.kind(next + 2) != Some(TokenKind::Ident);
        variables.extend(is_name.then_some(next + 1));
        at = next + 1;
    }
    variables
}

/// The name of the class around a function.
fn class_around(cx: &Context<'_>, function: &Function) -> Option<TokenIdx> {
    let document = cx.document;
    let open = cx.facts.blocks(document).around(function.head.start)?;
    let ends = |&idx: &TokenIdx| [b';', b'{', b'}'].iter().any(|&sign| document.is(idx, sign));
    let head = (0..open).rev().find(ends).map_or(0, |end| end + 1)..open;
    let keyword = head.clone().rev().find(|&idx| matches!(document.token_text(idx), "struct" | "class"))?;
    (keyword + 1..open).find(|&idx| document.kind(idx) == Some(TokenKind::Ident) && !document.is(idx + 1, b'('))
}

/// `auto f = [&](int x) { … };`
fn lambdas<'d>(document: &'d Document, function: &Function) -> Vec<Callable<'d>> {
    let starts = function.body.clone().filter(|&idx| document.is(idx, b'=') && document.is(idx + 1, b'['));
    let lambdas = starts.filter_map(|sign| {
        let name = sign.checked_sub(1).filter(|&name| document.kind(name) == Some(TokenKind::Ident))?;
        let open = document.partner(sign + 1).filter(|&close| close > sign)? + 1;
        let close = document.partner(open).filter(|&close| document.is(open, b'(') && close > open)?;
        let start = (close..function.body.end).find(|&idx| document.is(idx, b'{') || document.is(idx, b';'))?;
        let end = document.partner(start).filter(|&end| end > start)?;
        Some(callable(document, name, open, start..end))
    });
    lambdas.collect()
}

/// `open` is the parenthesis of its parameters, if these are there.
fn callable(document: &Document, name: TokenIdx, open: TokenIdx, body: Range<TokenIdx>) -> Callable<'_> {
    let close = document.partner(open).filter(|&close| document.is(open, b'(') && close > open);
    let parts = close.map(|close| split_arguments(document, open + 1..close)).unwrap_or_default();
    let parameter = |part: Range<TokenIdx>| {
        let declared = declaration(document, part.clone()).and_then(|found| Some(found.declarators.first()?.name));
        document.token_text(declared.unwrap_or(part.start))
    };
    let parameters = parts.into_iter().map(parameter).collect();
    Callable { name: document.token_text(name), defined: name, parameters, body, declared: OnceCell::new() }
}

/// A function that comes to so many calls with different masks has findings for these.
const MOST_NEEDS: usize = 64;

/// What each needs, by way of others, too.
fn needs<'d>(cx: &Context<'d>, (callables, uses): (&[Callable<'d>], &Uses<'d>), all: &[MeetingCall<'d>]) -> Needs<'d> {
    let document: &'d Document = cx.document;
    let (mut needs, mut new): (Needs<'d>, Vec<(&'d str, Need<'d>)>) = (BTreeMap::new(), Vec::new());
    let mut add = |name: &'d str, need: Option<Need<'d>>, new: &mut Vec<(&'d str, Need<'d>)>| {
        let own = needs.entry(name).or_default();
        let added = need.filter(|need| own.len() < MOST_NEEDS && own.insert(need.clone()));
        new.extend(added.map(|need| (name, need)));
    };
    for callable in callables {
        for call in among(all, callable.body.clone(), |call| call.name) {
            add(callable.name, need_of(document, callable, call), &mut new);
        }
    }
    let callers = callers(callables, uses);
    // Each of finitely many needs is passed on once.
    while let Some((name, need)) = new.pop() {
        for &(caller, place) in callers.get(name).into_iter().flatten() {
            let need = passed_on(cx, place, &need).and_then(|call| need_of(document, &callables[caller], &call));
            add(callables[caller].name, need, &mut new);
        }
    }
    needs.retain(|_, needs| !needs.is_empty());
    needs
}

/// For each name the numbers of those in whose body it stands, and where.
fn callers<'d>(callables: &[Callable<'d>], uses: &Uses<'d>) -> FxHashMap<&'d str, Vec<(usize, TokenIdx)>> {
    let mut places: Vec<(TokenIdx, &'d str)> =
        uses.iter().flat_map(|(name, places)| places.iter().map(|place| (*place, *name))).collect();
    places.sort_unstable();
    let mut callers: FxHashMap<&'d str, Vec<(usize, TokenIdx)>> = FxHashMap::default();
    for (number, callable) in callables.iter().enumerate() {
        for &(place, name) in among(&places, callable.body.clone(), |(place, _)| *place) {
            callers.entry(name).or_default().push((number, place));
        }
    }
    callers
}

/// What a call within a body needs of whoever calls that; nothing where the body says which lanes are there.
fn need_of<'d>(document: &'d Document, callable: &Callable<'d>, call: &MeetingCall<'d>) -> Option<Need<'d>> {
    let (function, mask) = (call.function, &call.mask);
    let Lanes::Named(text) = &call.lanes else { return Some(Need::Lanes(function, call.lanes.clone())) };
    if let Some(number) = callable.parameters.iter().position(|parameter| parameter == text) {
        return Some(Need::Argument(function, number));
    }
    let is_simple = mask.len() == 1 && document.kind(mask.start) == Some(TokenKind::Ident);
    let declared = || callable.declared.get_or_init(|| declared(document, &callable.body));
    (is_simple && !declared().contains(text)).then(|| Need::Lanes(function, call.lanes.clone()))
}

/// The names that stand behind a type or a `&`.
fn declared<'d>(document: &'d Document, body: &Range<TokenIdx>) -> FxHashSet<&'d str> {
    let follows_type = |before: TokenIdx| {
        let is_type = document.kind(before) == Some(TokenKind::Ident) && document.token_text(before) != "return";
        is_type || document.is(before, b'&')
    };
    let names = body.clone().filter(|&idx| document.kind(idx) == Some(TokenKind::Ident));
    names.filter(|idx| idx.checked_sub(1).is_some_and(follows_type)).map(|idx| document.token_text(idx)).collect()
}

/// What a call of something of the file that has a need comes to.
fn passed_on<'d>(cx: &Context<'d>, name: TokenIdx, need: &Need<'d>) -> Option<MeetingCall<'d>> {
    let document: &'d Document = cx.document;
    let call = visible_call(document, name)?;
    let at = name..name;
    Some(match need {
        Need::Lanes(function, lanes) => MeetingCall { name, function, lanes: lanes.clone(), mask: at },
        Need::Argument(function, number) => {
            let mask = document.tokens_in(*call.arguments.get(*number)?);
            MeetingCall { name, function, lanes: lanes_of(cx, mask.clone()), mask }
        }
    })
}
